"""Text of others that is written to keep us busy: every pattern over it takes time in proportion to its length."""

from __future__ import annotations

import importlib
import re
import time
from pathlib import Path

import pytest

from mlebench.analysis.log_evidence import last_error, last_failure, read_log
from mlebench.results.artifacts import Report, model_in_code

MODULES = (
    "mlebench.analysis.log_evidence",
    "mlebench.grade.older_reports",
    "mlebench.results.artifacts",
    "mlebench.results.result_line",
    "mlebench.services.check_submission",
)
SIZE = 1 << 20  # of a log
PIECE = SIZE // 20  # of what one pattern is tried on: a quadratic one would take minutes


def patterns() -> dict[str, re.Pattern[str] | re.Pattern[bytes]]:
    """All patterns of the modules that look at text of others, also those in tables."""
    found = {}
    for name in MODULES:
        for attribute, value in vars(importlib.import_module(name)).items():
            entries = value if isinstance(value, tuple) else (value,)
            for number, entry in enumerate(entries):
                for part in entry if isinstance(entry, tuple) else (entry,):
                    if isinstance(part, re.Pattern):
                        found[f"{name}.{attribute}.{number}"] = part
    return found


def repeated(unit: str, size: int, start: str = "", end: str = "") -> str:
    """A text of a size."""
    return start + unit * ((size - len(start) - len(end)) // len(unit)) + end


HOSTILE = {
    "a long word": ("a", "", ""),
    "long digits": ("1", "", ""),
    "blanks": (" ", "", "x"),
    "words": ("ab ", "", ""),
    "lines": ("ab\n", "", ""),
    "a dotted name": ("a.", "", ""),
    "a path": ("/a", "", ""),
    "colons": ("a: ", "", ""),
    "quotation marks": ("'a", "", ""),
    "an open quotation mark": ("a", "The '", ""),
    "backticks": ("`a", "", ""),
    "capitals": ("Aa", "", "_"),
    "a frame": ("a", "   at ", ""),
    "bars": ("a | ", "", ""),
    "underlines": ("-", "", "x"),
    "escape codes": ("\x1b[1", "", ""),
    "titles": ("\x1b]0;", "", ""),
    "malloc": ("malloc ", "", ""),
    "errors": ("Error", "", ""),
    "spawn": ("spawn a ", "", ""),
    "packages": ("package a ", "", ""),
    "allocations": ("unable to allocate ", "", ""),
    "denials": ("no out of memory ", "", ""),
    "signals": ("killed ", "", ""),
}


def seconds(start: float) -> float:
    """The CPU time of this process since then."""
    return time.process_time() - start


@pytest.mark.parametrize("name", patterns())
def test_every_pattern_is_linear(name: str) -> None:
    pattern = patterns()[name]
    started = time.process_time()
    for unit, start, end in HOSTILE.values():
        text = repeated(unit, PIECE, start, end)
        found = pattern.finditer(text if isinstance(pattern.pattern, str) else text.encode())  # type: ignore[arg-type]
        assert sum(1 for _ in found) >= 0
    assert seconds(started) < 20  # a quadratic one takes that many seconds for each text; a linear one 0.1


MORE = {
    "words of their own": "\n".join(f"w{number}" for number in range(SIZE // 8)),
    "tracebacks of notebooks": "E   Traceback (most recent call last)\nE\n" * (SIZE // 40),
    "boxes without a top": "╰──\nE\n" * (SIZE // 12),
    "exceptions behind exceptions": (
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: no\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
    )
    * (SIZE // 160)
    + 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n',
    "a traceback as one line": "Traceback (most recent call last)" + "\\na: b" * (SIZE // 6),
    "words in lines of 2,000": "\n".join("a" * 1999 for _ in range(SIZE // 2000)),
    "digits in lines of 2,000": "\n".join("1" * 1999 for _ in range(SIZE // 2000)),
}


@pytest.mark.parametrize("name", [*HOSTILE, *MORE])
def test_a_log_costs_seconds_at_most(name: str, tmp_path: Path) -> None:
    text = MORE[name] if name in MORE else repeated(HOSTILE[name][0], SIZE, *HOSTILE[name][1:])
    (tmp_path / "agent.log").write_text(text, encoding="utf-8")
    started = time.process_time()
    log = read_log(tmp_path)
    last_failure(log)
    last_error(log)
    assert seconds(started) < 10  # it was 49 for words; now it is about one for the worst of them


def test_a_chain_of_exceptions_is_explained(tmp_path: Path) -> None:
    (tmp_path / "agent.log").write_text(MORE["exceptions behind exceptions"], encoding="utf-8")
    found = last_failure(read_log(tmp_path))
    assert found is not None
    assert (found.kind, found.detail) == ("exception", "KeyError")


def test_a_report_that_names_everything_costs_seconds_at_most(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("x" * (5 << 20))
    names = " ".join(f"`model number {number}`" for number in range(5_000))
    started = time.process_time()
    assert model_in_code(Report(True, model=names), tmp_path) is not None
    assert seconds(started) < 10
