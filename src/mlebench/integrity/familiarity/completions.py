"""Probabilities of tokens from a completions API: of a whole text at once, or of one next token at a time.

A server that can echo returns the prompt's own tokens with their probabilities. Others return only the most probable
next tokens; there the next token is the longest of them with which the text goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Any, TypeVar

from mlebench.integrity.model_client import ModelClient, ModelError, RefusedError

_T = TypeVar("_T")
_PROBE = "The quick brown fox jumps over the lazy dog, and the dog does not mind at all."
_FAINTEST = 1e-6  # log probabilities above 0 by less are rounding
# How tokenizers write blanks and line breaks where a server returns their own form of a token.
_DECODED = str.maketrans({"\u0120": " ", "\u2581": " ", "\u010a": "\n"})


class Method(StrEnum):
    """How probabilities are asked for. The codes are kept in caches and records."""

    ECHO = "echo"
    NEXT_TOKEN = "next_token"


class NoEchoError(ModelError):
    """The server does not return the tokens of the prompt."""


class NoProbabilitiesError(ModelError):
    """The server returns no probabilities."""


class _CountError(ModelError):
    """There are more or fewer answers than prompts."""


@dataclass(frozen=True)
class _Token:
    text: str
    logprob: float | None
    top: dict[str, float]


@dataclass
class Completions:
    """A completions API: `top` is how many tokens its lists have, `batch` how many prompts go into one request."""

    client: ModelClient
    top: int = 5
    batch: int = 16

    def method(self) -> Method:
        """The better of the methods that the server knows, by trying."""
        try:
            self.echoed([_PROBE])
        except (NoEchoError, NoProbabilitiesError):
            pass
        except RefusedError as error:
            if error.status not in (400, 422):
                raise self._explained(error) from error
        else:
            return Method.ECHO
        try:
            self.next_tokens([(_PROBE[:43], _PROBE[43:])])
        except RefusedError as error:
            raise self._explained(error) from error
        return Method.NEXT_TOKEN

    def echoed(self, prompts: Sequence[str]) -> list[list[tuple[int, float]]]:
        """For each prompt (offset, probability) of its tokens; the first has none, since nothing precedes it."""

        def read(choice: Any, place: int) -> list[tuple[int, float]]:
            return self._echoed(choice, prompts[place])

        return self._asked(prompts, {"echo": True}, read)

    def next_tokens(self, places: Sequence[tuple[str, str]]) -> list[float]:
        """For each (text before, text behind) the probability of the token with which the text goes on."""

        def read(choice: Any, place: int) -> float:
            tokens = self._tokens(choice)
            return probability_of_next(self._best(tokens[0].top), places[place][1])

        return self._asked([before for before, _ in places], {}, read)

    def _asked(self, prompts: Sequence[str], more: dict[str, Any], read: Callable[[Any, int], _T]) -> list[_T]:
        """What is read of the answers to prompts, in batches; one by one where a server does not take batches."""
        found: list[_T] = []
        while len(found) < len(prompts):
            begin = len(found)
            sent = prompts[begin : begin + self.batch]

            def read_all(answer: Any, begin: int = begin, count: int = len(sent)) -> list[_T]:
                choices = sorted(answer["choices"], key=lambda choice: int(choice.get("index", 0)))
                if len(choices) != count:
                    raise _CountError(f"The model at {self.client.address} answers {len(choices)} of {count} prompts.")
                return [read(choice, begin + place) for place, choice in enumerate(choices)]

            body = {
                "model": self.client.model,
                "prompt": list(sent) if len(sent) > 1 else sent[0],
                "max_tokens": 1,
                "temperature": 0,
                "logprobs": self.top,
                **more,
            }
            cost = self.client.cost_of(sum(map(len, sent)), len(sent))
            try:
                found += self.client.request("completions", body, read_all, cost)
            except (_CountError, RefusedError) as error:
                is_refusal = isinstance(error, RefusedError) and error.status not in (400, 413, 422)
                if len(sent) == 1 or is_refusal:
                    raise
                self.batch = 1
        return found

    def _echoed(self, choice: Any, prompt: str) -> list[tuple[int, float]]:
        text = choice["text"]
        if not text.startswith(prompt):
            raise NoEchoError(f"The model at {self.client.address} does not return the prompt.")
        tokens = self._tokens(choice)
        found = []
        for token, offset in zip(tokens, _offsets(choice, tokens, text), strict=True):
            if token.logprob is None or offset >= len(prompt):
                continue
            found.append((offset, math.exp(min(token.logprob, 0.0)) if self._is_listed(token) else 0.0))
        return found

    def _tokens(self, choice: Any) -> list[_Token]:
        """The tokens of an answer, which come as parallel lists, or as a list of objects as in chats."""
        given = choice.get("logprobs")
        if not given:
            raise self._no_probabilities()
        if "content" in given:
            tokens = [
                _Token(entry["token"], _logprob(entry["logprob"]), _top(_pairs(entry.get("top_logprobs"))))
                for entry in given["content"]
            ]
        else:
            if not given.get("top_logprobs"):
                raise self._no_probabilities()
            lists = (given["tokens"], given["token_logprobs"], given["top_logprobs"])
            tokens = [
                _Token(text, _logprob(value), _top((top or {}).items()))
                for text, value, top in zip(*lists, strict=True)
            ]
        if not any(token.top for token in tokens):
            raise self._no_probabilities()
        return tokens

    def _is_listed(self, token: _Token) -> bool:
        """Whether a token is in the list: some servers add it behind the others where it is not."""
        if token.text not in token.top or len(token.top) <= self.top:
            return token.text in token.top
        others = (value for text, value in token.top.items() if text != token.text)
        return sum(value >= token.top[token.text] for value in others) < self.top

    def _best(self, top: dict[str, float]) -> dict[str, float]:
        return dict(sorted(top.items(), key=lambda item: -item[1])[: self.top])

    def _no_probabilities(self) -> NoProbabilitiesError:
        return NoProbabilitiesError(
            f"The model at {self.client.address} returns no probabilities of tokens.",
            hint="Serve it with a completions API that has logprobs, such as vLLM's.",
        )

    def _explained(self, error: RefusedError) -> RefusedError:
        if error.status not in (400, 404, 405, 422):
            return error
        explained = RefusedError(
            f"The model at {self.client.address} has no completions API with logprobs: it answers {error.status}.",
            hint="Chat models do not; give a base model, or another address with --base-url.",
        )
        explained.status = error.status
        return explained


def probability_of_next(top: dict[str, float], text: str) -> float:
    """The probability of the longest token of a list with which a text goes on; 0 if there is none.

    >>> probability_of_next({" d": -3.0, " dog": 0.0, " cat": -1.0}, " dogs bark")
    1.0
    """
    lengths: dict[int, float] = {}
    for token, value in top.items():
        fits = [form for form in (token, token.translate(_DECODED)) if form and text.startswith(form)]
        if fits:
            lengths[len(fits[0])] = max(value, lengths.get(len(fits[0]), -math.inf))
    return math.exp(min(lengths[max(lengths)], 0.0)) if lengths else 0.0


def _offsets(choice: Any, tokens: Sequence[_Token], text: str) -> list[int]:
    """Where the tokens begin in the text: by their lengths, or as told where they are not written as they are.

    The first one may stand for the beginning itself, and is then no part of the text.
    """
    is_mark = bool(tokens) and not text.startswith(tokens[0].text)
    lengths = [0 if is_mark and not place else len(token.text) for place, token in enumerate(tokens)]
    offsets = [0, *accumulate(lengths)][: len(tokens)]
    told = choice["logprobs"].get("text_offset")
    if "".join(token.text for token in tokens[is_mark:]) == text or not told:
        return offsets
    numbers = [int(offset) - int(told[0]) for offset in told]
    if len(numbers) != len(tokens) or numbers != sorted(numbers):
        raise ValueError("offsets")
    return numbers


def _pairs(entries: Any) -> list[tuple[Any, Any]]:
    return [(entry["token"], entry["logprob"]) for entry in entries or []]


def _top(pairs: Iterable[tuple[Any, Any]]) -> dict[str, float]:
    return {str(token): number for token, value in pairs if (number := _logprob(value)) is not None}


def _logprob(value: Any) -> float | None:
    """A log probability; None where there is none, and an error for what cannot be one."""
    if value is None:
        return None
    number = float(value)
    if math.isnan(number) or number > _FAINTEST or isinstance(value, bool):
        raise ValueError("no log probability")
    return number
