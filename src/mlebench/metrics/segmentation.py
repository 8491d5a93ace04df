"""Metrics for masks.

A mask is an array of truth values where a function says so. Elsewhere it is an array of runs, each a row (first pixel,
pixel after the last), ascending and disjoint: the pixels of a large image are then never in memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_BLOCK = 8  # voxels along each side
_BLOCKS_AT_ONCE = 64
IOU_THRESHOLDS: NDArray[np.float64] = np.asarray(0.5 + 0.05 * np.arange(10), dtype=np.float64)


def intersection_over_union(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Pixels in both masks over pixels in either; two empty masks count 1. Masks are arrays of truth values.

    >>> intersection_over_union([True, True, False], [True, False, True])
    0.3333333333333333
    """
    left, right = np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=bool)
    union = int(np.count_nonzero(left | right))
    return float(np.count_nonzero(left & right) / union) if union else 1.0


def mask_dice(truth: ArrayLike, predicted: ArrayLike) -> float:
    """The Dice coefficient of two masks, arrays of truth values: twice the pixels in both over the pixels of each.

    Two empty masks count 1. `dice` is the same for masks given as runs.

    >>> mask_dice([True, True, False], [True, False, True])
    0.5
    """
    left, right = np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=bool)
    total = int(np.count_nonzero(left)) + int(np.count_nonzero(right))
    return float(2 * np.count_nonzero(left & right) / total) if total else 1.0


def share_of_thresholds_passed(iou: ArrayLike, thresholds: ArrayLike = IOU_THRESHOLDS) -> NDArray[np.float64]:
    """For each intersection over union, the share of thresholds that it strictly exceeds.

    >>> share_of_thresholds_passed([0.5, 0.72, 1.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    passed = np.asarray(iou, dtype=np.float64)[:, None] > np.asarray(thresholds)[None, :]
    return np.asarray(passed.mean(axis=1), dtype=np.float64)


def dice(truth: ArrayLike, predicted: ArrayLike, *, both_empty: float = 1.0) -> float:
    """The Dice coefficient of two masks given as runs: twice the pixels in both over the pixels of each, summed.

    It is 0 if one mask is empty and `both_empty` if both are.

    >>> dice([[0, 4]], [[2, 4], [6, 8]])
    0.5
    """
    left, right = _runs(truth), _runs(predicted)
    total = _pixels(left) + _pixels(right)
    return 2 * _shared_pixels(left, right) / total if total else both_empty


def f_beta(truth: ArrayLike, predicted: ArrayLike, beta: float) -> float:
    """The F-beta score of the pixels of two masks given as runs; recall counts `beta` times as much as precision.

    It is 0 if no pixel is in both masks.

    >>> f_beta([[0, 4]], [[2, 4], [6, 8]], beta=0.5)
    0.5
    """
    left, right = _runs(truth), _runs(predicted)
    shared, weight = _shared_pixels(left, right), beta**2
    return (1 + weight) * shared / (_pixels(right) + weight * _pixels(left)) if shared else 0.0


def _runs(mask: ArrayLike) -> NDArray[np.int64]:
    return np.asarray(mask, dtype=np.int64).reshape(-1, 2)


def _pixels(runs: NDArray[np.int64]) -> int:
    return int((runs[:, 1] - runs[:, 0]).sum())


def _shared_pixels(left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    """The number of pixels in both masks."""
    if not len(right):
        return 0
    before = np.concatenate([[0], np.cumsum(right[:, 1] - right[:, 0])])  # pixels of the runs before each one

    def up_to(positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pixels of the right mask before a position."""
        begun = np.searchsorted(right[:, 0], positions)
        unfinished = np.maximum(right[begun - 1, 1] - positions, 0)
        return np.asarray(np.where(begun > 0, before[begun] - unfinished, 0), dtype=np.int64)

    return int((up_to(left[:, 1]) - up_to(left[:, 0])).sum())


def hausdorff_distance(truth: ArrayLike, predicted: ArrayLike, lengths: ArrayLike = (1, 1, 1)) -> float:
    """The largest distance from a voxel of one volume to the nearest voxel of the other.

    Volumes are arrays of truth values with at least one true voxel each; their shapes may differ. The place of a voxel
    is its index divided by `lengths`, axis by axis.

    >>> hausdorff_distance([[[1, 1, 0, 0]]], [[[1, 0, 0, 1]]], lengths=(1, 1, 4))
    0.5
    """
    left, right = _same_shape(np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=bool))
    scale = np.asarray(lengths, dtype=np.float64)
    return max(_farthest(left, right, scale), _farthest(right, left, scale))


def _same_shape(left: NDArray[np.bool_], right: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    if left.shape == right.shape:
        return left, right
    shape = np.maximum(left.shape, right.shape)
    wide, high = (np.pad(mask, [(0, size) for size in shape - mask.shape]) for mask in (left, right))
    return wide, high


def _farthest(here: NDArray[np.bool_], there: NDArray[np.bool_], scale: NDArray[np.float64]) -> float:
    """The largest distance from a voxel here to its nearest one there."""
    from scipy.spatial import KDTree

    outside = np.argwhere(here & ~there)
    if not len(outside):
        return 0.0
    # The nearest voxel is never an inner one: one of the neighbours of that would be nearer.
    tree = KDTree(np.argwhere(there & ~_inner(there)) / scale)
    # A voxel is at most so much farther away than the centre of its block. So the voxels of most blocks need not be
    # looked at once a far one is known.
    grid = tuple(-(-size // _BLOCK) for size in here.shape)
    numbers, block = np.unique(np.ravel_multi_index(tuple((outside // _BLOCK).T), grid), return_inverse=True)
    centres = (np.stack(np.unravel_index(numbers, grid), axis=1) + 0.5) * _BLOCK - 0.5
    bounds = tree.query(centres / scale)[0] + np.linalg.norm(_BLOCK / 2 / scale)
    farthest = 0.0
    order = np.argsort(-bounds)
    for begin in range(0, len(order), _BLOCKS_AT_ONCE):
        if bounds[order[begin]] < farthest:
            break
        voxels = outside[np.isin(block, order[begin : begin + _BLOCKS_AT_ONCE])]
        farthest = max(farthest, float(tree.query(voxels / scale)[0].max()))
    return farthest


def _inner(volume: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The voxels whose neighbours along every axis are in the volume too."""
    inner = np.zeros_like(volume)
    inside = (slice(1, -1),) * volume.ndim
    inner[inside] = volume[inside]
    for axis in range(volume.ndim):
        for shift in (slice(None, -2), slice(2, None)):
            inner[inside] &= volume[(*inside[:axis], shift, *inside[axis + 1 :])]
    return inner
