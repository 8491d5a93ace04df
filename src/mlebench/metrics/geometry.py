"""Metrics of directions in space and of places on the earth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

EARTH_RADIUS = 6_371_000  # metres, of a sphere


def mean_angular_error(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Mean angle between true and predicted directions, in radians from 0 to pi.

    Both sides have a row per direction, with its azimuth and its zenith in radians. Any numbers will do: whole turns
    do not matter.

    >>> round(mean_angular_error([[0.0, 0.0], [0.0, np.pi / 2]], [[1.0, np.pi], [np.pi / 2, np.pi / 2]]), 6)
    2.356194
    """
    azimuth, zenith = np.asarray(truth, dtype=np.float64).T
    other_azimuth, other_zenith = np.asarray(predicted, dtype=np.float64).T
    # In place, because there can be many millions of directions.
    cosine = np.cos(azimuth) * np.cos(other_azimuth)
    cosine += np.sin(azimuth) * np.sin(other_azimuth)
    cosine *= np.sin(zenith) * np.sin(other_zenith)
    cosine += np.cos(zenith) * np.cos(other_zenith)
    np.clip(cosine, -1, 1, out=cosine)
    return float(np.mean(np.arccos(cosine, out=cosine)))


def great_circle_distances(truth: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """For each row the distance of two places along the surface of the earth, in metres (haversine formula).

    Both sides have a row per place, with its latitude and its longitude in degrees.

    >>> great_circle_distances([[0.0, 0.0]], [[0.0, 90.0]]).round(3)
    array([10007543.398])
    """
    latitude, longitude = np.radians(np.asarray(truth, dtype=np.float64)).T
    other_latitude, other_longitude = np.radians(np.asarray(predicted, dtype=np.float64)).T
    haversine = (
        np.sin((other_latitude - latitude) / 2) ** 2
        + np.cos(other_latitude) * np.cos(latitude) * np.sin((other_longitude - longitude) / 2) ** 2
    )
    # Rounding can lead above 1 on the other side of the earth, and below 0 at a pole.
    distances: NDArray[np.float64] = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.clip(haversine, 0, 1)))
    return distances
