"""A small language model and a server for it on loopback: trigrams over words, with OpenAI's completions API."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from servers import Answer, FileServer, Request, send

_TOKEN = re.compile(r" ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+")
_WEIGHTS = (0.7, 0.2, 0.09)  # of trigrams, bigrams and single tokens; the rest is for tokens never seen


def tokens_of(text: str) -> list[str]:
    """A text in tokens, which join to the text again."""
    return _TOKEN.findall(text)


class NgramModel:
    """The probabilities of a token behind two others, from counts in the texts it was trained on."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts: list[defaultdict[tuple[str, ...], Counter[str]]] = [defaultdict(Counter) for _ in range(3)]
        for text in texts:
            tokens = tokens_of(text)
            for place, token in enumerate(tokens):
                for order in range(3):
                    if place >= order:
                        self.counts[order][tuple(tokens[place - order : place])][token] += 1
        self.totals = [{context: found.total() for context, found in counts.items()} for counts in self.counts]
        self.frequent = [token for token, _ in self.counts[0][()].most_common(30)]

    def probability(self, before: Sequence[str], token: str) -> float:
        """Interpolated over the three orders."""
        value = 1e-6
        for order, weight in zip((2, 1, 0), _WEIGHTS, strict=True):
            context = tuple(before[len(before) - order :]) if order else ()
            total = self.totals[order].get(context, 0) if len(context) == order else 0
            if total:
                value += weight * self.counts[order][context][token] / total
        return value

    def top(self, before: Sequence[str], count: int) -> dict[str, float]:
        """The most probable tokens with their log probabilities."""
        candidates = set(self.frequent)
        for order in (1, 2):
            context = tuple(before[len(before) - order :])
            if len(context) == order and context in self.totals[order]:
                candidates.update(token for token, _ in self.counts[order][context].most_common(count))
        rated = sorted(((self.probability(before, token), token) for token in candidates), reverse=True)[:count]
        return {token: math.log(value) for value, token in rated}


class NgramServer(FileServer):
    """Serves a model; `echoes` and `takes_batches` say what it can, `script` how the next requests are answered."""

    def __init__(self, model: NgramModel, *, echoes: bool = True, takes_batches: bool = True) -> None:
        super().__init__()
        self.model, self.echoes, self.takes_batches = model, echoes, takes_batches
        self.script: deque[Answer | bytes] = deque()
        self.marks_beginning = False  # whether the tokens of a prompt begin with one that is no part of it
        self.longest: int | None = None  # characters of a prompt that it takes
        self.fails_about: str | None = None  # a prompt with this text is answered with nonsense

    def respond(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        """Answer a request for completions, or as the script says."""
        step = self.script.popleft() if self.script else None
        if isinstance(step, Answer) and (step.status or step.hang_up):
            if not step.hang_up:
                send(handler, step.status or 500, b"{}", step.headers)
            return
        asked = json.loads(request.body)
        prompts = asked["prompt"] if isinstance(asked["prompt"], list) else [asked["prompt"]]
        if request.path != "/v1/completions":
            send(handler, 404, b"{}", {})
        elif len(prompts) > 1 and not self.takes_batches:
            send(handler, 400, b'{"error": "one prompt, please"}', {})
        elif self.longest and max(map(len, prompts)) > self.longest:
            send(handler, 400, b'{"error": "too long"}', {})
        else:
            choices = [self._choice(prompt, asked, place) for place, prompt in enumerate(prompts)]
            usage = {"prompt_tokens": sum(len(tokens_of(prompt)) for prompt in prompts), "completion_tokens": 1}
            body = json.dumps({"choices": choices[::-1], "usage": usage}).encode()
            body = step if isinstance(step, bytes) else body
            if self.fails_about and self.fails_about in prompts[0]:
                body = b"{}"
            cut = step.cut if isinstance(step, Answer) else None
            send(handler, 200, body if cut is None else body[:cut], {"Content-Length": str(len(body))})

    def _choice(self, prompt: str, asked: dict[str, Any], place: int) -> dict[str, Any]:
        tokens, count = tokens_of(prompt), asked["logprobs"]
        last = self.model.top(tokens[-2:], count)
        following = max(last, key=lambda token: last[token])
        rows = [(following, last[following], last)]
        if self.echoes and asked.get("echo"):
            told: list[Any] = [(tokens[0], None, None)]
            if self.marks_beginning:
                first = math.log(self.model.probability([], tokens[0]))
                told = [("<s>", None, None), (tokens[0], first, {tokens[0]: first})]
            for at, token in enumerate(tokens[1:], start=1):
                before = tokens[max(0, at - 2) : at]
                value = math.log(self.model.probability(before, token))
                # The token itself is in the list too, also beyond the asked number, as some servers have it.
                told.append((token, value, {**self.model.top(before, count), token: value}))
            rows = [*told, *rows]
        lists = [list(column) for column in zip(*rows, strict=True)]
        logprobs = dict(zip(("tokens", "token_logprobs", "top_logprobs"), lists, strict=True))
        text = "".join(lists[0]).removeprefix("<s>")
        return {"index": place, "text": text, "logprobs": logprobs}
