"""Reading small YAML files of others: what a few lines can make of themselves by repetition is bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

LARGEST = 1 << 20  # characters
MOST_VALUES = 100_000  # once all repetitions are written out


def load_small_yaml(text: str, loader: type[yaml.SafeLoader] | None = None) -> Any:
    """The content of a YAML text; a `YAMLError` where it is too large, or would be if its aliases were written out.

    An alias costs nothing until somebody looks at all values: ten lines of ten aliases each are ten billion of them.
    """
    import yaml

    if len(text) > LARGEST:
        raise yaml.YAMLError(f"it has more than {LARGEST} characters")
    reading = (loader or yaml.SafeLoader)(text)
    try:
        root = reading.get_single_node()
        if root is None:
            return None
        if _values(root, {}) > MOST_VALUES:
            raise yaml.YAMLError("its aliases repeat values without bound")
        return reading.construct_document(root)
    finally:
        reading.dispose()


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """How many values a node stands for; one that contains itself stands for more than any bound."""
    import yaml

    if id(node) not in known:
        known[id(node)] = MOST_VALUES + 1  # while it is counted
        children: list[yaml.Node] = []
        if isinstance(node, yaml.SequenceNode):
            children = node.value
        elif isinstance(node, yaml.MappingNode):
            children = [part for pair in node.value for part in pair]
        known[id(node)] = min(MOST_VALUES + 1, 1 + sum(_values(child, known) for child in children))
    return known[id(node)]
