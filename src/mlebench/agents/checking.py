"""Finding mistakes in the folder of an agent before a run is spent on them."""

from __future__ import annotations

import ast
import difflib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlebench.agents.agent import Agent, AgentError
from mlebench.agents.discovery import manifests
from mlebench.agents.environments import missing_outside_image
from mlebench.agents.manifest import OWN_KEYS, PUBLISHED_KEYS, agent_of, read_entries
from mlebench.base.codes import Code
from mlebench.base.findings import Evidence, Finding
from mlebench.base.wording import counted

LARGE = 200 << 20  # bytes of a folder that is copied for each run
# What the run decides, whatever a manifest says; its limits are reported where they are tighter.
_DECIDED = (
    "COMPETITION_ID", "SEED", "DATA_DIR", "SUBMISSION_DIR", "LOGS_DIR", "CODE_DIR", "AGENT_DIR", "VALIDATION_URL",
)  # fmt: skip
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[^]]*\])?")
_REFERENCE = re.compile(r"\$\{?AGENT_DIR\}?/([A-Za-z0-9_][\w./-]*)")


class AgentProblem(Code):
    """What may be wrong with an agent."""

    BAD_MANIFEST = "bad_manifest", "config.yaml, or an entry of it, does not have its form."
    UNKNOWN_KEY = "unknown_key", "A key of config.yaml is not known and has no effect."
    WINDOWS_LINE_ENDINGS = "windows_line_endings", "The start script has the line endings of Windows."
    SHELL_SYNTAX = "shell_syntax", "bash does not understand the start script."
    MISSING_FILE = "missing_file", "The start script uses a file of the agent's folder that is not there."
    MISSING_SECRET = "missing_secret", "A secret that the agent needs is not set."
    VARIABLE_WITHOUT_EFFECT = "variable_without_effect", "The agent sets a variable that the run decides about."
    NEEDS_HOME = "needs_home", "The agent needs its home to be /home, which one sandbox does not offer."
    PRIVILEGED = "privileged", "The agent asks to be privileged."
    PYTHON_SYNTAX = "python_syntax", "A Python file cannot be parsed."
    LINK_OUTSIDE = "link_outside", "A link leads out of the agent's folder."
    LARGE_FOLDER = "large_folder", "The agent's folder is large, and is copied for each run."
    UNPINNED = "unpinned", "A requirement has no version, so that the environment depends on the day it is made."
    IMAGE_ONLY = "image_only", "The agent has a dockerfile and no requirements, so its programs are in docker alone."


def check_agents(folder: Path, environment: Mapping[str, str] = os.environ) -> tuple[list[Agent], list[Finding]]:
    """(the agents that are sound, everything found) in a folder that is an agent or holds agents.

    Errors and warnings are what is wrong; notes are what its user may want to know. What several agents of a file share
    is found once, for the first of them.
    """
    agents: list[Agent] = []
    findings: list[Finding] = []
    found_any = False
    for path in manifests([folder]):
        found_any = True
        try:
            entries = read_entries(path)
        except AgentError as error:
            findings.append(
                Finding(path.parent.name, AgentProblem.BAD_MANIFEST, "error", str(error), evidence=Evidence(path))
            )
            continue
        of_file: list[Finding] = []
        of_folder = list(_folder_findings(path.parent))
        is_spoilt = any(finding.severity == "error" for finding in of_folder)
        for name, entry in entries.items():
            of_file += [
                Finding(name, AgentProblem.UNKNOWN_KEY, "warning", sentence, evidence=Evidence(path))
                for sentence in _odd_keys(entry)
            ]
            try:
                agent = agent_of(name, entry, path)
            except AgentError as error:
                of_file.append(Finding(name, AgentProblem.BAD_MANIFEST, "error", str(error), evidence=Evidence(path)))
                continue
            found = list(_findings(agent, environment))
            of_file += found
            if not is_spoilt and not any(finding.severity == "error" for finding in found):
                agents.append(agent)
        findings += [*_once(of_file), *of_folder]
    if not found_any:
        raise AgentError(f"There is no agent in {folder}: it has no config.yaml.", hint="See `mlebench agents new`.")
    return agents, findings


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """Each thing that is found once, where it is first found, with how many more agents of the file have it."""
    alike: dict[tuple[str, str, Evidence], list[Finding]] = {}
    for finding in findings:
        message = finding.message.replace(f"{finding.subject} in ", "")  # an error names the agent again
        alike.setdefault((finding.code, message, finding.evidence), []).append(finding)
    return [
        first if not more else replace(first, subject=f"{first.subject} (and {counted(len(more), 'more agent')})")
        for first, *more in alike.values()
    ]


def _odd_keys(entry: Mapping[str, Any]) -> Iterator[str]:
    known = (*PUBLISHED_KEYS, *OWN_KEYS)
    for key in map(str, entry):
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            yield f"The key `{key}` is not known and has no effect" + (f"; is it `{near[0]}`?" if near else ".")


def _findings(agent: Agent, environment: Mapping[str, str]) -> Iterator[Finding]:
    folder = agent.folder or Path()

    def error(code: AgentProblem, sentence: str, file: Path | None = None) -> Finding:
        return Finding(agent.id, code, "error", sentence, evidence=Evidence(file))

    def warning(code: AgentProblem, sentence: str, file: Path | None = None, line: int | None = None) -> Finding:
        return Finding(agent.id, code, "warning", sentence, evidence=Evidence(file, line))

    def note(code: AgentProblem, sentence: str) -> Finding:
        return Finding(agent.id, code, "note", sentence)

    if agent.start is not None:
        path = folder / agent.start
        script = path.read_bytes()
        if b"\r\n" in script:
            sentence = f"{agent.start} has the line endings of Windows, which bash does not understand."
            yield error(AgentProblem.WINDOWS_LINE_ENDINGS, sentence, path)
        elif problem := _syntax_problem(path):
            yield error(AgentProblem.SHELL_SYNTAX, f"bash does not understand {agent.start}: {problem}.", path)
        for name in dict.fromkeys(_REFERENCE.findall(script.decode("utf-8", "replace"))):
            # What an image makes is not known before it is built.
            if agent.dockerfile is None and not any((place / name).exists() for place in (folder, *agent.includes)):
                sentence = f"{agent.start} uses $AGENT_DIR/{name}; there is no such file."
                yield warning(AgentProblem.MISSING_FILE, sentence, path)
    for name in agent.missing_secrets(environment):
        yield warning(AgentProblem.MISSING_SECRET, f"It needs the secret {name}, which is not set here.")
    for name in sorted(agent.variables.keys() & set(_DECIDED)):
        sentence = f"The run decides about the variable {name}; what `env_vars` says has no effect."
        yield warning(AgentProblem.VARIABLE_WITHOUT_EFFECT, sentence)
    if agent.needs_home:
        sentence = "It needs its home to be /home, so the sandbox `process` refuses it."
        yield note(AgentProblem.NEEDS_HOME, sentence)
    if agent.privileged:
        yield note(AgentProblem.PRIVILEGED, "It asks to be privileged, which needs --allow-privileged.")
    if lacking := missing_outside_image(agent):
        yield note(AgentProblem.IMAGE_ONLY, lacking)
    for file in (agent.requirements, agent.without_dependencies):
        if file is not None and (names := _unpinned(file)):
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            sentence = f"{file.name} gives no version for {names[0]}{more}: what is installed depends on the day."
            yield warning(AgentProblem.UNPINNED, sentence, file)


def _unpinned(requirements: Path) -> list[str]:
    """The packages in a file of requirements that are named without an exact version, a file or an address."""
    text = requirements.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        wanted = line.partition("#")[0].strip()
        if (match := _PACKAGE.match(wanted)) and "==" not in wanted and "@" not in wanted and "/" not in wanted:
            found.append(match[0])
    return found


def _folder_findings(folder: Path) -> Iterator[Finding]:
    """What is wrong with the folder of one or several agents, whichever of them runs."""
    name = folder.resolve().name
    for sentence, file, line in _python_problems(folder):
        yield Finding(name, AgentProblem.PYTHON_SYNTAX, "warning", sentence, evidence=Evidence(file, line))
    size = 0
    for path in folder.rglob("*"):
        if path.is_symlink():
            if not path.resolve().is_relative_to(folder.resolve()):
                sentence = f"{path.relative_to(folder)} is a link that leads out of the folder, which is copied."
                yield Finding(name, AgentProblem.LINK_OUTSIDE, "error", sentence, evidence=Evidence(path))
        elif path.is_file():
            size += path.stat().st_size
    if size > LARGE:
        sentence = f"The folder has {size >> 20} MB and is copied for each run."
        yield Finding(name, AgentProblem.LARGE_FOLDER, "warning", sentence, evidence=Evidence(folder))


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


def _python_problems(folder: Path) -> Iterator[tuple[str, Path, int | None]]:
    """(sentence, file, line) for every file that cannot be parsed."""
    for path in sorted(folder.rglob("*.py")):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            reason = getattr(error, "msg", None) or str(error)
            sentence = f"{path.relative_to(folder)} is not valid Python{f', line {line}' if line else ''}: {reason}."
            yield sentence, path, line
