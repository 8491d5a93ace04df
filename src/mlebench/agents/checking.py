"""Finding mistakes in the folder of an agent before a run is spent on them."""

from __future__ import annotations

import ast
import difflib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mlebench.agents.agent import Agent, AgentError
from mlebench.agents.finding import manifests
from mlebench.agents.manifest import OWN_KEYS, PUBLISHED_KEYS, agent_of, read_entries

LARGE = 200 << 20  # bytes of a folder that is copied for each run
# What the run decides, whatever a manifest says; its limits are told where they are tighter.
_DECIDED = (
    "COMPETITION_ID", "SEED", "DATA_DIR", "SUBMISSION_DIR", "LOGS_DIR", "CODE_DIR", "AGENT_DIR", "VALIDATION_URL",
)  # fmt: skip
_REFERENCE = re.compile(r"\$\{?AGENT_DIR\}?/([A-Za-z0-9_][\w./-]*)")


@dataclass(frozen=True)
class Finding:
    """Something about an agent that will fail (an error) or may surprise (a warning)."""

    level: Literal["error", "warning"]
    agent: str
    sentence: str


def check_agents(folder: Path, environment: Mapping[str, str] = os.environ) -> tuple[list[Agent], list[Finding]]:
    """(the agents that are sound, everything found) in a folder that is an agent or holds agents."""
    agents: list[Agent] = []
    findings: list[Finding] = []
    found_any = False
    for path in manifests([folder]):
        found_any = True
        try:
            entries = read_entries(path)
        except AgentError as error:
            findings.append(Finding("error", path.parent.name, str(error)))
            continue
        for name, entry in entries.items():
            findings += [Finding("warning", name, sentence) for sentence in _odd_keys(entry)]
            try:
                agent = agent_of(name, entry, path)
            except AgentError as error:
                findings.append(Finding("error", name, str(error)))
                continue
            found = list(_findings(agent, environment))
            findings += found
            if not any(each.level == "error" for each in found):
                agents.append(agent)
    if not found_any:
        raise AgentError(f"There is no agent in {folder}: it has no config.yaml.", hint="See `mlebench agents new`.")
    return agents, findings


def _odd_keys(entry: Mapping[str, Any]) -> Iterator[str]:
    known = (*PUBLISHED_KEYS, *OWN_KEYS)
    for key in map(str, entry):
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            yield f"The key `{key}` is not known and has no effect" + (f"; is it `{near[0]}`?" if near else ".")


def _findings(agent: Agent, environment: Mapping[str, str]) -> Iterator[Finding]:
    folder = agent.folder or Path()

    def error(sentence: str) -> Finding:
        return Finding("error", agent.id, sentence)

    def warning(sentence: str) -> Finding:
        return Finding("warning", agent.id, sentence)

    if agent.start is not None:
        script = (folder / agent.start).read_bytes()
        if b"\r\n" in script:
            yield error(f"{agent.start} has the line endings of Windows, which bash does not understand.")
        elif problem := _syntax_problem(folder / agent.start):
            yield error(f"bash does not understand {agent.start}: {problem}.")
        for name in dict.fromkeys(_REFERENCE.findall(script.decode("utf-8", "replace"))):
            if not (folder / name).exists():
                place = "unless its image makes it, " if agent.dockerfile else ""
                yield warning(f"{agent.start} uses $AGENT_DIR/{name}; {place}there is no such file.")
    for name in agent.missing_secrets(environment):
        yield warning(f"It needs the secret {name}, which is not set here.")
    for name in sorted(agent.variables.keys() & set(_DECIDED)):
        yield warning(f"The run decides about the variable {name}; what `env_vars` says has no effect.")
    if agent.needs_home:
        yield warning("It needs its home to be /home, so the sandbox `process` refuses it.")
    if agent.privileged:
        yield warning("It asks to be privileged, which needs --allow-privileged.")
    yield from (warning(sentence) for sentence in _python_problems(folder))
    size = 0
    for path in folder.rglob("*"):
        if path.is_symlink():
            if not path.resolve().is_relative_to(folder.resolve()):
                yield error(f"{path.relative_to(folder)} is a link that leads out of the folder, which is copied.")
        elif path.is_file():
            size += path.stat().st_size
    if size > LARGE:
        yield warning(f"The folder has {size >> 20} MB and is copied for each run.")


def _syntax_problem(script: Path) -> str | None:
    """What bash has to say about a script without running it."""
    try:
        done = subprocess.run(
            ["bash", "-n", script.name], cwd=script.parent, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None  # no bash here; there will be one where it runs
    lines = done.stderr.strip().splitlines()
    return lines[0].removeprefix(f"{script.name}: ").rstrip(".") if done.returncode != 0 and lines else None


def _python_problems(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            reason = getattr(error, "msg", None) or str(error)
            yield f"{path.relative_to(folder)} is not valid Python{f', line {line}' if line else ''}: {reason}."
