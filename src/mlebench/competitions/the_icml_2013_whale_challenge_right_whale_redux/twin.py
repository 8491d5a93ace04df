"""Twin of the-icml-2013-whale-challenge-right-whale-redux: noise, with a rising tone where a whale calls."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.submissions import Submissions, Usual

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


submissions = Submissions(
    guess=lambda case: 0.3 * case.truth + 0.7 * case.rng.random(case.n),
    usual=Usual(
        twice=None, unknown="20090330_x_Test0.aif", wrong_column="target", no_id="id", extra_first={"note": "a"}
    ),
    cells={"below_zero": -1e-9, "above_one": 1.0000001, "text": "yes"},
    each={"inverted": lambda label: 1 - label},
    variants=["ties", "booleans", "repeated_id"],
)
