"""react: a model that reasons, acts with tools and sees what comes of it, until it finishes or its time is up.

It needs a server that speaks OpenAI's protocol (OPENAI_BASE_URL, OPENAI_API_KEY) and nothing but Python's standard
library. `chat.py` talks to the model, `workshop.py` runs programs and hands in, and here are the tools and the loop.
All that happens is in steps.jsonl in LOGS_DIR.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from typing import Any

from chat import Model
from workshop import Workshop, run_agent, task_text

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

Message = dict[str, Any]


def tool(name: str, purpose: str, **parameters: tuple[str, str]) -> Message:
    """A tool as the protocol describes it; parameters are (type, meaning)."""
    properties = {key: {"type": kind, "description": meaning} for key, (kind, meaning) in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": [key for key in parameters if key != "seconds"]}
    return {"type": "function", "function": {"name": name, "description": purpose, "parameters": schema}}


SECONDS = ("number", "after which the program is stopped; by default the time that is left")
TOOLS = [
    tool("run_shell", "Run a command line with bash in the code folder.", command=("string", "it"), seconds=SECONDS),
    tool("run_python", "Save a Python program in the code folder and run it.", code=("string", "it"), seconds=SECONDS),
    tool("write_notes", "Replace your notes, which stay in view.", text=("string", "all that is to be remembered")),
    tool("check_submission", "Ask whether a file is valid; its score is not told.", path=("string", "the CSV file")),
    tool(
        "submit",
        "Hand in a file. It takes the place of an earlier one only if its validation score is better.",
        path=("string", "the CSV file"),
        validation_score=("number", "its score by the task's metric on data that the model was not trained on"),
        lower_is_better=("boolean", "whether a lower score is better"),
    ),
    tool("finish", "End the work; the best file that was handed in counts.", reason=("string", "why now")),
]


@dataclass
class Tools:
    """What the model can do; each method is a tool that returns a text."""

    shop: Workshop
    notes: str = ""
    programs: int = 0
    is_finished: bool = False

    def use(self, name: str, arguments: str) -> str:
        """Use a tool as the model asked; what is wrong with the call is said to the model."""
        names = [entry["function"]["name"] for entry in TOOLS]
        if name not in names:
            return self.shop.problem(f"There is no tool {name!r}. There are {', '.join(names)}.")
        try:
            return str(getattr(self, name)(**json.loads(arguments or "{}")))
        except json.JSONDecodeError as error:
            return self.shop.problem(f"The arguments of {name} are not valid JSON: {error}.")
        except (TypeError, ValueError, OSError) as error:
            return self.shop.problem(f"{name} failed: {error}")

    def run_shell(self, command: str, seconds: float | None = None) -> str:
        """Run a command line."""
        self.shop.steps.add("code", command)
        return self.shop.run(["bash", "-c", command], seconds)

    def run_python(self, code: str, seconds: float | None = None) -> str:
        """Run a program, and keep it: what made a submission belongs to it."""
        self.programs += 1
        path = self.shop.code / f"program_{self.programs:03d}.py"
        path.write_text(code, encoding="utf-8")
        self.shop.steps.add("code", code)
        return f"{path.name}: {self.shop.run([sys.executable, str(path)], seconds)}"

    def write_notes(self, text: str) -> str:
        """Replace the notes."""
        self.notes = text
        self.shop.steps.add("tool", f"notes: {text}")
        return "Noted."

    def check_submission(self, path: str) -> str:
        """Ask whether a file is valid."""
        answer = self.shop.check(path)[1]
        self.shop.steps.add("tool", f"check {path}: {answer}")
        return answer

    def submit(self, path: str, validation_score: float, lower_is_better: bool) -> str:
        """Hand in a file."""
        return self.shop.submit(path, float(validation_score), bool(lower_is_better))

    def finish(self, reason: str = "") -> str:
        """End the work."""
        self.is_finished = True
        self.shop.steps.add("message", f"finished: {reason}")
        return "Done."


def work(model: Model, tools: Tools, most_steps: int) -> None:
    """The loop: ask, act, look."""
    shop = tools.shop
    opening: list[Message] = [
        {"role": "system", "content": SYSTEM.format(code=shop.code, data=shop.data)},
        {"role": "user", "content": task_text(shop.data, with_files=True)},
    ]
    history: list[list[Message]] = []  # per step: the model's message, and what came of it
    malformed = 0
    for step in range(1, most_steps + 1):
        if shop.clock.left <= 0 or tools.is_finished or malformed >= MOST_MALFORMED:
            return
        notes: list[Message] = [{"role": "user", "content": f"Your notes:\n{tools.notes}"}] if tools.notes else []
        message, tokens = model.answer(opening + notes + remembered(history), tools=TOOLS)
        calls, text = message.get("tool_calls") or [], str(message.get("content") or "")
        shop.steps.add("plan" if calls else "message", text or "(no text)", tokens=tokens)
        block = re.search(r"```(python|bash|sh)\n(.*?)```", text, re.DOTALL)
        malformed = 0 if calls or block else malformed + 1
        results: list[Message] = []
        for call in calls:
            function = call.get("function") or {}
            result = tools.use(str(function.get("name")), str(function.get("arguments") or ""))
            results.append({"role": "tool", "tool_call_id": call.get("id", ""), "content": result})
        if block and not calls:  # a model that cannot call tools writes what it wants to run
            run = tools.run_python if block[1] == "python" else tools.run_shell
            results.append({"role": "user", "content": run(block[2])})
        elif not calls:
            shop.steps.add("error", "a reply without a tool call")
            results.append({"role": "user", "content": "Use a tool, or `finish` if you are done."})
        left = f"{shop.clock.in_words()} left, step {step} of {most_steps}, best validation score: {shop.best}"
        results[-1]["content"] += f"\n[{left}]"
        history.append([{"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}, *results])


def remembered(history: list[list[Message]]) -> list[Message]:
    """The latest steps, as many as fit; a step is kept or left out as a whole."""
    kept: list[list[Message]] = []
    size = 0
    for messages in reversed(history):
        size += len(str(messages))
        if kept and size > MOST_CHARACTERS:
            break
        kept.append(messages)
    return [message for messages in reversed(kept) for message in messages]


if __name__ == "__main__":
    sys.exit(run_agent(__doc__, 500, lambda shop, model, most_steps: work(model, Tools(shop), most_steps)))
