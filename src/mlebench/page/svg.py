"""What pygal draws, made fit for a page: without its scripts, styles and dates, with names for those who cannot see it.

A chart comes with 15 kB of its own; the page has one stylesheet for all of them, and the parts of a chart carry the
names of what they show as classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlebench.base.wording import plain
from mlebench.page.markup import Markup

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NUMBER = re.compile(r"-?\d+\.\d+")
_SERIES = re.compile(r"\bserie-(\d+)\b")
_DROPPED = frozenset({"defs", "desc", "script", "style"})
_DROPPED_CLASSES = frozenset({"background", "tooltip-overlay", "titles"})
_KEPT_CLASSES = frozenset({"axis", "x", "y", "line", "dot", "rect", "ci"})
_GEOMETRY = frozenset({"d", "x", "y", "cx", "cy", "r", "width", "height", "transform", "viewBox"})


def drawn(chart: Any, label: str, series: Sequence[str], *, bars: Sequence[str] = (), in_steps: bool = False) -> Markup:
    """A chart of pygal as inline SVG with an accessible name.

    `series` names the class of each of its series, and `bars` of each bar where they differ within one. With `in_steps`
    the lines of runs keep a value until the next one.
    """
    from xml.etree import ElementTree

    # Read back from its text, so that it is the same whether pygal found lxml or not.
    root = ElementTree.fromstring(chart.render(is_unicode=True))
    box = root.get("viewBox", "")
    _trim(root, series)
    for name in list(root.attrib):
        del root.attrib[name]
    root.attrib |= {"viewBox": box, "role": "img", "aria-label": plain(label)}
    for bar, name in zip(root.iterfind(".//rect"), bars, strict=False):
        bar.attrib["class"] += f" {name}"
    for group in root.iter("g"):
        kind = group.get("class", "").split(" ")[0]
        for part in group:
            if kind == "axis":
                part.attrib.pop("class", None)  # what is on an axis is known by where it is
            elif in_steps and kind == "runs" and part.tag == "path":
                part.attrib["d"] = _stepped(part.attrib["d"])
    return Markup(ElementTree.tostring(root, encoding="unicode", short_empty_elements=True).replace(" />", "/>"))


def _stepped(path: str) -> str:
    """A line from point to point, drawn across and then up or down.

    >>> _stepped("M1 5 L2 5 3 4 6 4")
    'M1 5H3V4H6'
    """
    numbers = re.findall(r"-?[\d.]+", path)
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    drawn_so_far = [f"M{' '.join(points[0])}"]
    for place, (x, y) in enumerate(points[1:], start=1):
        is_level = y == points[place - 1][1]
        if not is_level:
            drawn_so_far.append(f"H{x}V{y}")
        elif place + 1 == len(points):
            drawn_so_far.append(f"H{x}")
    return "".join(drawn_so_far)


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
        if child.tag != "g" or (child.attrib and len(child)):
            continue
        parts = list(child)
        if len(parts) == 2 and parts[0].tag == "title":  # a mark and its tooltip, which may be inside it
            title, mark = parts
            mark.insert(0, title)
            parts = [mark]
        place = list(node).index(child)
        node[place : place + 1] = parts  # a group without a name or a place groups nothing
    _trim_attributes(node, series)


def _trim_attributes(node: Element, series: Sequence[str]) -> None:
    found = _SERIES.search(node.get("class", ""))
    if found:
        kept = series[int(found[1])]
    else:
        kept = " ".join(name for name in node.get("class", "").split() if name in _KEPT_CLASSES)
    for name in list(node.attrib):
        if name in _GEOMETRY:
            node.attrib[name] = _NUMBER.sub(
                lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), node.attrib[name]
            )
        else:
            del node.attrib[name]
    if kept:
        node.attrib["class"] = kept
