"""The result line: what an agent declares about its run, as `MLE_BENCH_LITE_RESULT={…}` in what it prints.

docs/schemas/result-line.schema.json describes the object. The last such line wins. Output is hostile: it comes in
pieces, with escape codes and prefixes, with lines of any length and bytes of any kind.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mlebench.files.regular import open_regular
from mlebench.results.names import AGENT_LOG
from mlebench.results.records import RunRecord

MARKER = b"MLE_BENCH_LITE_RESULT="
_MARKER = MARKER.decode()
_MOST_SPACES = 16  # between the marker and the object
_MOST_FAILURES = 100  # objects of one line that are not valid, after which only its last marker is looked at
_MOST_TRIED = 256 << 20  # characters of a line that are tried to read again and again; a long line has fewer failures
# Escape codes: of the cursor and of colours, of titles and links, and the short ones, such as `ESC ( B` of tput.
ESCAPES = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[0-~])"
_ESCAPES = re.compile(ESCAPES.encode())
_LINE_END = re.compile(rb"[\r\n]")
_LOOK_AFTER = 1 << 20  # bytes of a line without its end after which it is searched and, without a marker, shortened
_KEPT = 1 << 12  # of such a line, so that a marker with escape codes in it is not cut in two
_LONGEST = 64 << 20  # bytes of a line from the marker on
_BLOCK = 1 << 20
_MOST_READ = 1 << 30  # bytes of a log: what a run may print unless told otherwise; a foreign one may have any size
_MOST = 10**15  # of what is counted or measured, so that sums stay exact


class ResultLineError(ValueError):
    """A result line that does not have its form; the message is a phrase such as "seed is not an integer"."""


@dataclass(frozen=True)
class Artifact:
    """A file that an agent says it left, and what it says of it."""

    path: str
    sha256: str | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class TaskScore:
    """What an agent says it scored in a competition."""

    competition_id: str
    metric: str
    score: float | None


@dataclass(frozen=True)
class Replay:
    """How to make the submission again; without a command it cannot be."""

    command: str | None = None
    seed: int | None = None


@dataclass(frozen=True)
class ReportedUsage:
    """What an agent says its models used."""

    input_tokens: int
    output_tokens: int
    usd: float


@dataclass(frozen=True)
class Result:
    """A well-formed result line."""

    seed: int
    runtime_seconds: float
    peak_memory_mb: float
    artifacts: tuple[Artifact, ...]
    tasks: tuple[TaskScore, ...]
    replay: Replay
    usage: ReportedUsage | None = None


@dataclass(frozen=True)
class Parsed:
    """The result of a run, or in a phrase why there is none; `lines` counts the result lines."""

    result: Result | None
    problem: str | None
    lines: int = 0


class ResultLineParser:
    """Finds the last result line in output that comes in pieces, within bounded memory."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._found = False  # the line so far begins with a marker
        self._last: Parsed | None = None
        self._count = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        start = 0
        for end in _LINE_END.finditer(piece):
            self._add(piece[start : end.start()])
            self._end_line()
            start = end.end()
        self._add(piece[start:])

    def finish(self) -> Parsed:
        """The result, when there is no more output."""
        self._end_line()
        if self._last is None:
            return Parsed(None, "there is no result line")
        return Parsed(self._last.result, self._last.problem, self._count)

    def _add(self, piece: bytes) -> None:
        if self._found and len(self._line) > _LONGEST:
            return
        self._line += piece
        if self._found or len(self._line) < _LOOK_AFTER:
            return
        plain = _ESCAPES.sub(b"", bytes(self._line))
        at = plain.find(MARKER)
        self._found = at >= 0
        self._line = bytearray(plain[at:] if self._found else self._line[-_KEPT:])

    def _end_line(self) -> None:
        line, self._line, self._found = bytes(self._line), bytearray(), False
        if len(line) > _LONGEST:
            self._note(Parsed(None, f"the result line is longer than {_LONGEST:,} bytes"))
        elif b"\x1b" in line or MARKER in line:
            self._read(_ESCAPES.sub(b"", line).decode("utf-8", "replace"))

    def _read(self, line: str) -> None:
        """Read the objects behind the markers of one line; a marker inside an object belongs to that object."""
        end, problem, failures = 0, None, 0
        most_failures = max(1, min(_MOST_FAILURES, _MOST_TRIED // max(1, len(line))))
        while (at := line.find(_MARKER, end)) >= 0:
            if failures == most_failures:
                at = line.rfind(_MARKER)
            end = at + len(_MARKER)
            start = end + len(line[end : end + _MOST_SPACES]) - len(line[end : end + _MOST_SPACES].lstrip())
            if not line.startswith("{", start):
                continue
            try:
                values, end = _DECODER.raw_decode(line, start)
                parsed = Parsed(_result(values), None)
            except ResultLineError as error:
                parsed = Parsed(None, str(error))
            except (ValueError, RecursionError):
                problem = Parsed(None, "the result line is not valid JSON")
                failures += 1
                continue
            problem = None
            self._note(parsed)
        if problem is not None:
            self._note(problem)

    def _note(self, parsed: Parsed) -> None:
        self._last = parsed
        self._count += 1


def parse_output(pieces: Iterable[bytes]) -> Parsed:
    """The last result line in output that comes in pieces."""
    parser = ResultLineParser()
    for piece in pieces:
        parser.feed(piece)
    return parser.finish()


def result_of_run(folder: Path, *, most: int = _MOST_READ) -> Parsed:
    """The result line in the log of a run; of a log that is larger than `most` bytes, in its end."""
    try:
        with open_regular(folder / AGENT_LOG) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most))
            return parse_output(iter(lambda: file.read(_BLOCK), b""))
    except OSError:
        return Parsed(None, f"there is no {AGENT_LOG}")


def matching_seed(record: RunRecord, result: Result) -> str | None:
    """Why the declared seed is not the assigned one; None if it is."""
    if result.seed != record.seed:
        return f"the declared seed is {result.seed}, but {record.seed} was assigned"
    if result.replay.seed not in (None, record.seed):
        return f"the seed of the replay is {result.replay.seed}, but {record.seed} was assigned"
    return None


def _no_constant(name: str) -> NoReturn:
    raise ResultLineError(f"{name} is not a number")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _result(values: Any) -> Result:
    usage = values.get("usage")
    return Result(
        seed=_integer(values, "seed"),
        runtime_seconds=_number(values, "runtime_seconds"),
        peak_memory_mb=_number(values, "peak_memory_mb"),
        artifacts=tuple(_artifact(value) for value in _list(values, "artifacts")),
        tasks=tuple(_task(value) for value in _list(values, "tasks")),
        replay=_replay(_object(_required(values, "replay"), "replay")),
        usage=_usage(_object(usage, "usage")) if usage is not None else None,
    )


def _replay(values: Mapping[str, Any]) -> Replay:
    command = None if values.get("command") is None else _text(values, "command", "replay.")
    return Replay(command, None if values.get("seed") is None else _integer(values, "seed", "replay."))


def _artifact(value: Any) -> Artifact:
    """A path, or an object with the path and what is known of the file."""
    if isinstance(value, str) and value:
        return Artifact(value)
    values = _object(value, "an artifact")
    sha256 = size = None
    if values.get("sha256") is not None:
        sha256 = _text(values, "sha256", "artifacts.").lower()
        if not re.fullmatch(r"[0-9a-f]{64}", sha256):
            raise ResultLineError("artifacts.sha256 is not 64 hexadecimal digits")
    if values.get("bytes") is not None:
        size = _integer(values, "bytes", "artifacts.")
        if size < 0:
            raise ResultLineError("artifacts.bytes is negative")
    return Artifact(_text(values, "path", "artifacts."), sha256, size)


def _task(value: Any) -> TaskScore:
    values = _object(value, "a task")
    score = None
    if _required(values, "score", "tasks.") is not None:
        score = _number(values, "score", "tasks.", least=-math.inf, most=math.inf)
    return TaskScore(_text(values, "competition_id", "tasks."), _text(values, "metric", "tasks."), score)


def _usage(values: Mapping[str, Any]) -> ReportedUsage:
    tokens = [_integer(values, name, "usage.") for name in ("input_tokens", "output_tokens")]
    if min(tokens) < 0:
        raise ResultLineError("usage has a negative number of tokens")
    return ReportedUsage(tokens[0], tokens[1], _number(values, "usd", "usage."))


def _required(values: Mapping[str, Any], name: str, where: str = "") -> Any:
    if name not in values:
        raise ResultLineError(f"{where}{name} is missing")
    return values[name]


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ResultLineError(f"{name} is not an object")
    return value


def _list(values: Mapping[str, Any], name: str) -> list[Any]:
    value = _required(values, name)
    if not isinstance(value, list):
        raise ResultLineError(f"{name} is not a list")
    return value


def _text(values: Mapping[str, Any], name: str, where: str = "") -> str:
    value = _required(values, name, where)
    if not isinstance(value, str) or not value:
        raise ResultLineError(f"{where}{name} is not a text")
    return value


def _integer(values: Mapping[str, Any], name: str, where: str = "") -> int:
    value = _required(values, name, where)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ResultLineError(f"{where}{name} is not an integer")
    if abs(value) > _MOST:
        raise ResultLineError(f"{where}{name} is out of range")
    return value


def _number(values: Mapping[str, Any], name: str, where: str = "", least: float = 0.0, most: float = _MOST) -> float:
    value = _required(values, name, where)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ResultLineError(f"{where}{name} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or not least <= number <= most:
        raise ResultLineError(f"{where}{name} is out of range")
    return number
