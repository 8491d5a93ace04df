"""A table is cut into pieces of whole rows, or not at all: what threads parse is what one parser would."""

from __future__ import annotations

import io
from contextlib import nullcontext
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from pyarrow import csv

from mlebench.files import csv_reader
from mlebench.files.csv_pieces import Pieces, row_end

CELLS = st.text('ab,"\n\r 1', max_size=6)


def written(cell: str, quoted: bool) -> str:
    """A cell as a writer would write it, or as it stands."""
    return '"' + cell.replace('"', '""') + '"' if quoted else cell


TABLES = st.lists(st.lists(st.tuples(CELLS, st.booleans()), min_size=2, max_size=2), min_size=1, max_size=12).map(
    lambda rows: "\n".join(",".join(written(*cell) for cell in row) for row in rows) + "\n"
)


def parsed(stream: io.BytesIO) -> Any:
    """What the reader makes of a table of two columns of text; None where it refuses it."""
    try:
        batches = list(csv_reader.batches_of(stream, {"x": "string", "y": "string"}, rows=1))
    except ValueError:
        return None
    return [tuple(row) for batch in batches for row in batch.astype(object).where(batch.notna(), None).to_numpy()]


def whole(text: str) -> Any:
    """The same of one parser that sees everything at once."""
    options = csv.ReadOptions(column_names=["x", "y"], use_threads=False, block_size=1 << 20)
    kinds = {"x": pa.string(), "y": pa.string()}
    missing = csv.ConvertOptions(
        column_types=kinds, null_values=csv_reader.MISSING, strings_can_be_null=True, quoted_strings_can_be_null=True
    )
    try:
        table = csv.read_csv(io.BytesIO(text.encode()), options, csv.ParseOptions(newlines_in_values=True), missing)
    except pa.ArrowInvalid:
        return None
    return [tuple(row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize("size", [3, 16, 1 << 20])
@example(text=" \n,\n")  # a blank is a cell, and too few of them
@example(text="\n\n1,2\n")
@given(text=TABLES)
def test_pieces_are_parsed_as_the_whole(size: int, text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_reader, "_PIECE", size + 4)  # the header is in the first one
        assert parsed(io.BytesIO(b"x,y\n" + text.encode())) == whole(text)


@given(text=TABLES, size=st.integers(1, 20))
def test_nothing_is_lost_between_pieces(text: str, size: int) -> None:
    stream = io.BytesIO(b"x,y\n" + text.encode())
    table = Pieces(stream, size, 2)
    header = b"x,y\n" if table.has_header else b""
    assert header + b"".join(table) + table.rest.read() == stream.getvalue()


def test_a_mark_inside_of_a_cell_ends_the_cutting_and_not_the_table() -> None:
    rows = [f'{number},"a\n{number}"' for number in range(200)]
    rows[120] = '120,5" wide'
    table = Pieces(io.BytesIO("\n".join(["x,y", *rows, ""]).encode()), 64, 2)
    assert sum(piece.count(b"a") for piece in table) == 119  # the piece before the mark has one row more
    assert table.rest.read().count(b"a") == 80
    found = parsed(io.BytesIO("\n".join(["x,y", *rows, ""]).encode()))
    assert [row[0] for row in found] == [str(number) for number in range(200)]
    assert found[120][1] == '5" wide'


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (b"", 0),
        (b"1,a", 0),
        (b'"a""b\n', 0),
        (b'"a""b"\n1', 7),
        (b'"a"\r\n"b\n', 5),
        (b'a"b\n', None),
        (b'"a"b\n', None),
    ],
)
def test_where_the_last_row_ends(text: bytes, end: int | None) -> None:
    assert row_end(text) == end


@pytest.mark.parametrize("header", ["a,a", ",a", '"a\nb",c', "a,b,c", "\ufeffa,b"])
def test_a_header_is_read_as_pandas_reads_it_or_left_to_the_one_parser(header: str) -> None:
    cells = "1,2" if header.count(",") == 1 else "1,2,3"
    text = f"{header}\n{cells}\n{cells}\n".encode()
    expected = pd.read_csv(io.BytesIO(text))
    found = csv_reader.read_lean_csv(lambda: nullcontext(io.BytesIO(text)))
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.to_numpy().tolist() == expected.to_numpy().tolist()


@pytest.mark.parametrize("in_pieces", [False, True])
def test_texts_stay_in_the_pieces_that_they_were_read_in(in_pieces: bool) -> None:
    text = b"n,t\n" + b"".join(b"%d,text %d\n" % (number, number) for number in range(150_000))
    found = csv_reader.read_lean_csv(lambda: nullcontext(io.BytesIO(text)), in_pieces=in_pieces)
    assert (pa.Table.from_pandas(found)["t"].num_chunks > 1) == in_pieces
    assert_frame_equal(found, csv_reader.read_lean_csv(lambda: nullcontext(io.BytesIO(text))))
    expected = [[number, f"text {number}"] for number in range(150_000)]
    assert found.astype(object).to_numpy().tolist() == expected
