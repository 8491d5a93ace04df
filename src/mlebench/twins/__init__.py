"""Twins: synthetic raw archives that have the shape of the real ones, so that everything can be tried without them.

A twin module has two functions:

    def make(raw: Path, seed: int, scale: int) -> None
        writes the raw files into a folder; `scale` multiplies the number of rows or files
    def submissions(prepared: Path, seed: int) -> Iterator[Example]
        yields submissions, good and broken ones, for data prepared from that raw archive

The second is usually a declaration, `submissions = Submissions(…)` of `mlebench.twins.kit.submissions`, which knows the
usual ones.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mlebench.base import progress
from mlebench.base.author_code import author_errors
from mlebench.competition.loading import BUILT_IN, load_module, module_name
from mlebench.competition.local import LocalCompetition
from mlebench.data.raw_archives import twin_comment
from mlebench.data.record import Twin
from mlebench.errors import MlebenchError
from mlebench.files.space import size_of
from mlebench.twins.kit.examples import Example

TWIN_FILE = "twin.py"
_TIMESTAMP = (2024, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class TwinProgram:
    """The two functions of a twin module."""

    make: Callable[[Path, int, int], None]
    submissions: Callable[[Path, int], Iterator[Example]]


def has_twin(competition: LocalCompetition) -> bool:
    """Whether there is a program that makes synthetic data of a competition."""
    return (competition.declaration.folder / TWIN_FILE).is_file()


def twin_program(competition: LocalCompetition) -> TwinProgram:
    """The twin of a competition: `twin.py` beside its competition.py."""
    if not has_twin(competition):
        raise MlebenchError(
            f"{competition.id} has no twin.",
            hint="Practice competitions need none: their data is built in."
            if competition.declaration.group == "practice"
            else "A twin is a file twin.py beside competition.py.",
        )
    folder = competition.declaration.folder
    if folder.parent == BUILT_IN:
        module = importlib.import_module(f"mlebench.competitions.{folder.name}.twin")
    else:
        module = load_module(f"mlebench_user_twin_{module_name(competition.id)}", folder / TWIN_FILE)
    missing = [name for name in ("make", "submissions") if not callable(getattr(module, name, None))]
    if missing:
        raise MlebenchError(f"{module.__file__} has no function `{missing[0]}`.", hint="`mlebench new` writes both.")
    return TwinProgram(module.make, cast("Callable[[Path, int], Iterator[Example]]", module.submissions))


def write_twin(competition: LocalCompetition, folder: Path, *, seed: int = 0, scale: int = 1) -> Path:
    """Write the synthetic raw archive `<id>.zip` into a folder and return its path."""
    program = twin_program(competition)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{competition.id}.zip"
    partial = target.with_suffix(".zip.partial")
    with (
        progress.task(competition.id),
        progress.stage("make", unit="bytes") as stage,
        tempfile.TemporaryDirectory(prefix="mlebench-twin-", dir=folder) as scratch,
    ):
        raw = Path(scratch) / "raw"
        raw.mkdir()
        measured = progress.measured(stage, lambda: size_of(raw)[1])
        with measured, author_errors(f"The twin of {competition.id}", program.make):
            program.make(raw, seed, scale)
        _pack(raw, partial, Twin(seed, scale))
    partial.replace(target)
    return target


def _pack(raw: Path, target: Path, twin: Twin) -> None:
    with (
        progress.stage("pack", target.name.removesuffix(".partial"), total=size_of(raw)[1], unit="bytes") as stage,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        archive.comment = twin_comment(twin)
        for path in sorted(path for path in raw.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(path.relative_to(raw).as_posix(), _TIMESTAMP)
            info.compress_type = zipfile.ZIP_STORED if path.suffix in {".zip", ".7z"} else zipfile.ZIP_DEFLATED
            info.file_size = path.stat().st_size
            with path.open("rb") as file, archive.open(info, "w") as member:
                shutil.copyfileobj(progress.counted(file, stage), member, 1 << 20)


def write_submissions(competition: LocalCompetition, folder: Path, *, seed: int = 0) -> list[Path]:
    """Write the twin's example submissions for prepared data into a folder and return their paths."""
    program = twin_program(competition)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with (
        progress.task(competition.id),
        progress.stage("write", "submissions", unit="files") as stage,
        author_errors(f"Making the example submissions of {competition.id}", program.submissions),
    ):
        for example in program.submissions(competition.prepared_dir, seed):
            path = folder / f"{example.name}.csv"
            example.write(path)
            paths.append(path)
            stage.advance()
    return paths
