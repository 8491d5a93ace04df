"""What a leak is worth: the score of a submission made from it alone, by the competition's own grader."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.audit.finding import Found, Prediction, Worth
from mlebench.audit.targets import Task
from mlebench.competition.grader import DECIMALS
from mlebench.errors import MlebenchError
from mlebench.files.tables import to_numbers

if TYPE_CHECKING:
    import pandas as pd

_PARTS_OF_THE_WAY = (0.9, 0.6, 0.3)
_HARDLY = 0.008  # of a score, by which one that is better may be so by chance


class Pricing:
    """The grader of a task, with the scores of the sample and of what was tried."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._folder = tempfile.TemporaryDirectory(prefix="mlebench-audit-")
        self.refusal: str | None = None
        self.sample_score = self._score(task.sample)

    def __enter__(self) -> Pricing:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def worth(self, found: Found) -> Worth | None:
        """The worth of a finding; None where no submission can be made of it or the grader refuses it."""
        if not found.predictions:
            return None
        best: float | None = None
        for submission in self._submissions(found.predictions):
            best = self._better(best, self._score(submission))
        if best is not None and self.sample_score is not None and not self._is_better(best, self.sample_score):
            for submission in self._cautious(found.predictions):
                best = self._better(best, self._score(submission))
        return None if best is None else Worth(best, self.sample_score, self.medal(best))

    def is_worthless(self, worth: Worth | None) -> bool:
        """Whether a submission could be made, and is hardly better than the sample."""
        if worth is None or worth.sample_score is None:
            return False
        return not self._is_better(worth.score, worth.sample_score) or self.gain(worth) < _HARDLY

    def gain(self, worth: Worth | None) -> float:
        """How much better than the sample a worth is, as a share of the larger score."""
        if worth is None or worth.sample_score is None:
            return 0.0
        lower = self._task.competition.declaration.better == "lower"
        difference = worth.sample_score - worth.score if lower else worth.score - worth.sample_score
        scale = max(abs(worth.sample_score), abs(worth.score), 1e-12)
        return float(difference / scale)

    def medal(self, score: float) -> str | None:
        """The medal that a score would earn among the humans of the contest."""
        try:
            standings = self._task.competition.human_leaderboard()
        except MlebenchError:
            return None
        if standings is None:
            return None
        standing = standings.standing(round(score, DECIMALS))
        names = (("gold", standing.gold_medal), ("silver", standing.silver_medal), ("bronze", standing.bronze_medal))
        return next((name for name, earned in names if earned), "none")

    def _better(self, best: float | None, score: float | None) -> float | None:
        if best is None or score is None:
            return score if best is None else best
        return score if self._is_better(score, best) else best

    def _is_better(self, score: float, other: float) -> bool:
        return score < other if self._task.competition.declaration.better == "lower" else score > other

    def _score(self, submission: pd.DataFrame) -> float | None:
        from mlebench.grade.reading import read_submission

        path = Path(self._folder.name) / "probe.csv"
        submission.to_csv(path, index=False)
        try:
            answers: Any = self._task.answers
            answers = answers.copy() if hasattr(answers, "copy") else answers
            return round(self._task.competition.grader.raw_score(read_submission(path), answers), DECIMALS)
        except MlebenchError as error:
            self.refusal = str(error)
            return None

    def _cautious(self, predictions: tuple[Prediction, ...]) -> Iterator[pd.DataFrame]:
        """Submissions part of the way from the sample: where errors are dear, who is not certain says so."""
        for submission in self._submissions(predictions):
            changed = [
                name
                for name in submission.columns
                if name not in self._task.key_columns and not submission[name].equals(self._task.sample[name])
            ]
            pairs = [(name, to_numbers(self._task.sample[name]), to_numbers(submission[name])) for name in changed]
            if any(start.isna().any() or end.isna().any() for _, start, end in pairs):
                continue
            for share in _PARTS_OF_THE_WAY:
                yield submission.assign(**{name: start + share * (end - start) for name, start, end in pairs})
            return

    def _submissions(self, predictions: tuple[Prediction, ...]) -> Iterator[pd.DataFrame]:
        """The sample with the values of a leak in it: as they are, then as whole numbers, as some graders want them."""
        import numpy as np
        import pandas as pd

        for rounding in (False, True):
            table = self._task.sample.copy().astype(object)
            changed = False
            for prediction in predictions:
                if prediction.column is None:
                    changed |= _set_class(table, prediction)
                    continue
                if prediction.column not in table.columns:
                    continue
                values = pd.Series(prediction.values)
                as_numbers = to_numbers(values)
                if rounding:
                    if as_numbers.isna().any():
                        continue
                    values = np.rint(as_numbers).astype(int)
                column = table[prediction.column].to_numpy(dtype=object, copy=True)
                filled = values.to_numpy(dtype=object)
                there = np.array([value is not None and value == value for value in filled])
                column[prediction.rows[there]] = filled[there]
                table[prediction.column] = column
                changed = True
            if changed:
                yield table


def _set_class(table: pd.DataFrame, prediction: Prediction) -> bool:
    from mlebench.audit.table import canonical

    columns = {canonical(str(name)): place for place, name in enumerate(table.columns)}
    known = [
        (int(row), columns[name])
        for row, value in zip(prediction.rows, prediction.values, strict=True)
        if (name := canonical(value)) in columns
    ]
    if not known:
        return False
    rows = [row for row, _ in known]
    for place, name in enumerate(table.columns[1:], start=1):
        column = table[name].to_numpy(dtype=object, copy=True)
        column[rows] = [1.0 if chosen == place else 0.0 for _, chosen in known]
        table[name] = column
    return True
