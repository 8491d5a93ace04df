"""Metrics of directions and places: by hand, and by their properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.metrics import great_circle_distances, mean_angular_error

angles = st.floats(-20, 20)
directions = st.lists(st.tuples(angles, angles, angles, angles), min_size=1, max_size=30)
places = st.tuples(st.floats(-90, 90), st.floats(-180, 180), st.floats(-90, 90), st.floats(-180, 180))


def vectors(azimuth: NDArray[np.float64], zenith: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([np.cos(azimuth) * np.sin(zenith), np.sin(azimuth) * np.sin(zenith), np.cos(zenith)])


@pytest.mark.parametrize(
    ("truth", "predicted", "angle"),
    [
        ((0, 0), (3, 0), 0.0),  # straight up, whatever the azimuth
        ((0, 0), (0, math.pi), math.pi),
        ((0, math.pi / 2), (math.pi / 3, math.pi / 2), math.pi / 3),
        ((1, 0.25), (1, 1.5), 1.25),
        ((1, 2), (1 - 4 * math.pi, 2 + 2 * math.pi), 0.0),
    ],
)
def test_angle_by_hand(truth: tuple[float, float], predicted: tuple[float, float], angle: float) -> None:
    assert mean_angular_error([truth], [predicted]) == pytest.approx(angle, abs=1e-7)


@given(directions)
def test_angle_agrees_with_the_cross_product(rows: list[tuple[float, ...]]) -> None:
    azimuth, zenith, other_azimuth, other_zenith = np.array(rows).T
    left, right = vectors(azimuth, zenith), vectors(other_azimuth, other_zenith)
    sine, cosine = np.linalg.norm(np.cross(left, right, axis=0), axis=0), (left * right).sum(axis=0)
    truth, predicted = np.column_stack([azimuth, zenith]), np.column_stack([other_azimuth, other_zenith])
    # The arc cosine loses digits near 0 and pi.
    assert mean_angular_error(truth, predicted) == pytest.approx(np.arctan2(sine, cosine).mean(), abs=1e-7)
    assert mean_angular_error(truth, predicted) == mean_angular_error(predicted, truth)


def test_distance_by_hand() -> None:
    quarter = math.pi / 2 * 6_371_000
    truth = [(0, 0), (0, 0), (90, 0), (10, 20), (45, -30)]
    predicted = [(0, 90), (90, 17), (-90, 80), (10, 20), (-45, 150)]
    expected = [quarter, quarter, 2 * quarter, 0, 2 * quarter]
    assert great_circle_distances(truth, predicted) == pytest.approx(expected)
    assert great_circle_distances([(60, 10)], [(60.001, 10)])[0] == pytest.approx(111.19, abs=0.01)


@given(places)
@example((-89.99999999999999, 0.0, -90.0, 65.0))
def test_distance_agrees_with_the_chord(place: tuple[float, ...]) -> None:
    latitude, longitude, other_latitude, other_longitude = np.radians(place)
    ends = vectors(
        np.array([longitude, other_longitude]), np.array([math.pi / 2 - latitude, math.pi / 2 - other_latitude])
    )
    chord = float(np.linalg.norm(ends[:, 0] - ends[:, 1]))
    found = great_circle_distances([place[:2]], [place[2:]])[0]
    assert found == pytest.approx(2 * 6_371_000 * math.asin(min(1, chord / 2)), rel=1e-6, abs=1e-2)
    turned = great_circle_distances([place[:2]], [(place[2] + 360, place[3] - 360)])[0]
    assert turned == pytest.approx(found, rel=1e-6, abs=1e-2)
