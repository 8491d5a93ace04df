"""Answers that stand between words which are the same for all items, and answers of some items only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clean_worlds import make
from test_gaps import places
from test_values import searched

from mlebench.audit.said import unframed
from mlebench.audit.table import texts


@pytest.mark.parametrize("frame", ["label={}", '{{"a": 1, "gt": "{}"}}', "{} (checked)"])
@pytest.mark.parametrize("family", ["regression", "binary", "masks"])
def test_answers_of_some_items_in_a_frame_of_words_are_a_leak(family: str, frame: str, tmp_path: Path) -> None:
    world = make(tmp_path, family, 5, n=200)
    assert searched(world, "columns") == []
    said = [frame.format(label) if number % 5 < 2 else None for number, label in enumerate(world.labels())]
    world.test["remark"] = said
    assert ("answers_in_public", "leak", "test.csv: remark") in places(searched(world, "columns"))


def test_a_code_that_tells_all_where_it_is_there_is_a_leak(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=200)
    labels = world.labels().astype(str).to_numpy()
    names = dict(zip(sorted(set(labels)), ("native", "contrast"), strict=True))
    there = np.arange(len(labels)) % 5 < 2
    world.test["protocol"] = [names[label] if known else None for label, known in zip(labels, there, strict=True)]
    assert ("predictive_artifact", "leak", "test.csv: protocol") in places(searched(world, "columns"))


def test_a_frame_ends_where_a_number_or_a_word_begins() -> None:
    values = texts([f"value: 1{number}.50 mm" for number in range(9)] + [None])
    bare = unframed(values)
    assert bare is not None
    assert bare.tolist() == [f"1{number}.50" for number in range(9)] + [None]
    assert unframed(texts(f"1{number}" for number in range(9))) is None
