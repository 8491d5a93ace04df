"""Where the values of expressions come from."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from mlebench.integrity.violations.flow_scope import Scope
from mlebench.integrity.violations.values import NOTHING, OPAQUE, Origin, Value, literal

_DEEPEST = 40
_BUILTINS = set(dir(builtins))


class Expressions(Scope):
    """Follows values through expressions other than calls."""

    def _call(self, node: ast.Call) -> Value:
        raise NotImplementedError

    def value(self, node: ast.expr | None) -> Value:
        """Where the value of an expression comes from."""
        if node is None or self.depth > _DEEPEST:
            return OPAQUE if node is not None else NOTHING
        self.depth += 1
        try:
            return self._value(node)
        finally:
            self.depth -= 1

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant():
                return literal(node)
            case ast.Name():
                return self._name(node.id)
            case ast.Attribute():
                return self._attribute(node)
            case ast.List() | ast.Tuple() | ast.Set():
                found = self._all(node.elts)
                return found.adding(Origin.TABLE) if Origin.LITERAL in found.origins else found
            case ast.Dict():
                return self._dict(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case ast.IfExp(test=ast.Constant()):
                return self.value(node.body if node.test.value else node.orelse)  # type: ignore[attr-defined]
            case ast.IfExp():
                return self.chosen(self.value(node.test), self.value(node.body) | self.value(node.orelse))
            case ast.Compare():
                return self.compared(self._all([node.left, *node.comparators]))
            case ast.BinOp():
                found = self.value(node.left) | self.value(node.right)
                is_formula = Origin.LITERAL in found.origins and Origin.TEST in found.origins
                return found.adding(Origin.FORMULA) if is_formula else found
            case ast.BoolOp():
                return self._all(node.values)
            case ast.UnaryOp():
                return self.value(node.operand)
            case ast.Subscript():
                return self._subscript(node)
            case ast.JoinedStr():
                return self._all([part.value for part in node.values if isinstance(part, ast.FormattedValue)])
            case ast.Starred() | ast.Await() | ast.FormattedValue() | ast.YieldFrom():
                return self.value(node.value)
            case ast.NamedExpr():
                value = self.value(node.value)
                self.assign(node.target, value, node.value)
                return value
            case ast.Slice():
                return NOTHING
            case ast.Call():
                return self._call(node)
            case ast.Lambda():
                return self.value(node.body)
        return OPAQUE

    def _all(self, nodes: Iterable[ast.expr | None]) -> Value:
        value = NOTHING
        for node in nodes:
            value = value | self.value(node)
        return value

    def _name(self, name: str) -> Value:
        if name in self.values or any(key.startswith(f"{name}\0") for key in self.values):
            return self.whole(name)
        if name in self.imported and name in self.program.exported:
            return self.program.exported[name]
        if name in self.imported or name in _BUILTINS or name in self.program.functions:
            return NOTHING
        return OPAQUE

    def _attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name):
            if node.value.id in self.imported and node.value.id not in self.values:
                return NOTHING
            column = self.values.get(f"{node.value.id}\0{node.attr}")
            if column is not None:
                return column
            if (own := self.values.get(ast.unparse(node))) is not None:
                return own
            if node.attr not in ("values", "loc", "iloc", "T", "str", "dt"):
                return self.values.get(node.value.id, self._name(node.value.id))
        return self.value(node.value)

    def _dict(self, node: ast.Dict) -> Value:
        found = self._all(node.values)
        scalars = sum(isinstance(item, ast.Constant | ast.UnaryOp) for item in node.values)
        keys = self._all([key for key in node.keys if key is not None])
        if scalars and Origin.LITERAL in found.origins:
            found = found.adding(Origin.TABLE)
        return found if found.is_literal else found | keys.without_literals()

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        self.weak += 1
        conditions = 0
        for generator in node.generators:
            self.assign(generator.target, self.items(generator.iter), None)
            for test in generator.ifs:
                self.conditions.append(self.value(test))
                conditions += 1
        parts = [node.value] if isinstance(node, ast.DictComp) else [node.elt]
        found = self.controlled(self._all(parts))
        del self.conditions[len(self.conditions) - conditions :]
        self.weak -= 1
        return found

    def items(self, node: ast.expr) -> Value:
        """What one gets item by item: of a text that is typed in, as many values as it has characters."""
        value = self.value(node)
        if isinstance(node, ast.Constant | ast.Name | ast.Call | ast.Attribute) and value.is_literal:
            text = self.folder.fold(node)
            if isinstance(text, str | bytes) and len(text) > 1:
                return Value(value.origins | {Origin.TABLE}, frozenset({(node.lineno, node.col_offset, len(text))}))
        return value

    def compared(self, found: Value) -> Value:
        """The truth of a comparison: with a literal it is one that was typed in."""
        bare = found.without_literals()
        return Value(bare.origins | {Origin.SELECTED}, found.literals) if Origin.LITERAL in found.origins else bare

    def chosen(self, condition: Value, options: Value) -> Value:
        """Options between which a condition decides."""
        decides = condition.origins & {Origin.MODEL, Origin.TRAIN, Origin.TEST, Origin.OPAQUE}
        found = Value(options.origins | decides, options.literals | condition.literals)
        if options.is_literal and decides == {Origin.TEST}:
            return found.adding(Origin.SELECTED)
        return found

    def _subscript(self, node: ast.Subscript) -> Value:
        base: ast.expr = node.value
        if isinstance(base, ast.Attribute) and base.attr in ("loc", "iloc", "at"):
            base = base.value
        if isinstance(base, ast.Name):
            names = self._columns(node.slice)
            if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
                names = self._columns(node.slice.elts[1])
            known = [self.values[key] for name in names if (key := f"{base.id}\0{name}") in self.values]
            if names:
                found = self.values.get(base.id, NOTHING if known else self._name(base.id))
                if len(known) == len(names) and Origin.TEST in found.origins:
                    found = NOTHING
                for column in known:
                    found = found | column
                return found
        found, index = self.value(base), self.value(node.slice)
        return self.looked_up(found, index)

    def looked_up(self, table: Value, index: Value) -> Value:
        """An item of a table, which an index decides on."""
        if not table.is_literal and table.origins != {Origin.TYPED_FILE}:
            return table if table.origins else index.without_literals()
        decides = index.origins & {Origin.MODEL, Origin.TRAIN, Origin.TEST, Origin.OPAQUE}
        found = Value(table.origins | decides, table.literals)
        return found.adding(Origin.LOOKUP) if decides == {Origin.TEST} else found
