"""What the model can do: run programs, take notes, check a file, hand one in. Each tool returns a text."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chat import Clock, Steps

MOST_OUTPUT = 6_000  # characters of a program's output that the model sees, from its beginning and its end


def tool(name: str, purpose: str, **parameters: tuple[str, str]) -> dict[str, Any]:
    """A tool as the protocol describes it; parameters are (type, meaning)."""
    properties = {key: {"type": kind, "description": meaning} for key, (kind, meaning) in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": [key for key in parameters if key != "seconds"]}
    return {"type": "function", "function": {"name": name, "description": purpose, "parameters": schema}}


_SECONDS = ("number", "stop the program after so many seconds; default: the time that is left")
TOOLS = [
    tool("run_shell", "Run a command line with bash in the code folder.", command=("string", ""), seconds=_SECONDS),
    tool("run_python", "Save a Python program in the code folder and run it.", code=("string", ""), seconds=_SECONDS),
    tool("write_notes", "Replace your notes. They stay in view when old steps are forgotten.", text=("string", "")),
    tool("check_submission", "Ask whether a file is a valid submission; tells nothing about its score.", path=("string", "")),
    tool(
        "submit",
        "Hand in a file. It takes the place of an earlier one only if its validation score is better.",
        path=("string", "the CSV file"),
        validation_score=("number", "its score by the task's metric on data that the model was not trained on"),
        lower_is_better=("boolean", "whether a lower score is better"),
    ),
    tool("finish", "End the work; the best file that was handed in counts.", reason=("string", "")),
]


@dataclass
class Toolbox:
    """The tools with what they remember: the notes, and the best score that was handed in."""

    clock: Clock
    steps: Steps
    data: Path
    code: Path
    submission: Path
    notes: str = ""
    best: float | None = None
    lower_is_better: bool = False
    programs: int = 0
    is_finished: bool = False

    def use(self, name: str, arguments: str) -> str:
        """Use a tool as the model asked; what is wrong with the call is said to the model."""
        methods = {each["function"]["name"] for each in TOOLS}
        if name not in methods:
            return self._problem(f"There is no tool {name!r}. There are {', '.join(sorted(methods))}.")
        try:
            given = json.loads(arguments or "{}")
            return str(getattr(self, name)(**given))
        except json.JSONDecodeError as error:
            return self._problem(f"The arguments of {name} are not valid JSON: {error}.")
        except (TypeError, ValueError, OSError) as error:
            return self._problem(f"{name} failed: {error}")

    def _problem(self, text: str) -> str:
        self.steps.add("error", text)
        return text

    def run_shell(self, command: str, seconds: float | None = None) -> str:
        """Run a command line."""
        self.steps.add("code", command)
        return self._run(["bash", "-c", command], seconds)

    def run_python(self, code: str, seconds: float | None = None) -> str:
        """Run a program; it is kept, as what made the submission should be."""
        self.programs += 1
        path = self.code / f"program_{self.programs:03d}.py"
        path.write_text(code, encoding="utf-8")
        self.steps.add("code", code)
        return f"({path.name}) " + self._run([sys.executable, str(path)], seconds)

    def _run(self, command: list[str], seconds: float | None) -> str:
        allowed = max(1.0, min(self.clock.left, float(seconds or self.clock.left)))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command, cwd=self.code, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                ending = f"exit code {process.wait(timeout=allowed)}"
            except subprocess.TimeoutExpired:
                ending = f"stopped after {allowed:.0f} seconds"
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)  # what it has left running, too
                except ProcessLookupError:
                    pass
                process.wait()
            size, half = output.seek(0, os.SEEK_END), MOST_OUTPUT // 2
            output.seek(0)
            text = output.read(half if size > MOST_OUTPUT else MOST_OUTPUT)
            if size > MOST_OUTPUT:
                output.seek(size - half)
                text += f"\n[… {size - MOST_OUTPUT} bytes …]\n".encode() + output.read()
        shown = f"{ending}\n{text.decode(errors='replace')}"
        self.steps.add("run", shown)
        return shown

    def write_notes(self, text: str) -> str:
        """Replace the notes."""
        self.notes = text
        self.steps.add("tool", f"notes: {text}")
        return "Noted."

    def check_submission(self, path: str) -> str:
        """Ask the server of the run."""
        _, answer = self._checked(self.code / path)
        self.steps.add("tool", f"check {path}: {answer}")
        return answer

    def _checked(self, path: Path) -> tuple[bool | None, str]:
        """(valid or not, or None where nobody can say, the answer in words)."""
        content = path.read_bytes()
        head = '--limit\r\nContent-Disposition: form-data; name="file"; filename="submission.csv"\r\n\r\n'
        body = head.encode() + content + b"\r\n--limit--\r\n"
        address = os.environ.get("VALIDATION_URL", "http://localhost:5000") + "/validate"
        request = urllib.request.Request(address, body, {"Content-Type": "multipart/form-data; boundary=limit"})
        try:
            with urllib.request.urlopen(request, timeout=max(1.0, self.clock.left)) as response:
                answer = json.load(response)
            return bool(answer["is_valid"]), str(answer["result"])
        except (OSError, ValueError, KeyError) as error:
            return None, f"It could not be checked: {error}"

    def submit(self, path: str, validation_score: float, lower_is_better: bool) -> str:
        """Hand in a file if it is valid and better than what was handed in before."""
        score = float(validation_score)
        if score != score:
            return self._problem("The validation score is not a number.")
        is_valid, answer = self._checked(self.code / path)
        if is_valid is False:
            return self._problem(f"Not handed in, as it is not valid: {answer}")
        if self.best is None:
            self.lower_is_better = bool(lower_is_better)
        elif (score >= self.best) if self.lower_is_better else (score <= self.best):
            text = f"Not handed in: {score} is not better than {self.best}, which stays."
            self.steps.add("submit", text, validation_score=score)
            return text
        hand_in(self.code / path, self.submission)
        self.best = score
        self.steps.add("submit", f"handed in {path}. {answer}", validation_score=score)
        return f"Handed in, with the validation score {score}. {answer}"

    def finish(self, reason: str = "") -> str:
        """End the work."""
        self.is_finished = True
        self.steps.add("message", f"finished: {reason}")
        return "Done."


def hand_in(path: Path, submission: Path) -> None:
    """Put a copy in place at once, so that there is a whole submission at any moment."""
    partial = submission.with_suffix(".partial")
    shutil.copyfile(path, partial)
    partial.replace(submission)
