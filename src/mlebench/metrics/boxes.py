"""Metrics for objects that are found in a place: labelled points in boxes of a page, and upright boxes in space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

# The labels of some objects, and a row of numbers for each: x, y, width, height of a box, or x, y of a point.
Located: TypeAlias = tuple[Sequence[str], ArrayLike]
_PAIRS = 50_000  # pairs of boxes that are compared at a time


def located_label_f1(truth: Sequence[Located], predicted: Sequence[Located]) -> float:
    """F1 over all pages of points that are strictly inside a box with the same label, page by page.

    The boxes of a page are taken in turn, and each is matched with the first point that fits and is still free.

    >>> located_label_f1([(["a", "b"], [(0, 0, 4, 4), (5, 0, 4, 4)])], [(["a", "a"], [(2, 2), (4, 4)])])
    0.5
    """
    pages = list(zip(truth, predicted, strict=True))
    found = sum(_matches(boxes, points) for boxes, points in pages)
    given = sum(len(labels) for _, (labels, _) in pages)
    wanted = sum(len(labels) for (labels, _), _ in pages)
    if not found:
        return 0.0
    precision, recall = found / given, found / wanted
    return 2 * precision * recall / (precision + recall)


def _matches(boxes: Located, points: Located) -> int:
    """How many boxes of a page are matched with a point."""
    corners = np.asarray(boxes[1], dtype=np.float64).reshape(-1, 4)
    places = np.asarray(points[1], dtype=np.float64).reshape(-1, 2)
    free = {label: places[rows] for label, rows in _rows_by_label(points[0]).items()}
    matched = 0
    for label, (left, top, width, height) in zip(boxes[0], corners.tolist(), strict=True):
        if label not in free:
            continue
        x, y = free[label].T
        inside = (left < x) & (x < left + width) & (top < y) & (y < top + height)
        if inside.any():
            matched += 1
            free[label] = np.delete(free[label], int(inside.argmax()), axis=0)
    return matched


def _rows_by_label(labels: Sequence[str]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return rows


def ground_corners(boxes: ArrayLike) -> NDArray[np.float64]:
    """The four corners (x, y) of upright boxes on the ground, in turn; boxes are rows as in `box_overlaps`.

    >>> ground_corners([[0, 0, 0, 2, 4, 1, 0.0]]).tolist()
    [[[2.0, -1.0], [2.0, 1.0], [-2.0, 1.0], [-2.0, -1.0]]]
    """
    x, y, _, width, length, _, yaw = np.asarray(boxes, dtype=np.float64).T
    half = yaw / 2
    # From the half angle, as from the quaternion by which the boxes of the published grader are turned.
    cosine, sine = np.cos(half) ** 2 - np.sin(half) ** 2, 2 * np.sin(half) * np.cos(half)
    along_x, along_y = length / 2 * cosine, length / 2 * sine
    across_x, across_y = width / 2 * sine, -width / 2 * cosine
    signs = ((1, 1), (1, -1), (-1, -1), (-1, 1))
    corners = [(x + a * along_x + b * across_x, y + a * along_y + b * across_y) for a, b in signs]
    return np.asarray(np.moveaxis(np.array(corners), 2, 0))


def box_overlaps(left: ArrayLike, right: ArrayLike) -> NDArray[np.float64]:
    """Intersection over union of upright boxes in space, row by row.

    A box is a row of seven numbers: x, y and z of its centre, width, length, height, and yaw, the angle in radians from
    the x axis to its length. Where the ratio is not a number it counts as 0.

    >>> box_overlaps([[0, 0, 0, 2, 4, 2, 0]], [[1, 0, 1, 4, 2, 2, np.pi / 2]]).round(6).tolist()
    [0.230769]
    """
    one, other = (np.asarray(boxes, dtype=np.float64).reshape(-1, 7) for boxes in (left, right))
    overlaps = np.zeros(len(one))
    with np.errstate(invalid="ignore", over="ignore"):
        # Boxes that are farther apart than their diagonals reach need no closer look.
        reach = np.hypot(one[:, 3], one[:, 4]) / 2 + np.hypot(other[:, 3], other[:, 4]) / 2
        near = np.flatnonzero(np.hypot(*(one - other)[:, :2].T) <= reach)
        one, other = one[near], other[near]
        bottom = np.maximum(*(boxes[:, 2] - boxes[:, 5] / 2 for boxes in (one, other)))
        top = np.minimum(*(boxes[:, 2] + boxes[:, 5] / 2 for boxes in (one, other)))
        shared = _shared_ground(one, other) * np.maximum(top - bottom, 0)
        union = one[:, 3:6].prod(axis=1) + other[:, 3:6].prod(axis=1) - shared
        ratio = shared / union
    overlaps[near] = np.where(np.isnan(ratio), 0, np.clip(ratio, 0, 1))
    return overlaps


def _shared_ground(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """The area that two boxes share on the ground, row by row."""
    # Seen from the centre and along the length of the other box, this one is |x| <= length / 2, |y| <= width / 2 ...
    turned = one.copy()
    offset = one[:, :2] - other[:, :2]
    cosine, sine = np.cos(other[:, 6]), np.sin(other[:, 6])
    turned[:, 0] = offset[:, 0] * cosine + offset[:, 1] * sine
    turned[:, 1] = offset[:, 1] * cosine - offset[:, 0] * sine
    turned[:, 6] -= other[:, 6]
    wide, high = other[:, 4, None] / 2, other[:, 3, None] / 2
    # ... and the shared area is the sum over the edges of the first one of what lies between an edge and the x axis,
    # with x and y kept within these limits. Edges that run to the left count against those that run to the right.
    corners = ground_corners(turned)
    (x, y), (to_x, to_y) = np.moveaxis(corners, 2, 0), np.moveaxis(np.roll(corners, -1, axis=1), 2, 0)
    begin, end = np.clip(x, -wide, wide), np.clip(to_x, -wide, wide)
    slope = _ratio(to_y - y, to_x - x)
    begin_y, end_y = y + (begin - x) * slope, y + (end - x) * slope
    # Along an edge y reaches a limit at most twice; between these places it is a straight line.
    crossings = [np.clip(_ratio(limit - begin_y, end_y - begin_y), 0, 1) for limit in (-high, high)]
    places = [np.zeros_like(x), np.minimum(*crossings), np.maximum(*crossings), np.ones_like(x)]
    heights = [np.clip(begin_y + place * (end_y - begin_y), -high, high) for place in places]
    means = [
        (places[part + 1] - places[part]) * (heights[part + 1] + heights[part]) / 2 for part in range(len(places) - 1)
    ]
    return np.asarray(np.abs(((end - begin) * sum(means)).sum(axis=1)))


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotient, and 0 where there is nothing to divide by."""
    safe = np.where(denominator == 0, 1, denominator)
    return np.where(denominator == 0, 0, numerator / safe)


def box_average_precision(
    truth: ArrayLike,
    truth_groups: ArrayLike,
    predicted: ArrayLike,
    predicted_groups: ArrayLike,
    confidences: ArrayLike,
    thresholds: ArrayLike,
) -> NDArray[np.float64]:
    """Average precision of predicted boxes for each group (row) and threshold of overlap (column).

    Groups are numbered from 0, and each has true boxes, which are compared with its predictions only; an object of one
    class in one image is in one group. By falling confidence, each prediction is compared with the true box that it
    overlaps most, and is right if the overlap is greater than the threshold and no prediction before it took that box.
    The result is the area under the curve of precision over recall, where precision is the best at this recall or a
    higher one.

    >>> boxes, apart = [[0, 0, 0, 2, 4, 2, 0], [9, 0, 0, 2, 4, 2, 0]], [0.5, 0, 0, 2, 4, 2, 0]
    >>> box_average_precision(boxes, [0, 0], [apart, boxes[1]], [0, 0], [0.9, 0.8], [0.5, 0.9]).tolist()
    [[1.0, 0.25]]
    """
    true_boxes, groups = np.asarray(truth, dtype=np.float64).reshape(-1, 7), np.asarray(truth_groups, dtype=np.int64)
    order = np.argsort(groups, kind="stable")
    true_boxes, counts = true_boxes[order], np.bincount(groups)
    group = np.asarray(predicted_groups, dtype=np.int64)
    ranking = np.lexsort((-np.asarray(confidences, dtype=np.float64), group))
    group, boxes = group[ranking], np.asarray(predicted, dtype=np.float64).reshape(-1, 7)[ranking]
    overlap, nearest = _best_overlaps(boxes, group, true_boxes, counts)
    limits = np.asarray(thresholds, dtype=np.float64)
    if not len(boxes):
        return np.zeros((len(counts), len(limits)))
    return np.column_stack([_average_precision(_right(overlap > limit, nearest), group, counts) for limit in limits])


def _best_overlaps(
    boxes: NDArray[np.float64], group: NDArray[np.int64], truth: NDArray[np.float64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each box, its largest overlap with a true box of its group, and the first true box that has it."""
    overlap, nearest = np.zeros(len(boxes)), np.zeros(len(boxes), dtype=np.int64)
    begins = np.cumsum(counts) - counts
    for part in _parts(counts[group]):
        mine = counts[group[part]]
        first = np.cumsum(mine) - mine  # where the pairs of each box begin
        row = np.repeat(np.arange(len(mine)), mine)
        candidate = begins[group[part]][row] + np.arange(len(row)) - first[row]
        values = box_overlaps(boxes[part][row], truth[candidate])
        best = np.maximum.reduceat(values, first)
        places = np.flatnonzero(values == best[row])
        _, earliest = np.unique(row[places], return_index=True)
        overlap[part], nearest[part] = best, candidate[places[earliest]]
    return overlap, nearest


def _parts(sizes: NDArray[np.int64]) -> Iterator[slice]:
    """Slices of consecutive items whose sizes add up to about `_PAIRS`."""
    chunk = np.cumsum(sizes) // _PAIRS
    edges = np.concatenate([[0], np.flatnonzero(np.diff(chunk)) + 1, [len(sizes)]])
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if end > begin:
            yield slice(begin, end)


def _right(candidate: NDArray[np.bool_], nearest: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which predictions are true positives: the first candidate for each true box."""
    rows = np.flatnonzero(candidate)
    _, first = np.unique(nearest[rows], return_index=True)
    right = np.zeros(len(candidate), dtype=bool)
    right[rows[first]] = True
    return right


def _average_precision(
    right: NDArray[np.bool_], group: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The average precision of each group; predictions are sorted by group and falling confidence."""
    total = np.concatenate([[0], np.cumsum(right)])
    begin = np.searchsorted(group, group)  # where the group of each prediction begins
    hits, rank = total[1:] - total[begin], np.arange(len(group)) - begin + 1
    precision, recall = hits / rank, hits / counts[group]
    step = recall - np.where(rank > 1, np.concatenate([[0], recall[:-1]]), 0)
    # The running maximum from the right, group by group: levels of later groups are lower than all of earlier ones.
    levels, level = np.unique(precision, return_inverse=True)
    key = (level - group * len(levels))[::-1]
    envelope = levels[(np.maximum.accumulate(key)[::-1]) + group * len(levels)]
    return np.asarray(np.bincount(group, step * envelope, minlength=len(counts)), dtype=np.float64)
