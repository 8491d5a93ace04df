"""Twin of stanford-covid-vaccine: short molecules whose unpaired bases degrade faster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Values of all sorts, rows in all orders, mistakes where nothing is scored, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    table = examples.table(prepared, "private/test.csv")
    answers = table.drop(columns="keep")
    scored, unscored = np.flatnonzero(table["keep"]), np.flatnonzero(~table["keep"])
    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission: 0")
    noisy = answers.assign(**(answers[TARGETS] + rng.normal(0, 0.2, (len(answers), len(TARGETS)))))
    yield Example("noisy", noisy, "the answers with noise of 0.2")
    yield from _row_orders(answers, noisy, seed)
    order = np.arange(len(answers))
    order[:2] = scored[[1, 0]]
    yield Example("one_pair_swapped", answers.iloc[order], "the answers, first two rows swapped: no difference")
    order = np.arange(len(answers))
    order[[scored[-1], unscored[0]]] = unscored[0], scored[-1]
    yield Example("scored_unscored_swapped", answers.iloc[order], "the answers, a scored row swapped with another")
    yield from _unscored_mistakes(answers, scored[0], unscored)
    yield Example("one_column_wrong", answers.assign(reactivity=0.0), "no reactivity anywhere")
    whole = answers.round(0).astype(dict.fromkeys(TARGETS, int))
    yield Example("integers", whole, "the answers rounded to whole numbers")
    yield Example("extra_column", table.assign(note="x"), "the answers with further columns, keep among them")
    yield Example("swapped_columns", answers[answers.columns[::-1]], "the answers, columns in another order")
    for name, value, note in (
        ("text", "x", "a value that is not a number"),
        ("infinite", "inf", "an infinite value"),
        ("nan", None, "an empty value"),
    ):
        changed = examples.with_cell(answers, "reactivity", value, scored[0])
        yield Example(name, changed, f"{note} where it is scored")
    yield Example("missing_unscored_column", answers.drop(columns="deg_50C"), "a column that is not scored is missing")
    yield examples.missing_row(answers)
    yield Example("missing_unscored", answers.iloc[scored], "only the rows that are scored")
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, ID)
    yield examples.unknown_id(answers, ID, "x")
    yield examples.renamed(answers, "reactivity", "r")
    yield examples.empty()


def _row_orders(answers: pd.DataFrame, noisy: pd.DataFrame, seed: int) -> Iterator[Example]:
    reordered = noisy.sample(frac=1, random_state=seed)
    yield Example("shuffled", reordered, "as noisy, rows in another order: wrong rows are scored")
    yield Example("sorted_by_id", noisy.sort_values(ID), "as noisy, in the order of the ids as text")
    reordered = answers.sample(frac=1, random_state=seed + 5)
    yield Example("perfect_shuffled", reordered, "the answers in another order: not perfect any more")
    yield Example("reversed", noisy.iloc[::-1], "as noisy, the last row first")


def _unscored_mistakes(answers: pd.DataFrame, scored: int, unscored: NDArray[np.intp]) -> Iterator[Example]:
    """Wrong and missing values in columns and rows that do not count."""
    wrong = answers.assign(deg_pH10=99, deg_50C=-99)
    yield Example("unscored_columns_wrong", wrong, "nonsense in the two columns that are not scored")
    wrong = answers.copy()
    wrong.loc[unscored, "reactivity"] = 1e6
    yield Example("unscored_rows_wrong", wrong, "nonsense at the positions that were not measured")
    gap = examples.with_cell(answers, "reactivity", None, unscored[0])
    yield Example("nan_unscored_row", gap, "an empty value at a position that was not measured")
    gap = examples.with_cell(answers, "deg_50C", None, scored)
    yield Example("nan_unscored_column", gap, "an empty value in a column that is not scored")
