"""Programs as sequences of tokens without names, values, comments and layout, so that renaming changes nothing.

A program in Python is the sequence of its syntax tree in the form that Dolos gives it: an opening bracket, the kind of
a node, what is below it, and a closing one. What cannot be parsed is cut into words, numbers and signs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from mlebench.integrity.sources import python_tree

Token = tuple[str, int]  # the kind of a node, and its line

_KINDS: dict[type[ast.AST], str] = {
    ast.Name: "identifier", ast.Call: "call", ast.Attribute: "attribute", ast.List: "list", ast.Tuple: "tuple",
    ast.Dict: "dictionary", ast.Set: "set", ast.Subscript: "subscript", ast.BinOp: "binary_operator",
    ast.BoolOp: "boolean_operator", ast.UnaryOp: "unary_operator", ast.Compare: "comparison_operator",
    ast.IfExp: "conditional_expression", ast.Lambda: "lambda", ast.ListComp: "list_comprehension",
    ast.SetComp: "set_comprehension", ast.DictComp: "dictionary_comprehension",
    ast.GeneratorExp: "generator_expression",
    ast.Await: "await", ast.Yield: "yield", ast.Starred: "list_splat", ast.Slice: "slice", ast.JoinedStr: "string",
    ast.FormattedValue: "interpolation", ast.NamedExpr: "named_expression", ast.comprehension: "for_in_clause",
    ast.If: "if_statement", ast.For: "for_statement", ast.While: "while_statement", ast.With: "with_statement",
    ast.Try: "try_statement", ast.ExceptHandler: "except_clause", ast.Return: "return_statement",
    ast.Raise: "raise_statement", ast.Assert: "assert_statement", ast.Delete: "delete_statement",
    ast.Pass: "pass_statement", ast.Break: "break_statement", ast.Continue: "continue_statement",
    ast.Global: "global_statement", ast.Nonlocal: "nonlocal_statement", ast.withitem: "with_item",
}  # fmt: skip
_WORD = re.compile(r"#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\d[\w.]*|[A-Za-z_.][\w.]*|<-|[^\s\w]")
_KEYWORDS = frozenset(
    "if else for while function return in repeat break next import from def class with try except finally".split()
)
_CONTINUES = re.compile(r"[)\]}]|(?:else|elif|except|finally)\b")
_DEEPEST = 150


def tokens_of(text: str) -> list[Token]:
    """The tokens of a program."""
    tree = python_tree(text)
    if tree is not None:
        found: list[Token] = []
        _block(tree.body, found, 0)
        return found
    return [token for first, piece in _pieces(text) for token in _of_piece(piece, first)]


def _of_piece(piece: str, first: int) -> list[Token]:
    """The tokens of a piece of a program that has a mistake somewhere; a mistake must not hide the rest of it."""
    tree = python_tree(piece)
    if tree is None:
        return [(kind, line + first - 1) for kind, line in _words(piece)]
    found: list[Token] = []
    _block(tree.body, found, 0)
    return [(kind, line + first - 1) for kind, line in found]


def _pieces(text: str) -> list[tuple[int, str]]:
    """(first line, text) of the statements at the top of a program, by their indentation."""
    pieces: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not pieces or (line[:1].strip() and not _CONTINUES.match(line)):
            pieces.append((number, []))
        pieces[-1][1].append(line)
    return [(first, "\n".join(lines)) for first, lines in pieces]


def _words(text: str) -> list[Token]:
    found: list[Token] = []
    for number, line in enumerate(text.split("\n"), start=1):
        for match in _WORD.finditer(line[:10_000]):
            word = match[0]
            if word.startswith("#"):
                continue
            kind = (
                word if word in _KEYWORDS else "string" if word[0] in "\"'" else "number" if word[0].isdigit() else None
            )
            kind = kind or ("identifier" if word[0].isalpha() or word[0] in "_." else word)
            found.append((kind, number))
    return found


def _block(statements: Iterable[ast.stmt], found: list[Token], depth: int) -> None:
    for statement in statements:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring, or a text that is a comment
        _node(statement, found, depth)


def _node(node: ast.AST, found: list[Token], depth: int) -> None:
    line = getattr(node, "lineno", found[-1][1] if found else 1)
    if depth > _DEEPEST:
        return
    match node:
        case ast.Constant():
            _constant(node, found, line)
            return
        case ast.Expr():
            _open("expression_statement", found, line)
            _node(node.value, found, depth + 1)
        case ast.Assign() | ast.AnnAssign():
            _open("expression_statement", found, line)
            _open("assignment", found, line)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                _node(target, found, depth + 1)
            if node.value is not None:
                _node(node.value, found, depth + 1)
            found.append((")", line))
        case ast.AugAssign():
            _open("expression_statement", found, line)
            _open("augmented_assignment", found, line)
            _node(node.target, found, depth + 1)
            _node(node.value, found, depth + 1)
            found.append((")", line))
        case ast.Import() | ast.ImportFrom():
            _import(node, found, line)
            return
        case ast.Name():
            found += [("(", line), ("identifier", line), (")", line)]
            return
        case ast.Attribute():
            _open("attribute", found, line)
            _node(node.value, found, depth + 1)
            _leaf("identifier", found, node.end_lineno or line)
        case ast.Call():
            _open("call", found, line)
            _node(node.func, found, depth + 1)
            _open("argument_list", found, line)
            for argument in node.args:
                _node(argument, found, depth + 1)
            for keyword in node.keywords:
                where = keyword.value.lineno
                _open("keyword_argument" if keyword.arg else "dictionary_splat", found, where)
                if keyword.arg:
                    _leaf("identifier", found, where)
                _node(keyword.value, found, depth + 1)
                found.append((")", where))
            found.append((")", line))
        case ast.Dict():
            _open("dictionary", found, line)
            for key, value in zip(node.keys, node.values, strict=True):
                _open("pair" if key is not None else "dictionary_splat", found, value.lineno)
                if key is not None:
                    _node(key, found, depth + 1)
                _node(value, found, depth + 1)
                found.append((")", value.lineno))
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            _definition(node, found, line, depth)
            return
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
            _compound(node, found, line, depth)
            return
        case ast.With() | ast.AsyncWith():
            _open("with_statement", found, line)
            _open("with_clause", found, line)
            for item in node.items:
                _open("with_item", found, line)
                _aliased(item.context_expr, item.optional_vars, found, line, depth)
                found.append((")", line))
            found.append((")", line))
            _indented(node.body, found, line, depth)
        case ast.Try():
            _open("try_statement", found, line)
            _indented(node.body, found, line, depth)
            for handler in node.handlers:
                _open("except_clause", found, handler.lineno)
                if handler.type is not None:
                    name = ast.Name(handler.name, ast.Store(), lineno=handler.lineno) if handler.name else None
                    _aliased(handler.type, name, found, handler.lineno, depth)
                _indented(handler.body, found, handler.lineno, depth)
                found.append((")", handler.lineno))
            for kind, part in (("else_clause", node.orelse), ("finally_clause", node.finalbody)):
                if part:
                    _open(kind, found, part[0].lineno)
                    _indented(part, found, part[0].lineno, depth)
                    found.append((")", part[0].lineno))
        case ast.Subscript():
            _open("subscript", found, line)
            _node(node.value, found, depth + 1)
            for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
                _node(index, found, depth + 1)
        case ast.comprehension():
            _open("for_in_clause", found, line)
            _node(node.target, found, depth + 1)
            _node(node.iter, found, depth + 1)
            found.append((")", line))
            for condition in node.ifs:
                _open("if_clause", found, line)
                _node(condition, found, depth + 1)
                found.append((")", line))
            return
        case ast.UnaryOp():
            _open("not_operator" if isinstance(node.op, ast.Not) else "unary_operator", found, line)
            _node(node.operand, found, depth + 1)
        case ast.Tuple() if isinstance(node.ctx, ast.Store):
            _open("pattern_list", found, line)
            for element in node.elts:
                _node(element, found, depth + 1)
        case ast.Lambda():
            _open("lambda", found, line)
            if node.args.args:
                _open("lambda_parameters", found, line)
                for _ in node.args.args:
                    _leaf("identifier", found, line)
                found.append((")", line))
            _node(node.body, found, depth + 1)
        case ast.JoinedStr():
            _open("string", found, line)
            _leaf("string_start", found, line)
            for piece in node.values:
                if isinstance(piece, ast.FormattedValue):
                    _open("interpolation", found, line)
                    _node(piece.value, found, depth + 1)
                    if piece.format_spec is not None:
                        _leaf("format_specifier", found, line)
                    found.append((")", line))
                else:
                    _leaf("string_content", found, line)
            _leaf("string_end", found, line)
        case ast.IfExp():
            _open("conditional_expression", found, line)
            for option in (node.body, node.test, node.orelse):
                _node(option, found, depth + 1)
        case _:
            kind = _KINDS.get(type(node), type(node).__name__.lower())
            _open(kind, found, line)
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, ast.expr_context | ast.operator | ast.boolop | ast.unaryop | ast.cmpop):
                    _node(child, found, depth + 1)
    found.append((")", line))


def _aliased(value: ast.expr, name: ast.expr | None, found: list[Token], line: int, depth: int) -> None:
    """A value that `as` gives a name."""
    if name is None:
        _node(value, found, depth + 1)
        return
    _open("as_pattern", found, line)
    _node(value, found, depth + 1)
    _open("as_pattern_target", found, line)
    _node(name, found, depth + 1)
    found += [(")", line), (")", line)]


def _open(kind: str, found: list[Token], line: int) -> None:
    found += [("(", line), (kind, line)]


def _leaf(kind: str, found: list[Token], line: int) -> None:
    found += [("(", line), (kind, line), (")", line)]


def _constant(node: ast.Constant, found: list[Token], line: int) -> None:
    if isinstance(node.value, str | bytes):
        _open("string", found, line)
        for kind in ("string_start", "string_content", "string_end") if node.value else ("string_start", "string_end"):
            _leaf(kind, found, line)
        found.append((")", line))
        return
    kind = {bool: "true" if node.value else "false", int: "integer", float: "float"}.get(type(node.value), "none")
    _leaf(kind, found, line)


def _import(node: ast.Import | ast.ImportFrom, found: list[Token], line: int) -> None:
    _open("import_statement" if isinstance(node, ast.Import) else "import_from_statement", found, line)
    if isinstance(node, ast.ImportFrom):
        _dotted(node.module or "", found, line)
    for name in node.names:
        if name.name == "*":
            _leaf("wildcard_import", found, line)
            continue
        if name.asname:
            _open("aliased_import", found, line)
        _dotted(name.name, found, line)
        if name.asname:
            _leaf("identifier", found, line)
            found.append((")", line))
    found.append((")", line))


def _dotted(name: str, found: list[Token], line: int) -> None:
    _open("dotted_name", found, line)
    for _ in name.split("."):
        _leaf("identifier", found, line)
    found.append((")", line))


def _definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, found: list[Token], line: int, depth: int
) -> None:
    if node.decorator_list:
        _open("decorated_definition", found, line)
        for decorator in node.decorator_list:
            _open("decorator", found, decorator.lineno)
            _node(decorator, found, depth + 1)
            found.append((")", decorator.lineno))
    _open("class_definition" if isinstance(node, ast.ClassDef) else "function_definition", found, line)
    _leaf("identifier", found, line)
    if isinstance(node, ast.ClassDef):
        if node.bases:
            _open("argument_list", found, line)
            for base in node.bases:
                _node(base, found, depth + 1)
            found.append((")", line))
    else:
        _open("parameters", found, line)
        arguments = node.args
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
        for _, default in [
            *zip(plain, defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]:
            if default is None:
                _leaf("identifier", found, line)
                continue
            _open("default_parameter", found, line)
            _leaf("identifier", found, line)
            _node(default, found, depth + 1)
            found.append((")", line))
        found.append((")", line))
    _indented(node.body, found, line, depth)
    found.append((")", line))
    if node.decorator_list:
        found.append((")", line))


def _compound(node: ast.If | ast.For | ast.AsyncFor | ast.While, found: list[Token], line: int, depth: int) -> None:
    kind = {ast.If: "if_statement", ast.While: "while_statement"}.get(type(node), "for_statement")
    _open(kind, found, line)
    for part in (node.test,) if isinstance(node, ast.If | ast.While) else (node.target, node.iter):
        _node(part, found, depth + 1)
    _indented(node.body, found, line, depth)
    other = node.orelse
    while isinstance(node, ast.If) and len(other) == 1 and isinstance(other[0], ast.If):
        _open("elif_clause", found, other[0].lineno)
        _node(other[0].test, found, depth + 1)
        _indented(other[0].body, found, other[0].lineno, depth)
        found.append((")", other[0].lineno))
        other = other[0].orelse
    if other:
        _open("else_clause", found, other[0].lineno)
        _indented(other, found, other[0].lineno, depth)
        found.append((")", other[0].lineno))
    found.append((")", line))


def _indented(statements: list[ast.stmt], found: list[Token], line: int, depth: int) -> None:
    _open("block", found, line)
    _block(statements, found, depth + 1)
    found.append((")", line))
