"""Rows kept on disk come back, in any order, exactly as pandas would write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlebench.files import csv_reader, rows, tables
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import RawFolder

CONTENT = 'key,price,count\na,4.50,1\n"b, c",0,2\nü,,3\nd,0.00001,4\ne,7,5\n'


@pytest.fixture(autouse=True, params=[0, 1 << 30], ids=["rows that do not fit into memory", "rows that do"])
def small_pieces(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(rows, "_FITS", request.param)
    monkeypatch.setattr(rows, "_STRETCH", 16)
    monkeypatch.setattr(rows, "_BLOCK", 16)
    monkeypatch.setattr(csv_reader, "_BLOCK", 4096)


@pytest.fixture
def raw(tmp_path: Path) -> RawFolder:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "table.csv").write_text(CONTENT, encoding="utf-8")
    return RawFolder(tmp_path / "raw")


def test_rows_are_written_as_pandas_writes_the_whole_table(raw: RawFolder, tmp_path: Path) -> None:
    order = np.array([3, 0, 4, 2, 1, 1])
    out = Output(tmp_path / "out")
    out.write_rows("rows.csv", raw.stored_rows("table.csv"), order)
    out.write_csv("pandas.csv", raw.read_csv("table.csv").iloc[order])
    assert (tmp_path / "out" / "rows.csv").read_bytes() == (tmp_path / "out" / "pandas.csv").read_bytes()


def test_rows_come_back_as_a_table(raw: RawFolder) -> None:
    stored = raw.stored_rows("table.csv")
    picked = stored.table(np.array([2, 1]))
    expected = raw.read_csv("table.csv").iloc[[2, 1]].reset_index(drop=True)
    assert len(stored) == 5
    assert picked.equals(expected)


def test_kept_columns_are_those_of_the_table(raw: RawFolder) -> None:
    stored = raw.stored_rows("table.csv", keep=["count", "key"])
    expected = raw.read_csv("table.csv")
    assert list(stored.kept) == ["count", "key"]
    assert stored.kept["count"].tolist() == expected["count"].tolist()
    assert stored.kept["key"].tolist() == expected["key"].tolist()


def test_no_rows_are_a_header(raw: RawFolder, tmp_path: Path) -> None:
    Output(tmp_path / "out").write_rows("none.csv", raw.stored_rows("table.csv"), np.array([], dtype=np.int64))
    assert (tmp_path / "out" / "none.csv").read_text() == "key,price,count\n"


def test_the_scratch_file_is_not_seen(raw: RawFolder) -> None:
    stored = raw.stored_rows("table.csv")
    assert len(stored) == 5
    assert raw.names() == ["table.csv"]


def test_line_breaks_inside_cells_are_kept(raw: RawFolder, tmp_path: Path) -> None:
    frame = raw.read_csv("table.csv").assign(key=["two\nlines", "b", 'quoted "c"', "d", "\n"])
    tables.write_csv(tmp_path / "raw" / "broken.csv", frame)
    frame = raw.read_csv("broken.csv")
    stored, order = raw.stored_rows("broken.csv"), np.array([4, 0, 2, 1, 3])
    assert stored.table(order).equals(frame.iloc[order].reset_index(drop=True))


@pytest.mark.parametrize(
    ("first", "last"),
    [("1", "2.5"), ("1", "70000"), ("1", ""), ("1", "word"), ("2.5", "word"), ("True", "word"), ("1", "True")],
)
def test_a_late_row_widens_its_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, last: str) -> None:
    monkeypatch.setattr(rows, "_BLOCK", 1 << 12)
    content = "key,x\n" + f"a,{first}\n" * 3000 + f"z,{last}\n"
    (tmp_path / "table.csv").write_text(content)
    raw, out = RawFolder(tmp_path), Output(tmp_path / "out")
    frame = raw.read_csv("table.csv", low_memory=False)
    rows_of_both = raw.stored_rows("table.csv")
    order = np.random.default_rng(0).permutation(len(frame))
    out.write_rows("rows.csv", rows_of_both, order)
    out.write_csv("lean.csv", raw.read_csv("table.csv", lean=True).iloc[order])
    out.write_csv("pandas.csv", frame.iloc[order])
    expected = (tmp_path / "out" / "pandas.csv").read_bytes()
    assert (tmp_path / "out" / "rows.csv").read_bytes() == expected
    assert (tmp_path / "out" / "lean.csv").read_bytes() == expected


def test_kept_columns_of_many_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "_BATCH_ROWS", 100)
    days = [f"2020-01-{1 + number // 200:02d}" for number in range(3000)]
    numbers = [*range(2999), "2.5"]  # the last one widens the column, and reading begins again
    content = "day,x\n" + "".join(f"{day},{number}\n" for day, number in zip(days, numbers, strict=True))
    (tmp_path / "table.csv").write_text(content)
    kept = RawFolder(tmp_path).stored_rows("table.csv", keep=["day", "x"]).kept
    assert kept["day"].tolist() == days
    assert kept["x"].tolist() == [*range(2999), 2.5]
    assert kept["day"].memory_usage(index=False) < 10 * len(days)
