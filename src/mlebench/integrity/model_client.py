"""Asking a model at any address that speaks OpenAI's protocol: with patience, and a limit of what is spent."""

from __future__ import annotations

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mlebench.base.wording import plain
from mlebench.errors import MlebenchError

_T = TypeVar("_T")
DEFAULT_ADDRESS = "https://api.openai.com/v1"
_TRIES = 6
_LONGEST_PAUSE = 60.0  # seconds
_LARGEST = 8 << 20  # bytes of an answer that are read


class ModelError(MlebenchError):
    """A model gives no answer; the others go on."""


class RefusedError(ModelError):
    """The server answers that it will not do what was asked: `status` is 400 or another code that stays as it is."""

    status = 0


class SpentError(MlebenchError):
    """The limit of what may be spent is reached."""


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens, of what is sent and of what is answered."""

    sent: float = 5.0
    answered: float = 25.0

    @classmethod
    def read(cls, text: str) -> Price:
        """A price that is written as `5/25`."""
        try:
            sent, answered = (float(part) for part in text.split("/"))
        except ValueError as error:
            raise MlebenchError(
                f"{plain(text, 40)} is no price.", hint="Write USD per million tokens: 5/25."
            ) from error
        if not (0 <= sent < 1e6 and 0 <= answered < 1e6):
            raise MlebenchError(f"{plain(text, 40)} is no price.", hint="Write USD per million tokens: 5/25.")
        return cls(sent, answered)


@dataclass
class ModelClient:
    """A model at an address; `spent` is what its answers cost so far, in US dollars."""

    model: str
    address: str
    key: str
    price: Price = field(default_factory=Price)
    most: float = 10.0
    timeout: float = 120.0
    first_pause: float = 1.0
    sleep: Callable[[float], None] = time.sleep
    spent: float = 0.0
    asked: int = 0

    @classmethod
    def from_environment(
        cls, model: str, address: str | None, *, user: str = "The judge", instead: str = "--no-judge", **options: Any
    ) -> ModelClient:
        """A model at the given address or $OPENAI_BASE_URL, with the key in $OPENAI_API_KEY.

        `user` is who needs it, and `instead` the option that goes without, for the message where there is no key.
        """
        chosen = address or os.environ.get("OPENAI_BASE_URL") or DEFAULT_ADDRESS
        if not chosen.startswith(("http://", "https://")):
            raise MlebenchError(
                f"{plain(chosen, 100)} is no address of a model.", hint="Give one that begins with http."
            )
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key and chosen == DEFAULT_ADDRESS:
            raise MlebenchError(
                f"{user} needs a model, and OPENAI_API_KEY is not set.",
                hint=f"Set it, give another address with --base-url, or use {instead}.",
            )
        return cls(model, chosen.rstrip("/"), key, **options)

    def ask(self, system: str, user: str) -> str:
        """The text that the model answers; a ModelError says why there is none, a SpentError that the limit is near."""
        body = {
            "model": self.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "temperature": 0,
        }
        cost = self.cost_of(len(system) + len(user), 500)
        try:
            return self.request("chat/completions", body, _message, cost)
        except RefusedError as error:
            if error.status != 400:
                raise
            del body["temperature"]  # some models refuse it
            return self.request("chat/completions", body, _message, cost)

    def cost_of(self, characters: int, answered: int) -> float:
        """About what it costs to send a text of so many characters and to get so many tokens, in US dollars."""
        return (characters / 3 * self.price.sent + answered * self.price.answered) / 1e6

    def request(self, path: str, body: dict[str, Any], read: Callable[[Any], _T], cost: float) -> _T:
        """What `read` makes of the answer to a request; an answer that it cannot read is asked for again.

        `cost` is an estimate: nothing is sent that may lead beyond the limit.
        """
        if self.spent + cost > self.most:
            raise SpentError(
                f"The limit of {self.most:g} USD is reached: {self.spent:.2f} USD are spent.",
                hint="Raise --max-cost and run the same command again; answers are kept.",
            )
        reason = "no answer"
        for attempt in range(_TRIES):
            pause = min(self.first_pause * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25)
            try:
                answer = self._post(path, body)
                found = read(answer)
            except urllib.error.HTTPError as error:
                reason = f"it answers {error.code}"
                if error.code not in (408, 409, 425, 429) and error.code < 500:
                    refused = RefusedError(f"The model at {self.address} refuses: {reason}.")
                    refused.status = error.code
                    raise refused from error
                pause = _retry_after(error.headers.get("Retry-After"), pause)
            except (OSError, http.client.HTTPException) as error:
                reason = f"the connection fails ({type(error).__name__})"
            except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
                reason = "what it answers is not in the form of the protocol"
            else:
                self._count(answer, cost)
                return found
            if attempt + 1 < _TRIES:
                self.sleep(pause)
        raise ModelError(f"The model at {self.address} gives no answer after {_TRIES} tries: {reason}.")

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{self.address}/{path}",
            data=json.dumps(body).encode("utf-8"),
            headers={
                "Content-Type": "application/json",
                **({"Authorization": f"Bearer {self.key}"} if self.key else {}),
            },
        )
        self.asked += 1
        with urllib.request.urlopen(request, timeout=self.timeout) as response:
            data = response.read(_LARGEST + 1)
            expected = response.headers.get("Content-Length")
        if len(data) > _LARGEST:
            raise ValueError("too long")
        if expected is not None and expected.isdecimal() and len(data) < int(expected):
            raise http.client.IncompleteRead(data)
        return json.loads(data.decode("utf-8"))

    def _count(self, answer: Any, estimate: float) -> None:
        usage = answer.get("usage") if isinstance(answer, dict) else None
        try:
            sent, answered = float(usage["prompt_tokens"]), float(usage["completion_tokens"])  # type: ignore[index]
            self.spent += sent * self.price.sent / 1e6 + answered * self.price.answered / 1e6
        except (TypeError, KeyError, ValueError):
            self.spent += estimate


def _message(answer: Any) -> str:
    """The text of an answer of a chat."""
    text = answer["choices"][0]["message"]["content"]
    if not isinstance(text, str) or not text.strip():
        raise ValueError("an empty answer")
    return text


def _retry_after(text: str | None, pause: float) -> float:
    try:
        return min(max(float(text or ""), 0.0), _LONGEST_PAUSE)
    except ValueError:
        return pause
