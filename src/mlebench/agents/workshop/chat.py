"""Talking to a model that speaks OpenAI's protocol, and the time that is left for it. Standard library only."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RESERVE = 0.05  # share of the time limit, at most a minute, that is kept for handing in
LONGEST_ANSWER = 600.0  # seconds


class ModelError(Exception):
    """The model gives no answers any more; the message says why."""


@dataclass
class Clock:
    """The time limit of the run: TIME_LIMIT_SECS, less what is kept for the end."""

    limit: float
    started: float = field(default_factory=time.monotonic)

    @property
    def passed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds that may still be used."""
        return self.limit - min(60.0, RESERVE * self.limit) - self.passed

    def in_words(self) -> str:
        """The time that is left, for people and models."""
        minutes, seconds = divmod(max(0, int(self.left)), 60)
        return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {seconds} s"


@dataclass
class Steps:
    """The file steps.jsonl in LOGS_DIR: one line for each thing that happens, as it happens."""

    clock: Clock
    path: Path

    def add(self, kind: str, text: str, *, tokens: int | None = None, validation_score: float | None = None) -> None:
        """Append a step: plan, code, run, tool, message, error or submit."""
        step = {"time": round(self.clock.passed, 2), "kind": kind, "tokens": tokens}
        line = json.dumps(step | {"validation_score": validation_score, "text": text[:20_000]})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        print(f"[{self.clock.passed:8.1f} s] {kind}: {text[:300]}", flush=True)


class Model:
    """A model behind OPENAI_BASE_URL; without a name, the first that the server lists."""

    def __init__(self, clock: Clock, name: str | None = None, temperature: float | None = None) -> None:
        self.clock, self.temperature = clock, temperature
        self.address = os.environ.get("OPENAI_BASE_URL", "").rstrip("/")
        if not self.address:
            raise ModelError("OPENAI_BASE_URL is not set: run this agent with --model-endpoint.")
        self.name = name or os.environ.get("MODEL_NAME") or ""
        if not self.name:
            models = self._request("/models", None).get("data")
            if not models:
                raise ModelError("The server lists no model: name one.")
            self.name = str(models[0]["id"])

    def answer(self, messages: list[dict[str, Any]], **options: Any) -> tuple[dict[str, Any], int | None]:
        """The next message of a conversation, and the tokens that it cost."""
        options |= {} if self.temperature is None else {"temperature": self.temperature}
        reply = self._request("/chat/completions", {"model": self.name, "messages": messages, **options})
        try:
            message = dict(reply["choices"][0]["message"])
        except (KeyError, IndexError, TypeError, ValueError):
            return {"role": "assistant", "content": ""}, None  # malformed, as models and servers sometimes are
        tokens = (reply.get("usage") or {}).get("total_tokens")
        return message, tokens if isinstance(tokens, int) else None

    def _request(self, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        """Ask again while the server is busy or away, until the time is up."""
        pause = 1.0
        while True:
            key = f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"
            headers = {"Authorization": key, "Content-Type": "application/json"}
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(f"{self.address}{path}", data, headers)
            try:
                wait = max(1.0, min(LONGEST_ANSWER, self.clock.left))
                with urllib.request.urlopen(request, timeout=wait) as response:
                    reply = json.load(response)
                return reply if isinstance(reply, dict) else {}
            except urllib.error.HTTPError as error:
                reason = f"{error.code} {error.read(500).decode(errors='replace')}"
                if error.code not in (408, 409, 429) and error.code < 500:
                    raise ModelError(f"The model's server refuses: {reason}") from error
            except (OSError, ValueError) as error:
                reason = str(error)
            if self.clock.left < pause:
                raise ModelError(f"The model's server does not answer: {reason}")
            time.sleep(pause)
            pause = min(2 * pause, 60.0)
