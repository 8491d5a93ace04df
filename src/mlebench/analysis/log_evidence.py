r"""What the output of an agent tells about its end: exceptions, missing packages, memory or disk that ran out, signals.

The last line that tells of a failure decides, because what came before it was survived. A line counts if it ends a
traceback, or if it is what a shell, a compiler or another language prints when it fails. A line in which the agent says
that it has dealt with a failure does not count.

What is read here was written by somebody else, perhaps to keep us busy. Every pattern takes time in proportion to the
text: it is tried at the start of a line alone (\A), or what it repeats is bounded, or cannot begin inside its own run.
tests/analysis/test_hostile_logs.py tries each of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from signal import Signals
from typing import Literal, TypeAlias

from mlebench.files.regular import open_regular
from mlebench.results.names import AGENT_LOG
from mlebench.results.result_line import ESCAPES

Kind: TypeAlias = Literal["host memory", "GPU memory", "disk", "package", "signal", "exception"]

_TAIL = 1 << 20  # bytes of the log that are looked at: how it ended is at its end
_LONGEST = 300  # characters of a line that is shown
_MOST_READ = 2000  # characters of a line that is looked at
_MOST_LINES = 20_000  # lines at the end of the log that are looked at
_LONGEST_TRACEBACK = 500  # lines
_DEEPEST = 50  # exceptions, each raised while another was handled
_ESCAPES = re.compile(ESCAPES)
_LINE_ENDS = re.compile(r"[\r\n]+")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w")
_NAME_PARTS = re.compile(r"[.$]")
_TRACEBACK = "Traceback (most recent call last)"
# What loggers, exception groups and containers put before a line, once or several times.
_PREFIX = re.compile(
    r"\A(?:\[[^\]\n]{1,40}\]:? ?|\((?:\w+ )?pid=[^)\n]{1,40}\) ?|"
    r"\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-][\d:]+)? ?|\d\d:\d\d:\d\d[.,\d]* ?|"
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b:? ?(?:- )?| *[|+] | *\| ?|[\w.-]{1,40} +\| ?)+"
)
_MEMORY = re.compile(
    r"\bout of memory\b|MemoryError\b|\bmalloc\b.{0,200}\bfail|Unable to allocate .{1,200} for an array|\bbad_alloc\b|"
    r"cannot allocate memory|DefaultCPUAllocator: |cannot allocate vector|RESOURCE_EXHAUSTED|"
    r"(?:fail(?:ed|ure)|unable|could not|cannot|can't) (?:to )?allocate\b.{0,60}(?:\bmemory|[kmgt]i?b|\bbytes)\b|"
    r"\bmemory allocation\b.{0,40}\bfailed|"
    r"ResourceExhaustedError.{0,500}OOM|OOM when allocating|ALLOC_FAILED|Error\w{0,40}OutOfMemory|OUT_OF_MEMORY|"
    r"cudaErrorMemoryAllocation|(?:not enough|insufficient|no available) memory|OOM[-_ ]?kill",
    re.IGNORECASE,
)
# A count of nothing, or something that did not happen.
_NO_MEMORY_FAILURE = re.compile(
    r"\b(?:no|never|without|avoid\w*|prevent\w*|zero|0)\b[^.:;]{0,25}\b(?:out of memory|oom|memoryerror)|"
    r"\b(?:out of memory|oom)\b[\w ]{0,20}[:= ] ?0\b",
    re.IGNORECASE,
)
_GPU = re.compile(
    r"cuda|\bhip\b|\brocm\b|\bmps\b|gpu|cudnn|cublas|xla|RESOURCE_EXHAUSTED|ResourceExhausted|\.cu:", re.IGNORECASE
)
_HOST = re.compile(r"device:CPU|allocator (?:mkl_?)?cpu|CPUAllocator", re.IGNORECASE)
# A single file cannot be larger than the budget: the system refuses to write on, before the budget is exceeded.
_DISK = re.compile(
    r"No space left on device|Disk quota exceeded|\[Errno (?:27|28|122)\]|\bENOSPC\b|\bdisk (?:is )?full\b|"
    r"\bEFBIG\b|File too large$|File size limit exceeded|\d requested and \d+ written",
    re.IGNORECASE,
)
_PACKAGE = re.compile(
    r"No module named '?(?P<module>[\w.]+)|"
    r"ImportError: cannot import name '?(?P<name>[\w.]+)|"
    r"Missing optional dependency '(?P<optional>[\w.-]+)'|"
    r"No package metadata was found for (?P<metadata>[\w.-]+)|"
    r"The '(?P<required>[\w.-]+)(?:[^\w.'-][^']{0,200})?' distribution was not found|"
    r"(?:^|: )(?P<command>[\w.+/-]+): command not found\b|command not found: (?P<zsh>[\w.+/-]+)|"
    r"^(?:\S+: (?:line )?\d+|\w*sh): (?P<program>[\w.+/-]+): not found\b|"
    r"(?:\bspawn |Cannot run program )\W?(?P<spawned>[\w.+/-]+)\W? ?(?:ENOENT|.{0,200}error=2\b)|"
    r"env: .(?P<interpreter>[\w.+/-]+).: No such file or directory|"
    r": (?P<script>\S+): (?:\S+: bad interpreter|bad interpreter|cannot execute: required file not found)|"
    r"(?:No matching distribution found for|satisfies the requirement) (?P<distribution>[\w.-]+)|"
    r"(?:[Uu]nable|[Ff]ailed|[Cc]ould not|[Cc]annot|[Cc]an't) (?:to )?(?:locate|find|load|import|resolve|select) "
    r"(?:the )?(?:package|module|library|dependency|packages|dependencies)(?: named)?:? ['‘`\"]?(?P<sought>[\w.@-]+)|"
    r"\b(?:[Pp]ackage|[Mm]odule|[Ll]ibrary|[Dd]ependency|[Cc]rate) ['‘`\"]?(?P<lacking>[\w.@-]+)['’`\"]? "
    r"(?:(?:is|was|could|can) )?(?:not (?:be )?(?:found|installed|available|resolved)|required but)|"
    r"(?<![\w.@-])(?P<unfound>[\w.@-]+) was not found in the package registry|"
    r"(?P<conda>PackagesNotFoundError|ResolvePackageNotFound|UnsatisfiableError)\b|"
    r"there is no package called .(?P<r>[\w.]+)|"
    r"ArgumentError: Package (?P<julia>\w+) not found|"
    r"Can't locate (?P<perl>[\w/]+)\.pm in @INC|"
    r"cannot load such file -- (?P<ruby>[\w/-]+)|"
    r"Cannot find (?:module|package) '(?P<node>@?[A-Za-z][\w@/-]*)'|"
    r"(?:ClassNotFoundException|NoClassDefFoundError): (?P<java>[\w./]+)|"
    r"error: package (?P<imported>[\w.]+) does not exist|"
    r"fatal error: '?(?P<header>[\w./+-]+)'?(?:: No such file or directory| file not found)|"
    r"cannot find -l(?P<linked>[\w.+-]+)|"
    r"(?:can't find crate for|unresolved import|use of undeclared crate or module) `(?P<crate>\w+)|"
    r"no required module provides package (?P<go>[\w./-]+)|"
    r"command '(?P<compiler>[\w.+/-]+)' failed: No such file or directory|"
    r"(?:[Cc]annot|[Cc]an't|[Cc]ould not|[Uu]nable to|[Ff]ailed to) (?:find|locate|load) (?:the )?"
    r"(?:(?P<shared>lib[\w.+-]+\.(?:so|dylib)(?:\.\w+)*)|(?P<wanted>[\w.+-]+)\b.{0,40}\b[Ii]nstall\b)|"
    r"[Nn]o matching package (?:named )?[`'\"]?(?P<matching>[\w.@/-]+)|"
    r"'(?P<unregistered>@?[\w./-]+)(?:@[^']*)?' is not in this registry|"
    r"(?:Could not build wheels|Failed building wheel|Failed to build(?: installable wheels)?) for (?P<wheel>[\w.-]+)|"
    r"Could not install packages due to |"
    r"Could NOT find (?P<cmake>\w+)|package configuration file provided by \W?(?P<config>\w+)|"
    r"(?:error while loading shared libraries: |Error: )(?P<library>[\w.+-]+\.so[\w.]*)"
)
_IMPORT_ERRORS = ("ModuleNotFoundError", "ImportError", "PackageNotFoundError", "DistributionNotFound")
_NAMED_PACKAGE = re.compile(r"pip3? install (?:-\S+ )*['\"]?([A-Za-z][\w.-]*\w)|['\"`]([A-Za-z][\w.-]*)['\"`]")
_SIGNAL_WORDS = {
    "Killed": "SIGKILL",
    "Segmentation fault": "SIGSEGV",
    "Aborted": "SIGABRT",
    "Bus error": "SIGBUS",
    "Illegal instruction": "SIGILL",
    "Floating point exception": "SIGFPE",
    "Terminated": "SIGTERM",
}
_SIGNAL_NUMBERS = {signal.value: signal.name for signal in Signals}
_SIGNAL = re.compile(
    rf"(?:line \d+: +\d+ |Fatal Python error: |^)(?P<word>{'|'.join(_SIGNAL_WORDS)})(?: *\(core dumped\)|\s{{2,}}|$)|"
    # What one process says of the end of another.
    r"\b(?:killed|terminated|died|exited|crashed|exit ?codes?)\b.{0,40}?"
    rf"(?:\b(?P<name>SIG[A-Z]{{3,5}})\b|\bsignal:? (?:(?P<number>\d{{1,2}})\b|(?P<spoken>{'|'.join(_SIGNAL_WORDS)})))|"
    r"\b(?:exit ?code|return ?code|exit status)s?\W{1,4}(?:is |of )?-(?P<negative>\d{1,2})\b"
)
_EXCEPTION = re.compile(r"\A(?P<name>(?:[A-Za-z_]\w*\.)*_?[A-Za-z]\w*)(?::|$)")
# What a Java machine or Node.js prints: the exception first, then its frames.
_FRAMES_BELOW = re.compile(
    r"\A(?:Exception in thread \S+ |Caused by: |Uncaught )*(?P<name>(?:[A-Za-z_]\w*[.$])*[A-Z]\w*)(?::|$| \[)"
)
_FRAME = re.compile(r"\A\s+at \S.*(?:\)|:\d+)$")
_PROGRAM_SOUGHT = re.compile(r'", line \d+, in (?:_execute_child|_execvpe?)$')
_NOT_THERE = re.compile(r"\AFileNotFoundError: \[Errno 2\] [^:]+: '(?P<program>[^']+)'")
# What Python says before the traceback of an exception that ended nothing.
_SURVIVED = ("Exception ignored ", "--- Logging error ---", "Error in atexit")
# Exceptions that only pass on that something else failed.
_MESSENGERS = (
    "CalledProcessError",
    "ChildFailedError",
    "CellExecutionError",
    "RemoteTraceback",
    "RemoteError",
    "BrokenProcessPool",
    "TerminatedWorkerError",
    "KilledWorker",
)
_USED_UP: tuple[Kind, ...] = ("host memory", "GPU memory", "disk")  # what a signal may be the consequence of
_BEHIND = 200  # lines before such a message in which the reason is looked for
_FROM = "The above exception was the direct cause of the following exception"
_DURING = "During handling of the above exception, another exception occurred"
_OFTEN = 10  # a line that comes so often, but for its numbers, is a display of progress
_ERROR_LINE = re.compile(r"\A\W{0,3}(?:\S+: )?(?:\w+ )?(?:error|fatal|panic|exception)\b", re.IGNORECASE)
_LAST_LINES = 30  # of a log, among which one that speaks of an error is looked for
_DEALT_WITH = re.compile(
    r"\b(?:handled|caught|retry\w*|try(?:ing)? again|again with|reduc\w+|fall(?:s|ing)? ?back|fallback|instead|"
    r"skipp\w+|ignor\w+|recover\w*|smaller|going on|continuing|so that|in case|no longer|"
    r"if (?:you|we|there|it|this|any))\b|^\W*(?:note|tip|hint|plan|todo|thought|warning)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """A line of the log, of what kind of failure it tells, and what narrows that down."""

    line: str
    kind: Kind
    detail: str


def read_log(folder: Path, tail: int = _TAIL) -> list[str]:
    """The last lines of an agent's output, from the last `tail` bytes, without escape codes."""
    try:
        with open_regular(folder / AGENT_LOG) as file:  # a group from elsewhere must not show files of this machine
            size = file.seek(0, 2)
            file.seek(max(0, size - tail))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line.rstrip() for line in _LINE_ENDS.split(_ESCAPES.sub("", text)) if line.strip()]


def last_line(log: list[str]) -> str:
    """The last line, as far as it can be shown."""
    return _shown(log[-1]) if log else ""


def last_error(log: list[str]) -> str:
    """The last of the last lines that speaks of an error, or else the last line."""
    lines = [line[:_MOST_READ] for line in log[-_LAST_LINES:]]
    errors = (line for line in reversed(lines) if _ERROR_LINE.match(line) and not _DEALT_WITH.search(line))
    return _shown(next(errors, lines[-1])) if log else ""


def last_failure(log: list[str]) -> Found | None:
    """The last line of the log that tells of a failure which was not dealt with."""
    parts = [part[:_MOST_READ] for line in log[-_MOST_LINES:] for part in _parts(line)]
    lines = _Lines(_without_prefix(part) for part in parts[-_MOST_LINES:])
    shapes: Counter[str] | None = None
    messenger, least = None, 0
    for place in range(len(lines) - 1, -1, -1):
        found = _exception(lines, place) or _frames_below(lines, place)
        if found is None:
            found = _message(lines[place])
            if found is None:
                continue
            shapes = shapes or Counter(map(_shape, lines))
            if shapes[_shape(lines[place])] > _OFTEN:
                continue
        if messenger is None:
            if not _passes_on(found):
                return found
            messenger, least = found, place - _BEHIND
        elif place < least:
            break
        elif not _passes_on(found) and (messenger.kind == "exception" or found.kind in _USED_UP):
            return found
    return messenger


class _Lines(list[str]):
    """Lines of a log, and where in them the tracebacks of notebooks begin, which name their exception first."""

    @cached_property
    def notebook_tracebacks(self) -> dict[str, list[int]]:
        """The places of lines such as `ValueError    Traceback (most recent call last)`, ascending, by their names."""
        found: dict[str, list[int]] = {}
        for place, line in enumerate(self):
            words = line.split(None, 1)
            if len(words) == 2 and words[1].startswith(_TRACEBACK):
                found.setdefault(words[0], []).append(place)
        return found


def _passes_on(found: Found) -> bool:
    """Whether a line only tells that another program failed, which may have printed why."""
    return found.kind == "signal" or found.detail in _MESSENGERS


def _parts(line: str) -> list[str]:
    """A line; or the lines of a traceback that a logger has written as one, as in JSON."""
    return line.replace('\\"', '"').split("\\n") if _TRACEBACK in line else [line]


def _shape(line: str) -> str:
    return _DIGITS.sub("", line)


def _without_prefix(line: str) -> str:
    match = _PREFIX.match(line)
    return line[match.end() :] if match else line


def _exception(lines: _Lines, place: int, deepest: int = _DEEPEST) -> Found | None:
    """The exception that a line tells, if a traceback comes before it: a line of a report is none."""
    match = _EXCEPTION.match(lines[place])
    if match is None:
        return None
    top = _top_of_traceback(lines, place, match["name"])
    if top is None or any(line.startswith(_SURVIVED) for line in lines[max(0, top - 1) : top + 1]):
        return None
    name = match["name"].rpartition(".")[2]
    # A message may have several lines; the first ones say what it is about.
    text = " ".join(lines[place : place + 2])
    sought = _NOT_THERE.match(lines[place])
    if sought and any(_PROGRAM_SOUGHT.search(line) for line in lines[top:place]):
        return Found(_shown(lines[place]), "package", sought["program"])
    found = _classified(lines[place], text) or Found(_with_words(lines, place), "exception", name)
    if found.kind == "exception" and name in _IMPORT_ERRORS:
        named = _NAMED_PACKAGE.search(text)
        found = Found(found.line, "package", next(filter(None, named.groups()), "") if named else "")
    return _behind(lines, top, found, deepest) if found.kind == "exception" and deepest else found


def _with_words(lines: list[str], place: int) -> str:
    """The line of an exception, with the first words of its message where they come in one of the next lines."""
    following = lines[place + 1 : place + 4] if lines[place].endswith(":") else []
    words = next((line.strip() for line in following if _WORD.search(line)), "")
    return _shown(f"{lines[place]} {words}")


def _frames_below(lines: list[str], place: int) -> Found | None:
    """The exception of another language that a line tells, if the frames of a stack come after it."""
    if place + 1 >= len(lines) or not _FRAME.match(lines[place + 1]):
        return None
    match = _FRAMES_BELOW.match(lines[place])
    if match is None:
        return None
    name = _NAME_PARTS.split(match["name"])[-1]
    return _classified(lines[place], lines[place]) or Found(_shown(lines[place]), "exception", name)


def _behind(lines: _Lines, top: int, found: Found, deepest: int) -> Found:
    """What an exception was raised for: memory, a disk or a package that was the cause of the cause counts."""
    near = range(top - 1, max(-1, top - 4), -1)
    joint = next((place for place in near if lines[place].startswith((_FROM, _DURING))), -1)
    for place in range(joint - 1, max(-1, joint - 4), -1):
        earlier = _exception(lines, place, deepest - 1)
        if earlier is not None:
            counts = earlier.kind in ("host memory", "GPU memory") or lines[joint].startswith(_FROM)
            return earlier if counts and earlier.kind != "exception" else found
    return found


def _top_of_traceback(lines: _Lines, place: int, name: str) -> int | None:
    """Where the traceback above an exception begins; None if there is none.

    Its frames are indented and one of them names a file, as Python prints it; or it is in a box that ends above; or it
    began with the name of the exception, as in a notebook.
    """
    above = place - 1
    if above >= 0 and lines[above].startswith(("╰", "└")):
        highest = max(-1, above - _LONGEST_TRACEBACK)
        return next((row for row in range(above, highest, -1) if lines[row].startswith(("╭", "┌"))), highest + 1)
    has_file = False
    while above >= 0 and lines[above].startswith(" "):
        has_file = has_file or lines[above].lstrip().startswith('File "')
        above -= 1
    if has_file:
        return above if above >= 0 and _TRACEBACK in lines[above] else above + 1
    begun = lines.notebook_tracebacks.get(name, [])
    last = bisect_left(begun, place) - 1
    return begun[last] if last >= 0 and begun[last] > place - _LONGEST_TRACEBACK else None


def _message(line: str) -> Found | None:
    """What a line tells that ends no traceback, unless it says that the failure was dealt with or may come."""
    found = _classified(line, line)
    if found is None or _DEALT_WITH.search(line):
        return None
    denied = found.kind in ("host memory", "GPU memory") and _NO_MEMORY_FAILURE.search(line)
    return None if denied else found


def _classified(line: str, text: str) -> Found | None:
    """The kind of failure that is known by its words."""
    for kind, recognise in _KINDS:
        detail = recognise(text)
        if detail is not None:
            return Found(_shown(line), kind, detail)
    return None


def _matching(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    return lambda text: "" if pattern.search(text) else None


def _gpu_memory(text: str) -> str | None:
    return "" if _MEMORY.search(text) and _GPU.search(text) and not _HOST.search(text) else None


def _package(text: str) -> str | None:
    match = _PACKAGE.search(text)
    return match and next(filter(None, match.groups()), "")


def _signal(text: str) -> str | None:
    match = _SIGNAL.search(text)
    if match is None:
        return None
    word, number = match["word"] or match["spoken"], match["number"] or match["negative"]
    return match["name"] or _SIGNAL_WORDS.get(word or "") or _SIGNAL_NUMBERS.get(int(number or 0))


_KINDS: tuple[tuple[Kind, Callable[[str], str | None]], ...] = (
    ("GPU memory", _gpu_memory),
    ("host memory", _matching(_MEMORY)),
    ("disk", _matching(_DISK)),
    ("package", _package),
    ("signal", _signal),
)


def _shown(line: str) -> str:
    text = "".join(character if character.isprintable() else " " for character in line.strip()[:_MOST_READ])
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
