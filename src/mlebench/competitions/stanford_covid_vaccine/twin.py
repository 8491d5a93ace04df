"""Twin of stanford-covid-vaccine: short molecules whose unpaired bases degrade faster."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.files.tables import read_csv
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual, at

ID = "id_seqpos"
TARGETS = ["reactivity", "deg_Mg_pH10", "deg_pH10", "deg_Mg_50C", "deg_50C"]
ERRORS = ["reactivity_error", "deg_error_Mg_pH10", "deg_error_pH10", "deg_error_Mg_50C", "deg_error_50C"]
LENGTH, SCORED = 20, 13  # 107 and 68 in the real data
LEVELS = {"A": 0.8, "G": 0.6, "C": 0.25, "U": 0.3}


def _molecule(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """A hairpin, or in every fourth case a strand without any pairs."""
    sequence = "".join(rng.choice(list(LEVELS), LENGTH))
    pairs = int(rng.integers(3, 6))
    hairpin = "." * 2 + "(" * pairs + "." * (LENGTH - 4 - 2 * pairs) + ")" * pairs + "." * 2
    structure = hairpin if number % 4 else "." * LENGTH
    loops = "EE" + "".join("H" if base == "." else "S" for base in structure[2:-2]) + "EE"
    return {
        "index": number,
        "id": f"id_{int(rng.integers(2**36)):09x}",
        "sequence": sequence,
        "structure": structure,
        "predicted_loop_type": loops,
    }


def _measurements(rng: np.random.Generator, molecule: dict[str, Any]) -> dict[str, Any]:
    """A quality, errors and values; about a third of the molecules are too noisy for the filter."""
    clear = bool(rng.random() < 0.66)
    quality = rng.uniform(1, 12) if clear else rng.normal(0.4, 0.5)
    measured: dict[str, Any] = {
        "signal_to_noise": round(float(quality), 3),
        "SN_filter": 1.0 if clear else 0.0,
        "seq_length": LENGTH,
        "seq_scored": SCORED,
    }
    for error in ERRORS:
        measured[error] = np.round(rng.gamma(2, 0.08 if clear else 2, SCORED), 4).tolist()
    bases = zip(molecule["sequence"], molecule["structure"], strict=True)
    levels = np.array([LEVELS[base] * (1 if pair == "." else 0.4) for base, pair in bases])[:SCORED]
    for number, target in enumerate(TARGETS):
        noise = rng.normal(0, 0.15 if clear else 0.8, SCORED)
        measured[target] = np.round(levels * (1 + 0.1 * number) + noise, 4).tolist()
    return measured


def make(raw: Path, seed: int, scale: int) -> None:
    """Write measured molecules, and Kaggle's own test molecules, of which preparation uses only the list of keys."""
    rng = np.random.default_rng(seed)
    n = 85 * scale  # the test part is a tenth rounded down: 8 of 85
    train, test = [], []
    for number in range(n + 5):
        molecule = _molecule(rng, number)
        if number >= n:
            test.append(molecule | {"seq_length": LENGTH, "seq_scored": SCORED})
            continue
        molecule |= _measurements(rng, molecule)
        if number % 10 == 0:
            # Numbers that show how the prepared files round.
            molecule["reactivity"][0] = 0.12345678901234
            molecule["deg_50C"][1] = 2e-11
            molecule["deg_pH10"][2] = 0.0
        train.append(molecule)
    _write_lines(raw / "train.json", train)
    _write_lines(raw / "test.json", test)
    rows = [f"{molecule['id']}_{position}" for molecule in test for position in range(LENGTH)]
    sample = pd.DataFrame({ID: rows, **dict.fromkeys(TARGETS, 0.0)})
    sample.to_csv(raw / "sample_submission.csv", index=False)
    (raw / "bpps").mkdir()
    for molecule in train[:2]:
        np.save(raw / "bpps" / f"{molecule['id']}.npy", np.zeros((LENGTH, LENGTH), np.float32))


def _write_lines(path: Path, records: Sequence[dict[str, Any]]) -> None:
    lines = (json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")


def _swapped(case: Case, first: int, second: int) -> pd.DataFrame:
    """The answers with two rows exchanged."""
    order = np.arange(case.n)
    order[[first, second]] = second, first
    return case.answers.iloc[order]


def _special(case: Case) -> dict[str, Any]:
    """Rows in other orders, which count, and mistakes where nothing is scored."""
    answers, noisy = case.answers, case.noisy
    scored, unscored = np.flatnonzero(case.full["keep"]), np.flatnonzero(~case.full["keep"])
    return {
        "sample": read_csv(case.sample),
        "sorted_by_id": noisy.sort_values(ID),
        "perfect_shuffled": answers.sample(frac=1, random_state=case.seed + 5),
        "reversed": noisy.iloc[::-1],
        "one_pair_swapped": _swapped(case, *scored[:2]),  # no difference
        "scored_unscored_swapped": _swapped(case, scored[-1], unscored[0]),
        "unscored_columns_wrong": {"deg_pH10": 99, "deg_50C": -99},
        "unscored_rows_wrong": {"reactivity": answers["reactivity"].where(case.full["keep"], 1e6)},
        "nan_unscored_row": Cell(None, unscored[0]),
        "nan_unscored_column": Cell(None, scored[0], "deg_50C"),
        "one_column_wrong": {"reactivity": 0.0},
        "integers": answers.round(0).astype(dict.fromkeys(TARGETS, int)),
        "extra_column": case.full.assign(note="x"),
        **at(scored[0], text="x", infinite="inf", nan=None),
        "missing_unscored": answers.iloc[scored],
    }


submissions = Submissions(
    perfect=lambda case: case.full.drop(columns="keep"),
    guess=lambda case: case.truth + case.rng.normal(0, 0.2, case.truth.shape),
    usual=Usual(cells="perfect", wrong_column="r", missing_unscored_column=("deg_50C", None)),
    variants=["swapped_columns"],
    special=_special,
)
