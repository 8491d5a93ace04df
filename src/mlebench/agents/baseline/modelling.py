"""Modelling: a few scikit-learn candidates, compared by cross-validation on the task's own metric."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .features import Features, Matrix
from .task import Kind, Metric, Problem, Task, TaskError

if TYPE_CHECKING:
    import pandas as pd

MANY_ROWS = 5_000  # from here on fewer folds, and no method whose cost grows with the square of the rows
SMALLEST = 1e-6  # probabilities keep this distance from 0 and 1
SHARE_FOR_COMPARISON = 0.4  # of the time limit; then no further candidate is tried


@dataclass(frozen=True)
class Candidate:
    """A model and how it did in cross-validation; one without a score has a `note` that says why."""

    model: str
    score: float | None
    spread: float | None
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Solution:
    """What the comparison gave, and the predictions of the winner as columns of the submission."""

    candidates: tuple[Candidate, ...]
    chosen: Candidate
    folds: int
    rows: int
    submission: pd.DataFrame


@dataclass(frozen=True)
class _Data:
    """One problem as arrays: classes are numbered in the order of `classes`."""

    problem: Problem
    features: Matrix
    target: NDArray[Any]
    classes: NDArray[Any]


def solve(task: Task, features: Features, seed: int, started: float, time_limit: float) -> Solution:
    """Compare the candidates, fit the best on everything and predict the test rows."""
    data = [_data(task, features, problem) for problem in task.problems]
    rows = min(len(part.target) for part in data)
    folds = 3 if rows > MANY_ROWS else 5
    names = _names(task.problems[0].kind, features.has_pixels, rows)
    candidates: list[Candidate] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence and rare classes; the scores tell what they cost
        for name in names:
            spent = time.monotonic() - started
            if candidates and spent > SHARE_FOR_COMPARISON * time_limit:
                candidates.append(Candidate(name, None, None, 0.0, "not tried: the time limit is near"))
            else:
                candidates.append(_compare(name, data, task.metric, folds, seed))
        scored = [candidate for candidate in candidates if candidate.score is not None]
        if not scored:
            raise TaskError(f"No model could be trained: {candidates[0].note}.")
        sign = -1.0 if task.metric.lower_is_better else 1.0
        chosen = max(scored, key=lambda candidate: sign * (candidate.score or 0.0))
        submission = task.sample.copy()
        for part in data:
            model = _model(chosen.model, part.problem.kind, task.metric, seed)
            predicted = _predict(model.fit(part.features, part.target), features.test, part, task.metric)
            for name, values in _columns(predicted, part, task.metric).items():
                submission[name] = values
    _share_out(submission, task)
    return Solution(tuple(candidates), chosen, folds, rows, submission)


def _data(task: Task, features: Features, problem: Problem) -> _Data:
    target = task.train[problem.target]
    known = target.notna().to_numpy()
    values = target[known]
    if problem.kind == "regression":
        return _Data(problem, features.train[known], values.to_numpy(np.float64), np.empty(0))
    if values.dtype.kind == "f":  # whole numbers, read as floats because some are missing
        values = values.astype(np.int64)
    labels = problem.classes or sorted(values.unique().tolist())
    numbers = {label: number for number, label in enumerate(labels)}
    target_numbers = values.map(numbers).to_numpy(np.int64)
    return _Data(problem, features.train[known], target_numbers, np.array(labels, dtype=object))


def _names(kind: Kind, has_pixels: bool, rows: int) -> list[str]:
    """The candidates that suit the data, the quickest first."""
    last = "support vector machine" if has_pixels and rows <= MANY_ROWS else "gradient boosting"
    return ["ridge regression" if kind == "regression" else "logistic regression", "random forest", last]


def _model(name: str, kind: Kind, metric: Metric, seed: int) -> Any:
    """A fresh pipeline for a candidate."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    estimator = (_regressor if kind == "regression" else _classifier)(name, metric, seed)
    filled = SimpleImputer(strategy="median", add_indicator=True)
    if name == "gradient boosting":  # deals with gaps itself
        model = make_pipeline(estimator)
    elif name in {"ridge regression", "logistic regression"}:
        model = make_pipeline(filled, StandardScaler(), estimator)
    else:
        model = make_pipeline(filled, estimator)
    if metric.name == "RMSLE":
        return TransformedTargetRegressor(model, func=np.log1p, inverse_func=np.expm1)
    return model


def _classifier(name: str, metric: Metric, seed: int) -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    if name == "logistic regression":
        return LogisticRegression(max_iter=1000)
    if name == "random forest":
        return RandomForestClassifier(200, random_state=seed)
    if name == "support vector machine":
        machine = SVC(C=10.0)
        needs = metric.wants == "probabilities"
        return CalibratedClassifierCV(machine, cv=3, ensemble=False) if needs else machine
    return HistGradientBoostingClassifier(learning_rate=0.08, max_leaf_nodes=15, random_state=seed)


def _regressor(name: str, metric: Metric, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.svm import SVR

    if name == "ridge regression":
        return RidgeCV(alphas=np.logspace(-2, 4, 25))
    if name == "random forest":
        return RandomForestRegressor(200, min_samples_leaf=3, random_state=seed)
    if name == "support vector machine":
        return SVR(C=10.0)
    loss = "absolute_error" if metric.name == "MAE" else "squared_error"
    return HistGradientBoostingRegressor(loss=loss, learning_rate=0.06, max_leaf_nodes=15, random_state=seed)


def _compare(name: str, data: list[_Data], metric: Metric, folds: int, seed: int) -> Candidate:
    """Cross-validate a candidate on every problem; the score is the mean over problems and folds."""
    start = time.monotonic()
    scores: list[float] = []
    try:
        for part in data:
            scores += _cross_validated(name, part, metric, folds, seed)
    except (ValueError, np.linalg.LinAlgError, MemoryError) as error:
        reason = str(error).strip().split("\n")[0]
        return Candidate(name, None, None, time.monotonic() - start, f"failed: {reason}")
    # A fold without a positive has no ROC curve; the other folds decide.
    if np.isnan(scores).all():
        return Candidate(name, None, None, time.monotonic() - start, "failed: no fold has a score")
    return Candidate(name, float(np.nanmean(scores)), float(np.nanstd(scores)), time.monotonic() - start)


def _cross_validated(name: str, data: _Data, metric: Metric, folds: int, seed: int) -> list[float]:
    from sklearn.model_selection import KFold, StratifiedKFold

    by_class = data.problem.kind != "regression" and np.bincount(data.target).max() >= folds
    splitter = StratifiedKFold if by_class else KFold
    scores = []
    for train, test in splitter(folds, shuffle=True, random_state=seed).split(data.features, data.target):
        model = _model(name, data.problem.kind, metric, seed).fit(data.features[train], data.target[train])
        predicted = _predict(model, data.features[test], data, metric)
        scores.append(_score(metric, data.target[test], predicted, len(data.classes)))
    return scores


def _predict(model: Any, features: Matrix, data: _Data, metric: Metric) -> NDArray[Any]:
    """Numbers, numbers of classes, or a matrix of probabilities with one column per class."""
    if data.problem.kind == "regression":
        low, high = float(data.target.min()), float(data.target.max())
        return np.asarray(np.clip(model.predict(features), low, high))
    if metric.wants != "probabilities":
        return np.asarray(model.predict(features))
    # A class that no training row of a fold has gets no column from the model.
    shares = np.full((len(features), len(data.classes)), SMALLEST)
    shares[:, model.classes_] = np.clip(model.predict_proba(features), SMALLEST, 1 - SMALLEST)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _score(metric: Metric, truth: NDArray[Any], predicted: NDArray[Any], classes: int) -> float:
    from sklearn import metrics

    if classes == 0:
        if metric.name == "MAE":
            return float(metrics.mean_absolute_error(truth, predicted))
        if metric.name == "R2":
            return float(metrics.r2_score(truth, predicted))
        if metric.name == "RMSLE":
            truth, predicted = np.log1p(truth), np.log1p(predicted)
        return float(np.sqrt(metrics.mean_squared_error(truth, predicted)))
    if metric.name == "log loss":
        return float(metrics.log_loss(truth, predicted, labels=range(classes)))
    if metric.name == "ROC AUC":
        compared = [number for number in range(1 if classes == 2 else 0, classes) if 0 < np.mean(truth == number) < 1]
        areas = [metrics.roc_auc_score(truth == number, predicted[:, number]) for number in compared]
        return float(np.mean(areas)) if areas else float("nan")
    if metric.name == "quadratic kappa":
        return float(metrics.cohen_kappa_score(truth, predicted, weights="quadratic"))
    if metric.name == "F1":
        return float(metrics.f1_score(truth, predicted, average="binary" if classes == 2 else "macro"))
    return float(metrics.accuracy_score(truth, predicted))


def _columns(predicted: NDArray[Any], data: _Data, metric: Metric) -> dict[str, NDArray[Any]]:
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
