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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Distributions of all sorts, and every way in which sums, ids and further columns can be wrong."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    gold = examples.table(prepared, "private/gold_submission.csv")
    votes = answers[VOTES].to_numpy(float)
    yield Example("perfect", gold, "the vote shares (private gold_submission.csv)")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: 1/6 everywhere")
    # One distribution per eeg_id, so that the order among equal ids does not matter.
    mean = answers.groupby("eeg_id")[VOTES].mean()
    weights = mean.to_numpy() + rng.gamma(0.5, 1.0, mean.shape)
    shares = pd.DataFrame(weights / weights.sum(1, keepdims=True), index=mean.index, columns=VOTES)
    per_row = shares.loc[answers["eeg_id"]].reset_index(drop=True)
    noisy = pd.concat([answers[["eeg_id"]], per_row], axis=1)
    yield Example("noisy", noisy, "noisy vote shares, the same for all rows of an eeg")
    yield examples.shuffled(noisy, seed)
    yield Example("column_order", noisy[[*VOTES[::-1], "eeg_id"]], "as noisy, columns in another order")
    yield examples.missing_row(gold)
    yield examples.extra_row(gold)
    yield Example("deduplicated", gold.drop_duplicates("eeg_id"), "one row per eeg only: the answers have several")
    text_ids = noisy.assign(eeg_id=noisy["eeg_id"].astype(str))
    yield examples.unknown_id(text_ids, "eeg_id", "x")
    number = examples.with_first(noisy, "eeg_id", 17)
    yield Example("unknown_number", number, "a numeric id that is not in the test set")
    yield examples.renamed(gold, "lpd_vote", "lpd")
    yield examples.renamed(gold, "eeg_id", "id", "wrong_id_column")
    gap = examples.with_cell(noisy, VOTES[0], np.nan)
    yield Example("nan", gap, "an empty value: that row no longer sums to 1")
    yield examples.empty()
    yield from _moved_row(answers, noisy)
    yield from _hard_votes(gold, votes)
    yield from _gaps(gold, votes)
    yield from _wrong_sums(noisy, answers)


def _moved_row(answers: pd.DataFrame, noisy: pd.DataFrame) -> Iterator[Example]:
    """One row moved from an eeg to its neighbour: same set of ids, same number of rows."""
    ids = np.sort(answers["eeg_id"].unique())
    for here, after in pairwise(ids):
        rows = answers[answers["eeg_id"] == here]
        if len(rows) > 1 and len(rows[VOTES].drop_duplicates()) == 1:
            moved = noisy.copy()
            index = moved.index[moved["eeg_id"] == here][0]
            moved.loc[index] = moved.loc[moved["eeg_id"] == after].iloc[0]
            moved["eeg_id"] = moved["eeg_id"].astype("int64")
            yield Example("moved_row", moved, "one row renamed to the next higher id: accepted, rows pair up shifted")
            return


def _hard_votes(gold: pd.DataFrame, votes: NDArray[np.float64]) -> Iterator[Example]:
    one = np.zeros_like(votes)
    one[np.arange(len(votes)), votes.argmax(1)] = 1
    certain = gold.copy()
    certain[VOTES] = one
    yield Example("one_hot", certain, "all on the most voted class: other voted classes are clipped to 1e-15")
    wrong = gold.copy()
    wrong[VOTES] = np.roll(one, 1, axis=1)
    yield Example("all_wrong", wrong, "all on a wrong class")
    whole = certain.astype(dict.fromkeys(VOTES, int))
    yield Example("ints", whole, "as one_hot, written as integers, which are not clipped: an infinite loss")
    first = certain.astype({VOTES[0]: int})
    yield Example("ints_one_column", first, "as one_hot, only the first column written as integers")


def _gaps(gold: pd.DataFrame, votes: NDArray[np.float64]) -> Iterator[Example]:
    shares = votes / votes.sum(1, keepdims=True)
    rows = np.arange(len(shares))
    values = np.zeros_like(shares)
    values[rows, shares.argmin(1)] = 1
    values[rows, shares.argmax(1)] = np.nan
    top = gold.copy()
    top[VOTES] = values
    yield Example("nan_top_class", top, "the most voted class left empty and 1 on the least voted one")
    column = gold.assign(**dict.fromkeys(VOTES, 0.0)).assign(seizure_vote=np.nan, other_vote=1.0)
    yield Example("nan_column", column, "one column entirely empty, 1 on another")
    nothing = gold.assign(**dict.fromkeys(VOTES, np.nan))
    yield Example("nan_exploit", nothing.assign(seizure_vote=1.0), "1 on one class, the others empty: accepted")
    yield Example("all_nan", nothing, "everything empty: sums are 0")


def _wrong_sums(noisy: pd.DataFrame, answers: pd.DataFrame) -> Iterator[Example]:
    first = VOTES[0]
    near = noisy.assign(**{first: noisy[first] + 3e-6})
    yield Example("sum_slightly_off", near, "sums 1.000003: rounded to 5 places this is 1, accepted")
    yield Example("sum_off", noisy.assign(**{first: noisy[first] + 1e-5}), "sums 1.00001: refused")
    yield Example("votes", answers[["eeg_id", *VOTES]], "raw vote counts instead of shares")
    negative = noisy.copy()
    negative.iloc[0, 1:] = [-0.1, 1.1, 0, 0, 0, 0]
    yield Example("negative", negative, "a row with a negative value that sums to 1")
    yield Example("text", examples.with_cell(noisy, first, "high"), "text in a target column")
    yield Example("extra_column", noisy.assign(note="x"), "an additional text column")
    yield Example("extra_number", noisy.assign(confidence=0.5), "an additional numeric column changes the sums")
    yield Example("extra_zeros", noisy.assign(confidence=0.0), "an additional column of zeros passes")
