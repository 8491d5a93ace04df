"""Twin of tabular-playground-series-may-2022: a few feature vectors over and over, each with its own odds.

Preparation always takes 100000 test rows, so even the smallest twin has more; repeating a small pool of
vectors keeps the archive small.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from mlebench.twins.kit.submissions import Case, Submissions, Text, Usual

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


def _special(case: Case) -> dict[str, Any]:
    """Submissions of 100000 rows each; short numbers keep them small."""
    ids, noisy, zeros = case.ids.tolist(), case.guess.tolist(), ["0"] * case.n
    order = case.rng.permutation(case.n).tolist()
    firsts = {"nan": "", "above_one": "1.01", "text": "a"}
    return {
        "shuffled": Text(_table((ids[row] for row in order), (noisy[row] for row in order))),
        "missing_row": case.answers.iloc[1:300],
        "extra_row": Text(_table([*ids, ids[0]], [*zeros, "0"])),
        "wrong_column": case.answers.head(20).rename(columns={"target": "state"}),
        "no_id": case.answers.head(20).rename(columns={"id": "Id"}),
        "unknown_id": Text(_table([0, *ids[1:]], zeros)),  # the id of a training row
        **{name: Text(_table(ids, [first, *zeros[1:]])) for name, first in firsts.items()},
    }


def _guess(case: Case) -> list[str]:
    """Labels mixed with noise, many ties, no leading zero."""
    mixed = (0.3 * case.truth + 0.69 * case.rng.random(case.n)).round(2)
    return [f"{value:.2f}".lstrip("0") for value in mixed]


submissions = Submissions(
    read={"usecols": ["id", "target"]},
    guess=_guess,
    usual=Usual(twice=None),
    variants=["header_only"],
    special=_special,
)
