"""Metrics: pure functions on arrays, a float out."""

from mlebench.metrics.classification import (
    accuracy,
    binary_log_loss,
    kl_divergence,
    log_loss,
    mean_column_auc,
    quadratic_weighted_kappa,
    roc_auc,
)
from mlebench.metrics.regression import rmse, rmsle
from mlebench.metrics.segmentation import intersection_over_union, share_of_thresholds_passed

__all__ = [
    "accuracy",
    "binary_log_loss",
    "intersection_over_union",
    "kl_divergence",
    "log_loss",
    "mean_column_auc",
    "quadratic_weighted_kappa",
    "rmse",
    "rmsle",
    "roc_auc",
    "share_of_thresholds_passed",
]
