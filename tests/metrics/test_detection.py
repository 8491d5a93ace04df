"""Metrics for boxes: by hand, against scikit-learn and pycocotools, and by their properties."""

from __future__ import annotations

import contextlib
import io
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlebench.competitions.vinbigdata_chest_xray_abnormalities_detection.competition import grade
from mlebench.metrics import average_precision, greedy_matches, interpolated_average_precision, rectangle_overlaps

Box = tuple[int, int, int, int]
Guess = tuple[int, float, Box]  # class, confidence, box
corners = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(1, 20), st.integers(1, 20))
boxes = corners.map(lambda each: (each[0], each[1], each[0] + each[2], each[1] + each[3]))
# Multiples of 1/8 make ties likely.
confidences = st.integers(0, 8).map(lambda each: each / 8)


def test_overlaps_by_hand() -> None:
    whole, half, beside = (0, 0, 4, 2), (0, 0, 2, 2), (4, 0, 8, 2)
    assert rectangle_overlaps([whole, whole, whole, half], [whole, half, beside, whole]).tolist() == [
        1.0,
        0.5,
        0.0,
        0.5,
    ]
    assert rectangle_overlaps(whole, (2, 1, 6, 3)) == pytest.approx(2 / 14)


@pytest.mark.parametrize("odd", [(5, 5, 1, 1), (0, 0, 0, 0), (math.nan, 0, 4, 2), (0, 0, math.inf, 2)])
def test_odd_boxes_overlap_with_nothing(odd: tuple[float, ...]) -> None:
    assert rectangle_overlaps([odd], [(0, 0, 4, 4)]).tolist() == [0.0]


@given(boxes, boxes)
def test_overlaps_count_the_same_cells(first: Box, second: Box) -> None:
    def cells(box: Box) -> set[tuple[int, int]]:
        return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}

    shared, either = cells(first) & cells(second), cells(first) | cells(second)
    assert rectangle_overlaps(first, second) == pytest.approx(len(shared) / len(either))
    assert rectangle_overlaps(first, second) == rectangle_overlaps(second, first)


def test_matches_by_hand() -> None:
    # The first prediction takes the better box, the second what is left, the third nothing.
    predictions, true_boxes, overlaps = [0, 0, 1, 1, 2], [7, 8, 7, 8, 8], [0.6, 0.7, 0.6, 0.9, 1.0]
    assert greedy_matches(predictions, true_boxes, overlaps).tolist() == [False, True, True, False, False]
    assert greedy_matches([0, 0], [7, 8], [0.6, 0.6]).tolist() == [True, False]
    assert greedy_matches([], [], []).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 4)), unique_by=lambda each: each[:2]))
def test_matches_are_one_to_one_and_leave_no_pair_free(pairs: list[tuple[int, int, int]]) -> None:
    predictions, true_boxes, overlaps = (np.array([each[column] for each in pairs]) for column in range(3))
    matched = greedy_matches(predictions, true_boxes, overlaps)
    for side in (predictions, true_boxes):
        assert len(set(side[matched])) == matched.sum()
    left = ~np.isin(predictions, predictions[matched]) & ~np.isin(true_boxes, true_boxes[matched])
    assert not left.any()


def test_average_precision_by_hand() -> None:
    assert average_precision([1, 1, 0], [0.9, 0.8, 0.1]) == 1.0
    # Recall 1/2 at precision 1/2, then 1 at 2/3.
    assert average_precision([0, 1, 1], [0.9, 0.8, 0.7]) == pytest.approx(0.5 * (1 / 2 + 2 / 3))
    assert average_precision([0, 1], [0.5, 0.5]) == 0.5
    assert average_precision([0, 0], [0.5, 0.4]) == 0.0
    assert average_precision([], []) == 0.0


@given(st.lists(st.tuples(st.booleans(), confidences), min_size=1, max_size=50))
def test_average_precision_agrees_with_scikit_learn(pairs: list[tuple[bool, float]]) -> None:
    from sklearn.metrics import average_precision_score

    truth, scores = (np.array(side) for side in zip(*pairs, strict=True))
    if truth.any():
        assert average_precision(truth, scores) == pytest.approx(average_precision_score(truth, scores))


def test_interpolated_precision_by_hand() -> None:
    right = np.array([True, False, True])
    # Precision 1 up to a recall of 1/2 (51 points), 2/3 up to 1 (50 points).
    assert interpolated_average_precision([0.9, 0.8, 0.7], right, ~right, 2) == pytest.approx((51 + 50 * 2 / 3) / 101)
    # A detection that is neither does not count, and a third true box is never found.
    neither = interpolated_average_precision([0.9, 0.8, 0.7], right, [False, False, False], 3)
    assert neither == pytest.approx(67 / 101)
    assert interpolated_average_precision([], [], [], 2) == 0.0


pictures = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 2), boxes, min_size=1),  # one true box per class
        st.lists(st.tuples(st.integers(0, 3), confidences, boxes), min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=5,
)


@settings(deadline=None)
@given(pictures)
def test_chest_x_rays_are_graded_as_by_pycocotools(content: list[tuple[dict[int, Box], list[Guess]]]) -> None:
    """The grader of the chest X-rays with all its oddities: corners for sizes, and numbers from 0."""
    truth = [(image, kind, box) for image, (own, _) in enumerate(content) for kind, box in sorted(own.items())]
    guesses = [(image, *guess) for image, (_, own) in enumerate(content) for guess in own]
    answers = pd.DataFrame(
        [(image, kind, *box) for image, kind, box in truth],
        columns=["image_id", "class_id", "x_min", "y_min", "x_max", "y_max"],
    )
    cells = [
        " ".join(" ".join(map(str, (kind, confidence, *box))) for kind, confidence, box in own) for _, own in content
    ]
    submission = pd.DataFrame({"image_id": range(len(content)), "PredictionString": cells})
    assert grade(submission, answers) == pytest.approx(coco_score(truth, guesses))


def coco_score(truth: list[tuple[int, int, Box]], guesses: list[tuple[int, int, float, Box]]) -> float:
    """What pycocotools makes of these boxes as the published benchmark hands them over."""
    coco, cocoeval = (pytest.importorskip(f"pycocotools.{name}") for name in ("coco", "cocoeval"))
    kinds = sorted({kind for _, kind, _ in truth})

    def dataset(annotations: list[dict[str, Any]]) -> Any:
        loaded = coco.COCO()
        loaded.dataset = {
            "images": [{"id": image} for image in sorted({image for image, _, _ in truth})],
            "categories": [{"id": kind} for kind in kinds],
            "annotations": annotations,
        }
        loaded.createIndex()
        return loaded

    def annotation(number: int, image: int, kind: int, box: Box) -> dict[str, Any]:
        area = (box[2] - box[0]) * (box[3] - box[1])
        return {"id": number, "image_id": image, "category_id": kind, "bbox": list(box), "area": area, "iscrowd": 0}

    with contextlib.redirect_stdout(io.StringIO()):
        true = dataset([annotation(number, *row) for number, row in enumerate(truth)])
        found = dataset(
            [
                {**annotation(number, image, kind, box), "score": confidence}
                for number, (image, kind, confidence, box) in enumerate(guesses)
            ]
        )
        evaluation = cocoeval.COCOeval(true, found, "bbox")
        evaluation.params.iouThrs = np.array([0.4])
        evaluation.params.catIds = kinds
        evaluation.evaluate()
        evaluation.accumulate()
    precision = evaluation.eval["precision"][0, :, :, 0, -1]
    return float(precision[precision > -1].mean())
