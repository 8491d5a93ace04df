"""The words that declarations are made of: groups, categories, metrics and directions, each spelt in one way."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Group: TypeAlias = Literal["low", "medium", "high", "dev", "practice"]
Direction: TypeAlias = Literal["higher", "lower"]
Edition: TypeAlias = Literal["v1", "v2"]

Category: TypeAlias = Literal[
    "Audio Classification",
    "Image Classification",
    "Image Regression",
    "Image Segmentation",
    "Image To Image",
    "Image To Text",
    "Object Detection",
    "Other",
    "Question Answering",
    "Recommendation",
    "Seq->Seq",
    "Signal Processing",
    "Tabular",
    "Text (Other)",
    "Text Classification",
    "Text Regression",
    "Video Classification",
]

_Score: TypeAlias = Literal[
    "accuracy",
    "area under the ROC curve",
    "balanced accuracy",
    "coefficient of determination",
    "F0.5",
    "F1",
    "global Dice coefficient",
    "Kendall tau, pooled over notebooks",
    "label-weighted label-ranking average precision",
    "macro F1",
    "MAP@5",
    "MAP@12",
    "Matthews correlation coefficient",
    "mean average precision at IoU 0.4",
    "mean average precision at IoU 0.5",
    "mean average precision over 3D IoU thresholds",
    "mean average precision over IoU thresholds",
    "mean column-wise area under the ROC curve",
    "mean column-wise Spearman correlation",
    "mean Dice coefficient",
    "mean F1 of each row",
    "mean of overall AUC and bias AUCs",
    "mean word-level Jaccard index",
    "mean intersection over union",
    "micro F1",
    "micro F1 of located characters",
    "normalised discounted cumulative gain",
    "modified Laplace log likelihood",
    "Pearson correlation",
    "probabilistic F1",
    "quadratic weighted kappa",
    "Spearman correlation",
    "top-k accuracy",
    "weighted AUC",
    "weighted F1",
    "weighted Dice and 3D Hausdorff score",
]
_Loss: TypeAlias = Literal[
    "Kullback-Leibler divergence",
    "Levenshtein distance per true gesture",
    "log loss",
    "mean absolute error",
    "mean absolute percentage error",
    "mean angular error",
    "mean column-wise root mean squared error",
    "mean column-wise root mean squared logarithmic error",
    "mean Levenshtein distance",
    "mean log of the mean absolute error per coupling type",
    "mean of the 50th and 95th percentile distance errors",
    "mean squared error",
    "median absolute error",
    "multi-class log loss",
    "root mean squared error",
    "root mean squared logarithmic error",
    "symmetric mean absolute percentage error",
    "top-1 classification error",
    "weighted multi-label log loss",
]


class OwnMetric(str):
    """The metric of a competition of one's own that is not in these lists: `metric=OwnMetric("profit per customer")`.

    `better` says whether higher or lower is better.
    """

    __slots__ = ()


Metric: TypeAlias = _Score | _Loss | OwnMetric

IssueKind: TypeAlias = Literal["leak", "split", "grader", "files", "text", "public labels", "comparability"]

ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]*"  # of a competition; folders and archives have its name
GROUPS: tuple[Group, ...] = get_args(Group)
EDITIONS: tuple[Edition, ...] = get_args(Edition)
DEFAULT_EDITION: Edition = "v1"  # the published benchmark, warts included
ISSUE_KINDS: tuple[IssueKind, ...] = get_args(IssueKind)
SCORES: frozenset[str] = frozenset(get_args(_Score))
LOSSES: frozenset[str] = frozenset(get_args(_Loss))

# What people call metrics, or parts of their names, by the words that declarations use.
_SHORT_NAMES = {
    "area under the ROC curve": ("AUC", "ROC AUC", "AUC ROC", "AUROC"),
    "coefficient of determination": ("R2", "R²"),
    "intersection over union": ("IoU",),
    "Kullback-Leibler divergence": ("KL", "KL divergence"),
    "label-weighted label-ranking average precision": ("LWLRAP",),
    "log loss": ("logloss", "cross entropy", "BCE"),
    "Matthews correlation coefficient": ("MCC",),
    "mean absolute error": ("MAE",),
    "mean absolute percentage error": ("MAPE",),
    "mean average precision": ("MAP",),
    "mean column-wise root mean squared error": ("MCRMSE", "RMSE"),
    "mean column-wise root mean squared logarithmic error": ("MCRMSLE", "RMSLE"),
    "mean intersection over union": ("mIoU", "IoU"),
    "mean squared error": ("MSE",),
    "median absolute error": ("MedAE",),
    "normalised discounted cumulative gain": ("NDCG",),
    "quadratic weighted kappa": ("QWK", "kappa"),
    "root mean squared error": ("RMSE",),
    "root mean squared logarithmic error": ("RMSLE",),
    "symmetric mean absolute percentage error": ("SMAPE",),
    "top-1 classification error": ("error rate",),
}


def short_names(metric: str) -> set[str]:
    """What people call a metric, or the metric that it averages, in lower case.

    >>> sorted(short_names("mean column-wise area under the ROC curve"))
    ['auc', 'auc roc', 'auroc', 'roc auc']
    >>> short_names("root mean squared error")
    {'rmse'}
    """
    rest, found = metric.lower(), set[str]()
    for words in sorted(_SHORT_NAMES, key=len, reverse=True):  # mean squared error is part of root mean squared error
        if words.lower() in rest:
            rest = rest.replace(words.lower(), " ")
            found.update(name.lower() for name in _SHORT_NAMES[words])
    return found


def is_called(metric: str, text: str) -> bool:
    """Whether a user may mean a metric by a text: a part of its name, or what people call it.

    >>> is_called("macro F1", "f1-score"), is_called("mean column-wise root mean squared error", "column wise")
    (True, True)
    """
    asked = _spaced(text).removesuffix(" score")
    return asked in _spaced(metric) or asked in short_names(metric)


def _spaced(text: str) -> str:
    return text.lower().replace("-", " ").replace("_", " ").strip()


def nearest_metrics(text: str) -> list[str]:
    """The names of metrics that a text may stand for, the nearest first; at most three."""
    import difflib

    known = {name.lower(): name for name in sorted(SCORES | LOSSES)}
    called = [name for name in known.values() if is_called(name, text)]
    called.sort(key=lambda name: (name not in _SHORT_NAMES, len(name)))  # what the short name stands for comes first
    near = difflib.get_close_matches(text.lower(), list(known), n=3, cutoff=0.6)
    return list(dict.fromkeys([*called, *(known[name] for name in near)]))[:3]
