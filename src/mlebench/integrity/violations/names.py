"""The names of a program: what imports, objects and functions of its own stand for, its constants, and its calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from mlebench.integrity.violations import libraries as known
from mlebench.integrity.violations.addresses import Destination, destination
from mlebench.integrity.violations.folding import Folder
from mlebench.integrity.violations.paths import outside

_DEEPEST_CALL = 3


@dataclass(frozen=True)
class FolderFacts:
    """What is known of the whole folder: files it writes by their names, names that are used, whether vLLM serves."""

    written: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    serves_model: bool = False
    texts: dict[str, str] = field(default_factory=dict)  # other files of the folder that a program may execute


class Module:
    """One program: names of imports and objects, constants, and the calls that are not in dead code."""

    def __init__(self, tree: ast.Module, facts: FolderFacts) -> None:
        self.tree, self.facts = tree, facts
        self.aliases: dict[str, str] = {}
        self.folder = Folder(dotted=self.dotted)
        self.folder.functions = {**_lambdas(tree), **self._functions}
        self._entered = 0  # how many functions of the program a name is followed through
        self.calls: list[tuple[ast.Call, bool]] = []  # (call, whether it is in a function that nothing uses)
        for _ in range(3):  # a constant may be built from another one that stands further down
            self._bind(tree)
        self._collect(tree, dead=False)

    # --- names ---

    def dotted(self, node: ast.expr) -> str:
        """The dotted name of what is called, by imports: `client.chat` of `OpenAI()` is `openai.OpenAI().chat`."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            own = self.aliases.get(ast.unparse(node)) if isinstance(node.value, ast.Name) else None
            base = self.dotted(node.value)
            return own or (f"{base}.{node.attr}" if base else node.attr)
        if isinstance(node, ast.Call):
            name = self.dotted(node.func)
            if name in ("importlib.import_module", "__import__", "importlib.__import__", "import_module"):
                module = self.folder.text(node.args[0]) if node.args else None
                return module or "?"
            if name in ("importlib.util.find_spec", "pkgutil.resolve_name", "importlib.util.resolve_name"):
                module = self.folder.text(node.args[0]) if node.args else None
                return (module or "?").replace(":", ".")
            if name in ("importlib.util.module_from_spec", "importlib.reload") and node.args:
                return self.dotted(node.args[0])
            if name == "getattr" and len(node.args) >= 2:
                return f"{self.dotted(node.args[0])}.{self.folder.text(node.args[1]) or '?'}"
            if name == "functools.partial" and node.args:
                return self.dotted(node.args[0])
            return self._returned_name(node) or f"{name}()"
        if isinstance(node, ast.Subscript):
            if self.dotted(node.value) in ("sys.modules", "globals()", "vars()") and isinstance(node.slice, ast.expr):
                return self.folder.text(node.slice) or "?"
            if isinstance(node.value, ast.Attribute) and node.value.attr == "__dict__":
                return f"{self.dotted(node.value.value)}.{self.folder.text(node.slice) or '?'}"
            return ""
        if isinstance(node, ast.Await):
            return self.dotted(node.value)
        if isinstance(node, ast.NamedExpr):
            return self.dotted(node.value)
        return ""

    def _returned_name(self, call: ast.Call) -> str | None:
        """The dotted name of what a function of this program returns: a module that it imports, or a client."""
        function = self._functions.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if function is None or self._entered >= _DEEPEST_CALL:
            return None
        end = function.body[-1]
        if not isinstance(end, ast.Return) or not isinstance(end.value, ast.Call | ast.Attribute | ast.Name):
            return None
        self._entered += 1
        try:
            with self.folder.given(function, call):
                name = self.dotted(end.value)
        finally:
            self._entered -= 1
        return name if "." in name or name in known.MODEL_MODULES or "()" in name else None

    def _bind(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            match node:
                case ast.Import():
                    for name in node.names:
                        self.aliases[name.asname or name.name.split(".")[0]] = (
                            name.name if name.asname else name.name.split(".")[0]
                        )
                case ast.ImportFrom() if node.module and not node.level:
                    for name in node.names:
                        self.aliases[name.asname or name.name] = f"{node.module}.{name.name}"
                case ast.Assign() | ast.AnnAssign() if node.value is not None:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for target in targets:
                        self._assign(target, node.value)
                case ast.NamedExpr():
                    self._assign(node.target, node.value)
                case ast.AugAssign(op=ast.Add()) if isinstance(node.target, ast.Name):
                    pass
                case ast.With() | ast.AsyncWith():
                    for item in node.items:
                        if item.optional_vars is not None:
                            self._assign(item.optional_vars, item.context_expr)
                case ast.For() if isinstance(node.target, ast.Name):
                    values = self.folder.fold(node.iter)
                    if isinstance(values, list) and values:
                        suspicious = [value for value in values if isinstance(value, str) and _is_suspicious(value)]
                        self._constant(node.target.id, (suspicious or values)[0])
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    given = [*node.args.posonlyargs, *node.args.args]
                    for argument, default in zip(reversed(given), reversed(node.args.defaults), strict=False):
                        self._constant(argument.arg, self.folder.fold(default))
                    for argument, preset in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=False):
                        self._constant(argument.arg, self.folder.fold(preset))
                case ast.Call():
                    self._bind_arguments(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(one, other)
            return
        if not isinstance(target, ast.Name | ast.Attribute):
            return
        name = target.id if isinstance(target, ast.Name) else ast.unparse(target)
        found = self.folder.fold(value)
        if found is not None:
            self._constant(name, found)
            return
        if isinstance(value, ast.Call | ast.Attribute | ast.Name | ast.Await | ast.Subscript):
            dotted = self.dotted(value)
            root = dotted.split(".")[0].split("(")[0]
            is_named = isinstance(value, ast.Call) or "." in dotted
            if dotted and dotted != name and root != name and is_named and len(dotted) < 300:
                self.aliases[name] = dotted

    def _constant(self, name: str, value: Any) -> None:
        before = self.folder.names.get(name)
        if value is None or (isinstance(before, str) and _is_suspicious(before)):
            return
        self.folder.names[name] = value

    def _bind_arguments(self, call: ast.Call) -> None:
        """Constants that are given to functions of this program are values of their parameters."""
        if not isinstance(call.func, ast.Name):
            return
        function = self._functions.get(call.func.id)
        if function is None:
            return
        names = [argument.arg for argument in function.args.args]
        given = [*zip(names, call.args, strict=False), *((key.arg, key.value) for key in call.keywords if key.arg)]
        for name, value in given:
            self._constant(name, self.folder.fold(value))

    @property
    def _functions(self) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        if not hasattr(self, "_found_functions"):
            self._found_functions = {
                node.name: node
                for node in ast.walk(self.tree)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            }
        return self._found_functions

    # --- calls ---

    def _collect(self, node: ast.AST, *, dead: bool) -> None:
        stack: list[tuple[ast.AST, bool]] = [(node, dead)]
        while stack:
            current, is_dead = stack.pop()
            if isinstance(current, ast.Call):
                self.calls.append((current, is_dead))
            if isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                is_special = current.name.startswith("__") or current.decorator_list
                is_dead = is_dead or (not is_special and current.name not in self.facts.used)
            if isinstance(current, ast.If) and isinstance(current.test, ast.Constant) and not current.test.value:
                stack += [(child, is_dead) for child in current.orelse]
                continue
            stack += [(child, is_dead) for child in ast.iter_child_nodes(current)]
        self.calls.sort(key=lambda entry: entry[0].lineno)


def _lambdas(tree: ast.Module) -> dict[str, ast.Lambda]:
    """Functions that are given to names."""
    return {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name)
    }


def _is_suspicious(text: str) -> bool:
    """Whether a constant is worth keeping although its name gets another value as well."""
    return ("://" in text and destination(text) in (Destination.MODEL, Destination.OUTSIDE)) or bool(outside(text))
