"""What the adapters of other people's agents share: the clock, the task, the steps, and the submission at the end.

It is copied into the folder of each of them, where mlebench itself is not to be found: plain Python, nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

STARTED = float(os.environ.setdefault("AGENT_STARTED", str(time.time())))
HOME = Path(os.environ["AGENT_DIR"]).parent
AGENT = Path(os.environ["AGENT_DIR"])
LOGS = Path(os.environ["LOGS_DIR"])
CODE = Path(os.environ["CODE_DIR"])
SUBMISSION = Path(os.environ["SUBMISSION_DIR"]) / "submission.csv"
KINDS = ("plan", "code", "run", "tool", "message", "error", "submit")
_LONGEST_TEXT = 4000  # characters of a step
_ENDING = 15.0  # seconds that the end of a run may take: the last check of the submission among them
_SHARE_FOR_ENDING = 0.05  # of the time limit, where that is less than an hour
_LOOK_EVERY = 1.0
_MOST_VERSIONS = 5
_LARGEST_VERSION = 1 << 30
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_lock = threading.Lock()


def time_limit() -> float:
    """The seconds that the run has in all; a day where nobody said."""
    return float(os.environ.get("TIME_LIMIT_SECS") or 86400)


def elapsed() -> float:
    """Seconds since the agent was started."""
    return time.time() - STARTED


def time_left() -> float:
    """Seconds until the agent must have ended: the time limit, less what the end of the run takes."""
    limit = time_limit()
    return limit - elapsed() - max(min(_ENDING, limit / 4), min(180.0, _SHARE_FOR_ENDING * limit))


def note(kind: str, text: str, *, tokens: int | None = None, validation_score: float | None = None) -> None:
    """Add a step to steps.jsonl in the logs: one JSON object on a line."""
    assert kind in KINDS, kind
    text = _ESCAPES.sub("", text)  # of terminals
    step = {
        "time": round(elapsed(), 2),
        "kind": kind,
        "tokens": tokens,
        "validation_score": validation_score,
        "text": text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} …",
    }
    line = json.dumps(step, ensure_ascii=False, allow_nan=False) + "\n"
    with _lock, contextlib.suppress(OSError):
        # Opened anew for each: `hand_in` writes to it from another process, and a line is written at once.
        descriptor = os.open(str(LOGS / "steps.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, line.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)


def options(arguments: Sequence[str]) -> dict[str, str]:
    """The arguments of a manifest, `key=value` each."""
    return dict(argument.split("=", 1) for argument in arguments if "=" in argument)


def model_name(chosen: str | None = None) -> str:
    """The model to ask for: that of the manifest, that of the run, or the first that the gateway has."""
    if name := chosen or os.environ.get("MODEL_NAME"):
        return name
    address, key = os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY", "")
    if not address and os.environ.get("ANTHROPIC_BASE_URL"):
        address, key = os.environ["ANTHROPIC_BASE_URL"] + "/v1", os.environ.get("ANTHROPIC_API_KEY", "")
    if not address:
        fail("There is no model to call: neither OPENAI_BASE_URL nor ANTHROPIC_BASE_URL is set.")
    headers = {"Authorization": f"Bearer {key}", "x-api-key": key}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(f"{address}/models", headers=headers), timeout=120
        ) as answer:
            return str(json.load(answer)["data"][0]["id"])
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        fail(f"No model was named, and {address}/models does not name one ({error}).")


def fail(sentence: str) -> NoReturn:
    """End with a sentence."""
    note("error", sentence)
    print(f"error: {sentence}", file=sys.stderr, flush=True)
    sys.exit(1)


def task() -> str:
    """What an agent with a shell is asked to do: the instructions of the benchmark, and how to hand in here."""
    instructions = (HOME / "instructions.txt").read_text(encoding="utf-8")
    description = Path(os.environ["DATA_DIR"]) / "description.md"
    own = (AGENT / "task.md").read_text(encoding="utf-8")
    values = {
        "HOME": str(HOME),
        "DATA_DIR": os.environ["DATA_DIR"],
        "CODE_DIR": str(CODE),
        "SUBMISSION": str(SUBMISSION),
        "DESCRIPTION": str(description),
        "MINUTES": f"{time_left() / 60:.0f}",
    }
    for name, value in values.items():
        own = own.replace("{" + name + "}", value)
    return f"{instructions}\n\n{own}"


def bundled(package: str, *parts: str) -> str:
    """The path of a program that an installed package brings along."""
    found = importlib.util.find_spec(package)
    if found is None or not found.origin:
        fail(f"The package {package} is not installed.")
    return str(Path(found.origin).parent.joinpath(*parts))


def event_of(line: str) -> dict[str, Any] | None:
    """The JSON object on a line of an agent's output, which is printed; other text is noted as a message."""
    print(line, flush=True)
    if line.startswith("{"):
        event: dict[str, Any] = json.loads(line)
        return event
    if line.strip():
        note("message", line)
    return None


def set_path() -> None:
    """Put `hand_in` and `time_left` on the PATH, for login shells too."""
    programs = AGENT / "bin"
    for path in programs.iterdir():
        path.chmod(0o755)
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    with contextlib.suppress(OSError), (HOME / ".profile").open("a", encoding="utf-8") as file:
        file.write(f'PATH="{programs}:$PATH"\nexport PATH\n')


class Versions:
    """Copies of the last submissions, so that one that is cut off or not valid at the end can be replaced."""

    def __init__(self) -> None:
        self.folder = HOME / ".submissions"
        self.folder.mkdir(exist_ok=True)
        self.copies: list[Path] = sorted(self.folder.glob("*.csv"))  # of an earlier program of this run
        self._seen: tuple[float, int] | None = None
        self._kept: str | None = None

    def look(self) -> None:
        """Keep a copy of a submission that has not changed since the last look."""
        try:
            found = SUBMISSION.stat()
        except OSError:
            return
        seen = (found.st_mtime, found.st_size)
        if seen != self._seen:
            self._seen = seen  # it may still be written to
            return
        if not 0 < found.st_size <= _LARGEST_VERSION or str(seen) == self._kept:
            return
        copy = self.folder / f"{int(time.time() * 1000)}.csv"
        with contextlib.suppress(OSError):
            shutil.copyfile(SUBMISSION, copy)
            self._kept = str(seen)
            self.copies.append(copy)
            for old in self.copies[:-_MOST_VERSIONS]:
                old.unlink()
            self.copies = self.copies[-_MOST_VERSIONS:]

    def settle(self) -> None:
        """At the end: where the submission is missing or not valid, the last copy that is valid takes its place."""
        if SUBMISSION.is_file() and is_valid(SUBMISSION) is not False:
            return
        for copy in reversed(self.copies):
            if SUBMISSION.is_file() and digest(copy) == digest(SUBMISSION):
                continue
            if is_valid(copy) is not False:
                replace_file(copy, SUBMISSION)
                note("submit", "The last submission was missing or not valid; an earlier one takes its place.")
                return


def digest(path: Path) -> str:
    """A hash of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            found.update(block)
    return found.hexdigest()


def replace_file(source: Path, target: Path) -> None:
    """Put a copy of a file in the place of another, whole or not at all."""
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(source, scratch)
    scratch.replace(target)


def is_valid(path: Path) -> bool | None:
    """What the checker says of a submission; None if it does not say."""
    seconds = max(5.0, min(60.0, time_limit() - elapsed() - 2))
    command = ["bash", str(HOME / "validate_submission.sh"), str(path)]
    try:
        code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds).returncode
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {0: True, 1: False}.get(code)


def supervise(
    command: Sequence[str],
    on_line: Callable[[str], None],
    *,
    text: str | None = None,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    is_last: bool = True,
) -> int:
    """Run an agent's program until it ends or time is up, and give each line it prints to `on_line`; its exit code.

    The submission is checked when the last program of a run has ended. Whatever a program leaves behind is ended, too.
    A program that time ended has done nothing wrong: the code is 0.
    """
    process = subprocess.Popen(
        command,
        cwd=str(folder or HOME),
        env={**os.environ, **(variables or {})},
        stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    versions, is_over, out_of_time = Versions(), threading.Event(), threading.Event()

    def watch() -> None:
        while not is_over.wait(_LOOK_EVERY):
            versions.look()
            if time_left() <= 0:
                out_of_time.set()
                end(process)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    if text is not None and process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(text.encode())
            process.stdin.close()
    assert process.stdout is not None
    for raw in process.stdout:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        try:
            on_line(line)
        except Exception as error:  # a line in a form that we do not know costs its step, not the run
            note("message", f"{line[:500]} ({type(error).__name__} while reading it)")
    code = process.wait()
    is_over.set()
    watcher.join(timeout=10)
    end(process)
    if out_of_time.is_set():
        note("message", "Time is up: the agent was ended.")
    versions.look()
    versions.look()  # the second look keeps what the first saw
    if is_last or out_of_time.is_set():
        versions.settle()
    return 0 if out_of_time.is_set() else code


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it started in its session."""
    for number, patience in ((signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        deadline = time.time() + patience
        while process.poll() is None and time.time() < deadline:
            time.sleep(0.05)
        if process.poll() is not None and number == signal.SIGTERM:
            continue  # others of its session may go on


def print_line(line: str) -> None:
    """Pass on a line of an agent that notes its steps itself."""
    print(line, flush=True)
