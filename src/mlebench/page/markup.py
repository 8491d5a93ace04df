"""HTML that cannot be broken out of: whatever is not markup made here is escaped, in text and in attributes alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

import markupsafe

from mlebench.base.wording import plain

LONGEST = 600  # characters of one text; what is longer is in the files that the page links to
_VOID = frozenset({"br", "hr", "input", "link", "meta"})
# HTML ends these by itself where the next one begins; a page of many runs is a twentieth smaller for it.
_ENDED_BY_NEXT = frozenset({"dd", "dt", "li", "td", "th", "tr"})
_FROM_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_WORDS_FROM_RIGHT = re.compile(f"[{_FROM_RIGHT}]+(?:\\s+[{_FROM_RIGHT}]+)*")


class Markup(markupsafe.Markup):
    """Text that is HTML already: made by this module, by a template, or written by us, as the style is."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"
Attribute: TypeAlias = str | int | bool | None


def text(value: object, longest: int | None = LONGEST) -> Markup:
    r"""A value as text: without control characters and marks that change the direction of writing, cut to a length.

    >>> str(text("<b>\x1b[1m"))
    '&lt;b&gt;\\x1b[1m'
    """
    return Markup(escape(plain(str(value), longest)))


def element(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """An element; an underscore in the name of an attribute stands for a hyphen, one at its end is left out.

    >>> str(element("a", "R & D", href="x.csv", class_="file", data_kind=None))
    '<a href="x.csv" class="file">R &amp; D</a>'
    """
    begin = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    end = "" if name in _VOID or name in _ENDED_BY_NEXT else f"</{name}>"
    return Markup(f"{begin}{joined(children)}{end}")


def joined(children: Child, between: str = "") -> Markup:
    """Children one after the other."""
    if children is None:
        return Markup()
    if isinstance(children, markupsafe.Markup):
        return Markup(children)
    if isinstance(children, str | int):
        return _isolated(text(children))
    return Markup(between.join(joined(child) for child in children))


def _isolated(escaped: Markup) -> Markup:
    """Words written from right to left, kept from turning the numbers around that follow them."""
    return escaped if escaped.isascii() else Markup(_WORDS_FROM_RIGHT.sub(r"<bdi>\g<0></bdi>", str(escaped)))


def preformatted(lines: Iterable[str]) -> Markup:
    """Lines as they are, which a keyboard can scroll."""
    return element("pre", joined((text(line, None) for line in lines), "\n"), tabindex=0)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value, None)}"'
