"""Metrics: pure functions on arrays, a float out; one module per kind of prediction.

Only NumPy is loaded; what needs SciPy or another library imports it inside the function.
"""

from mlebench.metrics.bias import bias_auc
from mlebench.metrics.boxes import box_average_precision, box_overlaps, ground_corners, located_label_f1
from mlebench.metrics.classification import (
    accuracy,
    balanced_accuracy,
    binary_log_loss,
    f1,
    kl_divergence,
    log_loss,
    macro_f1,
    matthews,
    mean_f1_of_sets,
    micro_f1_of_sets,
    probabilistic_f1,
    quadratic_weighted_kappa,
    weighted_f1,
    weighted_log_loss,
)
from mlebench.metrics.correlation import pearson, spearman
from mlebench.metrics.detection import (
    average_precision,
    greedy_matches,
    interpolated_average_precision,
    rectangle_overlaps,
    voc_average_precision,
)
from mlebench.metrics.geometry import great_circle_distances, mean_angular_error
from mlebench.metrics.published import (
    dice_coefficient as dice_coefficient,  # for other projects, not part of the kit
)
from mlebench.metrics.ranking import (
    lwlrap,
    mean_average_precision_at_k,
    ndcg_at_k,
    pooled_kendall_tau,
    top_k_accuracy,
)
from mlebench.metrics.regression import (
    mape,
    mcrmse,
    mean_absolute_error,
    mean_log_group_error,
    mean_squared_error,
    median_absolute_error,
    modified_laplace,
    r2,
    rmse,
    rmsle,
    smape,
)
from mlebench.metrics.roc import mean_column_auc, roc_auc, weighted_auc
from mlebench.metrics.segmentation import (
    dice,
    f_beta,
    hausdorff_distance,
    intersection_over_union,
    mask_dice,
    share_of_thresholds_passed,
)
from mlebench.metrics.text import levenshtein_distances, word_jaccard

__all__ = [
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "bias_auc",
    "binary_log_loss",
    "box_average_precision",
    "box_overlaps",
    "dice",
    "f1",
    "f_beta",
    "great_circle_distances",
    "greedy_matches",
    "ground_corners",
    "hausdorff_distance",
    "interpolated_average_precision",
    "intersection_over_union",
    "kl_divergence",
    "levenshtein_distances",
    "located_label_f1",
    "log_loss",
    "lwlrap",
    "macro_f1",
    "mape",
    "mask_dice",
    "matthews",
    "mcrmse",
    "mean_absolute_error",
    "mean_angular_error",
    "mean_average_precision_at_k",
    "mean_column_auc",
    "mean_f1_of_sets",
    "mean_log_group_error",
    "mean_squared_error",
    "median_absolute_error",
    "micro_f1_of_sets",
    "modified_laplace",
    "ndcg_at_k",
    "pearson",
    "pooled_kendall_tau",
    "probabilistic_f1",
    "quadratic_weighted_kappa",
    "r2",
    "rectangle_overlaps",
    "rmse",
    "rmsle",
    "roc_auc",
    "share_of_thresholds_passed",
    "smape",
    "spearman",
    "top_k_accuracy",
    "voc_average_precision",
    "weighted_auc",
    "weighted_f1",
    "weighted_log_loss",
    "word_jaccard",
]
