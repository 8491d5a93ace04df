"""Where the numbers come from: conditions, hardware, versions and hashes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mlebench.files.regular import is_regular
from mlebench.page.facts import GroupFacts, PageFacts
from mlebench.page.files import link
from mlebench.page.markup import Child, Markup, element
from mlebench.page.quantities import period
from mlebench.page.sections.section import Section
from mlebench.page.tables import folded, pairs, section
from mlebench.results.names import GROUP_FILE
from mlebench.results.records import RunRecord


def provenance(page: PageFacts, folder: Path) -> Markup:
    """What made the numbers, group by group."""
    return section("provenance", "Provenance", [_group(group, folder) for group in page.groups])


def _group(group: GroupFacts, folder: Path) -> Markup:
    opened = group.group
    records = [run.run.record for run in group.runs]
    begun = [record for record in records if record.has_conditions]
    facts: list[tuple[str, Child]] = [
        ("run group", _linked(opened.folder / GROUP_FILE, opened.name, folder)),
        ("agent", opened.agent),
        ("created", opened.record.created_at if opened.record else None),
        ("runs", _span(records)),
        *((name, value) for name, value in group.conditions.items()),
        ("source of the data", _each(record.data for record in begun if record.data)),
        ("deviations", _list(_distinct(record.deviations for record in begun))),
        ("not promised", _list(_distinct(record.not_promised for record in begun))),
        ("image", _each(record.image for record in begun if record.image)),
        (
            "versions",
            _versions(record.versions for record in begun) or _versions([record.versions for record in records[:1]]),
        ),
        ("graded with", _each(run.report.report.versions for run in group.graded if run.report)),
        ("graded", _linked_report(group, folder)),
        *((f"disclosed: {name.replace('_', ' ')}", _disclosed(value)) for name, value in group.disclosure.items()),
    ]
    promised = _distinct(record.promised for record in begun)
    known = [(name, value) for name, value in facts if value]
    return element(
        "div",
        element("h3", group.label),
        pairs(known),
        folded(f"What the sandbox promised ({len(promised)})", _list(promised), class_="print") if promised else None,
        _hashes(begun),
    )


def _linked(path: Path, name: str, folder: Path) -> Child:
    return element("a", name, href=link(path, folder)) if is_regular(path) else name


def _linked_report(group: GroupFacts, folder: Path) -> Child:
    paths = {run.report.path for run in group.graded if run.report}
    return [_linked(path, path.name, folder) for path in sorted(paths)]


def _span(records: list[RunRecord]) -> str:
    started = [record.started_at for record in records if record.started_at]
    ended = [record.ended_at for record in records if record.ended_at]
    return f"{len(records)}, {period(min(started), max(ended, default=None))}" if started else f"{len(records)}"


def _distinct(found: Iterable[tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(str(value) for many in found for value in many))


def _each(found: Iterable[str]) -> Child:
    values = list(dict.fromkeys(found))
    return values[0] if len(values) == 1 else _list(values)


def _list(values: list[str], most: int = 30) -> Child:
    if not values:
        return None
    more = [element("li", f"and {len(values) - most} more")] if len(values) > most else []
    return element("ul", [element("li", value) for value in values[:most]], more)


def _versions(found: Iterable[dict[str, str]]) -> Child:
    return _each(", ".join(f"{name} {value}" for name, value in versions.items()) for versions in found)


def _disclosed(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _hashes(records: list[RunRecord]) -> Markup | None:
    """The sums of what the agent got: the public data of each competition, and its own files."""
    data = {record.competition_id: record.inputs["public"] for record in records if "public" in record.inputs}
    code: dict[str, str] = {}
    for record in records:
        code |= {name: value for name, value in record.inputs.items() if name != "public"}
    if not data and not code:
        return None
    listed = [*data.items(), *code.items()]
    rows = [(name, element("code", value)) for name, value in listed[:150]]
    return folded(f"Hashes (sha256) of what the agent got ({len(listed)})", pairs(rows), class_="print hashes")


SECTION = Section(place=100, anchor="provenance", name="Provenance", draw=provenance)
