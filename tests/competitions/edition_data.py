"""Prepared data of one edition as the table of repairs looks at it: files, tables, and what the grader says."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from mlebench.competition.local import LocalCompetition
from mlebench.errors import InvalidSubmissionError
from mlebench.files.tables import load_answers, read_csv
from mlebench.grade.grading import score_file
from mlebench.twins import write_submissions


class EditionData:
    """The prepared twin of one edition of a competition."""

    def __init__(self, competition: LocalCompetition, scratch: Path) -> None:
        self.competition, self._scratch = competition, scratch
        self._count = 0

    @property
    def public(self) -> Path:
        return self.competition.public_dir

    @property
    def raw(self) -> Path:
        return self.competition.raw_dir

    def files(self, pattern: str) -> list[str]:
        """The names of public files that match a pattern, which may have `**`."""
        return sorted(path.relative_to(self.public).as_posix() for path in self.public.glob(pattern) if path.is_file())

    def stems(self, pattern: str) -> set[str]:
        return {Path(name).stem for name in self.files(pattern)}

    def table(self, name: str, text: Sequence[str] = (), **options: Any) -> pd.DataFrame:
        return read_csv(self.public / name, text=text, **options)

    def json(self, name: str) -> Any:
        return json.loads((self.public / name).read_text())

    def members(self, name: str) -> dict[str, bytes]:
        """The files in a public archive."""
        path = self.public / name
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                return {member: archive.read(member) for member in archive.namelist()}
        if path.suffix == ".7z":
            import py7zr

            target = self._scratch / f"unpacked-{path.stem}-{self.competition.edition}"
            with py7zr.SevenZipFile(path) as archive:
                archive.extractall(target)
            found = (member for member in target.rglob("*") if member.is_file())
            return {member.relative_to(target).as_posix(): member.read_bytes() for member in found}
        with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
            return {member.name: file.read() for member in archive if (file := archive.extractfile(member))}

    def digests(self, pattern: str) -> set[str]:
        """What the public files that match a pattern contain, as digests."""
        return {hashlib.md5(path.read_bytes()).hexdigest() for path in self.public.glob(pattern) if path.is_file()}

    @cached_property
    def sample(self) -> pd.DataFrame:
        path = self.competition.sample_submission
        return read_csv(path, text=self.competition.text_columns)

    @cached_property
    def answers(self) -> Any:
        return load_answers(self.competition.answers, self.competition.text_columns)

    @cached_property
    def perfect(self) -> pd.DataFrame:
        """The answers in the form of a submission."""
        table: pd.DataFrame = self.answers[[name for name in self.sample.columns if name in self.answers]]
        return table

    @cached_property
    def _examples(self) -> dict[str, Path]:
        folder = self._scratch / f"examples-{self.competition.edition}"
        return {path.stem: path for path in write_submissions(self.competition, folder)}

    def example(self, name: str) -> pd.DataFrame:
        """One of the example submissions of the twin."""
        return read_csv(self._examples[name], text=self.competition.text_columns)

    def score(self, submission: pd.DataFrame | str) -> float | None:
        """The score of a table or of the text of a file; None where it is refused."""
        self._count += 1
        path = self._scratch / f"{self.competition.edition}-{self._count}.csv"
        if isinstance(submission, str):
            path.write_text(submission)
        else:
            submission.to_csv(path, index=False)
        try:
            return score_file(path, self.competition)
        except InvalidSubmissionError as refusal:
            assert self.competition.edition == "v1" or "cannot be scored" not in str(refusal), refusal
            return None

    def refuses(self, submission: pd.DataFrame | str) -> bool:
        return self.score(submission) is None

    def accepts(self, submission: pd.DataFrame | str) -> bool:
        return not self.refuses(submission)

    def with_cell(self, column: str, value: Any, row: int = 0, of: pd.DataFrame | None = None) -> pd.DataFrame:
        """A submission, the answers unless another one is given, with one cell changed."""
        table = (self.perfect if of is None else of).reset_index(drop=True).copy()
        table[column] = table[column].astype(object)
        table.loc[row, column] = value
        return table

    def same_score(self, submission: pd.DataFrame, other: pd.DataFrame) -> bool:
        """Whether two submissions have the same score, which is not that of a refusal."""
        first, second = self.score(submission), self.score(other)
        return first is not None and second is not None and abs(first - second) < 1e-9


def repeated(table: pd.DataFrame, row: int = 0) -> pd.DataFrame:
    """A table in which one row is there twice."""
    return pd.concat([table, table.iloc[[row]]])


def first_for_last(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """A table of the same length whose last row has the id of the first."""
    ids = table[column].tolist()
    return table.assign(**{column: [*ids[:-1], ids[0]]})


def reversed_rows(table: pd.DataFrame) -> pd.DataFrame:
    return table.iloc[::-1]


def disjoint(first: Iterable[Any], second: Iterable[Any]) -> bool:
    """Whether two sides have nothing in common, and both have something."""
    left, right = set(first), set(second)
    return bool(left) and bool(right) and not left & right
