"""Windows of recordings on both sides that overlap in time."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from numpy.typing import NDArray
from test_samples_of_rows import replaced
from test_values import searched

LENGTH, STEP, AHEAD = 40, 10, 8


def windows(kind: str, rng: np.random.Generator) -> tuple[list[NDArray[np.float64]], list[float], list[bool]]:
    """Windows of recordings with the class of each, or the mean of what comes; and which are to be predicted."""
    pieces, answers, is_test = [], [], []
    for recording in range(15):
        signal = np.cumsum(rng.normal(size=400)).round(4)
        of_test = recording % 3 == 0
        last = 250 if kind == "later" else 400 - LENGTH - AHEAD
        for start in range(0, 400 - LENGTH - AHEAD, STEP):
            if kind == "later":
                side = start >= last
                if last - LENGTH - AHEAD < start < last:
                    continue
            else:
                side = of_test if kind == "by recording" else bool(rng.random() < 0.35)
            pieces.append(signal[start : start + LENGTH])
            to_come = float(signal[start + LENGTH : start + LENGTH + AHEAD].mean())
            answers.append(
                to_come
                if not kind.startswith("class")
                else float(recording % 3 if kind == "class" else rng.integers(3))
            )
            is_test.append(side)
    return pieces, answers, is_test


def world_of(folder: Path, kind: str, form: str) -> World:
    rng = np.random.default_rng(3)
    is_class = kind.startswith("class")
    pieces, answers, is_test = windows(kind, rng)
    ids = [f"w{number}" for number in rng.permutation(np.arange(10_000, 10_000 + len(pieces)))]
    labels = [f"kind {int(answer)}" for answer in answers] if is_class else np.round(answers, 5).tolist()
    frame = pd.DataFrame({"item": ids, "device": rng.integers(0, 5, len(ids))})
    if form == "columns":
        frame = pd.concat([frame, pd.DataFrame(pieces, columns=[f"t_{n}" for n in range(LENGTH)])], axis=1)
    frame["answer"] = labels
    there = np.array(is_test)
    world = make(folder, "texts" if is_class else "regression", 3, n=60)
    world.key = "item"
    world = replaced(world, frame[~there].reset_index(drop=True), frame[there].reset_index(drop=True))
    if is_class:
        world.sample["answer"] = "kind 0"
    for item, piece, side in zip(ids, pieces, is_test, strict=True):
        name = f"{'test' if side else 'train'}_files/{item}"
        if form == "arrays":
            np.save(out := io.BytesIO(), np.stack([piece, np.arange(LENGTH) % 7]))
            world.files[f"{name}.npy"] = out.getvalue()
        elif form == "tables":
            table = pd.DataFrame({"t": range(LENGTH), "value": piece})
            world.files[f"{name}.csv"] = table.to_csv(index=False).encode()
    return world


@pytest.mark.parametrize("form", ["arrays", "tables", "columns"])
@pytest.mark.parametrize("kind", ["class", "to come", "class of nothing", "by recording", "later"])
def test_windows_that_overlap_those_of_train_are_a_leak(form: str, kind: str, tmp_path: Path) -> None:
    found = searched(world_of(tmp_path, kind, form), "moving_windows")
    expected = {"class": ["duplicates"], "to come": ["answers_in_public"]}.get(kind, [])
    assert [one.kind for one in found] == expected
    assert {one.severity for one in found} <= {"leak"}
