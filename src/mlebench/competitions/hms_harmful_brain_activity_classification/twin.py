"""Twin of hms-harmful-brain-activity-classification: short recordings with votes on overlapping windows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.competitions.hms_harmful_brain_activity_classification.competition import VOTES
from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual
from mlebench.twins.kit.tables import parquet

NAMES = ["Seizure", "LPD", "GPD", "LRDA", "GRDA", "Other"]
LEADS = [
    "Fp1",
    "F3",
    "C3",
    "P3",
    "F7",
    "T3",
    "T5",
    "O1",
    "Fz",
    "Cz",
    "Pz",
    "Fp2",
    "F4",
    "C4",
    "P4",
    "F8",
    "T4",
    "T6",
    "O2",
    "EKG",
]
BANDS = [f"{region}_{hertz}" for region in ("LL", "RL", "LP", "RP") for hertz in ("0.59", "19.92")]
COLUMNS = [
    "eeg_id", "eeg_sub_id", "eeg_label_offset_seconds", "spectrogram_id", "spectrogram_sub_id",
    "spectrogram_label_offset_seconds", "label_id", "patient_id", "expert_consensus", *VOTES,
]  # fmt: skip


class _Ids:
    """Distinct random ids."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._seen: set[int] = set()

    def new(self) -> int:
        while True:
            value = int(self._rng.integers(10**5, 4 * 10**9))
            if value not in self._seen:
                self._seen.add(value)
                return value


def _spectrogram(rng: np.random.Generator, label: int) -> dict[str, Any]:
    return {
        "time": np.arange(1, 9, 2),
        **{band: (rng.random(4) * (1 + label)).round(2).astype("f4") for band in BANDS},
    }


def _recording(rng: np.random.Generator, label: int) -> dict[str, Any]:
    time = np.linspace(0, 6, 10)

    def lead(shift: int) -> NDArray[np.float32]:
        wave = np.round(20 * np.sin((label + 1) * time + shift), 1)
        return np.where(rng.random(10) < 0.03, np.nan, wave).astype("f4")

    return {name: lead(shift) for shift, name in enumerate(LEADS)}


def make(raw: Path, seed: int, scale: int) -> None:
    """Write recordings, spectrograms and the table of votes; Kaggle's own test files are there but unused."""
    rng = np.random.default_rng(seed)
    for folder in ("train_eegs", "train_spectrograms", "test_eegs", "test_spectrograms", "example_figures"):
        (raw / folder).mkdir()
    ids = _Ids(rng)
    rows: list[tuple[Any, ...]] = []
    for number in range(70 * scale):
        spectrogram = ids.new()
        patient = 1 + (number * 7919 + seed) % (31 * scale)  # patients recur over spectrograms
        label, offset, window = int(rng.integers(6)), 0.0, 0
        parquet(raw / "train_spectrograms" / f"{spectrogram}.parquet", _spectrogram(rng, label))
        for _ in range(int(rng.integers(1, 3))):
            eeg = ids.new()
            seen = label if rng.random() < 0.7 else int(rng.integers(6))
            parquet(raw / "train_eegs" / f"{eeg}.parquet", _recording(rng, seen))
            windows = int(rng.integers(1, 6))
            unanimous = rng.random() < 0.5
            votes = None
            for part in range(windows):
                if votes is None or not unanimous:
                    chances = np.full(6, 0.06)
                    chances[seen] = 0.7
                    votes = rng.multinomial(int(rng.integers(1, 20)), chances)
                consensus = NAMES[int(np.argmax(votes))]
                place = (eeg, part, float(part * 2), spectrogram, window, offset)
                rows.append((*place, ids.new(), patient, consensus, *votes))
                window += 1
                offset += 2.0 if part % 2 else 6.0
    pd.DataFrame(rows, columns=COLUMNS).to_csv(raw / "train.csv", index=False)
    _write_unused(raw)


def _write_unused(raw: Path) -> None:
    eeg, spectrogram = 3911565283, 853520
    test = pd.DataFrame({"spectrogram_id": [spectrogram], "eeg_id": [eeg], "patient_id": [6885]})
    test.to_csv(raw / "test.csv", index=False)
    sample = pd.DataFrame([[eeg] + [1 / 6] * 6], columns=["eeg_id", *VOTES])
    sample.to_csv(raw / "sample_submission.csv", index=False)
    for folder, name in (("test_eegs", eeg), ("test_spectrograms", spectrogram)):
        parquet(raw / folder / f"{name}.parquet", {"time": np.arange(3)})
    for number in (1, 2):
        (raw / "example_figures" / f"Sample{number:02d}.pdf").write_bytes(b"%PDF-1.4\n%" + bytes([200, number, 10]))


def _guess(case: Case) -> Any:
    """Noisy vote shares, the same for all rows of an eeg, so that the order among equal ids does not matter."""
    mean = case.full.groupby("eeg_id")[VOTES].mean()
    weights = mean.to_numpy() + case.rng.gamma(0.5, 1.0, mean.shape)
    shares = pd.DataFrame(weights / weights.sum(1, keepdims=True), index=mean.index, columns=VOTES)
    return shares.loc[case.full["eeg_id"]].reset_index(drop=True)


def _moved_row(case: Case) -> dict[str, pd.DataFrame]:
    """One row renamed to the next higher id: accepted, rows pair up shifted."""
    rows, moved = case.full, case.noisy.copy()
    for here, after in pairwise(np.sort(rows["eeg_id"].unique())):
        same = rows[rows["eeg_id"] == here]
        if len(same) > 1 and len(same[VOTES].drop_duplicates()) == 1:
            moved.loc[same.index[0]] = moved.loc[moved["eeg_id"] == after].iloc[0]
            return {"moved_row": moved.astype({"eeg_id": "int64"})}
    return {}


def _special(case: Case) -> dict[str, Any]:
    gold, noisy, first = case.answers, case.noisy, VOTES[0]
    votes = case.full[VOTES].to_numpy(float)
    shares, rows = votes / votes.sum(1, keepdims=True), np.arange(len(votes))
    one, gaps = np.zeros_like(votes), np.zeros_like(votes)
    one[rows, votes.argmax(1)] = 1
    gaps[rows, shares.argmin(1)] = 1
    gaps[rows, shares.argmax(1)] = np.nan
    return {
        "column_order": noisy[[*VOTES[::-1], "eeg_id"]],
        "deduplicated": gold.drop_duplicates("eeg_id"),  # the answers have several rows per eeg
        "unknown_id": Cell("x", column="eeg_id"),
        "unknown_number": Cell(17, column="eeg_id"),
        "one_hot": one,  # other voted classes are clipped to 1e-15
        "all_wrong": np.roll(one, 1, axis=1),
        "ints": one.astype(int),  # not clipped: an infinite loss
        "ints_one_column": case.table(one).astype({first: int}),
        "nan_top_class": gaps,
        "nan_column": {**dict.fromkeys(VOTES, 0.0), "seizure_vote": np.nan, "other_vote": 1.0},
        "nan_exploit": {**dict.fromkeys(VOTES, np.nan), "seizure_vote": 1.0},  # accepted
        **_moved_row(case),
        "sum_slightly_off": noisy.assign(**{first: noisy[first] + 3e-6}),  # accepted: 1 if rounded to 5 places
        "sum_off": noisy.assign(**{first: noisy[first] + 1e-5}),
        "votes": case.full[["eeg_id", *VOTES]],
        "negative": np.array([[-0.1, 1.1, 0, 0, 0, 0], *case.guess.to_numpy()[1:]]),
        "extra_number": noisy.assign(confidence=0.5),  # changes the sums
        "extra_zeros": noisy.assign(confidence=0.0),  # passes
    }


def _own_guess(case: Case) -> Any:
    """Noisy vote shares of every row."""
    weights = case.full[VOTES].to_numpy(float) + case.rng.gamma(0.5, 1.0, (case.n, len(VOTES)))
    return pd.DataFrame(weights / weights.sum(1, keepdims=True), columns=VOTES)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Those of edition v2 have a row per label_id."""
    sample = pd.read_csv(prepared / "public" / "sample_submission.csv", nrows=0)
    return (_by_label if "label_id" in sample else _by_recording)(prepared, seed)


_by_label = Submissions(
    answers="private/test.csv",
    perfect=lambda case: examples.table(case.prepared, "private/gold_submission.csv"),
    guess=_own_guess,
    usual=Usual(wrong_column=("lpd_vote", "lpd"), wrong_id_column="id", extra={"note": "x"}),
    cells={"text": "high"},
    variants=["all_nan"],
)
_by_recording = Submissions(
    answers="private/test.csv",
    perfect=lambda case: examples.table(case.prepared, "private/gold_submission.csv"),
    guess=_guess,
    usual=Usual(twice=None, wrong_column=("lpd_vote", "lpd"), wrong_id_column="id", extra={"note": "x"}),
    cells={"text": "high"},
    variants=["all_nan"],
    special=_special,
)
