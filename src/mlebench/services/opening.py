"""The services that there are, and opening those of a run."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.base.registered import Registered
from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.files.scratch import ScratchFolder
from mlebench.services.interface import CountsModelUsage, ExcusesAgent, OpenService, Service, ServiceContext

SERVICES: Registered[Service] = Registered(
    "mlebench.services",
    lazily={
        "validation": "mlebench.services.validation:VALIDATION",
        "gateway": "mlebench.services.gateway.service:GATEWAY",
    },
)


class ServiceError(MlebenchError):
    """A service of a run cannot be opened."""


@dataclass(frozen=True)
class EndRequest:
    """Why a service ends its run, and since when (`time.monotonic`)."""

    code: str
    sentence: str
    time: float


@dataclass
class OpenServices:
    """The services of one run: what the sandbox lets the agent reach, and what the agent is told."""

    servers: dict[int, Path | None] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    by_name: dict[str, OpenService] = field(default_factory=dict)
    end_request: EndRequest | None = None

    def end_run(self, code: str, sentence: str) -> None:
        """Ask for the end of the run; the first reason counts."""
        if self.end_request is None:
            self.end_request = EndRequest(code, sentence, time.monotonic())

    def reason_for_end(self, *, by_itself: bool) -> EndRequest | None:
        """Why a service has ended the run; of an agent that ended by itself also why it may have had to give up."""
        if self.end_request is None and by_itself:
            for service in self.by_name.values():
                if isinstance(service, ExcusesAgent) and (excuse := service.excuse()) is not None:
                    return EndRequest(*excuse, time.monotonic())
        return self.end_request

    def model_usage(self) -> dict[str, Any]:
        """What run.json says about the models that the agent called through a service."""
        counting = [service for service in self.by_name.values() if isinstance(service, CountsModelUsage)]
        return dict(counting[0].model_usage()) if counting else {}

    def records(self) -> dict[str, dict[str, Any]]:
        """What run.json says about each."""
        return {name: dict(service.record()) for name, service in self.by_name.items()}


def require_service(name: str) -> Service:
    """The service of this name."""
    return SERVICES.require(name, "service", error=ServiceError)


def check_services(chosen: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise an error that says why no run could have a service; asked before the first run of a group begins."""
    for name, options in chosen.items():
        require_service(name).check(options)


def expected_variables(chosen: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The variables that services will tell an agent, as far as that is known before they are opened."""
    found: dict[str, str] = {}
    for name, options in chosen.items():
        found |= require_service(name).variables(options)
    return found


def open_services(
    chosen: Mapping[str, Mapping[str, Any]],
    stack: ExitStack,
    *,
    run_id: str,
    competition: LocalCompetition,
    own_network: bool,
    record_event: Callable[[str, str, Mapping[str, Any]], None] = lambda *_: None,
    folder: Path | None = None,
    renaming: Path | None = None,
) -> OpenServices:
    """Open services (by name, with their options) until the stack is closed.

    Each listens on a Unix socket where the agent has a network of its own, else on a port of the host.
    """
    opened = OpenServices()
    for name, options in chosen.items():
        service = require_service(name)
        socket = None
        if own_network:  # a short path: sockets cannot have a long one
            socket = stack.enter_context(ScratchFolder()) / "socket"

        def record(kind: str, values: Mapping[str, Any], name: str = name) -> None:
            record_event(name, kind, values)

        token = secrets.token_urlsafe(24)
        context = ServiceContext(run_id, competition, socket, token, options, record, folder, opened.end_run, renaming)
        try:
            running = stack.enter_context(service.open(context))
        except (OSError, MlebenchError) as error:
            raise ServiceError(f"The service {name} cannot be opened: {error}") from error
        port = service.inside_port if own_network else running.port
        if port is None or port in opened.servers:
            raise ServiceError(f"The service {name} has no port of its own.")
        opened.servers[port] = socket
        opened.environment |= running.environment(f"http://localhost:{port}")
        opened.by_name[name] = running
        if service.uses_token:
            opened.secrets.append(token)
    return opened
