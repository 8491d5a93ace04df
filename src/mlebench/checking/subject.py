"""A competition while it is checked: its data is prepared and its examples are graded when a check first asks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mlebench.checking.described import Description
from mlebench.checking.example_submissions import Examples, excused
from mlebench.checking.preparing import CIRCUMSTANCES, Prepared, preparation_problem, prepare_elsewhere
from mlebench.competition.checks import NotApplicableError, Problem, line_with, placed
from mlebench.competition.loading import BUILT_IN
from mlebench.competition.local import LocalCompetition
from mlebench.data.prepared_checks import PreparedData, require_files
from mlebench.errors import MlebenchError, PreparationError
from mlebench.twins import has_twin, write_twin

SCALES = (1, 2, 4)


@dataclass(frozen=True)
class Preparation:
    """How the data was prepared: from which archive, what that is in words, and what went wrong."""

    archive: Path | None
    source: str
    first: Prepared
    problems: tuple[Problem, ...]


class Subject(PreparedData):
    """What checks look at. A part that there is not is no part of theirs: they do not apply, and the reason is given.

    Everything is written below a scratch folder; the user's data folder is only read.
    """

    def __init__(self, competition: LocalCompetition, scratch: Path, archive: Path | None = None) -> None:
        here = LocalCompetition(competition.declaration, scratch, competition.edition)
        super().__init__(here, here.prepared_dir)
        self.original, self.scratch, self.archive = competition, scratch, archive

    @property
    def excused(self) -> Collection[str]:
        """The ids of the checks that the competition says it breaks."""
        return excused(self.competition)

    @cached_property
    def description(self) -> Description:
        """Its description, in the edition that is checked."""
        return Description(self.competition.declaration.folder / "description.md", self.competition.edition)

    @cached_property
    def preparation(self) -> Preparation:
        """The first preparation, which all checks of prepared data look at."""
        try:
            archive, source = self._raw_data()
        except MlebenchError as error:
            twin = self.competition.declaration.folder / "twin.py"
            problem = placed(error.sentence, error.hint or "Correct it.", twin, r"def make\b")
            return Preparation(None, "nothing", Prepared(0.0, 0), (problem,))
        first = prepare_elsewhere(self.competition, archive, self.competition.prepared_dir, CIRCUMSTANCES[0])
        problems = preparation_problem(first, self.competition) or self._missing_files()
        return Preparation(archive, source, first, tuple(problems))

    @property
    def prepared(self) -> Path:
        """The folder with public/ and private/."""
        if self.preparation.problems:
            raise NotApplicableError("the preparation fails")
        return self.competition.prepared_dir

    @cached_property
    def examples(self) -> Examples:
        """The example submissions."""
        _ = self.prepared
        try:
            return Examples(self.competition, self.scratch / "examples")
        except (MlebenchError, ValueError) as error:  # parser errors and wrong encodings among the latter
            raise NotApplicableError("the sample submission or the answers cannot be read") from error

    @property
    def graded_examples(self) -> Examples:
        """The example submissions, for a grader that does not fail on the sample: such a one fails on everything."""
        if self.examples.fails:
            raise NotApplicableError("the grader fails on the sample submission")
        return self.examples

    @staticmethod
    def twin_folder(scale: int) -> str:
        """The name of the folder with the twin at a scale."""
        return f"twin-{scale}"

    def _raw_data(self) -> tuple[Path | None, str]:
        """(the archive, what it is): one's own raw data, else the twin; None for what writes its data itself."""
        competition = self.original
        own = competition.declaration.folder.parent != BUILT_IN
        if competition.declaration.raw_fn is not None:
            return None, "the raw data that it writes"
        if self.archive is not None:
            return self.archive, str(self.archive)
        if own and competition.archive.is_file():
            return competition.archive.resolve(), str(competition.archive)
        if has_twin(competition):
            return write_twin(competition, self.scratch / self.twin_folder(SCALES[0])), "its twin"
        raise PreparationError(
            f"{competition.id} has no raw data to try it with.",
            hint=f"Put the archive at {competition.archive}, or write a twin.py beside competition.py.",
        )

    def _missing_files(self) -> list[Problem]:
        try:
            require_files(self.competition, self.competition.prepared_dir)
        except PreparationError as error:
            file = self.competition.declaration.folder / "competition.py"
            advice = "Write it, or declare its name with `sample=` or `answers=`."
            return [Problem(error.sentence, advice, file, line_with(file, r"\.prepare\b"))]
        return []
