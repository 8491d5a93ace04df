"""What a service is: something that runs on the host for one run, and that the agent inside can reach at a port.

A new service is one `Service`: a line in `mlebench.services.opening.SERVICES`, or an entry point in the group
`mlebench.services` of another package. Keys stay with the service; the agent gets at most a token of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from mlebench.competition.local import LocalCompetition


@dataclass(frozen=True)
class ServiceContext:
    """What a service is opened for, and how the agent will reach it.

    Where the sandbox has a network of its own, the service listens on the Unix socket `socket`, which nobody else can
    reach; else on any free port of the host's loopback (`socket` is None), which every user of the machine can reach:
    a service that must serve this run alone then asks for `token`, which is random and known to the agent only.
    `options` are those of the run group for this service. `record_event` appends to the run's event log. `folder` is
    the run's folder, which the agent cannot reach: a service may leave records there. `end_run` ends the run, for a
    reason with a code of its own and a sentence: a budget that is spent (`model-budget`), or a fault that is not the
    agent's (`model-endpoint`). What the agent has handed in by then is collected as ever. `renaming` is the file that
    leads back to the true names of columns, where the agent was shown others.
    """

    run_id: str
    competition: LocalCompetition
    socket: Path | None
    token: str
    options: Mapping[str, Any] = field(default_factory=dict)
    record_event: Callable[[str, Mapping[str, Any]], None] = lambda *_: None
    folder: Path | None = None
    end_run: Callable[[str, str], None] = lambda *_: None
    renaming: Path | None = None


class OpenService(Protocol):
    """A service that is open for one run."""

    @property
    def port(self) -> int | None:
        """The port of the host's loopback that it listens on; None where it has a socket."""
        ...

    def environment(self, url: str) -> Mapping[str, str]:
        """The variables that tell the agent about it; `url` is where it is reached inside."""
        ...

    def record(self) -> Mapping[str, Any]:
        """What run.json says about it: plain values, bounded whatever the agent did."""
        ...

    @property
    def problems(self) -> Sequence[str]:
        """What went wrong on our side, one sentence each; the agent is not told."""
        ...


@runtime_checkable
class CountsModelUsage(Protocol):
    """A service that calls models for the agent."""

    def model_usage(self) -> Mapping[str, Any]:
        """What run.json has as `model_usage`."""
        ...


@runtime_checkable
class ExcusesAgent(Protocol):
    """A service that knows when an agent had reason to give up."""

    def excuse(self) -> tuple[str, str] | None:
        """The code and the sentence of a fault that is not the agent's, if what it asked for last failed for that."""
        ...


@dataclass(frozen=True)
class Service:
    """One kind of service: its name, its port where the sandbox has a network of its own, and how to open it.

    With `uses_token` the token of the run is masked in everything that the agent prints. `check` is given the options
    before the first run of a group begins, also when it is resumed, and raises an error that says in a sentence why no
    run could have the service. `variables` are those that the service will tell the agent, with whatever values, as
    far as they are known by its options: an agent that asks for one of these as a secret gets it from the service.
    """

    name: str
    inside_port: int
    open: Callable[[ServiceContext], AbstractContextManager[OpenService]]
    uses_token: bool = False
    check: Callable[[Mapping[str, Any]], None] = lambda _: None
    variables: Callable[[Mapping[str, Any]], Mapping[str, str]] = lambda _: {}
