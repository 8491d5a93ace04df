"""What the functions of the API return where no stage has a type of its own: each shows itself in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base.showing import Showable, Table
from mlebench.base.wording import counted, plain
from mlebench.competition.local import LocalCompetition

if TYPE_CHECKING:
    from mlebench.analysis.compare import Comparison
    from mlebench.data.prepare_many import PrepareOutcome
    from mlebench.grade.report import CompetitionReport

_LARGEST_SHOWN = 8 << 20  # bytes of a page that a notebook shows; a larger one is a link


@dataclass(frozen=True, repr=False)
class CompetitionList(Showable):
    """Competitions with their facts."""

    competitions: tuple[LocalCompetition, ...]

    def __iter__(self) -> Iterator[LocalCompetition]:
        return iter(self.competitions)

    def __len__(self) -> int:
        return len(self.competitions)

    def __getitem__(self, place: int) -> LocalCompetition:
        return self.competitions[place]

    @property
    def ids(self) -> list[str]:
        """The ids of all."""
        return [competition.id for competition in self.competitions]

    def to_dict(self) -> dict[str, Any]:
        """The facts of all competitions, by their ids."""
        from mlebench.competition.catalogue import facts_of

        return {competition.id: facts_of(competition) for competition in self.competitions}

    def table(self) -> Table:
        """One row per competition."""
        from mlebench.competition.catalogue import figures_of

        columns = ("id", "group", "category", "metric", "better", "teams", "gold", "median")
        figures = [figures_of(competition) for competition in self.competitions]
        return Table(
            counted(len(figures), "competition"),
            columns,
            [[facts[name] for name in columns] for facts in figures],
            right=("teams", "gold", "median"),
        )


@dataclass(frozen=True, repr=False)
class Preparation(Showable):
    """Competitions whose data is ready, and what it was prepared from."""

    competitions: tuple[LocalCompetition, ...]
    outcomes: tuple[PrepareOutcome, ...]

    def __iter__(self) -> Iterator[LocalCompetition]:
        return iter(self.competitions)

    def to_dict(self) -> dict[str, Any]:
        """For each competition, its data and whether it was there already."""
        return {outcome.competition_id: {"data": outcome.data, "present": outcome.present} for outcome in self.outcomes}

    def table(self) -> Table:
        """One row per competition."""
        rows = [
            [competition.id, outcome.data, outcome.present, competition.public_dir]
            for competition, outcome in zip(self.competitions, self.outcomes, strict=True)
        ]
        heading = f"{counted(len(rows), 'competition')} prepared"
        return Table(heading, ("competition", "data", "was there already", "public data"), rows)


@dataclass(frozen=True, repr=False)
class Grading(Showable):
    """A grading report: the reports of many submissions, and what could not be graded."""

    values: Mapping[str, Any]

    @cached_property
    def reports(self) -> tuple[CompetitionReport, ...]:
        """The report of every submission."""
        from mlebench.grade.report import CompetitionReport

        return tuple(CompetitionReport.from_dict(dict(report)) for report in self.values["competition_reports"])

    @property
    def errors(self) -> list[dict[str, Any]]:
        """What could not be graded: lines of the list, or runs of the group by their number, and why."""
        return list(self.values["errors"])

    @property
    def path(self) -> Path:
        """The file that the grading report was written to."""
        return Path(self.values["report_path"])

    def to_dict(self) -> dict[str, Any]:
        """The grading report as plain values."""
        return dict(self.values)

    def table(self) -> Table:
        """One row per submission."""
        rows = [
            [report.competition_id, report.seed, report.score, report.medal, report.human_percentile, report.refusal]
            for report in self.reports
        ]
        medals = sum(report.any_medal for report in self.reports)
        valid = sum(report.valid_submission for report in self.reports)
        heading = f"{counted(len(rows), 'submission')}: {valid} valid, {counted(medals, 'medal')}"
        notes = [f"Not graded, {error['line']}: {error['reason']}" for error in self.errors]
        columns = ("competition", "seed", "score", "medal", "percentile", "refused because")
        return Table(heading, columns, rows, right=("seed", "score", "percentile"), notes=notes)


@dataclass(frozen=True, repr=False)
class Comparisons(Showable):
    """Every two of several agents compared."""

    comparisons: tuple[Comparison, ...]

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, place: int) -> Comparison:
        return self.comparisons[place]

    def to_dict(self) -> list[dict[str, Any]]:
        """The comparisons as plain values."""
        return [comparison.to_dict() for comparison in self.comparisons]

    def table(self) -> Table:
        """One row per pair of agents."""
        rows = [
            [
                comparison.first,
                comparison.second,
                len(comparison.competitions),
                len(comparison.wins),
                len(comparison.losses),
                comparison.verdict,
            ]
            for comparison in self.comparisons
        ]
        columns = ("agent", "against", "competitions", "better in", "worse in", "verdict")
        warnings = [warning for comparison in self.comparisons for warning in comparison.warnings]
        return Table(
            counted(len(rows), "comparison"),
            columns,
            rows,
            right=("competitions", "better in", "worse in"),
            notes=list(dict.fromkeys(warnings)),
        )


@dataclass(frozen=True)
class Page:
    """A report page: one HTML file that needs nothing but a browser. A notebook shows it in a frame of its own."""

    path: Path

    def __str__(self) -> str:
        return plain(str(self.path))

    def __fspath__(self) -> str:
        return str(self.path)

    def open(self) -> bool:
        """Open it in a browser; whether there is one."""
        import webbrowser

        return webbrowser.open(self.path.absolute().as_uri())

    def to_dict(self) -> dict[str, Any]:
        """Where it is."""
        return {"page": str(self.path)}

    def _repr_html_(self) -> str:
        link = f'<p><a href="{escape(self.path.absolute().as_uri())}">{escape(str(self))}</a></p>'
        if not self.path.is_file() or self.path.stat().st_size > _LARGEST_SHOWN:
            return link
        # The frame has an origin of its own: whatever the page holds, it cannot reach the notebook around it.
        page = escape(self.path.read_text(encoding="utf-8"))
        style = "width:100%;height:40em;border:1px solid #8888"
        return f'{link}<iframe sandbox="allow-scripts" srcdoc="{page}" style="{style}"></iframe>'
