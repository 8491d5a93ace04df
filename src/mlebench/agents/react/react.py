"""react: a model that reasons, acts with tools and sees what comes of it, until it finishes or its time is up.

It needs a server that speaks OpenAI's protocol (OPENAI_BASE_URL, OPENAI_API_KEY) and nothing but Python's standard
library. `chat.py` talks to the model, `tools.py` has what it can do, and here is the loop. All that happens is in
steps.jsonl in LOGS_DIR.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Any

from chat import Clock, Model, ModelError, Steps
from tools import TOOLS, Toolbox, hand_in

SYSTEM = """\
You solve a machine-learning competition on your own. Nobody answers questions; act with the tools.
- Look at the data before you model. Begin with something simple that works, and hand it in early.
- Hold out data that resembles the test data, compute the competition's metric on it, and give that as validation_score
  when you submit. Only a better score replaces what is handed in.
- Programs run in {code}; the data is in {data}, which cannot be written to. Use all CPU cores, and watch the time.
- Take notes of what you learn: old steps are forgotten, notes are not.
- When the time is nearly up, or nothing more can be gained, finish."""
MOST_CHARACTERS = 150_000  # of the conversation; older steps are left out
MOST_MALFORMED = 10  # replies in a row that use no tool


def main() -> int:
    """Run the agent; 0 if it has handed something in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="default: OPENAI_MODEL, or the first that the server lists")
    parser.add_argument("--steps", type=int, default=int(os.environ.get("STEP_LIMIT") or 500))
    parser.add_argument("--temperature", type=float)
    given = parser.parse_args()
    clock = Clock(float(os.environ.get("TIME_LIMIT_SECS") or 3600))
    data, code, logs, out = (Path(os.environ[f"{name}_DIR"]) for name in ("DATA", "CODE", "LOGS", "SUBMISSION"))
    steps = Steps(clock, logs / "steps.jsonl")
    tools = Toolbox(clock, steps, data, code, out / "submission.csv")
    sample = next((path for path in sorted(data.glob("*.csv")) if "sample" in path.name.lower()), None)
    if sample is not None:  # so that a run that is cut short has something that counts
        hand_in(sample, tools.submission)
        steps.add("submit", "the sample submission, until there is something better")
    try:
        work(Model(clock, given.model, given.temperature), tools, given.steps)
    except ModelError as error:
        steps.add("error", str(error))
    steps.add("message", f"the end; best validation score: {tools.best}", validation_score=tools.best)
    return 0 if tools.best is not None else 1


def work(model: Model, tools: Toolbox, most_steps: int) -> None:
    """The loop: ask, act, look."""
    opening = [
        {"role": "system", "content": SYSTEM.format(code=tools.code, data=tools.data)},
        {"role": "user", "content": task_text(tools.data)},
    ]
    history: list[list[dict[str, Any]]] = []  # per step: the model's message, and what came of it
    malformed = 0
    for step in range(1, most_steps + 1):
        if tools.clock.left <= 0 or tools.is_finished or malformed >= MOST_MALFORMED:
            return
        message, tokens = model.answer(opening + notes(tools) + remembered(history), tools=TOOLS)
        calls = message.get("tool_calls") or []
        text = str(message.get("content") or "")
        tools.steps.add("plan" if calls else "message", text or "(no text)", tokens=tokens)
        status = f"\n[{tools.clock.in_words()} left, step {step} of {most_steps}, best score: {tools.best}]"
        block = re.search(r"```(python|bash|sh)\n(.*?)```", text, re.DOTALL)
        if calls:
            malformed = 0
            results = [
                {"role": "tool", "tool_call_id": call.get("id", ""), "content": use(tools, call) + status}
                for call in calls
            ]
        elif block:  # a model that cannot call tools writes what it wants to run
            malformed = 0
            run = tools.run_python if block[1] == "python" else tools.run_shell
            results = [{"role": "user", "content": run(block[2]) + status}]
        else:
            malformed += 1
            tools.steps.add("error", "a reply without a tool call")
            results = [{"role": "user", "content": f"Use a tool, or `finish` if you are done.{status}"}]
        history.append([{"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}, *results])


def use(tools: Toolbox, call: dict[str, Any]) -> str:
    """Do what a tool call asks for."""
    function = call.get("function") or {}
    return tools.use(str(function.get("name")), str(function.get("arguments") or ""))


def notes(tools: Toolbox) -> list[dict[str, Any]]:
    """The notes as a message, if there are any."""
    return [{"role": "user", "content": f"Your notes:\n{tools.notes}"}] if tools.notes else []


def remembered(history: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The latest steps, as many as fit; a step is kept or left out as a whole."""
    kept: list[list[dict[str, Any]]] = []
    size = 0
    for messages in reversed(history):
        size += len(str(messages))
        if kept and size > MOST_CHARACTERS:
            break
        kept.append(messages)
    return [message for messages in reversed(kept) for message in messages]


def task_text(data: Path) -> str:
    """The instructions, the description and the files."""
    instructions = Path(os.environ["AGENT_DIR"]).parent / "instructions.txt"
    texts = [path.read_text(encoding="utf-8") for path in (instructions, data / "description.md") if path.is_file()]
    files = [f"{path.relative_to(data)} ({path.stat().st_size} bytes)" for path in sorted(data.glob("*"))[:100]]
    return "\n\n".join([*texts, "Files in the data folder:\n" + "\n".join(files)])


if __name__ == "__main__":
    sys.exit(main())
