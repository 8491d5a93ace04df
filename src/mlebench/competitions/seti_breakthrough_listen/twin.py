"""Twin of seti-breakthrough-listen: noise, and a slanted line in every other panel where there is a needle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", dtype={"id": str})
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv", dtype={"id": str})
    yield Example("sample", sample, "the sample submission: 0.5 everywhere")
    guess = np.clip(0.35 + 0.25 * answers["target"] + rng.normal(0, 0.25, len(answers)), 0, 1)
    noisy = answers.assign(target=guess)

    def put(value: object) -> pd.DataFrame:
        return examples.with_cell(noisy, "target", value)

    yield Example("noisy", noisy, "probabilities that lean towards the truth")
    yield examples.shuffled(noisy, seed)
    yield Example("ties", noisy.assign(target=guess.round(1)), "rounded to one decimal, many ties")
    yield Example("inverted", noisy.assign(target=1 - guess), "1 - noisy")
    yield Example("booleans", noisy.assign(target=guess > 0.5), "True/False instead of numbers")
    yield Example("extra_column", noisy.assign(more="x"), "as noisy, one more column")
    yield Example("negative", put(-0.01), "a prediction below 0")
    yield Example("above_one", put(1.01), "a prediction above 1")
    logits = np.log((guess + 0.01) / (1.01 - guess))
    yield Example("logits", noisy.assign(target=logits), "log odds instead of probabilities")
    yield Example("text", put("yes"), "a prediction that is not a number")
    yield examples.duplicate_id(noisy, "id")
    yield Example("all_nan", noisy.assign(target=np.nan), "all predictions empty")
    yield from examples.usual_mistakes(
        noisy, on="id", target="target", unknown="zzzzzzzzzzzz", new_target="prediction", new_id="Id"
    )
