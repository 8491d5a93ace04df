"""Twin of tabular-playground-series-may-2022: a few feature vectors over and over, each with its own odds.

Preparation always takes 100000 test rows, so even the smallest twin has more; repeating a small pool of
vectors keeps the archive small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

FEATURES = ",".join(f"f_{number:02d}" for number in range(31))
INTEGERS = {*range(7, 19), 29, 30}
ROWS = 100_300
POOL = 24


def _feature(rng: np.random.Generator, number: int) -> str:
    if number == 27:
        return "".join(rng.choice(list("ABCDEFGHIJ"), 10))
    if number in INTEGERS:
        return str(int(rng.integers(0, 9)))
    if number == 28:
        return repr(float(rng.normal(0, 200)))
    return f"{rng.normal(0, 1):.4f}"


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled rows and, of Kaggle's own unused test rows, the first five."""
    rng = np.random.default_rng(seed)
    n = ROWS * scale
    pool = [",".join(_feature(rng, number) for number in range(31)) for _ in range(POOL)]
    odds = rng.random(POOL)
    states = (rng.random(n) < odds[np.arange(n) % POOL]).astype(int).tolist()
    with (raw / "train.csv").open("w", newline="") as file:
        file.write(f"id,{FEATURES},target\n")
        file.writelines(f"{row},{pool[row % POOL]},{state}\n" for row, state in enumerate(states))
    others = range(5)
    test = "".join(f"{n + row},{pool[row]}\n" for row in others)
    (raw / "test.csv").write_text(f"id,{FEATURES}\n{test}")
    (raw / "sample_submission.csv").write_text(_table((n + row for row in others), ["0.5"] * len(others)))


def _table(ids: Iterable[int], predictions: Iterable[str]) -> str:
    return "id,target\n" + "".join(f"{row},{value}\n" for row, value in zip(ids, predictions, strict=True))


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """A few submissions, for each has 100000 rows; short numbers keep them small."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", usecols=["id", "target"])
    n, ids = len(answers), answers["id"].tolist()
    zeros = ["0"] * n
    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission: all 0.5")
    mixed = (0.3 * answers["target"] + 0.69 * rng.random(n)).round(2)
    noisy = [f"{value:.2f}".lstrip("0") for value in mixed]
    yield Example("noisy", _table(ids, noisy), "labels mixed with noise, many ties, no leading zero")
    order = rng.permutation(n).tolist()
    shuffled = _table((ids[row] for row in order), (noisy[row] for row in order))
    yield Example("shuffled", shuffled, "as noisy, rows in another order")
    yield Example("missing_row", answers.iloc[1:300], "far too few rows")
    yield Example("extra_row", _table([*ids, ids[0]], [*zeros, "0"]), "one row twice")
    yield examples.renamed(answers.head(20), "target", "state")
    yield examples.renamed(answers.head(20), "id", "Id", "no_id")
    yield Example("unknown_id", _table([0, *ids[1:]], zeros), "the id of a training row")
    for name, first, note in (
        ("nan", "", "an empty prediction"),
        ("above_one", "1.01", "one prediction above 1"),
        ("text", "a", "a word among the predictions"),
    ):
        yield Example(name, _table(ids, [first, *zeros[1:]]), note)
    yield examples.header_only(answers)
    yield examples.empty()
