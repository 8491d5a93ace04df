"""Metrics: pure functions on arrays, a float out; one module per kind of prediction.

Only NumPy is loaded; what needs SciPy or another library imports it inside the function.
"""

from mlebench.metrics.bias import bias_auc
from mlebench.metrics.classification import (
    accuracy,
    binary_log_loss,
    kl_divergence,
    log_loss,
    macro_f1,
    micro_f1_of_sets,
    quadratic_weighted_kappa,
)
from mlebench.metrics.correlation import pearson, spearman
from mlebench.metrics.ranking import mean_average_precision_at_k, pooled_kendall_tau
from mlebench.metrics.regression import mean_absolute_error, mean_log_group_error, rmse, rmsle
from mlebench.metrics.roc import mean_column_auc, roc_auc, weighted_auc
from mlebench.metrics.segmentation import intersection_over_union, share_of_thresholds_passed
from mlebench.metrics.text import levenshtein_distances, word_jaccard

__all__ = [
    "accuracy",
    "bias_auc",
    "binary_log_loss",
    "intersection_over_union",
    "kl_divergence",
    "levenshtein_distances",
    "log_loss",
    "macro_f1",
    "mean_absolute_error",
    "mean_average_precision_at_k",
    "mean_column_auc",
    "mean_log_group_error",
    "micro_f1_of_sets",
    "pearson",
    "pooled_kendall_tau",
    "quadratic_weighted_kappa",
    "rmse",
    "rmsle",
    "roc_auc",
    "share_of_thresholds_passed",
    "spearman",
    "weighted_auc",
    "word_jaccard",
]
