"""Twin of new-york-city-taxi-fare-prediction: rides between 150 kerbs, priced by the straight line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.submissions import Cell, Submissions, Usual

KERBS = 150  # few places with many digits keep the archive small
RIDES = 10300  # more than the 9914 rides that preparation always takes for the test part
COLUMNS = (
    "key,fare_amount,pickup_datetime,pickup_longitude,pickup_latitude,"
    "dropoff_longitude,dropoff_latitude,passenger_count"
)
KAGGLE_RIDE = (
    "2015-01-27 13:08:24.0000002,2015-01-27 13:08:24 UTC,"
    "-73.973320007324219,40.7638053894043,-73.981430053710938,40.74383544921875,1"
)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write raw rides, with missing drop-offs and absurd fares, and Kaggle's own unused files."""
    rng = np.random.default_rng(seed)
    n = RIDES * scale
    longitudes = [repr(float(x)) for x in -73.97 + rng.normal(0, 0.04, KERBS)]
    latitudes = [repr(float(x)) for x in 40.75 + rng.normal(0, 0.03, KERBS)]
    longitudes[:4] = ["-73.84431100000001", "0", "-73.99", "1e-05"]
    latitudes[:4] = ["40.721319", "0.0", "40.76", "-0.000012"]
    start, end = rng.integers(0, KERBS, n), rng.integers(0, KERBS, n)
    minutes = np.sort(rng.integers(0, 6 * 365 * 24 * 60, n))
    moments = pd.Timestamp("2009-01-01") + pd.to_timedelta(minutes * 60, unit="s")
    stamps = np.array(moments.strftime("%Y-%m-%d %H:%M:%S"), dtype=object)
    rng.shuffle(stamps)
    x, y = np.array(longitudes, float), np.array(latitudes, float)
    distance = np.hypot(x[start] - x[end], y[start] - y[end])
    fares = np.round((3 + 90 * np.minimum(distance, 0.5) + rng.gamma(1, 1, n)) * 2) / 2
    places = [f"{longitude},{latitude}" for longitude, latitude in zip(longitudes, latitudes, strict=True)]
    with (raw / "train.csv").open("w", newline="") as file:
        file.write(f"{COLUMNS}\n")
        for i in range(n):
            fare = {0: f"{fares[i]:.2f}", 1: "-2.5", 2: "0"}.get(i % 997, f"{fares[i]:.1f}")
            target = "," if i % 401 == 7 else places[end[i]]
            ride = f"{stamps[i]} UTC,{places[start[i]]},{target},{i * 7 % 6}"
            file.write(f"{stamps[i]}.{i % 1000000:07d},{fare},{ride}\n")
    (raw / "test.csv").write_text(f"{COLUMNS.replace('fare_amount,', '')}\n{KAGGLE_RIDE}\n")
    (raw / "sample_submission.csv").write_text("key,fare_amount\n2015-01-27 13:08:24.0000002,11.35\n")
    leaflet = b"{\\rtf1\\ansi Coupon instructions \\'e9\r\n}\x00\xff"
    (raw / "GCP-Coupons-Instructions.rtf").write_bytes(leaflet)


submissions = Submissions(
    guess=lambda case: (case.truth + case.rng.normal(0, 3, case.n)).round(1),
    usual=Usual(twice=None),
    cells={"text": Cell("ten", row=5)},
    variants=["header_only"],
    special=lambda case: {
        "missing_row": case.answers.iloc[1:200],
        "extra_row": pd.concat([case.noisy, case.noisy.head(1)]),
        "wrong_column": case.answers.head(20).rename(columns={"fare_amount": "fare"}),
        "no_key": case.answers.head(20).rename(columns={"key": "id"}),
        "unknown_id": Cell("x", column="key"),  # sorts last: accepted, rows are compared one off
        "repeated_id": examples.duplicate_id(case.table(10.0), "key").content,
        "extra_column": case.noisy.assign(fare_amount=case.guess * 2, note="a")[["note", "fare_amount", "key"]],
    },
)
