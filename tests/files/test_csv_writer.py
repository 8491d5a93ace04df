"""The fast CSV writer gives the bytes of pandas, whatever is in the table."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from mlebench.files import csv_writer, tables


def both(frame: pd.DataFrame, **options: Any) -> tuple[bytes, bytes]:
    fast = io.BytesIO()
    csv_writer.write(fast, frame, **options)
    return fast.getvalue(), frame.to_csv(index=False, **options).encode()


def quotes_carriage_returns() -> bool:
    """Whether this Python quotes a lone carriage return, as some of 3.12 and all later ones do."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerow(["\r", ""])
    return '"' in file.getvalue()


# The published files and this writer do not quote it.
NOT_COMPARED = "\x00\r" if quotes_carriage_returns() else "\x00"
texts = st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_characters=NOT_COMPARED), max_size=6))
awkward = st.sampled_from(["", '"', ",", "a\nb", "a\r\nb", " x ", "NA", '""', "'", "é", "\n", "a,b", "\t"])
columns = st.one_of(
    st.lists(st.floats(), min_size=30, max_size=30),
    st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 2)), min_size=30, max_size=30),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=30, max_size=30),
    st.lists(st.booleans(), min_size=30, max_size=30),
    st.lists(texts | awkward, min_size=30, max_size=30).map(lambda cells: np.array(cells, dtype=object)),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(columns, min_size=2, max_size=4), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]))
def test_same_bytes_as_pandas(cells: list[Any], quoting: int) -> None:
    frame = pd.DataFrame({f"c,{place}": values for place, values in enumerate(cells)})
    fast, slow = both(frame, quoting=quoting)
    assert fast == slow


@settings(max_examples=60, deadline=None)
@given(st.data(), st.lists(columns, min_size=2, max_size=4), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]))
def test_some_rows_are_written_as_if_they_were_all(data: st.DataObject, cells: list[Any], quoting: int) -> None:
    """Also where text is Arrow's, in pieces that begin elsewhere than the batches do, some of which are left out."""
    frame = pd.DataFrame({f"c{place}": values for place, values in enumerate(cells)})
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=30, max_size=30)))
    border = data.draw(st.integers(0, 30))
    for name in frame.columns:
        if frame[name].dtype == object and set(map(type, frame[name])) <= {str, type(None)}:
            texts = pa.array(frame[name], pa.string())
            pieces = pa.chunked_array([texts[:border], texts[border:]])
            frame[name] = pd.arrays.ArrowExtensionArray(pieces)
    some = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_writer, "_BATCH_ROWS", data.draw(st.integers(1, 12)))
        csv_writer.write(some, frame, rows=mask, quoting=quoting)
    all_of_them = io.BytesIO()
    csv_writer.write(all_of_them, frame[mask], quoting=quoting)
    assert some.getvalue() == all_of_them.getvalue()
    assert_frame_equal(tables.rows_where(frame, mask), frame[mask].reset_index(drop=True))


@pytest.mark.parametrize("count", [10, 30_000])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.zip"])
def test_some_rows_of_tables_of_any_size(count: int, name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": np.arange(count), "b": "x"})
    mask = np.arange(count) % 3 == 0
    tables.write_csv(tmp_path / name, frame, rows=mask)
    assert_frame_equal(tables.read_csv(tmp_path / name), tables.with_plain_strings(frame[mask].reset_index(drop=True)))


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), texts.map(lambda text: text or "")), min_size=1))
def test_cells_are_joined(rows: list[tuple[int, str]]) -> None:
    frame = pd.DataFrame(rows, columns=["number", "text"], index=range(5, 5 + len(rows)))
    joined = tables.joined_cells([frame["number"], frame["text"]], "_")
    assert joined.tolist() == [f"{number}_{text}" for number, text in rows]
    assert joined.index.equals(frame.index)


EDGES = [0, 1, 9, 10, 99, 100, 999, 1000, 1001, 9999, 999_999, 1_000_000, 1_000_999, 999_000_000, 999_999_999, 10**9]
edges = st.sampled_from(EDGES) | st.sampled_from(EDGES).map(lambda number: -number)
INTEGERS = {
    "digits": (st.integers(0, 9), np.int8),
    "narrow": (st.integers(-128, 127), np.int8),
    "bytes": (st.integers(0, 255), np.uint8),
    "words": (st.integers(-(2**15), 2**15 - 1), np.int16),
    "edges": (edges, np.int64),
    "unsigned": (st.integers(0, 2**64 - 1) | st.sampled_from(EDGES), np.uint64),
    "least": (st.sampled_from([-(2**63), 0, 5]), np.int64),
    "texts": (st.sampled_from(["a", "b,c", ""]), object),
}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(INTEGERS)), min_size=2, max_size=7),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    st.data(),
)
def test_same_bytes_for_all_kinds_of_whole_numbers(kinds: list[str], quoting: int, data: st.DataObject) -> None:
    cells = {}
    for place, kind in enumerate(kinds):
        values, dtype = INTEGERS[kind]
        cells[f"c{place}"] = np.array(data.draw(st.lists(values, min_size=6, max_size=6)), dtype=dtype)
    fast, slow = both(pd.DataFrame(cells), quoting=quoting)
    assert fast == slow


def test_digits_of_two_kinds_beside_each_other() -> None:
    fast, slow = both(pd.DataFrame({"a": np.array([1, 2], np.uint8), "b": np.array([3, 4], np.uint64)}))
    assert fast == slow


def test_rows_end_where_they_are_said_to_end() -> None:
    rows = pd.DataFrame({"a": [1, -20, 3000], "b": [7, 8, 1_000_007], "c": ["x", "y,z", None]})
    for frame in (rows, rows[["a", "b"]], rows[["c", "a"]]):
        done = csv_writer.lines(frame)
        starts = [0, *done.ends[:-1]]
        texts = [bytes(done.text)[start:end] for start, end in zip(starts, done.ends, strict=True)]
        assert texts == frame.to_csv(index=False).encode().splitlines(keepends=True)[1:]


def test_a_quote_in_rows_that_are_not_written_changes_nothing() -> None:
    rows = pd.DataFrame({"a": ['"', "x", "y"], "b": [1, 2, 3]}).convert_dtypes(dtype_backend="pyarrow")
    assert bytes(csv_writer.lines(rows.iloc[1:]).text) == b"x,2\ny,3\n"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([None, "%.10g", "%.3f"]))
def test_same_bytes_for_all_kinds_of_floats(seed: int, float_format: str | None) -> None:
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, 2000, dtype=np.uint64).view(np.float64)
    spread = rng.normal(size=2000) * 10.0 ** rng.integers(-12, 20, 2000)
    whole = rng.integers(-(10**12), 10**12, 2000).astype(float)
    few = rng.choice([0.0, -0.0, 1.5, np.nan, 1e-7, 1e20], 2000)
    frame = pd.DataFrame({"bits": bits, "spread": spread, "whole": whole, "few": few})
    fast, slow = both(frame, float_format=float_format)
    assert fast == slow


def test_many_batches() -> None:
    n = 200_001
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": [f"row {i}" for i in range(n)],
            "x": rng.choice([0.1, 0.25, 1 / 3], n),
            "y": rng.normal(size=n),
            "small": rng.integers(0, 2, n).astype(np.int8),
        }
    )
    assert csv_writer.can_write(frame, {"index": False})
    fast, slow = both(frame)
    assert fast == slow
    arrow = frame.assign(id=frame["id"].astype("string[pyarrow]")).sample(frac=1, random_state=0)
    assert csv_writer.can_write(arrow, {"index": False})
    fast, slow = both(arrow)
    assert fast == slow


@pytest.mark.parametrize(
    "column",
    [
        [1, "a"] * 20_000,
        [None, True] * 20_000,
        pd.Categorical(["a", "b"] * 20_000),
        pd.date_range("2020", periods=40_000, freq="s"),
        np.arange(40_000, dtype=np.float32) / 3,
        np.arange(40_000) * 1j,
    ],
)
def test_unusual_columns_are_left_to_pandas(column: Any) -> None:
    frame = pd.DataFrame({"a": column, "b": 1})
    assert not csv_writer.can_write(frame, {"index": False})


@pytest.mark.parametrize("float_format", ["%.1f, about", "{:.3f}", str, "%s"])
def test_unusual_formats_are_left_to_pandas(float_format: Any) -> None:
    frame = pd.DataFrame({"a": np.arange(40_000) / 3, "b": 1})
    assert not csv_writer.can_write(frame, {"index": False, "float_format": float_format})
    assert csv_writer.can_write(frame, {"index": False, "float_format": "%.10g"})


def test_write_csv_takes_the_fast_way_with_the_same_result(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"id": [f"{i}" for i in range(30_000)], "value": np.linspace(0, 1, 30_000)})
    tables.write_csv(tmp_path / "fast.csv", frame)
    tables.write_csv(tmp_path / "zipped.csv.zip", frame)
    monkeypatch.setattr(csv_writer, "can_write", lambda *_: False)
    tables.write_csv(tmp_path / "slow.csv", frame)
    assert (tmp_path / "fast.csv").read_bytes() == (tmp_path / "slow.csv").read_bytes()
    assert pd.read_csv(tmp_path / "zipped.csv.zip").equals(pd.read_csv(tmp_path / "slow.csv"))
