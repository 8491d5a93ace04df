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
from mlebench.page.colours import colour_rules
from mlebench.page.facts import PageFacts, gather
from mlebench.page.markup import Markup
from mlebench.page.sections import all_sections
from mlebench.page.templating import template

_HERE = Path(__file__).parent


def write_page(path: Path, folders: Sequence[Path], registry: Registry, *, partial: bool = False) -> Path:
    """Write the page of some run groups and return its path."""
    facts = gather(folders, registry, partial=partial)
    writable_folder(path.parent)
    write_atomically(path, render(facts, path.parent))
    return path


def render(page: PageFacts, folder: Path) -> str:
    """The page as HTML; links to files are as seen from a folder."""
    style, script = stylesheet(), page_script()
    drawn = [(section, section.draw(page, folder)) for section in all_sections()]
    html = template(
        "page.html",
        title=_title(page),
        policy=page_policy(),
        style=Markup(style),
        script=Markup(script),
        kind="Comparison of run groups" if page.is_comparison else "Run" if page.is_one_run else "Run group",
        names=", ".join(group.group.name for group in page.groups),
        made=f"Page of {page.made_at:%Y-%m-%d %H:%M} UTC, by mlebench {versions()['mlebench']}",
        notices=_notices(page),
        sections=[(section, markup) for section, markup in drawn if markup],
    )
    return str(html)


def stylesheet() -> str:
    """The style of the page: its colours, each in one place, and its forms."""
    return colour_rules() + (_HERE / "styles.css").read_text(encoding="utf-8")


def page_script(more: str = "") -> str:
    """The script of the page: its parts in their order, and what a live page has more; it leaves no name behind."""
    parts = [part.read_text(encoding="utf-8") for part in sorted((_HERE / "scripts").glob("*.js"))]
    return f'"use strict";\n{{\n{"".join([*parts, more])}}}\n'


def page_policy(*, is_served: bool = False) -> str:
    """What the page may do: nothing is loaded, and only its own style and script count, whatever else gets into it.

    Only a server can forbid that the page is put into another one.
    """
    hashes = [
        base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() for source in (stylesheet(), page_script())
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'" + ("; frame-ancestors 'none'" if is_served else "")
    )


def _notices(page: PageFacts) -> list[str]:
    """What a reader must know before any number, each sentence once."""
    found: dict[str, list[str]] = {}
    for group in page.groups:
        for notice in group.notices:
            found.setdefault(notice, []).append(group.label)
    return [
        f"{', '.join(labels)}: {notice}" if page.is_comparison and len(labels) < len(page.groups) else notice
        for notice, labels in found.items()
    ]


def _title(page: PageFacts) -> str:
    """What the page is about."""
    labels = [group.label for group in page.groups]
    if len(labels) > 2:
        return f"{', '.join(labels[:-1])} and {labels[-1]} compared"
    if page.is_one_run:
        record = page.runs[0].run.record
        return f"{labels[0]} on {record.competition_id}, seed {record.seed}"
    return " against ".join(labels)
