"""Where the values of a program come from: literals, test data, training data, a model, or something unknown."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum

_LONGEST_INTEGER = 64  # bits of a number; in more than these, a number is a table
_MOST = 4000  # literals of a value that are told apart


class Origin(StrEnum):
    """Where a value, or a part of it, comes from."""

    LITERAL = "literal"
    TABLE = "table"  # a collection of literals
    SELECTED = "selected"  # literals that conditions on test data choose between
    LOOKUP = "lookup"  # a table of literals, looked up by test data
    FORMULA = "formula"  # arithmetic with literal weights
    TYPED_FILE = "typed_file"  # a file of the code folder that no code writes
    TEST = "test"
    TRAIN = "train"
    MODEL = "model"
    OPAQUE = "opaque"


COMPUTED = frozenset({Origin.TRAIN, Origin.MODEL, Origin.OPAQUE})
BY_HAND = frozenset({Origin.LITERAL, Origin.TABLE, Origin.SELECTED, Origin.LOOKUP})


@dataclass(frozen=True)
class Value:
    """Origins of a value, and its literals: (line, column, how many values it stands for)."""

    origins: frozenset[Origin] = frozenset()
    literals: frozenset[tuple[int, int, int]] = frozenset()

    def __or__(self, other: Value) -> Value:
        if not other.origins and not other.literals:
            return self
        literals = self.literals | other.literals if len(self.literals) < _MOST else self.literals
        return Value(self.origins | other.origins, literals)

    def adding(self, *origins: Origin) -> Value:
        """The same with more origins."""
        return Value(self.origins | set(origins), self.literals)

    def without_literals(self) -> Value:
        """Where it comes from, without the literals: those of a condition or of a name of a column do not count."""
        return Value(self.origins - BY_HAND)

    @property
    def weight(self) -> int:
        """How many values are typed in."""
        return sum(weight for _, _, weight in self.literals)

    @property
    def is_literal(self) -> bool:
        """Whether nothing but literals is in it."""
        return bool(self.origins) and self.origins <= BY_HAND

    @property
    def is_computed(self) -> bool:
        """Whether training data, a model or something unknown is in it."""
        return bool(self.origins & COMPUTED)


NOTHING = Value()
OPAQUE = Value(frozenset({Origin.OPAQUE}))
MODEL = Value(frozenset({Origin.MODEL}))
TEST = Value(frozenset({Origin.TEST}))
TRAIN = Value(frozenset({Origin.TRAIN}))


def literal(node: ast.Constant) -> Value:
    """The value of a constant; a text of many lines, or a number of many digits, stands for as many values."""
    if node.value is None or node.value is Ellipsis:
        return NOTHING
    weight = 1
    origins = {Origin.LITERAL}
    if isinstance(node.value, str | bytes) and len(node.value) > 20:
        newline = "\n" if isinstance(node.value, str) else b"\n"
        lines = node.value.count(newline)  # type: ignore[arg-type]
        weight = max(1, lines, len(node.value) // 24 if len(node.value) > 200 and not lines else 1)
        if weight > 1:
            origins.add(Origin.TABLE)
    elif isinstance(node.value, int) and node.value.bit_length() > _LONGEST_INTEGER:
        weight = node.value.bit_length() // 4
        origins.add(Origin.TABLE)
    return Value(frozenset(origins), frozenset({(node.lineno, node.col_offset, weight)}))
