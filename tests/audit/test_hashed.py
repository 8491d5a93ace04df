"""Hashes of items with their answers, and hashes of what is public."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched

Cells = list[str]  # the id, the answer, the other columns of the test table


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _json(cells: Cells) -> str:
    return json.dumps({"id": cells[0], "answer": cells[1]})


_FORMS: dict[str, Callable[[Cells], Any]] = {
    "id and answer": lambda cells: _sha256(f"{cells[0]},{cells[1]}"),
    "the line of the answers": lambda cells: hashlib.sha1(f"{cells[0]},{cells[1]}\n".encode()).hexdigest(),
    "cut off": lambda cells: hashlib.md5(f"{cells[0]}:{cells[1]}".encode()).hexdigest()[:6],
    "the end of it": lambda cells: _sha256(f"{cells[0]}:{cells[1]}")[-12:],
    "in base 64": lambda cells: base64.b64encode(hashlib.md5(f"{cells[0]};{cells[1]}".encode()).digest()).decode(),
    "with a name": lambda cells: f"sha256:{_sha256(f'{cells[1]}|{cells[0]}')}",
    "a number": lambda cells: zlib.crc32(f"{cells[0]},{cells[1]}".encode()),
    "capitals": lambda cells: f"{zlib.crc32(f'{cells[0]}={cells[1]}'.encode()):08X}",
    "a row with the answer": lambda cells: _sha256(",".join([cells[0], *cells[2:], cells[1]])),
    "another row with it": lambda cells: _sha256("|".join(cells)),
    "a pair": lambda cells: _sha256(f"({cells[0]!r}, {cells[1]!r})"),
}


def _with_manifest(world: World, form: Callable[[Cells], Any], answers: list[Any], *, with_ids: bool = True) -> World:
    ids = world.test[world.key].astype(str)
    rows = world.test.drop(columns=world.key).astype(str).to_numpy().tolist()
    hashes = [form([item, str(answer), *row]) for item, answer, row in zip(ids, answers, rows, strict=True)]
    frame = pd.DataFrame({"name": ids, "check": hashes}).sample(frac=1, random_state=1)
    frame = frame if with_ids else frame[["check"]]
    world.files = {"manifest.csv": frame.to_csv(index=False).encode()}
    return world


def _hashes(world: World) -> list[str]:
    return [found.where for found in searched(world, "hashed") if found.severity == "leak"]


@pytest.mark.parametrize("form", list(_FORMS))
@pytest.mark.parametrize("is_told", [True, False])
def test_hashes_of_items_with_their_answers(form: str, is_told: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=300)
    given = list(world.labels())
    # With the other answer a hash is that of a public row and says nothing of whoever made it.
    answers = given if is_told else ["of nobody"] * len(given)
    assert _hashes(_with_manifest(world, _FORMS[form], answers)) == ["manifest.csv: check"] * is_told


@pytest.mark.parametrize("family", ["multiclass", "regression"])
def test_hashes_without_ids_in_any_order(family: str, tmp_path: Path) -> None:
    world = make(tmp_path, family, 3, n=300)
    _with_manifest(world, _FORMS["id and answer"], list(world.labels()), with_ids=False)
    assert len(_hashes(world)) == 1


def _public_row(cells: Cells) -> str:
    return _sha256(",".join([cells[0], *cells[2:]]))


def _public_id(cells: Cells) -> str:
    return hashlib.md5(cells[0].encode()).hexdigest()[:8]


@pytest.mark.parametrize("form", [_public_row, _public_id, _json])
@pytest.mark.parametrize("with_ids", [True, False])
def test_hashes_of_what_is_public_are_no_leak(form: Callable[[Cells], str], with_ids: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=300)
    assert not _hashes(_with_manifest(world, form, [""] * len(world.test), with_ids=with_ids))


def test_of_many_short_codes_some_are_hashes_by_chance(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=300)
    codes = np.random.default_rng(3).permutation(90_000_000)[:250_000] + 10_000_000
    world.files = {"codes.csv": pd.DataFrame({"code": codes}).to_csv(index=False).encode()}
    assert not _hashes(world)
