"""The gateway as a service of the host: opened for one run, reached by the agent under the usual variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mlebench.services.gateway.calls import CallLog
from mlebench.services.gateway.gateway import Gateway
from mlebench.services.gateway.options import GatewayOptions
from mlebench.services.gateway.preflight import check_endpoints, check_keys
from mlebench.services.gateway.protocols import Protocol
from mlebench.services.gateway.server import GatewayServer
from mlebench.services.gateway.upstream import UpstreamClient
from mlebench.services.interface import Service, ServiceContext

GATEWAY_SERVICE = "gateway"
_INSIDE_PORT = 5080
_NOTICED_SECONDS = 2.0  # within which a call has ended whose agent has left while the endpoint failed
_LAST_ANSWERS_SECONDS = 60.0  # for answers that are still coming when the agent has ended


class OpenGateway:
    """The gateway of one run."""

    def __init__(self, context: ServiceContext) -> None:
        self.options = GatewayOptions.from_dict(context.options)
        keys = check_keys(self.options)
        clients = [UpstreamClient(upstream, key) for upstream, key in zip(self.options.upstreams, keys, strict=True)]
        self._token = context.token
        self._log = CallLog(context.folder, bodies=self.options.record_prompts)
        self.gateway = Gateway(
            self.options,
            context.token,
            clients,
            self._log,
            end_run=context.end_run,
            record_event=context.record_event,
        )
        self._record_event = context.record_event
        self._server = GatewayServer(self.gateway, context.socket)
        self.port = self._server.port
        self._server.start()

    @property
    def problems(self) -> Sequence[str]:
        """What went wrong on our side."""
        return self.gateway.problems

    def environment(self, url: str) -> Mapping[str, str]:
        """The variables that clients of the protocols read; the key is the token of the run."""
        return variables(self.options, url, self._token)

    def record(self) -> Mapping[str, Any]:
        """What was asked of whom, beside what `model_usage` counts."""
        options = self.options
        return {
            "endpoints": [upstream.url for upstream in options.upstreams],
            "models": {model.asked: model.name for model in options.models} or "all",
            "provider_tools": options.provider_tools,
            "prices_date": options.prices_date,
            "calls_not_listed": self._log.not_listed,
            "problems": len(self.gateway.problems),
        }

    def excuse(self) -> tuple[str, str] | None:
        """Why an agent may have given up through no fault of its own: a code and a sentence."""
        self.gateway.wait_for_calls(_NOTICED_SECONDS)
        return self.gateway.excuse()

    def model_usage(self) -> Mapping[str, Any]:
        """What run.json has as `model_usage`; answers that are under way are read to their ends first."""
        self.gateway.wait_for_calls(_LAST_ANSWERS_SECONDS)
        return self.gateway.ledger.to_dict()

    def close(self) -> None:
        """Stop serving, and note in the event log what was used, which a retry would else forget."""
        usage = self.gateway.ledger.to_dict()
        usage.pop("by_model")
        self._record_event("usage", usage)
        self.gateway.close()
        self._server.end()


def variables(options: GatewayOptions, url: str, token: str) -> dict[str, str]:
    """What tells an agent about a gateway at an address."""
    found: dict[str, str] = {}
    if Protocol.OPENAI in options.protocols:
        found |= {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_BASE": f"{url}/v1", "OPENAI_API_KEY": token}
    if Protocol.ANTHROPIC in options.protocols:
        found |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": token}
    if options.models:
        names = options.listed
        found |= {"MODEL_NAME": names[0], "MODEL_NAMES": ",".join(names)}
    return found


@contextmanager
def _opened(context: ServiceContext) -> Iterator[OpenGateway]:
    gateway = OpenGateway(context)
    try:
        yield gateway
    finally:
        gateway.close()


def _check(options: Mapping[str, Any]) -> None:
    check_endpoints(GatewayOptions.from_dict(options))


def _placeholders(options: Mapping[str, Any]) -> Mapping[str, str]:
    return variables(GatewayOptions.from_dict(options), "http://localhost", "token")


GATEWAY = Service(
    GATEWAY_SERVICE,
    inside_port=_INSIDE_PORT,
    open=_opened,
    uses_token=True,
    check=_check,
    variables=_placeholders,
)
