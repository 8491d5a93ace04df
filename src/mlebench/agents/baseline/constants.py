"""When nothing can be learnt from: the one answer for all rows that the metric likes best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .task import Task

if TYPE_CHECKING:
    import pandas as pd


def constant_submission(task: Task) -> pd.DataFrame:
    """Means, medians, shares or the most frequent class of the training rows, as a submission."""
    filled = task.sample.copy()
    for problem in task.problems:
        known = task.train[problem.target].dropna()
        if problem.kind == "regression":
            values = known.to_numpy(np.float64)
            name = task.metric.name
            middle = np.median(values) if name == "MAE" else np.mean(values)
            filled[problem.outputs[0]] = np.expm1(np.log1p(values).mean()) if name == "RMSLE" else middle
        elif len(problem.outputs) > 1:
            shares = known.value_counts(normalize=True)
            for output, label in zip(problem.outputs, problem.classes, strict=True):
                filled[output] = float(shares.get(label, 0.0))
        elif problem.kind == "binary" and task.metric.wants == "probabilities":
            positive = problem.classes[-1] if problem.classes else sorted(known.unique())[-1]
            filled[problem.outputs[0]] = float((known == positive).mean())
        else:
            filled[problem.outputs[0]] = known.mode().iloc[0]
    return task.finished(filled)
