"""From where the predictions of a submission come, by following values through a program without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mlebench.integrity.violations.flow_calls import Calls
from mlebench.integrity.violations.flow_scope import Program, Written
from mlebench.integrity.violations.folding import Folder
from mlebench.integrity.violations.values import NOTHING, Value

_PASSES = 3


class Flow(Calls):
    """Follows the values of one module; `written` are the files that it writes."""

    def __init__(self, tree: ast.Module, program: Program, folder: Folder) -> None:
        super().__init__(tree, program, folder)
        self.function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
        for _ in range(_PASSES):
            self.written = []
            self.handles = {name: (path, NOTHING, line) for name, (path, _, line) in self.handles.items()}
            self.block(tree.body)
        for name, value in self.values.items():
            if "\0" not in name and value.origins:
                self.program.exported[name] = value
        for path, value, line in self.handles.values():
            if value.origins:
                self.written.append(Written(line, value, path))

    def block(self, statements: Iterable[ast.stmt]) -> None:
        """Follow statements in their order."""
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Follow one statement."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Assign():
                value = self.controlled(self.value(node.value))
                for target in node.targets:
                    self.assign(target, value, node.value)
            case ast.AnnAssign() if node.value is not None:
                self.assign(node.target, self.controlled(self.value(node.value)), node.value)
            case ast.AugAssign():
                value = self.controlled(self.value(node.value))
                self.weak += 1
                self.assign(node.target, value, node.value)
                self.weak -= 1
            case ast.Return() if node.value is not None and self.function is not None:
                value = self.controlled(self.value(node.value))
                key = id(self.function)
                self.program.returned[key] = self.program.returned.get(key, NOTHING) | value
            case ast.Expr():
                self.value(node.value)
            case ast.If() | ast.While():
                self._branch(self.value(node.test), [node.body, node.orelse])
            case ast.For() | ast.AsyncFor():
                items = self.items(node.iter)
                self.weak += 1
                self.assign(node.target, items, None)
                self.block([*node.body, *node.orelse])
                self.weak -= 1
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self.value(item.context_expr)
                    if isinstance(item.optional_vars, ast.Name):
                        self._open(item.optional_vars.id, item.context_expr)
                        self.values.setdefault(item.optional_vars.id, value)
                self.block(node.body)
            case ast.Try():
                self.weak += 1
                for part in (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody):
                    self.block(part)
                self.weak -= 1
            case ast.Match():
                self._branch(self.value(node.subject), [case.body for case in node.cases])

    def _class(self, node: ast.ClassDef) -> None:
        """Follow the body of a class; what it gives to names, its methods have as attributes."""
        for statement in node.body:
            self.statement(statement)
            target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
            if isinstance(target, ast.Name):
                for own in ("self", "cls", node.name):
                    self.values[f"{own}.{target.id}"] = self.values.get(target.id, NOTHING)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        before, weak, conditions, outer = self.function, self.weak, self.conditions, dict(self.values)
        self.function, self.weak, self.conditions = node, 0, []
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for argument in arguments:
            self._forget(argument.arg)
            self.values[argument.arg] = self.program.given.get((id(node), argument.arg), NOTHING)
        self.block(node.body)
        local = {argument.arg for argument in arguments}
        self.values = {
            **{name: value for name, value in self.values.items() if name.split("\0")[0] not in local},
            **{name: value for name, value in outer.items() if name.split("\0")[0] in local},
        }
        self.function, self.weak, self.conditions = before, weak, conditions

    def _branch(self, condition: Value, parts: list[list[ast.stmt]]) -> None:
        self.conditions.append(condition)
        self.weak += 1
        for part in parts:
            self.block(part)
        self.weak -= 1
        self.conditions.pop()
