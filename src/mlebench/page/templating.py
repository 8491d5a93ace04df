"""The templates of the page. Whatever a template prints and is not markup already is escaped, and spelled out first.

A value in text is printed as `{{ value }}`; in an attribute as `{{ value|attr }}`, which adds no markup of its own.
"""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import markupsafe

from mlebench.base.wording import counted
from mlebench.page import quantities
from mlebench.page.markup import Markup, joined, text

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent / "templates"


def template(name: str, /, **values: Any) -> Markup:
    """What a template makes of some values."""
    return Markup(environment().get_template(name).render(**values))


@cache
def environment() -> Environment:
    """The environment of all templates; a name that is not known is an error, never an empty text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "attr": lambda value: Markup(text(value, None)),
        "n": _coordinate,
        "number": quantities.number,
        "percent": quantities.percent,
        "duration": quantities.duration,
        "memory": quantities.memory,
        "cut": lambda value, longest: text(value, longest),
        "counted": counted,
        "lines": lambda lines: Markup("\n".join(text(line, None) for line in lines)),
        "raw": lambda value: Markup(escape(value)),
        "slug": lambda value: str(value).replace(" ", "-"),
    }
    return made


def _finalized(value: Any) -> Any:
    """What is printed for a value: nothing for None, text as the page shows text, and markup as it is."""
    if value is None:
        return Markup()
    if isinstance(value, markupsafe.Markup | int):
        return value
    return joined(str(value))


def _coordinate(value: float) -> str:
    """A coordinate of a drawing, to a tenth.

    >>> _coordinate(3.14159), _coordinate(2.0)
    ('3.1', '2')
    """
    return f"{value:.1f}".removesuffix(".0")
