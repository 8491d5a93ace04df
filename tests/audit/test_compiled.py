"""Answers in compiled programs that a run left behind."""

from __future__ import annotations

import importlib.util
import marshal
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clean_worlds import make
from test_values import searched

from mlebench.audit.entries import Entry
from mlebench.audit.readers import read_tables

_SOURCES: dict[str, Callable[[dict[Any, Any]], str]] = {
    "a dictionary": lambda known: f"KNOWN = {known!r}\n",
    "a dictionary in a function": lambda known: f"def known():\n    return {known!r}\n",
    "pairs": lambda known: f"KNOWN = {list(known.items())!r}\n",
    "a list": lambda known: f"KNOWN = {list(known.values())!r}\n",
    "one line for each": lambda known: "K = {}\n" + "".join(f"K[{key!r}] = {known[key]!r}\n" for key in known),
}


def _compiled(source: str) -> bytes:
    code = marshal.dumps(compile(source, "solution.py", "exec"))
    return importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, 0, len(source)) + code


@pytest.mark.parametrize("write", list(_SOURCES))
@pytest.mark.parametrize("family", ["binary", "multiclass", "regression"])
def test_answers_in_a_module_that_was_compiled(write: str, family: str, tmp_path: Path) -> None:
    world = make(tmp_path, family, 3, n=240)
    answers = world.answers[[world.key, world.targets[0]]].to_numpy().tolist()
    world.files = {"__pycache__/solution.cpython-311.pyc": _compiled(_SOURCES[write](dict(answers)))}
    found = [one.kind for one in searched(world, "columns") if one.severity == "leak" and "solution" in one.where]
    assert found == ["answers_in_public"]


def test_an_id_that_is_one_class_backwards_is_no_item_of_that_name(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=90)
    for frame, start in ((world.train, 5000), (world.test, 1000), (world.answers, 1000), (world.sample, 1000)):
        frame[world.key] = range(start, start + len(frame))
    answers = dict(world.answers[[world.key, world.targets[0]]].to_numpy().tolist())
    world.files = {"__pycache__/solution.cpython-311.pyc": _compiled(_SOURCES["pairs"](answers))}
    assert [one.kind for one in searched(world, "columns") if one.severity == "leak"] == ["answers_in_public"]


def test_labels_of_train_in_a_module_are_no_leak(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=240)
    labels = dict(world.train[[world.key, world.targets[0]]].to_numpy().tolist())
    world.files = {"__pycache__/solution.cpython-311.pyc": _compiled(_SOURCES["a dictionary"](labels))}
    assert not searched(world, "columns")


def test_answers_that_were_stored_as_values(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=240)
    answers = dict(world.answers[[world.key, world.targets[0]]].to_numpy().tolist())
    world.files = {"cache.bin": marshal.dumps(answers)}
    found = [one.kind for one in searched(world, "columns") if one.severity == "leak"]
    assert found == ["answers_in_public"]


def _entry(data: bytes) -> Entry:
    return Entry("__pycache__/odd.pyc", len(data), 0, "", {}, lambda most: data[:most])


@pytest.mark.parametrize(
    "body",
    [
        b"(" + struct.pack("<I", 2**31 - 1),  # more values than there are bytes
        b")\x01" * 100_000,  # as deep as this
        b"r" + struct.pack("<I", 99),  # a value that there is not
        marshal.dumps(compile("x = 1", "x", "exec"))[:-20],
    ],
)
def test_a_module_that_is_damaged_is_read_as_far_as_it_goes(body: bytes) -> None:
    assert isinstance(list(read_tables(_entry(importlib.util.MAGIC_NUMBER + b"\0" * 12 + body))), list)
