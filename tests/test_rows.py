"""Rows kept on disk come back, in any order, exactly as pandas would write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlebench.data import rows, tables
from mlebench.data.folders import OutputFolder, RawFolder
from mlebench.errors import PreparationError

CONTENT = 'key,price,count\na,4.50,1\n"b, c",0,2\nü,,3\nd,0.00001,4\ne,7,5\n'
KINDS = {"price": float}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_READ", 2)
    monkeypatch.setattr(rows, "_PICKED", 2)


@pytest.fixture
def raw(tmp_path: Path) -> RawFolder:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "table.csv").write_text(CONTENT, encoding="utf-8")
    return RawFolder(tmp_path / "raw")


def test_rows_are_written_as_pandas_writes_the_whole_table(raw: RawFolder, tmp_path: Path) -> None:
    order = np.array([3, 0, 4, 2, 1, 1])
    out = OutputFolder(tmp_path / "out")
    out.write_rows("rows.csv", raw.stored_rows("table.csv", dtype=KINDS), order)
    out.write_csv("pandas.csv", raw.read_csv("table.csv").iloc[order])
    assert (tmp_path / "out" / "rows.csv").read_bytes() == (tmp_path / "out" / "pandas.csv").read_bytes()


def test_rows_come_back_as_a_table(raw: RawFolder) -> None:
    stored = raw.stored_rows("table.csv", dtype=KINDS)
    picked = stored.table(np.array([2, 1]))
    expected = raw.read_csv("table.csv").iloc[[2, 1]].reset_index(drop=True)
    assert len(stored) == 5
    assert picked.equals(expected)


def test_no_rows_are_a_header(raw: RawFolder, tmp_path: Path) -> None:
    OutputFolder(tmp_path / "out").write_rows("none.csv", raw.stored_rows("table.csv"), np.array([], dtype=np.int64))
    assert (tmp_path / "out" / "none.csv").read_text() == "key,price,count\n"


def test_the_scratch_file_is_not_seen(raw: RawFolder) -> None:
    stored = raw.stored_rows("table.csv", dtype=KINDS)
    assert len(stored) == 5
    assert raw.names() == ["table.csv"]


def test_line_breaks_inside_cells_are_refused(raw: RawFolder, tmp_path: Path) -> None:
    tables.write_csv(tmp_path / "raw" / "broken.csv", raw.read_csv("table.csv").assign(key="two\nlines"))
    with pytest.raises(PreparationError, match="line breaks"):
        raw.stored_rows("broken.csv")


def test_a_column_of_another_kind_is_refused(raw: RawFolder) -> None:
    with pytest.raises(PreparationError, match="cannot be read as CSV"):
        raw.stored_rows("table.csv", dtype={"price": int})
