"""The gateway of one run: who may ask, for what, and what is noted of it."""

from __future__ import annotations

import hmac
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import unquote

from mlebench.base.wording import plain
from mlebench.files.writing import now
from mlebench.services.gateway import checking
from mlebench.services.gateway.calls import CallLog
from mlebench.services.gateway.ledger import BudgetSpentError, GaveUpError, Ledger
from mlebench.services.gateway.live_usage import LiveUsage
from mlebench.services.gateway.options import GatewayOptions, Model
from mlebench.services.gateway.protocols import (
    ENDPOINTS,
    MODELS_PATH,
    Endpoint,
    Form,
    Protocol,
    RefusedError,
    error_body,
    model_body,
    models_body,
)
from mlebench.services.gateway.relay import Call, Exchange, Fault, Outcome, relay
from mlebench.services.gateway.server import Reply, Request
from mlebench.services.gateway.upstream import Health, UnreachableError, UpstreamClient

MODEL_ENDPOINT, MODEL_BUDGET = "model-endpoint", "model-budget"  # why a run is ended
_PACE = 0.02  # seconds that a refusal takes at least, so that a flood of them costs us little
_PARSED_AT_ONCE = 2  # requests: what is parsed takes several times its size
_MOST_PROBLEMS = 100
_MOST_LEFT_OUT = 10  # names of fields that the line of a call shows
_MOST_RESPONSES = 10_000  # ids of answers that a request may refer to
_MODELS_SECONDS = 60.0  # for which a list of models counts


class Gateway:
    """Answers the requests of one run's agent by asking the upstreams."""

    def __init__(
        self,
        options: GatewayOptions,
        token: str,
        clients: Sequence[UpstreamClient],
        log: CallLog,
        *,
        end_run: Callable[[str, str], None] = lambda *_: None,
        record_event: Callable[[str, Mapping[str, Any]], None] = lambda *_: None,
    ) -> None:
        self.options, self.clients, self.log = options, clients, log
        self.ledger = Ledger(options.budgets, options.prices)
        self.problems: list[str] = []
        self.closing = threading.Event()
        self._token = token.encode()
        self._end_run, self._record_event = end_run, record_event
        self._live_usage = LiveUsage(self.ledger, record_event)
        self._health = [Health(options.patience) for _ in clients]
        self._parsing = threading.BoundedSemaphore(_PARSED_AT_ONCE)
        self._responses: deque[str] = deque(maxlen=_MOST_RESPONSES)
        self._has_succeeded = False
        self._is_over: tuple[str, str] | None = None  # why the run ends: a code and a sentence
        self._last_failure: str | None = None  # of the last call, where the upstream is to blame for it
        self._lock = threading.Lock()
        self._under_way = 0
        self._changed = threading.Condition()
        self._models: tuple[float, dict[Protocol, list[str]]] = (-_MODELS_SECONDS, {})

    def note_problem(self, problem: str) -> None:
        """Note something that went wrong on our side, as long as there is room."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    def answer(self, request: Request, reply: Reply) -> None:
        """Answer one request."""
        path = request.target.partition("?")[0]
        endpoint = ENDPOINTS.get(path)
        is_anthropic = (
            endpoint.protocol is Protocol.ANTHROPIC if endpoint else bool(request.header("anthropic-version"))
        )
        protocol = Protocol.ANTHROPIC if is_anthropic else Protocol.OPENAI
        values: dict[str, Any] = {}
        try:
            self._require_token(request)
            if endpoint is not None and request.method == "POST":
                self._call(endpoint, request, reply, values)
            elif request.method in ("GET", "HEAD") and (path == MODELS_PATH or path.startswith(f"{MODELS_PATH}/")):
                self._answer_models(protocol, unquote(path.removeprefix(MODELS_PATH).lstrip("/")), reply)
            else:
                known = ", ".join([*ENDPOINTS, MODELS_PATH])
                raise RefusedError(404, "not_found", f"There is nothing at this path. There are: {known}.")
        except RefusedError as refused:
            if request.method == "POST":
                self.ledger.refuse()
            time.sleep(_PACE)
            body = error_body(protocol, refused.status, refused.code, refused.sentence, refused.param)
            if not reply.has_begun:
                reply.whole(refused.status, body, _no_retry(refused.status))
            noted = {"endpoint": endpoint.form.value if endpoint else "other", "refused": refused.code}
            self._note(self.log.number(), now().isoformat(timespec="milliseconds"), noted, refused.status, **values)

    def _require_token(self, request: Request) -> None:
        given = [request.header("x-api-key") or ""]
        scheme, _, credentials = (request.header("Authorization") or "").partition(" ")
        given += [credentials.strip()] if scheme.lower() == "bearer" else []
        if not any(hmac.compare_digest(text.encode("utf-8", "replace"), self._token) for text in given):
            raise RefusedError(
                401, "no_token", "The key of this request is not that of the run: use the one you were given."
            )

    def _call(self, endpoint: Endpoint, request: Request, reply: Reply, noted: dict[str, Any]) -> None:
        with ExitStack() as holding:  # what is held of a request until it has been sent
            raw = holding.enter_context(request.body())
            with self._parsing:
                values = checking.parse_body(raw)
                asked = checking.model_of(values)
                noted["asked"] = plain(asked, 200)
                left_out = checking.check_request(endpoint, values, provider_tools=self.options.provider_tools)
                for name in left_out:
                    del values[name]
                model, number = self._model(asked, endpoint)
                self._require_own_response(values)
                hides_usage = self._prepare(endpoint, values, model)
                largest = checking.largest_output(endpoint, values)
                is_stream = values.get("stream") is True
                body = checking.serialised(values)
            del raw, values
            headers = self._headers(endpoint, request)
            shown = tuple(plain(name, 50) for name in left_out[:_MOST_LEFT_OUT])
            call = Call(endpoint, model.name, body, headers, is_stream, hides_usage, self.log.number(), shown)
            del body
            with self._counted():
                self._relay(call, asked, largest, number, reply)

    def wait_for_calls(self, seconds: float) -> bool:
        """Wait until no call is under way, at most so long; whether that is so. An answer is counted at its end."""
        with self._changed:
            return self._changed.wait_for(lambda: self._under_way == 0, seconds)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._changed:
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def _relay(self, call: Call, asked: str, largest: int | None, number: int, reply: Reply) -> None:
        if self._is_over is not None:
            raise RefusedError(403, *self._is_over)
        reservation = None
        if call.endpoint.has_usage:
            try:
                reservation = self.ledger.reserve(
                    call.model, len(call.body), largest, lambda: self.closing.is_set() or reply.is_gone()
                )
            except GaveUpError:
                raise RefusedError(503, "nobody_waits", "Nobody waits for this call any longer.") from None
            except BudgetSpentError as spent:
                self._end(MODEL_BUDGET, spent.sentence)
                raise RefusedError(403, "budget_spent", spent.sentence) from None
        began = now().isoformat(timespec="milliseconds")
        request_file = self.log.body(call.number, "request.json")
        request_file.write(call.body)
        request_file.close()
        answer_file = self.log.body(call.number, "answer")
        outcome = Outcome(on_response=self._responses.append)
        client, health = self.clients[number], self._health[number]
        try:
            relay(Exchange(call, client, health, reply, outcome, self.closing, answer_file.write))
        finally:
            answer_file.close()
            usd = None
            if reservation is not None:
                usd = self.ledger.settle(
                    reservation,
                    outcome.usage,
                    failed=not outcome.succeeded,
                    answer_bytes=outcome.received,
                    used=outcome.was_begun,
                    is_complete=outcome.usage_is_complete,
                )
            noted = {"endpoint": call.endpoint.form.value, "asked": plain(asked, 200), "model": plain(call.model, 200)}
            told = {
                **outcome.to_dict(),
                "usd": usd,
                "client_left": reply.client_left,
                "left_out": call.left_out or None,
            }
            self._note(call.number, began, noted, outcome.status, **told)
            if reservation is not None:
                self._live_usage.call_ended()
        self._follow(outcome, number)

    def _follow(self, outcome: Outcome, number: int) -> None:
        """What a call means for the run."""
        self._has_succeeded = self._has_succeeded or outcome.succeeded
        url = self.options.upstreams[number].url
        is_down = outcome.fault is Fault.DOWN and not self.closing.is_set()
        self._last_failure = f"The model endpoint {url} failed: {outcome.error}." if is_down else None
        if outcome.fault is Fault.KEY or (outcome.fault is Fault.FORBIDDEN and not self._has_succeeded):
            self._end(MODEL_ENDPOINT, f"The model endpoint {url} refuses the key (status {outcome.upstream_status}).")
        elif outcome.fault is Fault.QUOTA:
            self._end(MODEL_ENDPOINT, f"The account at the model endpoint {url} is exhausted.")
        elif outcome.fault is Fault.DOWN and self._health[number].is_dead:
            self._end(
                MODEL_ENDPOINT, f"The model endpoint {url} failed for {self.options.patience:.0f} s: {outcome.error}."
            )

    def excuse(self) -> tuple[str, str] | None:
        """A code and a sentence for an agent that has given up, where the last call failed through no fault of it."""
        return None if self._last_failure is None else (MODEL_ENDPOINT, self._last_failure)

    def _end(self, code: str, sentence: str) -> None:
        with self._lock:
            if self._is_over is not None:
                return
            self._is_over = (code, sentence)
        if code != MODEL_BUDGET:
            self.note_problem(sentence)
        self._record_event("end", {"code": code, "error": sentence})
        self._end_run(code, sentence)

    def _model(self, asked: str, endpoint: Endpoint) -> tuple[Model, int]:
        """The model that is meant, and the number of the upstream that has it."""
        model = self.options.model(asked)
        if model is None:
            allowed = ", ".join(self.options.listed)
            raise RefusedError(
                403,
                "model_refused",
                f"The model {plain(asked, 100)} is not allowed. Allowed: {allowed}.",
                param="model",
            )
        if not self.options.provider_tools and endpoint.is_streamable and checking.searches_itself(model.name):
            raise RefusedError(
                403, "model_refused", f"The model {plain(asked, 100)} searches the web by itself.", param="model"
            )
        number = self.options.upstream_for(model, endpoint.protocol)
        if number is None:
            raise RefusedError(404, "no_upstream", f"The model {plain(asked, 100)} is not served in this protocol.")
        return model, number

    def _require_own_response(self, values: Mapping[str, Any]) -> None:
        """An answer that is stored at the provider may be another run's."""
        earlier = values.get("previous_response_id")
        if earlier is not None and earlier not in self._responses:
            raise RefusedError(403, "foreign_response", "previous_response_id is not that of an answer in this run.")

    @staticmethod
    def _prepare(endpoint: Endpoint, values: dict[str, Any], model: Model) -> bool:
        """Change what is passed on; whether the event that tells the usage was not asked for."""
        values["model"] = model.name
        if endpoint.form is not Form.CHAT or values.get("stream") is not True:
            return False
        options = values.get("stream_options")
        options = dict(options) if isinstance(options, Mapping) else {}
        was_asked = options.get("include_usage") is True
        values["stream_options"] = {**options, "include_usage": True}
        return not was_asked

    def _headers(self, endpoint: Endpoint, request: Request) -> dict[str, str]:
        if endpoint.protocol is not Protocol.ANTHROPIC:
            return {}
        version = request.header("anthropic-version") or ""
        is_date = len(version) == 10 and version.replace("-", "").isdigit() and version.isascii()
        headers = {"anthropic-version": version if is_date else "2023-06-01"}
        betas = checking.passed_betas(request.header("anthropic-beta"), provider_tools=self.options.provider_tools)
        return {**headers, "anthropic-beta": betas} if betas else headers

    def _answer_models(self, protocol: Protocol, name: str, reply: Reply) -> None:
        names = self.options.listed or self._upstream_models(protocol)
        if not name:
            reply.whole(200, json.dumps(models_body(protocol, names)).encode())
            return
        if name not in names:
            raise RefusedError(404, "model_not_found", f"There is no model {plain(name, 100)} here.")
        reply.whole(200, json.dumps(model_body(protocol, name)).encode())

    def _upstream_models(self, protocol: Protocol) -> list[str]:
        """The models of all upstreams that speak a protocol; asked for once in a while."""
        from mlebench.services.gateway.preflight import listed_models

        with self._lock:
            asked_at, known = self._models
            if time.monotonic() - asked_at < _MODELS_SECONDS and protocol in known:
                return known[protocol]
            names: list[str] = []
            for client in self.clients:
                if protocol in client.upstream.protocols:
                    try:
                        names += listed_models(client, protocol) or []
                    except UnreachableError:
                        continue
            self._models = (time.monotonic(), {**known, protocol: list(dict.fromkeys(names))})
            return self._models[1][protocol]

    def _note(self, number: int, began: str, call: Mapping[str, Any], status: int, **values: Any) -> None:
        found = {name: value for name, value in values.items() if value is not None and value is not False}
        self.log.append({"call": number, "time": began, **call, "status": status, **found})

    def close(self) -> None:
        """Let no call wait any longer."""
        self.closing.set()
        self._live_usage.close()
        for client in self.clients:
            client.close()
        self.log.close()


def _no_retry(status: int) -> dict[str, str]:
    """The header by which clients of both protocols know that asking again is no use."""
    return {"x-should-retry": "false"} if status in (400, 401, 403, 404, 413, 415) else {}
