"""mlab: the loop of MLAgentBench (Huang, Vora, Liang and Leskovec), written from its description.

At each step the model reflects, keeps a research plan, checks its facts, and takes one action; the last three steps are
in its view, with the plan as its memory of everything before. See the page on our own agents for what differs from the
published program. It needs a server that speaks OpenAI's protocol, and nothing but Python's standard library.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from typing import Any

import prompts
from actions import Actions
from chat import Model
from workshop import Workshop, run_agent, task_text

STEPS_IN_VIEW = 3
LONG_OBSERVATION = 5_000  # characters; longer ones are summarised
SUMMARY_BLOCK = 10_000
MOST_RETRIES = 10  # of a malformed reply


@dataclass(frozen=True)
class Entry:
    """A reply of the model taken apart: all fields, the action and its inputs."""

    text: str
    fields: dict[str, str]
    action: str
    inputs: dict[str, Any]


class MalformedError(Exception):
    """A reply that is not in the form that was asked for; the message says what is wrong."""


def parse(reply: str) -> Entry:
    """Take a reply apart by the names of its fields; what follows an Observation is the model's own invention."""
    reply = re.split(r"^\s*Observation:", reply, maxsplit=1, flags=re.MULTILINE)[0]
    names = "|".join(re.escape(name) for name in prompts.FIELDS)
    pieces = re.split(rf"^\W*({names})\W*?:(?:\*\*(?=\s))?", reply, flags=re.MULTILINE)
    fields = {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    missing = [name for name in prompts.FIELDS if name not in fields]
    if missing:
        raise MalformedError(f"the reply lacks {', '.join(missing)}")
    action = fields["Action"].strip("`*[] ")
    if action not in prompts.ACTIONS:
        raise MalformedError(f"{action!r} is no action; there are {', '.join(prompts.ACTIONS)}")
    text = re.sub(r"^```(?:json)?\s*|\s*```$", "", fields["Action Input"])
    try:
        inputs = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise MalformedError(f"the action input is not valid JSON: {error}") from error
    if not isinstance(inputs, dict):
        raise MalformedError("the action input is not a JSON object")
    return Entry(reply.strip(), fields, action, inputs)


class Researcher:
    """The loop and its memory."""

    def __init__(self, shop: Workshop, model: Model, most_steps: int) -> None:
        self.shop, self.model, self.most_steps = shop, model, most_steps
        self.actions = Actions(shop, model)
        self.history: list[tuple[Entry, str]] = []

    def work(self) -> None:
        """Step by step, until the final answer, the last step, or the end of the time."""
        opening = prompts.opening(task_text(self.shop.data), str(self.shop.code), str(self.shop.data))
        for step in range(1, self.most_steps + 1):
            if self.shop.clock.left <= 0 or self.actions.answer is not None:
                return
            entry = self._next(opening)
            if entry is None:
                self.shop.problem(f"{MOST_RETRIES} replies in a row were malformed")
                return
            self.shop.steps.add("plan", entry.text)
            if entry.action not in ("Execute Script", "Edit Script (AI)", "Validate Submission"):
                self.shop.steps.add("tool", f"{entry.action} {json.dumps(entry.inputs)}")
            observation = self.actions.do(entry.action, entry.inputs)
            observation = self._shortened(entry, observation)
            left = f"[{self.shop.clock.in_words()} and {self.most_steps - step} steps left]"
            self.history.append((entry, f"{observation}\n{left}"))

    def _next(self, opening: str) -> Entry | None:
        """The next reply in the right form; a malformed one is asked for again, with what was wrong."""
        prompt, hint = self._prompt(opening), ""
        for _ in range(MOST_RETRIES):
            message, tokens = self.model.answer([{"role": "user", "content": prompt + hint}])
            text = str(message.get("content") or "")
            self.shop.steps.add("message", text or "(no text)", tokens=tokens)
            try:
                return parse(text)
            except MalformedError as error:
                self.shop.problem(f"malformed reply: {error}")
                hint = f"\nYour reply was malformed: {error}. Respond in the format exactly.\n"
            if self.shop.clock.left <= 0:
                break
        return None

    def _prompt(self, opening: str) -> str:
        parts = [opening, "Now let's start!\n"]
        if len(self.history) > STEPS_IN_VIEW:
            plan = self.history[-STEPS_IN_VIEW - 1][0].fields["Research Plan and Status"]
            parts.append(f"Research Plan and Status before the steps below: {plan}\n")
        for entry, observation in self.history[-STEPS_IN_VIEW:]:
            parts.append(f"{entry.text}\nObservation:\n```\n{observation}\n```\n")
        return "\n".join(parts)

    def _shortened(self, entry: Entry, observation: str) -> str:
        """A long observation, summarised block by block, each with the summary so far in view."""
        if len(observation) <= LONG_OBSERVATION:
            return observation
        action = f"{entry.action} {json.dumps(entry.inputs)[:2000]}"
        summary = ""
        for start in range(0, len(observation), SUMMARY_BLOCK):
            order = prompts.summary(action, observation[start : start + SUMMARY_BLOCK], summary)
            message, tokens = self.model.answer([{"role": "user", "content": order}])
            summary = f"{summary}\n{message.get('content') or ''}".strip()
            self.shop.steps.add("message", f"summary: {summary}", tokens=tokens)
        return f"(summarised) {summary}"


def work(shop: Workshop, model: Model, most_steps: int) -> None:
    """Do the research; a submission that was never validated is better than the sample."""
    try:
        Researcher(shop, model, most_steps).work()
    finally:
        left = shop.code / "submission.csv"
        if shop.best is None and left.is_file() and shop.check("submission.csv")[0] is not False:
            shop.hand_in(left)
            shop.has_own = True
            shop.steps.add("submit", "handed in submission.csv, which was never validated")


if __name__ == "__main__":
    sys.exit(run_agent(__doc__, 50, work))
