"""Twin of smartphone-decimeter-2022: short drives with made-up satellite signals and positions near the truth."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual, at

TRIP, TIME, LATITUDE, LONGITUDE = "tripId", "UnixTimeMillis", "LatitudeDegrees", "LongitudeDegrees"
PHONES = [
    "GooglePixel4", "GooglePixel4XL", "GooglePixel5", "XiaomiMi8", "SamsungGalaxyS20Ultra", "SamsungGalaxyS21Ultra",
]  # fmt: skip
AREAS = ["MTV", "SJC", "LAX"]
SIGNALS = ["GPS_L1", "GAL_E1"]
SIGNAL_COLUMNS = [
    "MessageType", "utcTimeMillis", "TimeNanos", "LeapSecond", "FullBiasNanos", "BiasNanos", "BiasUncertaintyNanos",
    "DriftNanosPerSecond", "DriftUncertaintyNanosPerSecond", "HardwareClockDiscontinuityCount", "Svid",
    "TimeOffsetNanos", "State", "ReceivedSvTimeNanos", "ReceivedSvTimeUncertaintyNanos", "Cn0DbHz",
    "PseudorangeRateMetersPerSecond", "PseudorangeRateUncertaintyMetersPerSecond", "AccumulatedDeltaRangeState",
    "AccumulatedDeltaRangeMeters", "AccumulatedDeltaRangeUncertaintyMeters", "CarrierFrequencyHz",
    "MultipathIndicator", "ConstellationType", "CodeType", "ChipsetElapsedRealtimeNanos",
    "ArrivalTimeNanosSinceGpsEpoch", "RawPseudorangeMeters", "SignalType", "ReceivedSvTimeNanosSinceGpsEpoch",
    "SvPositionXEcefMeters", "SvPositionYEcefMeters", "SvPositionZEcefMeters", "SvElevationDegrees",
    "SvAzimuthDegrees", "SvVelocityXEcefMetersPerSecond", "SvVelocityYEcefMetersPerSecond",
    "SvVelocityZEcefMetersPerSecond", "SvClockBiasMeters", "SvClockDriftMetersPerSecond", "IsrbMeters",
    "IonosphericDelayMeters", "TroposphericDelayMeters", "WlsPositionXEcefMeters", "WlsPositionYEcefMeters",
    "WlsPositionZEcefMeters",
]  # fmt: skip
CONSTELLATIONS = {0: "UNKNOWN", 1: "GPS", 3: "GLONASS", 5: "BEIDOU", 6: "GALILEO"}
KAGGLE_DRIVE = "2022-04-25-US-OAK-1"

# The WGS84 ellipsoid
EQUATORIAL_RADIUS = 6378137.0
SQUARED_ECCENTRICITY = 6.69437999013e-3


def _ecef(latitude: float, longitude: float, height: float) -> NDArray[np.float64]:
    """A place in earth-centred coordinates, in metres."""
    north, east = np.deg2rad(latitude), np.deg2rad(longitude)
    radius = EQUATORIAL_RADIUS / np.sqrt(1 - SQUARED_ECCENTRICITY * np.sin(north) ** 2)
    return np.array(
        [
            (radius + height) * np.cos(north) * np.cos(east),
            (radius + height) * np.cos(north) * np.sin(east),
            (radius * (1 - SQUARED_ECCENTRICITY) + height) * np.sin(north),
        ]
    )


def _nmea(seconds: int, latitude: float, longitude: float) -> str:
    """A position in North America as the receiver logs it: degrees and minutes, and a checksum."""

    def angle(degrees: float, width: int) -> str:
        return f"{int(abs(degrees)):0{width}d}{(abs(degrees) % 1) * 60:010.7f}"

    clock = f"{seconds // 3600 % 24:02d}{seconds // 60 % 60:02d}{seconds % 60:02d}.00"
    body = f"GPGGA,{clock},{angle(latitude, 2)},N,{angle(longitude, 3)},W,4,12,0.8,30.1,M,-32.0,M,,"
    return f"${body}*{reduce(xor, body.encode()):02X}\n"


def _drives(rng: np.random.Generator, days: int) -> list[str]:
    """One or two drives on each of some days; the last day has one more, written without leading zeros."""
    first = date(2020, 5, 15)
    dates = sorted(first + timedelta(int(day)) for day in rng.choice(max(days, 700), days, replace=False))
    drives = [
        f"{day}-US-{AREAS[number % 3]}-{drive}"
        for number, day in enumerate(dates)
        for drive in range(1, 2 if number % 3 else 3)
    ]
    last = dates[-1]
    return [*drives, f"{last.year}-{last.month}-{last.day}-US-SVL-3"]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write drives with one or two phones each; Kaggle's own test drives are there but unused."""
    rng = np.random.default_rng(seed)
    for drive in _drives(rng, 24 * scale):
        count = 2 if rng.random() < 0.4 else 1
        for phone in rng.choice(PHONES, count, replace=False):
            _write_trace(rng, raw / "train" / drive / str(phone), drive)
    metadata = raw / "metadata"
    metadata.mkdir()
    names = {"constellationType": list(CONSTELLATIONS), "constellationName": list(CONSTELLATIONS.values())}
    pd.DataFrame(names).to_csv(metadata / "constellation_type_mapping.csv", index=False)
    for name, bits in (
        ("raw_state_bit_map", {"0": "STATE_CODE_LOCK", "1": "STATE_BIT_SYNC"}),
        ("accumulated_delta_range_state_bit_map", {"0": "ADR_STATE_VALID"}),
    ):
        (metadata / f"{name}.json").write_text(json.dumps(bits), encoding="utf-8")
    unused = raw / "test" / KAGGLE_DRIVE / "GooglePixel4"
    unused.mkdir(parents=True)
    (unused / "device_imu.csv").write_text("MessageType,utcTimeMillis\n", encoding="utf-8")
    place = {LATITUDE: [37.904611315634504], LONGITUDE: [-86.48107806249548]}
    sample = pd.DataFrame({TRIP: [f"{KAGGLE_DRIVE}/GooglePixel4"], TIME: [1650916800000], **place})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _write_trace(rng: np.random.Generator, folder: Path, drive: str) -> None:
    """What one phone recorded on a drive, and where it was."""
    (folder / "supplemental").mkdir(parents=True)
    n = int(rng.integers(9, 16))
    year, month, day = map(int, drive.split("-")[:3])
    midnight = int(datetime(year, month, day, tzinfo=UTC).timestamp()) * 1000
    start = midnight + 72_000_000 + int(rng.integers(0, 10**6))
    epochs = np.arange(n)
    times = start + 1000 * epochs + np.where(epochs > n // 2, 2000, 0)  # two seconds are missing in the middle
    latitude = 37.4 + np.cumsum(rng.normal(1e-4, 3e-5, n)) + rng.normal(0, 0.1)
    longitude = -122.1 - np.cumsum(rng.normal(1e-4, 3e-5, n)) + rng.normal(0, 0.1)
    truth = {
        "MessageType": "Fix",
        "Provider": "GT",
        LATITUDE: latitude,
        LONGITUDE: longitude,
        "AltitudeMeters": rng.normal(30, 1, n).round(2),
        "SpeedMps": rng.gamma(3, 4, n).round(3),
        "AccuracyMeters": 0.1,
        "BearingDegrees": rng.uniform(0, 360, n).round(1),
        TIME: times,
    }
    pd.DataFrame(truth).to_csv(folder / "ground_truth.csv", index=False)
    signals = _signals(rng, times, latitude, longitude)
    pd.DataFrame(signals, columns=SIGNAL_COLUMNS).to_csv(folder / "device_gnss.csv", index=False)
    motion = {
        "MessageType": ["UncalAccel", "UncalGyro", "UncalMag"] * 2,
        "utcTimeMillis": start + 10 * np.arange(6),
        "elapsedRealtimeNanos": 10**14 + np.arange(6),
        "MeasurementX": rng.normal(0, 1, 6),
        "MeasurementY": rng.normal(0, 1, 6),
        "MeasurementZ": rng.normal(9.8, 0.1, 6),
        **dict.fromkeys(("BiasX", "BiasY", "BiasZ"), np.nan),
    }
    pd.DataFrame(motion).to_csv(folder / "device_imu.csv", index=False)
    track = zip(times, latitude, longitude, strict=True)
    texts = {
        "gnss_log.txt": "# Header Description:\n# Version: v3.0.5.7\nRaw,1,2,3\n",
        f"gnss_rinex.{year % 100:02d}o": (
            "     3.03           OBSERVATION DATA    M: MIXED            RINEX VERSION / TYPE\n"
        ),
        "span_log.nmea": "".join(_nmea(int(time) // 1000, north, east) for time, north, east in track),
    }
    for name, text in texts.items():
        (folder / "supplemental" / name).write_text(text, encoding="utf-8")


def _signals(
    rng: np.random.Generator,
    times: NDArray[np.int64],
    latitude: NDArray[np.float64],
    longitude: NDArray[np.float64],
) -> list[dict[str, Any]]:
    """Two satellites at each time, and a position that is some metres off; most columns are 0."""
    rows = []
    for epoch, time in enumerate(times):
        x, y, z = _ecef(latitude[epoch], longitude[epoch], 30) + rng.normal(0, 2, 3)
        for number, signal in enumerate(SIGNALS):
            known = {
                "MessageType": "Raw",
                "utcTimeMillis": time,
                "LeapSecond": 18 if epoch else "",  # not known yet when the log begins
                "Svid": number + 3,
                "State": 16431,
                "Cn0DbHz": round(rng.normal(35, 4), 1),
                "CarrierFrequencyHz": 1575420030.0,
                "ConstellationType": 1,
                "CodeType": "C",
                "RawPseudorangeMeters": round(2.2e7 + rng.normal(0, 1e5), 3),
                "SignalType": signal,
                "WlsPositionXEcefMeters": x,
                "WlsPositionYEcefMeters": y,
                "WlsPositionZEcefMeters": z,
            }
            rows.append(dict.fromkeys(SIGNAL_COLUMNS, 0) | known)
    return rows


def _guess(case: Case) -> dict[str, Any]:
    """Off by some metres, at times by many."""
    north, east = case.answers[LATITUDE], case.answers[LONGITUDE]
    latitude = north + case.rng.normal(0, 3e-5, case.n)
    return {LATITUDE: latitude, LONGITUDE: east + case.rng.standard_t(2, case.n) * 3e-5}


def _special(case: Case) -> dict[str, Any]:
    noisy, north, east = case.noisy, case.answers[LATITUDE], case.answers[LONGITUDE]
    trips, number = noisy[TRIP].unique(), noisy.groupby(TRIP).cumcount()
    slashes = case.ids.str.replace(r"-(?=[^-]*$)", "/", regex=True)
    return {
        # Rows count by their place within a trip: the first three score as noisy does.
        "trips_reordered": pd.concat([noisy[noisy[TRIP] == trip] for trip in trips[::-1]]),
        "interleaved": noisy.assign(number=number).sort_values(["number", TRIP], kind="stable").drop(columns="number"),
        "wrong_times": noisy.assign(**{TIME: 0}),
        "reversed_time": noisy.iloc[::-1],
        "column_order": noisy[noisy.columns[::-1]],
        "offset": {LATITUDE: north + 1e-5},  # 1.11 m too far north
        "one_outlier": {LONGITUDE: [east[0] + 1, *east[1:]]},  # it enters the 95th percentile by interpolation
        "antipode": {LATITUDE: -north, LONGITUDE: east + 180},
        "out_of_range": noisy.assign(**{LATITUDE: noisy[LATITUDE] + 360}),  # the score of noisy
        "duplicate_time": noisy.iloc[[0, 0, *range(2, case.n)]],  # accepted
        "integers": {LATITUDE: 37, LONGITUDE: -122},
        "moved_row": Cell(case.ids.iloc[-1], column=TRIP),
        "slash_ids": {TRIP: slashes},  # as on Kaggle
        "no_time": case.answers.drop(columns=TIME),
        "no_latitude": case.answers.drop(columns=LATITUDE),
        "no_longitude": case.answers.drop(columns=LONGITUDE),
    }


submissions = Submissions(
    guess=_guess,
    usual=Usual(twice=None, wrong_column=(TRIP, "phone"), extra={"note": "a,b"}),
    cells=at(column=LATITUDE, nan=None, text="north"),
    special=_special,
)
