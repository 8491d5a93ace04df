"""Preparing a competition in a process of its own, measured; and whether doing it again gives the same bytes.

    python -m mlebench.checking.preparing REQUEST ANSWER

REQUEST says as JSON what to prepare and where to; ANSWER says what became of it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mlebench.base.author_code import author_errors, place_of
from mlebench.base.processes import end_with, keep_to
from mlebench.competition.checks import Problem, at_place, placed
from mlebench.competition.loading import load_folder
from mlebench.competition.local import LocalCompetition
from mlebench.competition.vocabulary import Edition
from mlebench.data.prepare import build
from mlebench.errors import MlebenchError, PreparationError
from mlebench.files.raw_files import RawArchive, RawFolder
from mlebench.files.zip_reader import ZipReader

# What may differ from machine to machine and from day to day, and must not change a byte.
CIRCUMSTANCES: tuple[dict[str, str], ...] = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "processes": "2"},
    {"PYTHONHASHSEED": "2", "TZ": "Asia/Kathmandu", "processes": "1"},
)


@dataclass(frozen=True)
class Request:
    """What to prepare: the competition in a folder, from an archive or from what it writes itself, and where to."""

    folder: str
    edition: Edition
    archive: str | None
    target: str
    processes: int
    parent: int


@dataclass(frozen=True)
class Prepared:
    """How long a preparation took and how much memory it held at most, or what went wrong."""

    seconds: float
    peak_bytes: int
    problem: str | None = None
    place: str | None = None


def prepare_elsewhere(
    competition: LocalCompetition, archive: Path | None, target: Path, circumstances: dict[str, str]
) -> Prepared:
    """Prepare into a folder, in another process; what the author's code prints is left out."""
    target.mkdir(parents=True)
    request, answer = target.with_name(f"{target.name}.request"), target.with_name(f"{target.name}.answer")
    processes = int(circumstances["processes"])
    folder, raw = str(competition.declaration.folder.resolve()), str(archive) if archive else None
    asked = Request(folder, competition.edition, raw, str(target), processes, os.getpid())
    request.write_text(json.dumps(asdict(asked)), encoding="utf-8")
    command = [sys.executable, "-m", "mlebench.checking.preparing", str(request), str(answer)]
    environment = os.environ | {name: value for name, value in circumstances.items() if name.isupper()}
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
    if not answer.is_file():
        last_line = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        return Prepared(0.0, 0, f"The preparation of {competition.id} ended with code {done.returncode}: {last_line}.")
    return Prepared(**json.loads(answer.read_text(encoding="utf-8")))


def _prepare(request: Request) -> Prepared:
    competition = LocalCompetition(load_folder(Path(request.folder)), Path(request.target), request.edition)
    target = Path(request.target)
    raw_dir = target / "raw"
    raw_dir.mkdir()
    _load("pandas", "pyarrow.csv")  # which takes longer than many a preparation, and does not grow with the data
    started = time.perf_counter()
    try:
        if request.archive is None:
            write_raw = competition.declaration.raw_fn
            assert write_raw is not None
            with author_errors(f"Writing the raw data of {competition.id}", write_raw, kind=PreparationError):
                write_raw(raw_dir)
            build(competition, RawFolder(raw_dir), target)
        else:
            build(competition, RawArchive(ZipReader(Path(request.archive)), raw_dir), target)
    except (MlebenchError, OSError) as error:
        cause = error.__cause__ or error
        place = place_of(cause, competition.declaration.prepare_fn(competition.edition))
        return Prepared(time.perf_counter() - started, _peak(), str(error), place)
    finally:
        shutil.rmtree(raw_dir, ignore_errors=True)
    return Prepared(time.perf_counter() - started, _peak())


def _load(*modules: str) -> None:
    for module in modules:
        importlib.import_module(module)


def _peak() -> int:
    """The most memory that this process had, in bytes."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def preparation_problem(prepared: Prepared, competition: LocalCompetition) -> list[Problem]:
    """What an author is told about a preparation that failed."""
    if prepared.problem is None:
        return []
    file = competition.declaration.folder / "competition.py"
    found = placed(prepared.problem, "Correct the preparation, or the raw data.", file, r"\.prepare\b")
    if prepared.place is not None:
        place, line = at_place(prepared.place)
        found = replace(found, file=place, line=line)
    return [found]


def differing(one: Path, other: Path) -> list[str]:
    """The files of two folders of prepared data that are not the same, byte for byte."""
    left, right = _sums(one), _sums(other)
    return sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))


def _sums(folder: Path) -> dict[str, bytes]:
    sums = {}
    for path in (found for found in folder.rglob("*") if found.is_file()):
        with path.open("rb") as file:
            sums[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").digest()
    return sums


def main(request: str, answer: str) -> None:
    """Prepare what is asked for and write down what became of it."""
    asked = Request(**json.loads(Path(request).read_text(encoding="utf-8")))
    end_with(asked.parent)
    keep_to(asked.processes)
    Path(answer).write_text(json.dumps(asdict(_prepare(asked))), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
