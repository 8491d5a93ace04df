"""What pygal draws, made fit for a page: without its scripts, styles and dates, with names for those who cannot see it.

A chart comes with 15 kB of its own; the page has one stylesheet for all of them, and the parts of a chart carry the
names of what they show as classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlebench.page.markup import Markup
from mlebench.wording import plain

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NUMBER = re.compile(r"-?\d+\.\d+")
_SERIES = re.compile(r"\bserie-(\d+)\b")
_DROPPED = frozenset({"defs", "desc", "script", "style"})
_DROPPED_CLASSES = frozenset({"background", "tooltip-overlay", "titles"})
_KEPT_CLASSES = frozenset({"axis", "x", "y", "guide", "line", "major", "dot", "rect", "ci", "value", "legend"})
_GEOMETRY = frozenset({"d", "x", "y", "cx", "cy", "r", "width", "height", "transform", "rx", "ry", "viewBox"})


def drawn(chart: Any, label: str, series: Sequence[str]) -> Markup:
    """A chart of pygal as inline SVG with an accessible name; `series` names the class of each of its series."""
    from xml.etree import ElementTree

    # Read back from its text, so that it is the same whether pygal found lxml or not.
    root = ElementTree.fromstring(chart.render(is_unicode=True))
    box = root.get("viewBox", "")
    _trim(root, series)
    for name in list(root.attrib):
        del root.attrib[name]
    root.attrib |= {"viewBox": box, "role": "img", "aria-label": plain(label)}
    return Markup(ElementTree.tostring(root, encoding="unicode", short_empty_elements=True))


def _trim(node: Element, series: Sequence[str]) -> None:
    node.tag = node.tag.rsplit("}", 1)[-1]
    in_guides = "guides" in node.get("class", "").split()
    is_root = node.tag == "svg"
    for child in list(node):
        name = str(child.tag).rsplit("}", 1)[-1]
        classes = set(child.get("class", "").split())
        # The titles of a chart and of its guides repeat what is written there; those of dots and bars tell more.
        is_repeated = name == "title" and (is_root or in_guides)
        if name in _DROPPED or classes & _DROPPED_CLASSES or is_repeated:
            node.remove(child)
            continue
        _trim(child, series)
        if child.tag == "g" and not len(child):
            node.remove(child)
    _trim_attributes(node, series)


def _trim_attributes(node: Element, series: Sequence[str]) -> None:
    found = _SERIES.search(node.get("class", ""))
    if found:
        kept = series[int(found[1])]
    else:
        kept = " ".join(each for each in node.get("class", "").split() if each in _KEPT_CLASSES)
    for name in list(node.attrib):
        if name in _GEOMETRY:
            node.attrib[name] = _NUMBER.sub(
                lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), node.attrib[name]
            )
        else:
            del node.attrib[name]
    if kept:
        node.attrib["class"] = kept
