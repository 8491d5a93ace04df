"""What an agent is: a folder that is copied into its home, and how it is started there."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.base.wording import counted
from mlebench.errors import MlebenchError

SECRET = re.compile(r"\$\{\{\s*secrets\.(\w+)\s*\}\}")


class AgentError(MlebenchError):
    """An agent cannot be used as asked: one sentence, and what to do next."""


@dataclass(frozen=True)
class Start:
    """How to start an agent now: its command, its own variables, and the secrets in them, to be masked in logs."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Agent:
    """An agent.

    `folder` is copied to $AGENT_DIR, and `start` names the script in it that bash runs, with `arguments`; an agent
    without one runs `shell` instead, a command line, in $AGENT_DIR. Arguments and `variables` may name secrets as
    `${{ secrets.NAME }}`, which are looked up when the agent is started and never earlier. `needs_home` says that it
    works only where its home is `/home`, and `network` what it must reach (`none`, `full`, or `host:port` each).

    Where it runs without an image it needs, from `requirements` to `size`: Python packages, at best a lock; packages
    that are installed without their dependencies; the package.json of npm packages; a version of Python ("3.12" or
    ">=3.12"); programs of the machine; and about so many bytes of disk for all of that. `includes` are further folders
    of ours whose files are copied beside its own, `aliases` other names for it. `calls_model` says that it is of no use
    without a model to call, and `protocols` which of `openai` and `anthropic` it can speak to one, where not both.
    `disclosure` is what its people tell about it, for leaderboards.
    """

    id: str
    folder: Path | None = None
    start: str | None = "start.sh"
    shell: str | None = None
    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    dockerfile: Path | None = None
    privileged: bool = False
    needs_home: bool = False
    network: tuple[str, ...] = ()
    gpus: int = 0
    requirements: Path | None = None
    without_dependencies: Path | None = None
    npm: Path | None = None
    python: str | None = None
    programs: tuple[str, ...] = ()
    size: int | None = None
    includes: tuple[Path, ...] = ()
    aliases: tuple[str, ...] = ()
    calls_model: bool = False
    protocols: tuple[str, ...] = ()
    summary: str = ""
    disclosure: Mapping[str, Any] = field(default_factory=dict)
    built_in: bool = False

    @property
    def has_environment(self) -> bool:
        """Whether it asks for more than the Python that mlebench runs with."""
        return any((self.requirements, self.without_dependencies, self.npm, self.python))

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The secrets it asks for."""
        texts = (*self.arguments, *self.variables.values())
        return tuple(dict.fromkeys(name for text in texts for name in SECRET.findall(text)))

    def missing_secrets(self, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
        """The secrets it asks for that the environment does not have."""
        return tuple(name for name in self.secret_names if not environment.get(name))

    def unmet_needs(self, network: Collection[str], gpus: int) -> list[str]:
        """What it needs and is not granted, as phrases; `network` as in a manifest, `full` or `host:port` each."""
        missing = [] if "full" in network else [access for access in self.network if access not in network]
        needs = [f"the network ({access})" if access == "full" else access for access in missing]
        return needs + ([counted(self.gpus, "GPU")] if gpus < self.gpus else [])

    def starting(self, agent_dir: str, environment: Mapping[str, str] = os.environ) -> Start:
        """How to start it in a home where its folder is at `agent_dir`; an unset secret is an error that names it."""
        if missing := self.missing_secrets(environment):
            names = ", ".join(missing)
            raise AgentError(
                f"The agent {self.id} needs {names}, which {'is' if len(missing) == 1 else 'are'} not set.",
                hint=f"Run: export {missing[0]}=…",
            )

        def resolved(text: str) -> str:
            return SECRET.sub(lambda match: environment[match[1]], text)

        if self.start is not None:
            command = ("bash", f"{agent_dir}/{self.start}", *map(resolved, self.arguments))
        elif self.shell is not None:
            command = ("bash", "-c", 'cd "$AGENT_DIR" && eval "$1"', self.id, self.shell)
        else:
            raise AgentError(
                f"The agent {self.id} runs a command of yours, but none was given.", hint="Add --command 'COMMAND'."
            )
        variables = {name: resolved(text) for name, text in self.variables.items()}
        return Start(command, variables, tuple(environment[name] for name in self.secret_names))


def command_agent(command: str, code: Path | None = None) -> Agent:
    """The agent `command`: any command line, run in $AGENT_DIR, where a copy of the folder `code` is."""
    if not command.strip():
        raise AgentError("The command is empty.", hint="Add --command 'COMMAND'.")
    if "\0" in command:
        raise AgentError("The command has a null character.")
    if code is not None and not code.is_dir():
        raise AgentError(f"There is no folder {code} with the code of the agent.", hint="Give a folder with --code.")
    return Agent(id="command", folder=code, start=None, shell=command, built_in=True, summary=COMMAND_SUMMARY)


COMMAND_SUMMARY = "runs a command line of yours (--command) in a copy of a folder (--code)"
