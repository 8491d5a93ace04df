"""How predictions are scored: what a description says about it, and the scores that models are compared by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Wants = Literal["labels", "probabilities", "numbers"]


@dataclass(frozen=True)
class Metric:
    """A way to score predictions: what it wants predicted, and the words by which a description names it."""

    name: str
    wants: Wants
    lower_is_better: bool
    words: str


METRICS = (
    Metric("log loss", "probabilities", True, r"log(arithmic)?[ -]?loss|cross[ -]entropy"),
    Metric("ROC AUC", "probabilities", False, r"\broc\b|\bauc\b|area under"),
    Metric("RMSLE", "numbers", True, r"\brmsle\b|root mean squared? log"),
    Metric("RMSE", "numbers", True, r"\brmse\b|root[ -]mean[ -]squared?[ -]error"),
    Metric("MAE", "numbers", True, r"\bmae\b|mean absolute error"),
    Metric("R2", "numbers", False, r"\br2\b|r²|coefficient of determination"),
    Metric("quadratic kappa", "labels", False, r"kappa"),
    Metric("F1", "labels", False, r"\bf1\b"),
    Metric("accuracy", "labels", False, r"accuracy"),
)
BY_NAME = {metric.name: metric for metric in METRICS}


def stated_metric(description: str) -> Metric | None:
    """The metric that a description names first, in its part about the metric if it has one."""
    part = re.search(r"^#+ *(?:metric|evaluation)\b.*?\n(.*?)(?=^#+ |\Z)", description, re.I | re.M | re.S)
    text = part[1] if part else description
    found = [(match.start(), metric) for metric in METRICS if (match := re.search(metric.words, text, re.I))]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def score(metric: Metric, truth: NDArray[Any], predicted: NDArray[Any], classes: int) -> float:
    """The score of numbers (no `classes`), of numbers of classes, or of a matrix with a probability per class."""
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
