"""Whether two names mean the same metric: agents write `RMSE`, `rmse` or `root mean squared error`."""

from __future__ import annotations

import re

from mlebench.competition.vocabulary import Direction

# The words by which a metric is known, and the short word that stands for them; the first that fits is taken out.
_KNOWN = [
    (
        r"label[- ]?(weighted )?label[- ]?ranking average precision|label[- ]ranking average precision|\bl?wlrap\b",
        "lwlrap",
    ),
    (r"\bmcrmsle\b|root mean squared? log(arithmic)? error|\brmsle\b", "rmsle"),
    (r"\bmcrmse\b|root[- ]mean[- ]squared?[- ]error|\brmse\b", "rmse"),
    (r"\bmean squared error\b|\bmse\b", "mse"),
    (r"symmetric mean absolute percentage error|\bsmape\b", "smape"),
    (r"mean absolute percentage error|\bmape\b", "mape"),
    (r"median absolute error|\bmedae\b", "median absolute error"),
    (r"mean absolute error|\bmae\b|\bmcmae\b", "mae"),
    (r"laplace log[- ]likelihood", "laplace"),
    (r"log(arithmic)?[- ]?loss|(binary |categorical )?cross[- ]?entropy", "log loss"),
    (
        r"area under the (roc|receiver operating characteristic)( curve)?|roc[- ]?auc|auc[- ]?roc|\bauroc\b|\bauc\b",
        "auc",
    ),
    (r"(quadratic(ally)?[- ]weighted|cohen'?s?)[- ]kappa|\bqwk\b|\bkappa\b", "kappa"),
    (r"matthews correlation( coefficient)?|\bmcc\b", "mcc"),
    (r"kullback[- ]leibler( divergence)?|\bkl[- ]?div(ergence)?\b", "kl"),
    (r"mean average precision|\bmap\b(@\d+)?", "map"),
    (r"normali[sz]ed discounted cumulative gain|\bndcg\b(@\d+)?", "ndcg"),
    (r"mean intersection over union|\bmiou\b", "iou"),
    (r"levenshtein|edit distance", "levenshtein"),
    (r"hausdorff", "hausdorff"),
    (r"\bdice\b", "dice"),
    (r"pearson", "pearson"),
    (r"spearman", "spearman"),
    (r"kendall", "kendall"),
    (r"jaccard", "jaccard"),
    (r"angular", "angular"),
    (r"percentile distance|distance errors?", "distance"),
    (r"\br2\b|r\^2|r²|coefficient of determination", "r2"),
    (r"(classification|top-1) error|error rate|misclassification", "error"),
    (r"accuracy", "accuracy"),
    (r"\blog\b", "log"),
]
_LONGEST = 500  # characters of a name, which an agent may have written
_F = re.compile(r"\bf[- ]?(\d(?:\.\d)?)\b|\bf(\d)score\b")
_DIRECTIONS: dict[str, Direction] = {
    **dict.fromkeys(("higher", "higher_is_better", "maximize", "maximise", "max", "up", "greater"), "higher"),
    **dict.fromkeys(("lower", "lower_is_better", "minimize", "minimise", "min", "down", "less"), "lower"),
}


def _words(name: str) -> frozenset[str]:
    text = name[:_LONGEST].lower().replace("_", " ")
    found = {f"f{next(number for number in match.groups() if number)}" for match in _F.finditer(text)}
    for pattern, word in _KNOWN:
        text, count = re.subn(pattern, " ", text)
        if count:
            found.add(word)
    return frozenset(found) or frozenset(re.findall(r"\w+", text))


def same_metric(claimed: str, true: str) -> bool:
    """Whether a claimed name means the true metric; it need not say how it is averaged.

    >>> same_metric("ROC_AUC", "area under the ROC curve"), same_metric("MAE", "root mean squared error")
    (True, False)
    """
    return _words(claimed) == _words(true)


def direction(claimed: str) -> Direction | None:
    """The direction that a word stands for.

    >>> direction("Minimize")
    'lower'
    """
    return _DIRECTIONS.get(re.sub(r"[\s-]+", "_", claimed.strip().lower()))
