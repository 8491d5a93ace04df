"""Where the numbers come from: conditions, hardware, versions and hashes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mlebench.files.regular import is_regular
from mlebench.page.facts import GroupFacts, PageFacts
from mlebench.page.files import link
from mlebench.page.markup import Markup
from mlebench.page.quantities import period
from mlebench.page.sections.section import Section
from mlebench.page.templating import template
from mlebench.results.names import GROUP_FILE
from mlebench.results.records import RunRecord

Value: TypeAlias = "str | Sequence[str] | Mapping[str, str | None]"  # a text, several, or names with their links


@dataclass(frozen=True)
class GroupProvenance:
    """Where the numbers of a group come from."""

    label: str
    facts: Sequence[tuple[str, Value]]
    promised: Sequence[str]
    hashes: Sequence[tuple[str, str]]


def provenance(page: PageFacts, folder: Path) -> Markup:
    """What made the numbers, group by group."""
    return template("provenance.html", groups=[_group(group, folder) for group in page.groups])


def _group(group: GroupFacts, folder: Path) -> GroupProvenance:
    opened = group.group
    records = [run.run.record for run in group.runs]
    begun = [record for record in records if record.has_conditions]
    versions = _versions(record.versions for record in begun) or _versions([record.versions for record in records[:1]])
    reports = {run.report.path for run in group.graded if run.report}
    facts: list[tuple[str, Value | None]] = [
        ("run group", _links([opened.folder / GROUP_FILE], folder, opened.name)),
        ("agent", opened.agent),
        ("created", opened.record.created_at if opened.record else None),
        ("runs", _span(records)),
        *group.conditions.items(),
        ("source of the data", _distinct([record.data] for record in begun if record.data)),
        ("deviations", _distinct(record.deviations for record in begun)),
        ("not promised", _distinct(record.not_promised for record in begun)),
        ("image", _distinct([record.image] for record in begun if record.image)),
        ("versions", versions),
        ("graded with", _distinct([run.report.report.versions] for run in group.graded if run.report)),
        ("graded", _links(sorted(reports), folder)),
        *((f"disclosed: {name.replace('_', ' ')}", _disclosed(value)) for name, value in group.disclosure.items()),
    ]
    known = [(name, value) for name, value in facts if value]
    return GroupProvenance(group.label, known, _distinct(record.promised for record in begun), _hashes(begun))


def _links(paths: Sequence[Path], folder: Path, name: str | None = None) -> Mapping[str, str | None]:
    """The names of files, with the addresses of those that are there."""
    return {name or path.name: link(path, folder) if is_regular(path) else None for path in paths}


def _span(records: list[RunRecord]) -> str:
    started = [record.started_at for record in records if record.started_at]
    ended = [record.ended_at for record in records if record.ended_at]
    return f"{len(records)}, {period(min(started), max(ended, default=None))}" if started else f"{len(records)}"


def _distinct(found: Iterable[Iterable[object]]) -> list[str]:
    return list(dict.fromkeys(str(value) for values in found for value in values))


def _versions(found: Iterable[dict[str, str]]) -> list[str]:
    return _distinct(
        [", ".join(f"{name} {value}" for name, value in versions.items())] for versions in found if versions
    )


def _disclosed(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _hashes(records: list[RunRecord]) -> list[tuple[str, str]]:
    """The sums of what the agent got: the public data of each competition, and its own files."""
    data = {record.competition_id: record.inputs["public"] for record in records if "public" in record.inputs}
    code: dict[str, str] = {}
    for record in records:
        code |= {name: value for name, value in record.inputs.items() if name != "public"}
    return [*data.items(), *code.items()]


SECTION = Section(place=100, anchor="provenance", name="Provenance", draw=provenance)
