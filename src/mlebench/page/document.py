"""The whole page: one HTML file with its style and its script, which may load nothing and run nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from mlebench.base.versions import versions
from mlebench.competition.registry import Registry
from mlebench.files.writing import write_atomically
from mlebench.grade.batch import writable_folder
from mlebench.page.facts import PageFacts, gather
from mlebench.page.markup import Markup, element, joined, text
from mlebench.page.sections import all_sections

_HERE = Path(__file__).parent


def write_page(path: Path, folders: Sequence[Path], registry: Registry, *, partial: bool = False) -> Path:
    """Write the page of some run groups and return its path."""
    facts = gather(folders, registry, partial=partial)
    writable_folder(path.parent)
    write_atomically(path, render(facts, path.parent))
    return path


def render(page: PageFacts, folder: Path) -> str:
    """The page as HTML; links to files are as seen from a folder."""
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("styles.css", "page.js"))
    drawn = [(section, section.draw(page, folder)) for section in all_sections()]
    shown = [(section, markup) for section, markup in drawn if markup]
    title = _title(page)
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", text(f"{title} – mlebench")),
        element("style", Markup(style)),
    ]
    links = [element("li", element("a", section.name, href=f"#{section.anchor}")) for section, _ in shown]
    body = [
        element("a", "Skip to the numbers", href="#headline", class_="skip"),
        _header(page, title),
        element("nav", element("ul", links), aria_label="Sections"),
        element("main", _notices(page), [markup for _, markup in shown]),
        _footer(),
        element("script", Markup(script)),
    ]
    html = element("html", element("head", head), element("body", joined(body, "\n")), lang="en")
    return f"<!doctype html>\n{html}\n"


def _notices(page: PageFacts) -> Markup:
    """What a reader must know before any number, each sentence once."""
    found: dict[str, list[str]] = {}
    for group in page.groups:
        for notice in group.notices:
            found.setdefault(notice, []).append(group.label)
    notices = [
        element(
            "li", f"{', '.join(labels)}: " if page.is_comparison and len(labels) < len(page.groups) else None, notice
        )
        for notice, labels in found.items()
    ]
    return element("ul", notices, class_="notices", aria_label="Please note") if notices else Markup()


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, and only this style and this script count, whatever else might get into the page."""
    hashes = [base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() for source in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _title(page: PageFacts) -> str:
    """What the page is about."""
    labels = [group.label for group in page.groups]
    if len(labels) > 2:
        return f"{', '.join(labels[:-1])} and {labels[-1]} compared"
    if page.is_one_run:
        record = page.runs[0].run.record
        return f"{labels[0]} on {record.competition_id}, seed {record.seed}"
    return " against ".join(labels)


def _header(page: PageFacts, title: str) -> Markup:
    names = ", ".join(group.group.name for group in page.groups)
    made = f"Page of {page.made_at:%Y-%m-%d %H:%M} UTC, by mlebench {versions()['mlebench']}"
    toggle = element("button", "Dark", type="button", id="theme", hidden=True, aria_pressed="false")
    what = "Comparison of run groups" if page.is_comparison else "Run" if page.is_one_run else "Run group"
    return element(
        "header",
        element(
            "div",
            element("p", f"mlebench · {what}", class_="kicker"),
            element("h1", title),
            element("p", names, class_="note"),
            element("p", made, class_="note"),
        ),
        toggle,
    )


def _footer() -> Markup:
    return element("footer", element("p", "This page is one file and loads nothing from elsewhere."))
