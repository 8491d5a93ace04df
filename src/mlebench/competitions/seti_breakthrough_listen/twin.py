"""Twin of seti-breakthrough-listen: noise, and a slanted line in every other panel where there is a needle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.submissions import Submissions, Usual

PANELS, TIMES, FREQUENCIES = 6, 7, 8
# One id that begins with zeros, one of digits with leading zeros and one of digits only: ids must stay texts.
ODD_IDS = ["00034abb3629", "000000000123", "123456789012"]


def _snippet(rng: np.random.Generator, needle: int) -> NDArray[np.float16]:
    power = rng.normal(0, 1, (PANELS, TIMES, FREQUENCIES))
    if needle:
        power[::2, np.arange(TIMES), np.arange(TIMES) + 1] += 4
    return power.astype(np.float16)


def _write_snippets(rng: np.random.Generator, folder: Path, samples: pd.DataFrame) -> None:
    """Write samples into subfolders by the first character of their ids."""
    for name, needle in zip(samples["id"], samples["target"], strict=True):
        path = folder / name[0] / f"{name}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, _snippet(rng, needle))


def _ids(rng: np.random.Generator, count: int) -> list[str]:
    return list(dict.fromkeys(f"{int(number):012x}" for number in rng.integers(0, 16**12, count)))


def _samples(ids: Sequence[str], target: Sequence[int] | NDArray[np.int64]) -> pd.DataFrame:
    return pd.DataFrame({"id": ids, "target": target})


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled samples, some from before the contest's relaunch, and Kaggle's own test samples."""
    rng = np.random.default_rng(seed)
    drawn = _ids(rng, 150 * scale)
    ids = sorted({*ODD_IDS, *drawn[len(ODD_IDS) :]})
    train = _samples(ids, (rng.random(len(ids)) < 0.25).astype(int))
    train.to_csv(raw / "train_labels.csv", index=False)
    _write_snippets(rng, raw / "train", train)
    test = _samples(sorted("f" + name[1:] for name in _ids(rng, 3)), [0, 1, 0])
    _write_snippets(rng, raw / "test", test)
    test.assign(target=0.5).to_csv(raw / "sample_submission.csv", index=False)
    old = {
        "train": _samples(sorted(_ids(rng, 4)), [0, 1, 0, 0]),
        "test": _samples(sorted(_ids(rng, 3)), [1, 0, 0]),
    }
    for part, samples in old.items():
        _write_snippets(rng, raw / f"old_leaky_data/{part}_old", samples)
        samples.to_csv(raw / f"old_leaky_data/{part}_labels_old.csv", index=False)


submissions = Submissions(
    read={"dtype": {"id": str}},
    guess=lambda case: np.clip(0.35 + 0.25 * case.truth + case.rng.normal(0, 0.25, case.n), 0, 1),
    usual=Usual("noisy", unknown="zzzzzzzzzzzz", wrong_column="prediction", no_id="Id", extra={"more": "x"}),
    cells={"negative": -0.01, "above_one": 1.01, "text": "yes"},
    variants=["ties", "inverted", "booleans", "all_nan"],
    special=lambda case: {"logits": np.log((case.guess + 0.01) / (1.01 - case.guess))},
)
