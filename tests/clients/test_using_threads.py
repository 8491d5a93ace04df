"""Many threads of one host process read and grade: one result, and the host's pandas stays as it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.competition.local import LocalCompetition
from mlebench.files.tables import plain_strings, read_csv, with_plain_strings
from mlebench.grade import grade_csv

TIMES = 300  # benchmarks/threads does it 10,000 times


def options() -> dict[str, object]:
    """The options of pandas that decide how text is inferred."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: pd.get_option(name) for name in ("future.infer_string", "mode.string_storage")}


@pytest.fixture(autouse=True)
def _untouched() -> object:
    before, filters = options(), list(warnings.filters)
    yield
    assert options() == before
    assert warnings.filters == filters


def test_a_service_reads_in_threads(titanic: LocalCompetition) -> None:
    path = titanic.public_dir / "train.csv"
    expected = read_csv(path)
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda _: read_csv(path), range(TIMES)))
    kinds = {tuple(map(str, [*table.dtypes, table.columns.dtype])) for table in tables}
    assert kinds == {tuple(map(str, [*expected.dtypes, expected.columns.dtype]))}
    assert "object" in next(iter(kinds))


def test_a_service_grades_in_threads(titanic: LocalCompetition) -> None:
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda _: grade_csv(titanic.sample_submission, titanic), range(TIMES)))
    assert {(report.score, report.raw_score, report.refusal) for report in reports} == {(0.375, 0.375, None)}


def test_a_service_prepares_in_threads(titanic: LocalCompetition, tmp_path: Path) -> None:
    """A preparation switches the option for the process, but the last one of several puts it back."""

    def prepare_in(number: int) -> bytes:
        titanic.prepare_fn(titanic.raw_dir, tmp_path / str(number) / "public", tmp_path / str(number) / "private")
        return (tmp_path / str(number) / "private" / "test.csv").read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(prepare_in, range(24))) == {titanic.answers.read_bytes()}


def test_blocks_that_overlap_leave_the_option_as_it_was() -> None:
    before = options()
    first, second = plain_strings(), plain_strings()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert pd.DataFrame({"a": ["x"]})["a"].dtype == object, "the second block still runs"
    second.__exit__(None, None, None)
    assert options() == before


CELLS = st.sampled_from(
    ["", "a", "b", "NA", "nan", "1", "2.5", "1e400", "True", "False", "007", " x", "é", "9" * 25, "2020-01-01", "inf"]
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=0, max_size=30))
def test_text_is_read_as_plain_objects_under_every_pandas(rows: list[tuple[str, str, str]]) -> None:
    """The same as pandas itself gives when it is told to infer no strings."""
    text = "\n".join(["a,b,c", *(",".join(row) for row in rows)]) + "\n"
    same_as_plain(text)


@pytest.mark.filterwarnings("ignore:Columns .* have mixed types")
@pytest.mark.parametrize(
    "text",
    [
        "a,b\n" + "".join(f"{number},x\n" for number in range(300_000)) + "word,y\n",  # read in several pieces
        "a,b\n" + "".join(f",{number}\n" for number in range(300_000)) + "word,5\n",
        "a,a\n1,x\n",
        ",b\n1,x\n",
        'a,b\n"x\ny","z, ""q"""\n',
        "a,b\nq,2,x\nr,4,y\n",
    ],
    ids=["late word", "late text", "names twice", "no name", "quotes", "index"],
)
def test_odd_tables_are_read_as_plain_objects_under_every_pandas(text: str) -> None:
    same_as_plain(text)


def same_as_plain(text: str) -> None:
    from io import BytesIO

    with plain_strings():
        expected = pd.read_csv(BytesIO(text.encode()))
    found = read_csv(BytesIO(text.encode()))
    pd.testing.assert_frame_equal(found, expected)
    for place in range(found.shape[1]):
        pairs = zip(found.iloc[:, place].tolist(), expected.iloc[:, place].tolist(), strict=True)
        assert all(type(left) is type(right) for left, right in pairs)


@pytest.mark.parametrize("make", [lambda: ["x", None] * 600, lambda: [f"x{number}" for number in range(1200)]])
def test_tables_of_the_host_become_plain(make: Callable[[], list[str | None]]) -> None:
    table = pd.DataFrame({"a": make(), "n": range(1200)}).set_index(pd.Index([f"r{i}" for i in range(1200)]))
    kinds = table.dtypes.tolist()
    plain = with_plain_strings(table)
    assert plain["a"].dtype == object
    assert (plain.columns.dtype, plain.index.dtype) == (object, object)
    assert plain["a"].isna().tolist() == table["a"].isna().tolist()
    assert table.dtypes.tolist() == kinds, "the host's own table is not changed"
