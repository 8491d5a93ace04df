"""Answers in how the rows of a table are written: quotes, and the ends of rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import make

from mlebench.audit.detectors import columns, marks, weak
from mlebench.audit.quoting import irregular_columns
from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task

Write = Callable[[list[str], bool], str]  # (cells of a row, whether it is of a class) -> the line


def _in_quotes(place: int) -> Write:
    return lambda cells, flag: (
        ",".join([*cells[:place], f'"{cells[place]}"' if flag else cells[place], *cells[place + 1 :]]) + "\n"
    )


_WAYS: dict[str, Write] = {
    "the id": _in_quotes(0),
    "a number": _in_quotes(2),
    "a word": _in_quotes(5),
    "all cells": lambda cells, flag: ",".join(f'"{cell}"' if flag else cell for cell in cells) + "\n",
    "ends of rows": lambda cells, flag: ",".join(cells) + ("\r\n" if flag else "\n"),
}


def _written(path: Path, frame: pd.DataFrame, write: Write, flags: list[bool]) -> None:
    lines = [write(cells, flag) for cells, flag in zip(frame.astype(str).to_numpy().tolist(), flags, strict=True)]
    path.write_bytes((",".join(frame.columns) + "\n" + "".join(lines)).encode())


@pytest.mark.parametrize("way", list(_WAYS))
@pytest.mark.parametrize("known", ["test", "both sides", "nobody"])
def test_how_rows_are_written_tells_the_class(way: str, known: str, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    rng = np.random.default_rng(0)
    competition = world.write()
    for side, frame, labels in (("train", world.train, world.train.species), ("test", world.test, world.labels())):
        is_told = known in (side, "both sides")
        flags = [bool(label == "elm") if is_told else bool(rng.random() < 0.3) for label in labels]
        _written(competition.public_dir / f"{side}.csv", frame, _WAYS[way], flags)
    surveyed = survey(read_task(competition))
    found = [one for search in (columns, marks, weak) for one in search.detect(surveyed) if one.severity == "leak"]
    assert bool(found) is (known != "nobody")


def test_quotes_that_texts_need_say_nothing(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=300)
    for frame, labels in ((world.train, world.train.target), (world.test, world.labels())):
        frame["place"] = [f"Rome, {number}" if label else f"Rome {number}" for number, label in enumerate(labels)]
    read = survey(read_task(world.write()))
    assert not [table for table in read.tables if any("quotes" in name for name in table.columns)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a,b\n1,"x"\n2,y\n3,"x"\n4,y\n', []),  # a value is always written in one way
        ('a,b\n1,"x y"\n2,x\n3,"z y"\n4,z\n', []),  # what has a blank is in quotes
        ('a,b\n1,"x"\n2,7\n3,"y"\n4,8\n', []),  # words are in quotes, and numbers are not
        ('a,b\n1,"x"\n2,x\n3,"y"\n4,y\n', ["(quotes of b)"]),
        ("a,b\r\n1,x\r\n2,y\n3,x\r\n4,y\n", ["(end of the row)"]),
        ("a,b\n1,x\r\n2,y\r\n3,x\r\n4,y", []),  # another end of the first line alone
    ],
)
def test_what_follows_a_rule_is_not_irregular(text: str, expected: list[str]) -> None:
    assert [name for name, _ in irregular_columns(text, ",", ["a", "b"], 4)] == expected
