"""Tables whose bytes are passed on are what reading and writing them would give, whatever is in them."""

from __future__ import annotations

import io
import tempfile
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlebench.files import csv_plain, rows
from mlebench.files.csv_plain import NotPlainError, plain_lines, row_ends
from mlebench.files.csv_reader import MISSING
from mlebench.files.rows import StoredRows
from mlebench.files.source import InMemory

USUAL = st.integers(-1100, 1100).map(str)
ODD = [
    "-0", "007", "-07", "+7", "1e5", "0x1F", "9" * 18, "9" * 19, "-" + "9" * 18, str(2**63 - 1), str(2**63), " 7", "7 ",
    "7:8", "7/8", "1_000", "-", "--7", "7-", "1.0", "-0.0", "1.50", "1e-05", "0.30000000000000004", "inf", "True", "a",
    "ü", "\ufeff1", '"7"', '"7,8"', '"7\n8"', '"a""b"', '""', '7"', "7\r8", "\x0b", "7\0", *MISSING,
]  # fmt: skip


def columns(count: int) -> st.SearchStrategy[list[list[str]]]:
    """Cells of some columns: all of them usual ones, or one in some places odd."""
    cell = st.sampled_from(ODD) | USUAL
    plain = st.lists(USUAL, min_size=count, max_size=count)
    odd = st.lists(cell, min_size=count, max_size=count)
    return st.lists(plain, min_size=1, max_size=4) | st.lists(plain | odd, min_size=1, max_size=4)


def stored(content: bytes, *, plain: bool) -> Any:
    """What is stored of a table: header, rows and how long each is; or what is wrong with it."""

    def no_lines(*_: Any) -> Any:
        raise NotPlainError

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(rows, "plain_lines", plain_lines if plain else no_lines),
        mock.patch.object(csv_plain, "_BLOCK", 64),
        mock.patch.object(csv_plain, "_PIECE", 32),
    ):
        try:
            found = StoredRows(InMemory(content), Path(folder))
        except (ValueError, KeyError, StopIteration) as error:
            return type(error)
        written = io.BytesIO()
        found.write(written, np.arange(len(found)))
        return written.getvalue(), np.diff(found._ends).tolist()


@settings(max_examples=400, deadline=None)
@given(
    st.integers(1, 8).flatmap(columns),
    st.sampled_from(["\n", "\n", "\n", "\r\n"]),
    st.sampled_from(["", "", "", "\ufeff"]),
    st.sampled_from(["\n", "\n", "", "\n\n", "\n,\n", "\n1,2,3,4,5,6\n"]),
)
def test_any_table_is_stored_as_if_it_had_been_parsed(
    cells: list[list[str]], newline: str, mark: str, last: str
) -> None:
    names = [f"c{number}" for number in range(len(cells))]
    lines = [",".join(row) for row in [names, *zip(*cells, strict=True)]]
    content = (mark + newline.join(lines) + last.replace("\n", newline)).encode()
    assert stored(content, plain=True) == stored(content, plain=False)


@pytest.mark.parametrize("late", ["007", "", "NA", "2.5", "word", '"7"', str(2**63)])
def test_a_late_cell_that_is_not_plain_changes_nothing_but_the_way(late: str) -> None:
    content = "a,b\n" + "1,2\n" * 1100 + f"3,{late}\n"
    assert stored(content.encode(), plain=True) == stored(content.encode(), plain=False)


def is_plain(cell: str) -> bool:
    """Whether a cell, first or last in its row, is taken for a plain whole number."""
    judgements = []
    for row in (f"{cell},1\n", f"1,{cell}\n"):
        try:
            judgements.append(len(row_ends(f"5,6\n{row}".encode(), 2)) == 2)
        except NotPlainError:
            judgements.append(False)
    assert len(set(judgements)) == 1
    return judgements[0]


def test_the_short_cells_that_are_passed_on_are_those_that_are_written_so() -> None:
    short = ["".join(characters) for size in range(5) for characters in product("0-59+. ex", repeat=size)]
    written = {str(number) for number in range(-999, 10000)}
    assert {cell for cell in short if is_plain(cell)} == written.intersection(short)


def test_no_odd_cell_is_passed_on() -> None:
    assert [cell for cell in ODD if is_plain(cell) and str(int(cell)) != cell] == []
    assert [cell for cell in ODD if is_plain(cell)] == ["9" * 18]


@pytest.mark.parametrize("text", [b"1\n", b"1,2,3\n", b"1,2\n\n", b"1\n2,3,4\n", b"1\n2\n", b"\n\n", b"1,2,3\n4\n"])
def test_rows_of_another_length_are_left_to_a_parser(text: bytes) -> None:
    with pytest.raises(NotPlainError):
        row_ends(b"5,6\n" + text + b"7,8\n", 2)


def test_plain_rows_are_passed_on() -> None:
    lines = list(plain_lines(io.BytesIO(b"a,b\n1,-2\n30,0\n5,6"), {"a": "int64", "b": "int64"}))
    assert b"".join(part.text for part in lines) == b"1,-2\n30,0\n5,6\n"
    assert [part.ends.tolist() for part in lines] == [[5, 10], [4]]


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        (b"a,c\n1,2\n", {"a": "int64", "b": "int64"}),
        (b"a,b\n1,2\n", {"a": "int64", "b": "string"}),
        (b"a,b\n1,2\n", {"a": "int64", "b": "float64"}),
        (b"a\n1\n", {"a": "int64"}),
    ],
)
def test_other_tables_are_left_to_a_parser(content: bytes, kinds: dict[str, str]) -> None:
    with pytest.raises(NotPlainError):
        plain_lines(io.BytesIO(content), kinds)
