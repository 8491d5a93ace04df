"""The names of a program that is followed: variables, columns of tables, and files that are open for writing."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from mlebench.integrity.violations.folding import Folder
from mlebench.integrity.violations.values import NOTHING, Origin, Value


@dataclass(frozen=True)
class Written:
    """A submission that a program writes: on which line, from what, and to which file where that is known."""

    line: int
    value: Value
    path: str | None


@dataclass
class Program:
    """All functions of a folder by name, and what its files are."""

    functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = field(default_factory=dict)
    typed_files: frozenset[str] = frozenset()  # data files of the folder that no code writes
    returned: dict[int, Value] = field(default_factory=dict)
    given: dict[tuple[int, str], Value] = field(default_factory=dict)
    records: frozenset[str] = frozenset()  # classes that only hold what they are given
    exported: dict[str, Value] = field(default_factory=dict)  # names at the top of modules, which others import


class Scope:
    """The names of a module, and the conditions under which a statement is run."""

    def __init__(self, tree: ast.Module, program: Program, folder: Folder) -> None:
        self.program, self.folder = program, folder
        self.values: dict[str, Value] = {}
        self.handles: dict[str, tuple[str | None, Value, int]] = {}  # open files: path, what is written, line
        self.files: dict[str, Value] = {}  # what the program itself has written, by name
        self.imported = {
            (name.asname or name.name.split(".")[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in node.names
        }
        self.conditions: list[Value] = []
        self.weak = 0  # how many branches and loops are around a statement
        self.written: list[Written] = []
        self.depth = 0

    def value(self, node: ast.expr | None) -> Value:
        """Where the value of an expression comes from."""
        raise NotImplementedError

    def controlled(self, value: Value) -> Value:
        """A value with what decides whether it is taken: literals between which test data choose are selected."""
        if not value.is_literal:
            return value
        for condition in self.conditions:
            decides = condition.origins & {Origin.MODEL, Origin.TRAIN, Origin.TEST}
            if not decides:
                continue
            value = Value(value.origins | decides, value.literals)
            if decides == {Origin.TEST}:
                value = value.adding(Origin.SELECTED)
        return value

    def assign(self, target: ast.expr, value: Value, source: ast.expr | None) -> None:
        """Give a value to a name, a column or an item."""
        match target:
            case ast.Name():
                if source is not None:
                    self._open(target.id, source)
                if not self.weak:
                    self._forget(target.id)
                    self.values[target.id] = value
                    self._frame(target.id, source)
                else:
                    self.values[target.id] = self.values.get(target.id, NOTHING) | value
            case ast.Tuple() | ast.List():
                sources = source.elts if isinstance(source, ast.Tuple | ast.List) else None
                for place, item in enumerate(target.elts):
                    one = sources[place] if sources and place < len(sources) else None
                    self.assign(item, self.controlled(self.value(one)) if one is not None else value, one)
            case ast.Starred():
                self.assign(target.value, value, None)
            case ast.Subscript():
                self._assign_item(target, value)
            case ast.Attribute():
                name = ast.unparse(target)
                self.values[name] = self.values.get(name, NOTHING) | value
                if isinstance(target.value, ast.Name):
                    self._column(target.value.id, target.attr, value)

    def _assign_item(self, target: ast.Subscript, value: Value) -> None:
        base, is_located = target.value, False
        if isinstance(base, ast.Attribute) and base.attr in ("loc", "iloc", "at", "iat", "values"):
            base, is_located = base.value, True
        root = base
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name):
            return
        is_frame = Origin.TEST in self.whole(root.id).origins
        columns = self._columns(target.slice)
        if isinstance(target.slice, ast.Tuple) and len(target.slice.elts) == 2:
            columns = self._columns(target.slice.elts[1])
        if not is_located and columns and (is_frame or isinstance(base, ast.Name)):
            if value.is_literal and not is_frame:
                value = value.adding(Origin.TABLE)
            for column in columns:
                self._column(root.id, column, value)
            return
        chosen = self.value(target.slice)
        by_row = isinstance(target.slice, ast.Tuple) and any(map(_names_rows, target.slice.elts[:1]))
        if value.is_literal and is_located and by_row:
            value = value.adding(Origin.TABLE)  # one row after the other
        if value.is_literal:
            decides = chosen.origins & {Origin.MODEL, Origin.TRAIN, Origin.TEST}
            value = Value(value.origins | decides, value.literals)
            if decides == {Origin.TEST} and Origin.SELECTED in chosen.origins:
                is_table = Origin.TABLE in value.origins and value.weight > 1  # item by item, which is a lookup
                value = value.adding(Origin.SELECTED, *([Origin.LOOKUP] if is_table else []))
            elif not decides and not is_frame:
                value = value.adding(Origin.TABLE)
        elif Origin.LITERAL in chosen.origins and not is_frame:
            value = Value(value.origins, value.literals)
        if columns and is_frame:
            self.weak += 1
            for column in columns:
                self._column(root.id, column, value)
            self.weak -= 1
            return
        self.values[root.id] = self.values.get(root.id, NOTHING) | value

    def _columns(self, node: ast.expr) -> list[str]:
        found = self.folder.fold(node)
        if isinstance(found, str):
            return [found]
        if isinstance(found, list) and found and all(isinstance(name, str) for name in found):
            return [str(name) for name in found]
        return []

    def _column(self, name: str, column: str, value: Value) -> None:
        key = f"{name}\0{column}"
        self.values[key] = self.values.get(key, NOTHING) | value if self.weak else value

    def _frame(self, name: str, source: ast.expr | None) -> None:
        """Tell the columns of a table apart that is made of a dictionary."""
        if not (isinstance(source, ast.Call) and source.args and isinstance(source.args[0], ast.Dict)):
            return
        function = source.func.attr if isinstance(source.func, ast.Attribute) else getattr(source.func, "id", "")
        made = source.args[0]
        keys = [key.value if isinstance(key, ast.Constant) else None for key in made.keys]
        if function != "DataFrame" or not all(isinstance(key, str) for key in keys):
            return
        self.values[name] = NOTHING
        for key, item in zip(keys, made.values, strict=True):
            self.values[f"{name}\0{key!s}"] = self.controlled(self.value(item))

    def _forget(self, name: str) -> None:
        for key in [key for key in self.values if key.startswith(f"{name}\0")]:
            del self.values[key]

    def whole(self, name: str) -> Value:
        """The value of a name with all columns that were given to it."""
        value = self.values.get(name, NOTHING)
        prefix = f"{name}\0"
        for key, column in self.values.items():
            if key.startswith(prefix):
                value = value | column
        return value

    def _open(self, name: str, source: ast.expr) -> None:
        """Remember a name for a file that is opened for writing, or for what writes rows to one."""
        if not isinstance(source, ast.Call):
            return
        function = source.func.attr if isinstance(source.func, ast.Attribute) else getattr(source.func, "id", "")
        if function in ("writer", "DictWriter") and source.args and isinstance(source.args[0], ast.Name):
            if source.args[0].id in self.handles:
                self.handles[name] = (self.handles[source.args[0].id][0], NOTHING, source.lineno)
            return
        if function != "open":
            return
        is_method = isinstance(source.func, ast.Attribute) and source.func.attr == "open" and not source.args[1:]
        first = source.args[0] if source.args else None
        path = source.func.value if is_method and isinstance(source.func, ast.Attribute) else first
        places = source.args if is_method else source.args[1:]
        mode = [*places[:1], *(key.value for key in source.keywords if key.arg == "mode")]
        if any(str(self.folder.fold(part)).startswith(("w", "a", "x")) for part in mode):
            self.handles[name] = (self.folder.text(path), NOTHING, source.lineno)


def _names_rows(node: ast.expr) -> bool:
    """Whether rows are typed in: one, a range, or several."""
    if isinstance(node, ast.Slice):
        bounds = [bound for bound in (node.lower, node.upper) if bound is not None]
        return bool(bounds) and all(isinstance(bound, ast.Constant) for bound in bounds)
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(isinstance(item, ast.Constant) for item in node.elts)
    return isinstance(node, ast.Constant)
