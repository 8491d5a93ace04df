"""Small files appear whole or not at all, whoever else writes them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mlebench.files.writing import reserve, write_json


def test_threads_that_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: write_json(path, [number] * 2000), range(300)))
    assert len(set(json.loads(path.read_text()))) == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("size", [10, 100_000])
def test_reserved_room_is_used_up(size: int, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_json(path, "before")
    room = reserve(path, size)
    assert room.stat().st_size == size
    write_json(path, ["after"] * 100, room=room)
    assert json.loads(path.read_text()) == ["after"] * 100
    assert list(tmp_path.iterdir()) == [path]
