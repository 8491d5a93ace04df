"""What a replay does with somebody's code before a sandbox holds it has one budget: seconds, bytes and members."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import shutil
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from graded import write_group

from mlebench.results.groups import open_group
from mlebench.results.records import RunRecord
from mlebench.runs.collect import Bounds
from mlebench.score.budget import CodeBudget, OverBudgetError
from mlebench.score.copies import Search, copy_code, remove_copies, same_content
from mlebench.score.declared import environment

ROWS = "id,target\n" + "".join(f"{number},{number / 7}\n" for number in range(1000))
SMALL = 64 << 20  # bytes to unpack: the bounds are the same at any size


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """(the code, the submission)"""
    (tmp_path / "code").mkdir()
    (tmp_path / "submission.csv").write_text(ROWS)
    return tmp_path / "code", tmp_path / "submission.csv"


def bomb(path: Path, size: int, content: bytes = b"\n") -> None:
    """A compressed file that unpacks to so many bytes."""
    block = content * ((1 << 20) // len(content))
    with lzma.open(path, "wb", preset=0) as file:
        for _ in range(size >> 20):
            file.write(block)


def archive_bomb(path: Path, size: int, content: bytes = b"\n") -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(4):
            archive.writestr(str(number), content * (size // 4 // len(content)))


@pytest.mark.parametrize("make", [bomb, archive_bomb])
def test_what_unpacks_to_too_much_is_taken_away(make: Callable[[Path, int], None], places: tuple[Path, Path]) -> None:
    code, submission = places
    make(code / "bomb", 2 * SMALL)
    (code / "solve.py").write_text("print(1)\n")
    packed = (code / "bomb").stat().st_size
    budget = CodeBudget(unpacked=SMALL)
    assert remove_copies(code, submission, budget).removed == ("bomb",)
    assert packed < 1 << 20
    assert budget.unpacked > -(16 << 20), "no more than one block beyond"
    assert [path.name for path in code.iterdir()] == ["solve.py"]


def test_all_files_share_one_budget(places: tuple[Path, Path]) -> None:
    """Behind bombs no copy is kept, and small files are searched before large ones."""
    code, submission = places
    bomb(code / "bomb", 2 * SMALL)
    for number in range(5):
        shutil.copy(code / "bomb", code / f"bomb-{number}")
    (code / "a-copy").write_text(ROWS)
    (code / "z.gz").write_bytes(gzip.compress((ROWS * 9).encode() + os.urandom(1 << 20)))
    budget = CodeBudget(unpacked=SMALL)
    removed = remove_copies(code, submission, budget).removed
    assert removed == ("a-copy", "bomb", *(f"bomb-{number}" for number in range(5)), "z.gz")
    assert budget.unpacked > -16 * (16 << 20)


def test_rows_among_much_else_are_searched_for_within_the_budget(places: tuple[Path, Path]) -> None:
    code, submission = places
    half = ROWS[: len(ROWS) // 2].encode()
    bomb(code / "half", SMALL, half)
    budget = CodeBudget(unpacked=4 * SMALL)
    assert remove_copies(code, submission, budget) == Search(), "half of the rows are no copy"
    assert budget.unpacked > 0


def test_plain_files_that_were_not_searched_are_counted(places: tuple[Path, Path]) -> None:
    code, submission = places
    (code / "small").write_text(ROWS)
    (code / "large").write_bytes(os.urandom(1 << 20))
    search = remove_copies(code, submission, CodeBudget(bytes=500_000))
    assert search == Search(("small",), 1)
    assert str(search) == (
        "the code held a copy of the submission, which was taken away (small); "
        "1 files of the code were not searched for copies of the submission"
    )
    assert str(remove_copies(code, submission, CodeBudget(seconds=-1))) == (
        "1 files of the code were not searched for copies of the submission"
    )


def test_an_archive_with_many_members(places: tuple[Path, Path]) -> None:
    code, submission = places
    with zipfile.ZipFile(code / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(300):
            archive.writestr(str(number), b"x" * 100)
    assert remove_copies(code, submission, CodeBudget(members=300)) == Search()
    assert remove_copies(code, submission, CodeBudget(members=299)).removed == ("many.zip",)


def test_a_list_of_members_beyond_all_bounds(places: tuple[Path, Path]) -> None:
    """It is not read: a list of 4 GB would have to be in memory."""
    code, submission = places
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a", "b")
    end = bytearray(content.getvalue()[-22:])
    end[12:16] = (64 << 20).to_bytes(4, "little")
    with (code / "long.zip").open("wb") as file:
        file.truncate(64 << 20)
        file.seek(0, os.SEEK_END)
        file.write(end)
    tracemalloc.start()
    assert remove_copies(code, submission).removed == ("long.zip",)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 50 << 20


def test_a_copy_across_the_border_of_two_blocks(places: tuple[Path, Path]) -> None:
    code, submission = places
    submission.write_text("id,target\n1,0.123456789\n")
    for before in range((8 << 20) - 20, (8 << 20), 3):
        (code / "kept").write_bytes(b"x" * before + b"\n1,0.123456789\n")
        assert remove_copies(code, submission).removed == ("kept",)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_large_submissions_are_not_read_whole(share: float, places: tuple[Path, Path]) -> None:
    code, submission = places
    rows = [b"%d,%d\n" % (number, number * 7919 % 1000) for number in range(2_500_000)]
    submission.write_bytes(b"id,target\n" + b"".join(rows))
    (code / "kept").write_bytes(b"".join(rows[: int(share * len(rows))]))
    del rows
    assert submission.stat().st_size > 25 << 20
    tracemalloc.start()
    search = remove_copies(code, submission)
    same = same_content(submission, submission)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert same
    assert search.removed == (("kept",) if share == 1 else ())
    assert most < 48 << 20


def test_submissions_are_compared_in_blocks(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(bytes(20 << 20))
    other.write_bytes(bytes(20 << 20))
    assert same_content(one, other)
    with other.open("r+b") as file:
        file.seek(17 << 20)
        file.write(b"x")
    assert not same_content(one, other)
    other.write_bytes(b"")
    assert not same_content(one, other)


def test_code_is_copied_within_the_budget(tmp_path: Path) -> None:
    code = tmp_path / "code"
    (code / "below").mkdir(parents=True)
    (code / "solve.sh").write_text("true\n")
    (code / "solve.sh").chmod(0o755)
    (code / "below" / "data").write_bytes(b"1" * 1000)
    (code / "link").symlink_to("/etc/passwd")
    os.mkfifo(code / "pipe")
    copy_code(code, tmp_path / "copy", CodeBudget())
    found = sorted(path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*"))
    assert found == ["below", "below/data", "solve.sh"]
    assert os.access(tmp_path / "copy" / "solve.sh", os.X_OK)
    for number, budget in enumerate([CodeBudget(bytes=1000), CodeBudget(members=4), CodeBudget(seconds=-1)]):
        with pytest.raises(OverBudgetError):
            copy_code(code, tmp_path / f"copy-{number}", budget)
    with (code / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OverBudgetError, match="too many bytes"):
        copy_code(code, tmp_path / "copy-of-sparse", CodeBudget())
    deep = tmp_path / "deep"
    Path(deep, *["d"] * 100).mkdir(parents=True)
    with pytest.raises(OverBudgetError, match="nested too deep"):
        copy_code(deep, tmp_path / "copy-of-deep", CodeBudget())


@pytest.mark.parametrize("kind", ["large", "many", "deep"])
def test_code_from_elsewhere_is_hashed_within_bounds(kind: str, tmp_path: Path) -> None:
    def leaves_code(folder: Path, _: RunRecord) -> None:
        (folder / "code" / "main.py").write_text("print(1)\n")

    (run,) = open_group(write_group(tmp_path / "group", ["leaf-classification"], left=leaves_code)).runs
    assert environment(run)[0]
    bounds = Bounds(entries=20)
    if kind == "large":
        with (run.code / "sparse").open("wb") as file:
            file.truncate(bounds.total_bytes + 1)
    elif kind == "deep":
        Path(run.code, *["d"] * bounds.depth).mkdir(parents=True)
    else:
        for number in range(bounds.entries):
            (run.code / str(number)).touch()
    assert environment(run, bounds) == (False, "code/ has more than is collected of a run")
