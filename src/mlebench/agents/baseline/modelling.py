"""Modelling: a few scikit-learn candidates, compared by cross-validation on the task's own metric, on all cores."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .features import Features
from .metrics import Metric, score
from .models import FOREST_OF_COLUMNS, MANY_ROWS, SMALL_PICTURES, WORDS, load_libraries, make_model, model_names
from .resources import Budget, spread
from .tables import TaskError
from .task import Problem, Task

if TYPE_CHECKING:
    import pandas as pd

SMALLEST = 1e-6  # probabilities keep this distance from 0 and 1
MANY_PROBLEMS = 5  # from here on fewer folds
SHARE_FOR_COMPARISON, SHARE_FOR_FITTING = 0.6, 0.85  # of the time limit, by which the steps must have ended
PIECE = 50_000  # rows that are predicted at a time


@dataclass(frozen=True)
class Candidate:
    """A model and how it did in cross-validation; one without a score has a `note` that says why.

    `spread` is the standard deviation of the scores of all folds, `error` the standard error of their mean.
    """

    model: str
    score: float | None
    spread: float | None
    seconds: float
    note: str = ""
    error: float = 0.0


@dataclass(frozen=True)
class Solution:
    """What the comparison gave, and the predictions of the winner as columns of the submission.

    A submission that was written piece by piece, because it may not fit in memory, is not here.
    """

    candidates: tuple[Candidate, ...]
    chosen: Candidate
    method: str
    rows: int
    notes: tuple[str, ...] = ()
    submission: pd.DataFrame | None = None


@dataclass(frozen=True)
class _Data:
    """One problem as arrays: classes are numbered in the order of `classes`; `rows` are those with a known target."""

    problem: Problem
    rows: NDArray[np.int64]
    target: NDArray[Any]
    classes: NDArray[Any]


@dataclass(frozen=True)
class _Job:
    """A model to fit: on all folds but one, or (fold None) on everything."""

    model: str
    problem: int
    fold: int | None


@dataclass(frozen=True)
class _Fitted:
    """What a job gave: the score on the fold that was left out, and predictions for the test rows.

    Of the folds only the first has predictions, for when there is no time to fit on everything.
    """

    score: float
    predicted: NDArray[Any] | None
    seconds: float


def solve(task: Task, features: Features, seed: int, budget: Budget) -> Solution:
    """Compare the candidates, fit the best on everything and predict the test rows."""
    data = [_data(task, features, problem) for problem in task.problems if problem.kind != "constant"]
    rows = min(len(part.target) for part in data)
    folds = 3 if rows > MANY_ROWS or len(data) > MANY_PROBLEMS else 5
    names = model_names(data[0].problem.kind, features, rows, max(len(part.classes) for part in data))
    matrices = _matrices(features, names)

    def fit(job: _Job) -> _Fitted:
        return _fit(job, data[job.problem], matrices[job.model], task.metric, folds, seed)

    load_libraries()
    jobs = [_Job(name, number, fold) for name in names for number in range(len(data)) for fold in range(folds)]
    found: dict[_Job, _Fitted] = {}
    problems: dict[str, str] = {}
    # Even where features took the time, some is left to compare the quickest candidate.
    deadline = max(budget.at(SHARE_FOR_COMPARISON), time.monotonic() + 0.25 * budget.seconds)
    for done in spread(fit, jobs, budget.cores, deadline):
        if done.problem:
            problems.setdefault(done.item.model, done.problem)
        else:
            found[done.item] = done.result
    candidates = [_candidate(name, jobs, found, problems) for name in names]
    scored = [candidate for candidate in candidates if candidate.score is not None]
    if not scored:
        raise TaskError(f"No model could be trained: {candidates[0].note}.")
    chosen = choose(scored, lower_is_better=task.metric.lower_is_better)
    final = [_Job(chosen.model, number, None) for number in range(len(data))]
    deadline = budget.at(SHARE_FOR_FITTING)
    found |= {done.item: done.result for done in spread(fit, final, budget.cores, deadline) if not done.problem}
    predictions, notes = [], []
    for job in final:
        if job not in found:
            notes.append(
                f"{data[job.problem].problem.target}: there was no time to fit on all rows, so one fold is left out"
            )
        fitted = found.get(job) or found[replace(job, fold=0)]
        assert fitted.predicted is not None
        predictions.append(fitted.predicted)
    submission = _submission(task, data, predictions)
    method = f"{folds}-fold cross-validation"
    return Solution(tuple(candidates), chosen, method, rows, tuple(notes), submission)


def choose(candidates: Sequence[Candidate], *, lower_is_better: bool) -> Candidate:
    """The simplest candidate, which come first, whose score is within one standard error of the best.

    With few rows the best score is often luck, and the simpler model does better on rows that nobody has seen.
    """
    sign = -1.0 if lower_is_better else 1.0
    best = max(candidates, key=lambda candidate: sign * (candidate.score or 0.0))
    least = sign * (best.score or 0.0) - best.error
    return next(candidate for candidate in candidates if sign * (candidate.score or 0.0) >= least)


def _data(task: Task, features: Features, problem: Problem) -> _Data:
    target = task.train[problem.target].iloc[features.rows]
    known = target.notna().to_numpy()
    values, rows = target[known], np.flatnonzero(known)
    if problem.kind == "regression":
        return _Data(problem, rows, values.to_numpy(np.float64), np.empty(0))
    if values.dtype.kind == "f":  # whole numbers, read as floats because some are missing
        values = values.astype(np.int64)
    labels = problem.classes or sorted(values.unique().tolist())
    numbers = {label: number for number, label in enumerate(labels)}
    return _Data(problem, rows, values.map(numbers).to_numpy(np.int64), np.array(labels, dtype=object))


def _matrices(features: Features, names: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    """The training and test rows for each candidate: one is on sparse words, with the other features beside them."""
    found: dict[str, tuple[Any, Any]] = dict.fromkeys(names, (features.train, features.test))
    for name, chosen in ((FOREST_OF_COLUMNS, features.from_columns), (SMALL_PICTURES, features.small_pictures)):
        if name in names:
            found[name] = (features.train[:, chosen], features.test[:, chosen])
    if WORDS in names and features.words is not None:
        from scipy import sparse

        middle, width = np.nanmedian(features.train, axis=0), np.nanstd(features.train, axis=0) + 1e-6
        dense = [
            np.nan_to_num(np.clip((part - middle) / width, -5, 5)) * 0.1 for part in (features.train, features.test)
        ]
        train, test = (sparse.hstack([words, part]).tocsr() for words, part in zip(features.words, dense, strict=True))
        found[WORDS] = (train, test)
    return found


def _fit(job: _Job, data: _Data, matrices: tuple[Any, Any], metric: Metric, folds: int, seed: int) -> _Fitted:
    from sklearn.model_selection import KFold, StratifiedKFold

    start = time.monotonic()
    features, test = matrices[0], matrices[1]
    fitted, judged = np.arange(len(data.target)), np.arange(0)
    if job.fold is not None:
        by_class = data.problem.kind != "regression" and np.bincount(data.target).max() >= folds
        splitter = (StratifiedKFold if by_class else KFold)(folds, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted, judged = list(splitter.split(data.target, data.target))[job.fold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence and rare classes; the scores tell what they cost
        model = make_model(job.model, data.problem.kind, metric, seed, len(fitted))
        model.fit(features[data.rows[fitted]], data.target[fitted])
        reached = float("nan")
        if len(judged):
            predicted = _predict(model, features[data.rows[judged]], data, metric)
            reached = score(metric, data.target[judged], predicted, len(data.classes))
        tested = _predict(model, test, data, metric) if job.fold in (None, 0) else None
        return _Fitted(reached, tested, time.monotonic() - start)


def _predict(model: Any, features: Any, data: _Data, metric: Metric) -> NDArray[Any]:
    """Numbers, numbers of classes, or a matrix of probabilities with one column per class."""
    starts = range(0, features.shape[0], PIECE) if features.shape[0] else [0]
    return np.concatenate([_predicted(model, features[start : start + PIECE], data, metric) for start in starts])


def _predicted(model: Any, features: Any, data: _Data, metric: Metric) -> NDArray[Any]:
    if data.problem.kind == "regression":
        low, high = float(data.target.min()), float(data.target.max())
        return np.asarray(np.clip(model.predict(features), low, high))
    if metric.wants != "probabilities":
        return np.asarray(model.predict(features))
    # A class that no training row of a fold has gets no column from the model.
    shares = np.full((features.shape[0], len(data.classes)), SMALLEST)
    shares[:, model.classes_] = np.clip(model.predict_proba(features), SMALLEST, 1 - SMALLEST)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _candidate(name: str, jobs: list[_Job], found: dict[_Job, _Fitted], problems: dict[str, str]) -> Candidate:
    """How a candidate did: the mean over problems and folds, if all were done."""
    wanted = [job for job in jobs if job.model == name]
    done = [found[job] for job in wanted if job in found]
    seconds = sum(fitted.seconds for fitted in done)
    if name in problems:
        return Candidate(name, None, None, seconds, f"failed: {problems[name]}")
    if len(done) < len(wanted):
        return Candidate(name, None, None, seconds, "not finished: the time limit is near")
    scores = [fitted.score for fitted in done]
    # A fold without a positive has no ROC curve; the other folds decide.
    if np.isnan(scores).all():
        return Candidate(name, None, None, seconds, "failed: no fold has a score")
    return Candidate(
        name, float(np.nanmean(scores)), float(np.nanstd(scores)), seconds, error=_standard_error(wanted, scores)
    )


def _standard_error(jobs: Sequence[_Job], scores: Sequence[float]) -> float:
    """The standard error of a mean score, from the means of the folds: problems share their rows, folds do not."""
    of_fold: dict[int | None, list[float]] = {}
    for job, reached in zip(jobs, scores, strict=True):
        if not np.isnan(reached):
            of_fold.setdefault(job.fold, []).append(reached)
    means = [float(np.mean(reached)) for reached in of_fold.values()]
    return float(np.std(means, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0


def _submission(task: Task, data: list[_Data], predictions: list[NDArray[Any]]) -> pd.DataFrame:
    filled = task.sample.copy()
    for problem in task.problems:
        if problem.kind == "constant":
            filled[problem.outputs[0]] = task.train[problem.target].dropna().iloc[0]
    for part, predicted in zip(data, predictions, strict=True):
        for name, values in _columns(predicted, part).items():
            filled[name] = values
    _share_out(filled, task)
    return task.finished(filled)


def _columns(predicted: NDArray[Any], data: _Data) -> dict[str, NDArray[Any]]:
    """Predictions as the sample submission wants them."""
    outputs = data.problem.outputs
    if data.problem.kind == "regression":
        return {outputs[0]: predicted}
    if len(outputs) > 1:
        if predicted.ndim == 1:  # the metric is about labels, the format about classes
            predicted = np.eye(len(outputs))[predicted]
        return {name: predicted[:, number] for number, name in enumerate(outputs)}
    if predicted.ndim == 2 and data.problem.kind == "binary":
        return {outputs[0]: predicted[:, 1]}
    numbers = predicted.argmax(axis=1) if predicted.ndim == 2 else predicted
    return {outputs[0]: data.classes[numbers]}


def _share_out(submission: pd.DataFrame, task: Task) -> None:
    """Where the rows of the sample submission sum to 1, make those of the submission do so too."""
    outputs = [name for problem in task.problems for name in problem.outputs]
    if len(outputs) == 1 or any(task.sample[name].dtype.kind not in "iuf" for name in outputs):
        return
    if np.allclose(task.sample[outputs].sum(axis=1), 1):
        shares = submission[outputs].to_numpy(np.float64).clip(SMALLEST)
        submission[outputs] = shares / shares.sum(axis=1, keepdims=True)
