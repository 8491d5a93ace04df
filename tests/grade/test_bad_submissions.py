"""Files that are no submissions: each gets one short sentence of ours that says what is wrong."""

from __future__ import annotations

import math
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.competition.local import LocalCompetition
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grading import score_file
from mlebench.grade.reading import read_submission

HEADER = "PassengerId,Transported\n"
BOM = "\ufeff"
BAD: dict[str, tuple[bytes, str]] = {
    "a cell of the header beyond all bounds": (b"a" * 200_000 + b",b\n1,2\n", "has a cell of more than 100,000"),
    "an unclosed quote in the header": (b'"PassengerId,Transported\n' + b"1,2\n" * 60_000, "a quotation mark may not"),
    "an unclosed quote in a row": (HEADER.encode() + b'1,2\n"3,4\n', "a quotation mark that opens in row 2 is never"),
    "too many cells in a row": (HEADER.encode() + b"1,2\n3,4,5,6\n", "line 3 has 4 cells, but 2 are expected"),
    "records of JSON": (b'{"PassengerId": 1, "Transported": true}\n', "is JSON, not CSV"),
    "a list of JSON": (b'\n[\n {"id": 1}]', "is JSON, not CSV"),
    "a web page": (b"<!DOCTYPE html><html></html>", "is a web page"),
    "UTF-16": (HEADER.encode("utf-16"), "is UTF-16 text"),
    "UTF-16 without a mark": (HEADER.encode("utf-16-be"), "is UTF-16 text"),
    "UTF-32": (HEADER.encode("utf-32"), "is UTF-32 text"),
    "UTF-32, the other way round": (HEADER.encode("utf-32-be"), "is UTF-32 text"),
    "two byte order marks": ((BOM + BOM + HEADER).encode(), "begins with two byte order marks"),
    "commas at the end of the header": (b"PassengerId,Transported,,\n1,2,,\n", "has 2 columns without a name"),
    "escape sequences in the header": (b"\x1b[31ma,\x1b[31ma\n1,2\n", r"'\x1b[31ma' twice"),
    "nothing but a mark": (BOM.encode(), "nothing but blank lines"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_content(name: str, tmp_path: Path) -> None:
    content, expected = BAD[name]
    (tmp_path / "s.csv").write_bytes(content)
    refusal = refused(lambda: read_submission(tmp_path / "s.csv"))
    assert expected in refusal
    assert "C error" not in refusal


def refused(action: Callable[[], object]) -> str:
    with pytest.raises(InvalidSubmissionError) as error:
        action()
    message = str(error.value)
    assert len(message) <= 600
    assert message.isprintable()
    return message


def test_one_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(BOM + HEADER + "1,2\n", encoding="utf-8")
    assert list(read_submission(tmp_path / "s.csv").columns) == ["PassengerId", "Transported"]


def test_only_names_that_end_in_csv_are_graded(tmp_path: Path) -> None:
    """As published; and pandas would take a file for packed by the end of its name."""
    (tmp_path / "s.csv.zip").write_text(HEADER + "1,2\n")
    assert "does not end in .csv" in refused(lambda: read_submission(tmp_path / "s.csv.zip"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_what_is_no_regular_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)  # the path of a socket must be short
        listening.bind("socket")
        assert "is a socket, not" in refused(lambda: read_submission(tmp_path / "socket"))
    assert "is a named pipe, not" in refused(lambda: read_submission(tmp_path / "pipe"))
    assert "is a device, not" in refused(lambda: read_submission(Path("/dev/null")))
    assert "is a device, not" in refused(lambda: read_submission(Path("/dev/zero")))
    assert "is a folder, not" in refused(lambda: read_submission(tmp_path))


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "\ud800", "loop"], ids=["long", "null", "surrogate", "loop"])
def test_paths_that_no_file_has(path: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "There is no submission at" in refused(lambda: read_submission(tmp_path / path))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_a_pipe_that_takes_the_place_of_the_file(tmp_path: Path) -> None:
    """Whichever of both is opened, it is read or refused; nobody waits for a writer that never comes."""
    path, fresh = tmp_path / "s.csv", tmp_path / "fresh"
    path.write_text(HEADER + "1,2\n")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.mkfifo(fresh)
            fresh.replace(path)
            fresh.write_text(HEADER + "1,2\n")
            fresh.replace(path)

    thread = threading.Thread(target=swap, daemon=True)
    thread.start()
    outcomes = set()
    for _ in range(300):
        try:
            outcomes.add(len(read_submission(path)))
        except InvalidSubmissionError as error:
            outcomes.add("is a named pipe" in str(error))
    stop.set()
    thread.join()
    assert outcomes <= {1}


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    return prepared_twin("spaceship-titanic")


def changed(titanic: LocalCompetition, path: Path, change: Callable[[list[str]], list[str]]) -> str:
    lines = titanic.sample_submission.read_text().splitlines()
    path.write_text("\n".join(change(lines)) + "\n")
    return refused(lambda: score_file(path, titanic))


def test_a_comma_at_the_end_of_every_row(titanic: LocalCompetition, tmp_path: Path) -> None:
    message = changed(titanic, tmp_path / "s.csv", lambda lines: [lines[0], *(f"{line}," for line in lines[1:])])
    assert "the first line must name every column, and no row may end in a comma" in message


def test_an_id_of_30_digits(titanic: LocalCompetition, tmp_path: Path) -> None:
    """Python's int reads 0155_02 as 15502, and pandas 3 would do so with the whole column."""
    message = changed(titanic, tmp_path / "s.csv", lambda lines: [lines[0], "9" * 30 + ",True", *lines[2:]])
    assert f"has '{'9' * 30}', which the test set does not have" in message


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1", "9" * 30, "0155_02", ""], ["1", "9" * 30, "0155_02", None]),
        (["007", "-" + "9" * 30], ["007", "-" + "9" * 30]),
        (["", "9" * 30, "NA", "word"], [None, "9" * 30, None, "word"]),
        (["1e400", "2", "inf"], ["1e400", "2", "inf"]),
        (["inf", "+Infinity", "0.5"], [math.inf, math.inf, 0.5]),
        (["-1e400", "1"], [-math.inf, 1.0]),
        (["18446744073709551615", "1"], [18446744073709551615, 1]),
    ],
)
def test_numbers_beyond_all_bounds_are_text(cells: list[str], read: list[object], tmp_path: Path) -> None:
    """As in pandas 2, with the whole column; pandas 3 makes integers of Python's of them, or infinities."""
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["id,p", *(f"{number},{cell}" for number, cell in enumerate(cells))]) + "\n")
    found = read_submission(path)["p"].tolist()
    assert [None if each != each else each for each in found] == read


@pytest.mark.parametrize("cell", ["9" * 30, "1e400", "inf"])
def test_a_number_too_large_in_rows_longer_than_the_header(cell: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(f"id,p\n7,a,1\n8,b,{cell}\n")
    table = read_submission(tmp_path / "s.csv")
    assert table.index.tolist() == [7, 8]
    assert table["p"].tolist() == ([1.0, math.inf] if cell == "inf" else ["1", cell])


def test_values_beyond_all_bounds(titanic: LocalCompetition, tmp_path: Path) -> None:
    for value in ("9" * 5000, "x" * 100_000, "\x1b]0;title\x07", "a\u202eb"):
        message = changed(titanic, tmp_path / "s.csv", lambda lines, value=value: [*lines[:-1], f"{value},True"])  # type: ignore[misc]
        assert "\x1b" not in message
        message = changed(titanic, tmp_path / "s.csv", lambda lines, value=value: [*lines[:-1], f"0013_01,{value}"])  # type: ignore[misc]
        assert "\x1b" not in message


def test_many_long_columns(titanic: LocalCompetition, tmp_path: Path) -> None:
    header = ",".join(f"{'long' * 100}{number}" for number in range(500))
    (tmp_path / "s.csv").write_text(f"{header}\n")
    assert "lacks the columns PassengerId, Transported" in refused(lambda: score_file(tmp_path / "s.csv", titanic))
