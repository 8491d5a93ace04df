"""Twin of the-icml-2013-whale-challenge-right-whale-redux: noise, with a rising tone where a whale calls."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example

RATE = 2000
DAYS = ("20090328", "20090329", "20090330", "20090331")


def _aiff(samples: NDArray[np.float64]) -> bytes:
    """Mono sound of 16 bits as an AIFF file, which states its rate as an 80-bit float."""
    data = np.clip(samples, -32768, 32767).astype(">i2").tobytes()
    shift = 64 - RATE.bit_length()
    rate = struct.pack(">HQ", 16383 + 63 - shift, RATE << shift)
    format_ = struct.pack(">hIh", 1, len(samples), 16) + rate
    sound = bytes(8) + data
    chunks = b"".join(
        name + struct.pack(">I", len(content)) + content for name, content in ((b"COMM", format_), (b"SSND", sound))
    )
    return b"FORM" + struct.pack(">I", 4 + len(chunks)) + b"AIFF" + chunks


def _clip(rng: np.random.Generator, whale: int) -> bytes:
    time = np.arange(160) / RATE
    sound = rng.normal(0, 300, len(time))
    if whale:
        sound += 2500 * np.sin(2 * np.pi * (80 * time + 900 * time**2))
    return _aiff(sound)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled clips of four days, and Kaggle's own test clips, which preparation does not use."""
    rng = np.random.default_rng(seed)
    train: list[tuple[str, bytes]] = []
    for day in DAYS:
        for i in range(25 * scale):
            whale = 1 if i == 1 else 0 if i == 2 else int(rng.random() < 0.3)  # both kinds on every day
            recording, place = divmod(i, 8)
            start = f"{recording % 24:02d}{15 * (recording // 24 % 4):02d}00"
            offset = f"{place * 97 + 3:03d}s{int(rng.integers(0, 10))}ms"
            train.append((f"train2/{day}_{start}_{offset}_TRAIN{len(train)}_{whale}.aif", _clip(rng, whale)))
    shuffled = [train[j] for j in rng.permutation(len(train))]
    zip_members(raw / "train2.zip", [("train2/", b""), *shuffled])
    test = [(f"20090404_000000_{12 + 30 * i:03d}s0ms_Test{i}.aif", _clip(rng, i % 2)) for i in range(4)]
    zip_members(raw / "test2.zip", [("test2/", b""), *((f"test2/{name}", sound) for name, sound in test)])
    sample = pd.DataFrame({"clip": [name for name, _ in test], "probability": 0})
    sample.to_csv(raw / "sampleSubmission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    labels = answers["probability"]
    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sampleSubmission.csv"), "the sample submission: all 0")
    noisy = answers.assign(probability=0.3 * labels + 0.7 * rng.random(len(answers)))
    yield Example("noisy", noisy, "labels mixed with noise")
    yield examples.shuffled(noisy, seed)
    yield Example("ties", noisy.assign(probability=noisy["probability"].round(1)), "many tied scores")
    yield Example("booleans", noisy.assign(probability=noisy["probability"] > 0.5), "True/False: accepted")
    yield Example("inverted", answers.assign(probability=1 - labels), "the worst possible")
    reordered = noisy.assign(note="a")[["note", "probability", "clip"]]
    yield Example("extra_column", reordered, "a further column, another order: accepted")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(noisy, "clip", "repeated_id")
    yield examples.renamed(answers, "probability", "target")
    yield examples.renamed(answers, "clip", "id", "no_id")
    yield examples.unknown_id(answers, "clip", "20090330_x_Test0.aif")
    for name, value, note in (
        ("below_zero", -1e-9, "a prediction slightly below 0"),
        ("above_one", 1.0000001, "a prediction slightly above 1"),
        ("nan", None, "an empty prediction"),
        ("text", "yes", "a word among the predictions"),
    ):
        yield Example(name, examples.with_cell(noisy, "probability", value), note)
    yield examples.empty()
