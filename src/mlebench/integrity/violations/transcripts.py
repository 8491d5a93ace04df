"""Commands that a log shows as run: traces of a shell, and the tool calls of agents; other words are only talk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlebench.base.findings import Evidence
from mlebench.base.wording import plain
from mlebench.integrity.violations.rules import LONGEST_QUOTE, Strength, Violation, Witness
from mlebench.integrity.violations.shell import ShellSign, read_shell, typed_rows

_TRACE = re.compile(r"^\++ (\S.*)$")
_MOST = 20_000  # lines that are parsed
_DEEPEST = 8


def log_evidence(path: Path, text: str) -> Iterator[Violation]:
    """What the commands in a log do against the rules."""
    rows: list[tuple[int, str]] = []
    signs: list[tuple[int, ShellSign]] = []
    for number, command in commands_in(text):
        reading = read_shell(command)
        signs += [(number, sign) for sign in reading.signs]
        rows += [(number, row) for _, row in reading.rows]
    signs += [(sign.line, sign) for sign in typed_rows(rows)]
    for number, sign in signs:
        if sign.strength is Strength.STRONG:
            yield Violation(
                sign.rule,
                Witness.EVIDENCE,
                sign.strength,
                f"{sign.message} The log shows it.",
                Evidence(path, number, plain(sign.quotation, LONGEST_QUOTE)),
            )


def commands_in(text: str) -> Iterator[tuple[int, str]]:
    """(line, command) of what a log shows as run."""
    for number, line in enumerate(text.split("\n")[:_MOST], start=1):
        stripped = line.strip()
        if stripped.startswith("{") and stripped.endswith("}") and ("command" in stripped or "cmd" in stripped):
            try:
                entry = json.loads(stripped)
            except (ValueError, RecursionError):
                continue
            yield from ((number, command) for command in _tool_commands(entry, 0))
        elif found := _TRACE.match(line):
            yield number, found[1]


def _tool_commands(entry: Any, depth: int) -> Iterator[str]:
    """The commands of tool calls in an object of an agent's log."""
    if depth > _DEEPEST:
        return
    if isinstance(entry, list):
        for item in entry:
            yield from _tool_commands(item, depth + 1)
        return
    if not isinstance(entry, dict):
        return
    kind = str(entry.get("type", entry.get("action", "")))
    given = entry.get("input", entry.get("args", entry.get("arguments", entry)))
    if kind in ("tool_use", "function_call", "command_execution", "exec_command", "run", "local_shell_call", "bash"):
        if isinstance(given, str):
            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                given = {"command": given}
        command = given.get("command", given.get("cmd")) if isinstance(given, dict) else None
        if isinstance(command, list):
            command = command[-1] if command[:2] in (["bash", "-lc"], ["bash", "-c"]) else " ".join(map(str, command))
        if isinstance(command, str):
            yield command
            return
    for value in entry.values():
        if isinstance(value, dict | list):
            yield from _tool_commands(value, depth + 1)
