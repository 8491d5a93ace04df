"""Replaying a run: does its code, with its seed, make its submission again?

The declared command runs in a fresh sandbox that holds the run's code/ and the public data, and nothing else: no
network, no earlier submission, and no file of the code that holds a copy of it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from mlebench.agents import Agent
from mlebench.base import progress
from mlebench.base.versions import versions
from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.files.hashing import sha256_of
from mlebench.files.hostile import discard
from mlebench.files.regular import is_folder
from mlebench.files.writing import now
from mlebench.grade.grading import grade_csv
from mlebench.results.groups import open_group
from mlebench.results.names import CODE_FOLDER, GROUP_FILE, REPLAY_LOG
from mlebench.results.records import GroupRecord
from mlebench.results.replays import TOLERANCE, Outcome, ReplayRecord
from mlebench.results.result_line import Result, result_of_run
from mlebench.results.runs import Run
from mlebench.runs.collect import collect
from mlebench.runs.execute import require_data
from mlebench.runs.hardware import hardware
from mlebench.runs.recipe import build_recipe
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Ending, Network, supervise

_LARGEST = 1 << 30  # bytes of a file of the code, or of what it holds compressed, that are searched for copies
_BLOCK = 8 << 20  # bytes that are in memory at a time
_COPY = 0.9  # the share of the submission's rows that makes a file a copy of it
_UNPACK: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
# What reading a compressed file may raise where it is damaged, encrypted or made to do harm.
_DAMAGED = (
    OSError,
    EOFError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)


def replay(folder: Path, *, data_dir: Path | None = None) -> ReplayRecord:
    """Replay the run in a folder and write its replay.json."""
    folder = folder.resolve()  # `.` and links have their group elsewhere
    with progress.task(folder.name), progress.stage("replay"):
        return _replayed(folder, data_dir)


def _replayed(folder: Path, data_dir: Path | None) -> ReplayRecord:
    (run,) = open_group(folder).runs
    result, settings = _require(run, data_dir)
    assert result.replay.command is not None
    competition = settings.registry.get_competition(run.record.competition_id)
    require_data(competition)
    original = run.submission
    with tempfile.TemporaryDirectory(prefix="mlebench-replay-") as scratch:
        made, ending, removed = _run_again(run, result, settings, Path(scratch))
        outcome, reason, scores = _compared(original, made, competition, ending)
        record = ReplayRecord(
            outcome=outcome,
            reason="; ".join(phrase for phrase in (reason, _copies_removed(removed)) if phrase),
            command=result.replay.command,
            seed=run.record.seed,
            created_at=now().isoformat(timespec="seconds"),
            original_sha256=sha256_of(original),
            sha256=sha256_of(made) if made else None,
            original_score=scores[0],
            score=scores[1],
            exit_code=ending.exit_code,
            seconds=ending.usage.seconds,
            sandbox=settings.sandbox,
            hardware=hardware(),
            versions=versions(),
        )
    record.save(run.folder)
    return record


def _require(run: Run, data_dir: Path | None) -> tuple[Result, RunSettings]:
    """What a replay needs, or an error that says what is missing."""
    folder = run.folder
    if not run.record.has_ended:
        raise MlebenchError(f"The run in {folder} has not ended, so it cannot be replayed yet.")
    if not run.has_submission:
        raise MlebenchError(f"{folder} has no submission, so there is nothing to compare a replay with.")
    parsed = result_of_run(folder)
    if parsed.result is None:
        raise MlebenchError(f"The run in {folder} does not say how to replay it: {parsed.problem}.")
    if parsed.result.replay.command is None:
        raise MlebenchError(f"The run in {folder} does not say how to replay it: replay.command is missing.")
    if not (folder.parent / GROUP_FILE).is_file():
        raise MlebenchError(f"{folder} is not in its run group, whose {GROUP_FILE} tells the conditions.")
    settings = RunSettings.from_dict(GroupRecord.load(folder.parent).settings)
    if data_dir is not None:
        settings = replace(settings, data_dir=data_dir.absolute())
    if not settings.make_sandbox().availability().works:
        raise MlebenchError(f"The sandbox {settings.sandbox} of this run does not work on this machine.")
    return parsed.result, settings


def _run_again(
    run: Run,
    result: Result,
    settings: RunSettings,
    scratch: Path,
) -> tuple[Path | None, Ending, list[str]]:
    """(the new submission, how the command ended, which files of the code were taken away)."""
    folder, record = run.folder, run.record
    assert result.replay.command is not None
    recipe = build_recipe(
        settings,
        record,
        folder=scratch,
        log=scratch / REPLAY_LOG,
        runs_dir=folder.parent.parent,
        agent=Agent(id="replay", start=None, shell=result.replay.command),
        network=Network(),
        recorded_image=record.image,
    )
    home = recipe.make_home()
    code = recipe.home / CODE_FOLDER
    if is_folder(run.code):  # an agent may have left none
        shutil.copytree(run.code, code, symlinks=True, dirs_exist_ok=True)
    removed = remove_copies(code, run.submission)
    command = ("bash", "-c", 'cd "$CODE_DIR" && eval "$1"', "replay", result.replay.command)
    running = recipe.sandbox.start(recipe.job(home, command=command))
    try:
        ending = supervise(running, recipe.limits, grace=settings.grace)
    finally:
        running.close()
    shutil.copyfile(recipe.log, folder / REPLAY_LOG)
    made = collect(recipe.home, scratch / "collected").submission
    discard(recipe.home)
    return made, ending, removed


def _compared(
    original: Path, made: Path | None, competition: LocalCompetition, ending: Ending
) -> tuple[Outcome, str, tuple[float | None, float | None]]:
    if made is None:
        how = f"exit code {ending.exit_code}" if ending.reason == "exit" else f"it exceeded its {ending.reason} budget"
        return "failed", f"it left no submission ({how})", (None, None)
    if original.read_bytes() == made.read_bytes():
        return "identical", "", (None, None)
    first, second = (grade_csv(path, competition) for path in (original, made))
    if first.raw_score is None or second.raw_score is None:
        return "different", "one of the submissions is not valid", (first.raw_score, second.raw_score)
    is_same = first.raw_score == second.raw_score or abs(first.raw_score - second.raw_score) <= TOLERANCE
    scores = f"{first.raw_score:.10g} and {second.raw_score:.10g}"
    return ("same score" if is_same else "different"), scores, (first.raw_score, second.raw_score)


def _copies_removed(removed: list[str]) -> str:
    if not removed:
        return ""
    return f"the code held a copy of the submission, which was taken away ({', '.join(removed[:3])})"


def remove_copies(code: Path, submission: Path) -> list[str]:
    """Remove files of the code that hold the submission, plain or compressed, whole or nearly so; their names."""
    whole = submission.read_bytes()
    rows = {line.strip() for line in whole.splitlines()[1:] if line.strip()}
    if not rows:
        return []
    removed = []
    for path in sorted(path for path in code.rglob("*") if path.is_file() and not path.is_symlink()):
        if any(_holds(content, whole, rows) for content in _contents(path)):
            path.unlink()
            removed.append(path.relative_to(code).as_posix())
    return removed


def _holds(content: IO[bytes], whole: bytes, rows: set[bytes]) -> bool:
    """Whether the submission, or most of its rows, are in a content, which is read in blocks; it may be a bomb."""
    found: set[bytes] = set()
    with suppress(*_DAMAGED):
        for _ in range(_LARGEST // _BLOCK):
            block = content.read(_BLOCK)
            if not block:
                break
            if whole in block:
                return True
            found |= rows.intersection(line.strip() for line in block.splitlines())
            if len(found) >= _COPY * len(rows):
                return True
    return False


def _contents(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, and what it holds compressed."""
    with path.open("rb") as file:
        yield file
        file.seek(0)
        first = file.read(6)
        for begin, unpack in _UNPACK.items():
            if first.startswith(begin):
                file.seek(0)
                yield unpack(file)
    with suppress(*_DAMAGED):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    with suppress(*_DAMAGED), archive.open(member) as content:
                        yield content
