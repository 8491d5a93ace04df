"""Twin of imet-2020-fgvc7: pictures in which every attribute brightens a line of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import png

KINDS = ["country", "culture", "dimension", "medium", "tags"]
NAMES = [
    "italy", "japan", 'trunk lock, "iron"', "silk–satin", "été", "birds", "women", "men", "portraits", "flowers",
]  # fmt: skip
ATTRIBUTES = 30


def _hex(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def _picture(rng: np.random.Generator, attributes: NDArray[np.int64], height: int) -> bytes:
    """Noise in which an attribute brightens one of ten columns in one of three channels."""
    pixels = rng.integers(0, 40, (height, 10, 3))
    pixels[:, attributes % 10, attributes // 10] += 180
    return png(pixels.astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write pictures with their attributes, and Kaggle's own test set, which preparation does not use."""
    rng = np.random.default_rng(seed)
    names = [f"{KINDS[number % 5]}::{NAMES[number % 10]}{number}" for number in range(ATTRIBUTES)]
    labels = pd.DataFrame({"attribute_id": range(ATTRIBUTES), "attribute_name": names})
    labels.to_csv(raw / "labels.csv", index=False)
    shares = 1 / np.arange(1, ATTRIBUTES + 1)
    shares /= shares.sum()
    (raw / "train").mkdir()
    objects = sorted(_hex(f"{seed}-{number}") for number in range(80 * scale))
    cells = []
    for position, each in enumerate(objects):
        attributes = rng.choice(ATTRIBUTES, int(rng.integers(1, 6)), replace=False, p=shares)
        if position % 9 == 0:
            attributes = attributes[:1]
        cells.append(" ".join(map(str, attributes)))
        (raw / f"train/{each}.png").write_bytes(_picture(rng, attributes, 8 + position % 5))
    cells[1] += f" {cells[1].split()[0]}"  # an attribute named twice
    pd.DataFrame({"id": objects, "attribute_ids": cells}).to_csv(raw / "train.csv", index=False)
    (raw / "test").mkdir()
    others = [_hex(f"t{seed}-{number}") for number in range(3)]
    for each in others:
        pixels = rng.integers(0, 255, (8, 8, 3), dtype=np.uint8)
        (raw / f"test/{each}.png").write_bytes(png(pixels, optimize=False))
    pd.DataFrame({"id": others, "attribute_ids": "0 1 2"}).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Attributes dropped, added, repeated and spelled otherwise, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv", dtype=str)
    train = examples.table(prepared, "public/train.csv", dtype=str)
    known = sorted(set(" ".join(answers["attribute_ids"]).split()))
    absent = sorted(set(" ".join(train["attribute_ids"]).split()) - set(known))

    def each(change: Callable[[list[str]], str]) -> pd.DataFrame:
        return answers.assign(attribute_ids=[change(cell.split()) for cell in answers["attribute_ids"]])

    def guess(attributes: list[str]) -> str:
        kept = [attribute for attribute in attributes if rng.random() < 0.7]
        added = rng.choice(known, int(rng.integers(0, 3)), replace=False)
        return " ".join([*kept, *added.tolist()])

    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission")
    noisy = examples.with_first(each(guess), "attribute_ids", "")
    yield Example("noisy", noisy, "attributes dropped and added, the first cell empty")
    yield examples.shuffled(noisy, seed)
    everything = answers.assign(attribute_ids=" ".join(known))
    yield Example("everything", everything, "every attribute that occurs in the answers, everywhere")
    yield Example("nothing", answers.assign(attribute_ids=""), "no attribute anywhere: a score of 0")
    unknown = each(lambda attributes: " ".join([*attributes, *absent, "3473", "99999"]))
    yield Example("unknown_class", unknown, "further attributes that no test object has: they cost nothing")
    yield Example("repeated", each(lambda attributes: " ".join(attributes * 2)), "every attribute twice: counts once")
    yield Example("reversed", each(lambda attributes: " ".join(attributes[::-1])), "attributes in reverse order")
    yield Example("blanks", each(lambda attributes: f"  {'   '.join(attributes)} "), "more blanks than needed")
    single = each(lambda attributes: attributes[0])
    yield Example("first_only", single, "one attribute in every cell: the column is read as integers")
    gap = examples.with_first(single, "attribute_ids", None)
    yield Example("first_only_one_nan", gap, "one attribute per cell and an empty cell: read as floats")
    word = each(lambda attributes: f"{attributes[0]} x")
    yield Example("first_text", word, "one attribute and a word in every cell: read as text")
    padded = each(lambda attributes: " ".join(f"0{attribute}" for attribute in attributes))
    yield Example("zero_padded", padded, "ids with a leading zero: other attributes")
    yield Example("comma", each(lambda attributes: ",".join([*attributes, "0"])), "commas: one unknown attribute each")
    yield Example("extra_column", noisy.assign(note=1), "as noisy, one more column")
    yield from examples.mistaken_ids_and_columns(
        answers, on="id", target="attribute_ids", unknown="x", new_id="Id", new_target="attributes"
    )
    gaps = noisy["attribute_ids"].mask([row in (2, 3) for row in range(len(noisy))])
    yield Example("nan", noisy.assign(attribute_ids=gaps), "empty cells: no attribute")
