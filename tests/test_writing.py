"""Small files appear whole or not at all, whoever else writes them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mlebench.files.writing import write_json


def test_threads_that_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: write_json(path, [number] * 2000), range(300)))
    assert len(set(json.loads(path.read_text()))) == 1
    assert list(tmp_path.iterdir()) == [path]
