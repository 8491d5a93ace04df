"""Metrics for located objects: by hand, by their properties, and against plain loops and Shapely."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.metrics import box_average_precision, box_overlaps, ground_corners, located_label_f1

lengths = st.floats(0.1, 12)
places = st.floats(-8, 8)
angles = st.floats(-7, 7) | st.sampled_from([0.0, np.pi / 2, np.pi, -np.pi / 2])
boxes = st.tuples(places, places, places, lengths, lengths, lengths, angles)
CUBE = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]


class TestLocatedLabels:
    def test_by_hand(self) -> None:
        truth = [(["a", "b"], [(0, 0, 10, 10), (20, 0, 10, 10)])]
        assert located_label_f1(truth, [(["a", "b"], [(5, 5), (25, 5)])]) == 1.0
        assert located_label_f1(truth, [(["a"], [(5, 5)])]) == pytest.approx(2 / 3)
        assert located_label_f1(truth, [(["b", "a"], [(5, 5), (25, 5)])]) == 0.0
        assert located_label_f1(truth, [(["a", "a", "c"], [(5, 5), (6, 6), (1, 1)])]) == pytest.approx(0.4)

    def test_a_point_on_the_border_is_outside(self) -> None:
        truth = [(["a"], [(0, 0, 10, 10)])]
        for x, y in [(0, 5), (10, 5), (5, 0), (5, 10), (float("nan"), 5), (5, float("inf"))]:
            assert located_label_f1(truth, [(["a"], [(x, y)])]) == 0.0

    def test_boxes_take_the_first_point_that_fits(self) -> None:
        truth = [(["a", "a"], [(0, 0, 10, 10), (5, 5, 10, 10)])]
        shared, own = (7, 7), (2, 2)
        assert located_label_f1(truth, [(["a", "a"], [own, shared])]) == 1.0
        assert located_label_f1(truth, [(["a", "a"], [shared, own])]) == 0.5

    def test_pages_are_counted_together(self) -> None:
        truth: Any = [(["a"], [(0, 0, 9, 9)]), ([], []), (["a"] * 3, [(0, 0, 9, 9)] * 3)]
        predicted: Any = [([], []), (["a"], [(1, 1)]), (["a"] * 3, [(1, 1)] * 3)]
        assert located_label_f1(truth, predicted) == pytest.approx(2 * 3 / (4 + 4))

    def test_nothing(self) -> None:
        assert located_label_f1([([], [])], [([], [])]) == 0.0
        assert located_label_f1([(["a"], [(0, 0, 9, 9)])], [([], [])]) == 0.0


class TestBoxOverlaps:
    def test_by_hand(self) -> None:
        for shift, overlap in [(0, 1), (0.5, 1 / 3), (1, 0), (5, 0)]:
            for axis in range(3):
                moved = np.array(CUBE)
                moved[axis] += shift
                assert box_overlaps([CUBE], [moved])[0] == pytest.approx(overlap, abs=1e-12)
        inside = [0.1, -0.1, 0, 0.5, 0.5, 0.5, 1.0]
        assert box_overlaps([CUBE], [inside])[0] == pytest.approx(0.125)
        # Two squares, one turned by 45 degrees: the shared octagon has an area of 2 (sqrt(2) - 1).
        octagon = 2 * (np.sqrt(2) - 1)
        turned = [*CUBE[:6], np.pi / 4]
        assert box_overlaps([CUBE], [turned])[0] == pytest.approx(octagon / (2 - octagon))

    def test_length_is_along_the_heading(self) -> None:
        corners = ground_corners([[1, 2, 0, 2, 6, 1, np.pi / 2]])[0]
        assert np.ptp(corners, axis=0) == pytest.approx([2, 6])
        assert corners.mean(axis=0) == pytest.approx([1, 2])

    def test_infinite_heights_and_places(self) -> None:
        for column, value in [(2, np.inf), (5, np.inf), (2, -np.inf)]:
            odd = np.array(CUBE)
            odd[column] = value
            assert box_overlaps([CUBE], [odd]).tolist() == [0.0]
        assert box_overlaps([[0, 0, np.inf, 1, 1, np.inf, 0]], [CUBE]).tolist() == [0.0]

    @given(boxes, boxes)
    def test_properties(self, one: Any, other: Any) -> None:
        forth, back = box_overlaps([one], [other])[0], box_overlaps([other], [one])[0]
        assert 0 <= forth <= 1
        assert forth == pytest.approx(back, abs=1e-9)
        assert box_overlaps([one], [one])[0] == pytest.approx(1)
        half_turn = (*one[:6], one[6] + np.pi)
        assert box_overlaps([half_turn], [other])[0] == pytest.approx(forth, abs=1e-9)
        far = 2000.0  # where the real boxes are
        moved = [(box[0] + far, box[1] + far, *box[2:]) for box in (one, other)]
        assert box_overlaps([moved[0]], [moved[1]])[0] == pytest.approx(forth, abs=1e-9)

    @given(boxes, boxes)
    def test_agrees_with_shapely(self, one: Any, other: Any) -> None:
        geometry = pytest.importorskip("shapely.geometry")
        left, right = (geometry.Polygon(corners) for corners in ground_corners([one, other]))
        height = min(each[2] + each[5] / 2 for each in (one, other)) - max(
            each[2] - each[5] / 2 for each in (one, other)
        )
        shared = left.intersection(right).area * max(height, 0)
        union = np.prod(one[3:6]) + np.prod(other[3:6]) - shared
        assert box_overlaps([one], [other])[0] == pytest.approx(shared / union, abs=1e-9)

    def test_many_at_once_agree_with_one_by_one(self) -> None:
        rng = np.random.default_rng(0)
        left, right = (np.column_stack([rng.uniform(-2, 2, (50, 3)), rng.uniform(1, 4, (50, 4))]) for _ in range(2))
        single = [box_overlaps([one], [other])[0] for one, other in zip(left, right, strict=True)]
        assert box_overlaps(left, right).tolist() == single


class TestBoxAveragePrecision:
    def test_by_hand(self) -> None:
        far = [50.0, *CUBE[1:]]
        near = [0.2, *CUBE[1:]]  # an overlap of 2/3
        found = box_average_precision([CUBE], [0], [far, near], [0, 0], [0.9, 0.4], [0.5, 0.7])
        assert found.tolist() == [[0.5, 0.0]]
        twice = box_average_precision([CUBE], [0], [near, CUBE], [0, 0], [0.9, 0.4], [0.5, 0.7])
        assert twice.tolist() == [[1.0, 0.5]], "the second one comes too late at 0.5 and is the first at 0.7"

    def test_an_overlap_must_exceed_the_threshold(self) -> None:
        half = [0.5, *CUBE[1:]]
        overlap = float(box_overlaps([CUBE], [half])[0])
        limits = [np.nextafter(overlap, 0), overlap]
        assert box_average_precision([CUBE], [0], [half], [0], [1], limits).tolist() == [[1.0, 0.0]]

    def test_equal_confidences_keep_their_order(self) -> None:
        far = [50.0, *CUBE[1:]]
        assert box_average_precision([CUBE], [0], [far, CUBE], [0, 0], [1, 1], [0.5]).tolist() == [[0.5]]
        assert box_average_precision([CUBE], [0], [CUBE, far], [0, 0], [1, 1], [0.5]).tolist() == [[1.0]]

    def test_groups_without_predictions(self) -> None:
        assert box_average_precision([CUBE, CUBE], [0, 1], [CUBE], [1], [1], [0.5]).tolist() == [[0.0], [1.0]]
        assert box_average_precision([CUBE], [0], [], [], [], [0.5]).tolist() == [[0.0]]

    @given(st.integers(0, 2**32 - 1))
    def test_agrees_with_a_plain_loop(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        truth_groups = np.concatenate([np.arange(3), rng.integers(0, 3, 5)])
        truth = random_boxes(rng, len(truth_groups))
        groups = rng.integers(0, 3, 12)
        predicted, confidences = random_boxes(rng, 12), rng.integers(0, 5, 12) / 4
        thresholds = [0.1, 0.3, 0.5]
        found = box_average_precision(truth, truth_groups, predicted, groups, confidences, thresholds)
        for group in range(3):
            mine = groups == group
            for column, threshold in enumerate(thresholds):
                expected = plain(truth[truth_groups == group], predicted[mine], confidences[mine], threshold)
                assert found[group, column] == pytest.approx(expected)


def random_boxes(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    return np.column_stack([rng.uniform(-1, 1, (count, 3)), rng.uniform(1, 3, (count, 3)), rng.uniform(-3, 3, count)])


def plain(truth: Any, predicted: Any, confidences: Any, threshold: float) -> float:
    """Average precision of one group, prediction by prediction."""
    taken: set[int] = set()
    recalls, precisions = [0.0], [0.0]
    for rank, row in enumerate(np.argsort(-confidences, kind="stable"), start=1):
        overlaps = box_overlaps([predicted[row]] * len(truth), truth)
        best = int(overlaps.argmax())
        if overlaps[best] > threshold and best not in taken:
            taken.add(best)
        recalls.append(len(taken) / len(truth))
        precisions.append(len(taken) / rank)
    steps = range(1, len(recalls))
    return sum((recalls[step] - recalls[step - 1]) * max(precisions[step:]) for step in steps)
