"""Twin of icecube-neutrinos-in-deep-ice: straight tracks that light up the sensors beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.submissions import Case, Submissions, Usual, at

SENSORS = 120
META = ["batch_id", "event_id", "first_pulse_index", "last_pulse_index", "azimuth", "zenith"]
# Directions at the limits of the angles, which every fourth batch begins with.
EXTREMES = [(0.0, 0.0), (0.0, np.pi), (2 * np.pi, np.pi / 2), (1e-9, 1.0)]

_MetaRow: TypeAlias = tuple[int, int, int, int, float, float]


def _pulses(rng: np.random.Generator, azimuth: float, zenith: float, positions: NDArray[np.float64]) -> pd.DataFrame:
    """Light at sensors near a track through the centre of the detector, in the order of its passage."""
    source = [np.cos(azimuth) * np.sin(zenith), np.sin(azimuth) * np.sin(zenith), np.cos(zenith)]
    direction = -np.array(source)
    count = int(rng.integers(5, 13))
    along = positions @ direction
    distance = np.linalg.norm(positions - np.outer(along, direction), axis=1)
    light = np.exp(-distance / 150)
    sensors = rng.choice(len(positions), count, replace=False, p=light / light.sum())
    time = (10000 + along[sensors] / 0.3 + rng.normal(0, 20, count)).astype(np.int64)
    order = np.argsort(time, kind="stable")
    return pd.DataFrame(
        {
            "sensor_id": sensors[order].astype(np.int16),
            "time": time[order],
            # Charges of few digits, as in the real data.
            "charge": rng.gamma(2, 0.5, count).astype(np.float16).astype(np.float32),
            "auxiliary": rng.random(count) < 0.3,
        }
    )


def make(raw: Path, seed: int, scale: int) -> None:
    """Write batches of events; the last two are Kaggle's own test part, which preparation does not use."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform(-500, 500, (SENSORS, 3)).round(2)
    geometry = pd.DataFrame(positions, columns=["x", "y", "z"])
    geometry.insert(0, "sensor_id", range(SENSORS))
    geometry.to_csv(raw / "sensor_geometry.csv", index=False)
    batches = 13 * scale
    (raw / "train").mkdir()
    (raw / "test").mkdir()
    meta: list[_MetaRow] = []
    event = 24
    for batch in range(1, batches + 3):
        pulses, rows = _batch(rng, batch, event, positions)
        event = rows[-1][1]
        meta += rows
        part = "train" if batch <= batches else "test"
        pulses.to_parquet(raw / part / f"batch_{batch}.parquet")
    table = pd.DataFrame(meta, columns=META)
    order = list(range(1, batches + 1))
    if seed % 2 == 0:
        order = rng.permutation(order).tolist()  # the table need not list batches in ascending order
    train = pd.concat([table[table["batch_id"] == batch] for batch in order])
    train.reset_index(drop=True).to_parquet(raw / "train_meta.parquet", index=False)
    test = table.loc[table["batch_id"] > batches, META[:4]].reset_index(drop=True)
    test.to_parquet(raw / "test_meta.parquet", index=False)
    sample = test[["event_id"]].assign(azimuth=1, zenith=1)
    sample.to_parquet(raw / "sample_submission.parquet", index=False)


def _batch(
    rng: np.random.Generator, batch: int, event: int, positions: NDArray[np.float64]
) -> tuple[pd.DataFrame, list[_MetaRow]]:
    """The pulses of a batch, with the event as index, and its rows of the metadata; ids ascend from `event`."""
    parts, rows = [], []
    first = 0
    for number in range(12 + batch % 3):
        event += int(rng.integers(1, 60))
        azimuth, zenith = float(rng.uniform(0, 2 * np.pi)), float(np.arccos(rng.uniform(-1, 1)))
        if batch % 4 == 0 and number < len(EXTREMES):
            azimuth, zenith = EXTREMES[number]
        pulses = _pulses(rng, azimuth, zenith, positions)
        parts.append(pulses.set_axis(pd.Index([event] * len(pulses), name="event_id")))
        rows.append((batch, event, first, first + len(pulses) - 1, azimuth, zenith))
        first += len(pulses)
    return pd.concat(parts), rows


def _special(case: Case) -> dict[str, Any]:
    azimuth, zenith = case.answers["azimuth"], case.answers["zenith"]
    directions = {
        "opposite": (azimuth + np.pi, np.pi - zenith),  # where the neutrino goes
        "period": (azimuth - 4 * np.pi, zenith + 2 * np.pi),  # the right directions
        "mirrored": (azimuth + np.pi, -zenith),  # the right directions
        "degrees": (np.degrees(azimuth), np.degrees(zenith)),
        "pole": (0, 0),
        "huge": (1e15, -1e15),
    }
    return {
        **{name: {"azimuth": first, "zenith": second} for name, (first, second) in directions.items()},
        "column_order": case.noisy[["zenith", "event_id", "azimuth"]],
        "bool": case.noisy.assign(zenith=True),
    }


submissions = Submissions(
    guess=lambda case: case.truth + case.rng.normal(0, 1, (2, case.n)).T * [0.4, 0.3],
    usual=Usual(twice="first_id", unknown=-5, wrong_column=("zenith", "zen"), extra={"note": 1}),
    cells={"text": "up", **at(0, "zenith", nan_zenith=None, inf="inf"), **at(0, "event_id", of="perfect", text_id="x")},
    variants=["float_id", "header_only"],
    special=_special,
)
