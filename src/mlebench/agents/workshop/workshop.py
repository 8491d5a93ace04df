"""What an agent works with: programs are run, files are checked, and the best of those handed in is kept."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chat import Clock, Model, ModelError, Steps

MOST_OUTPUT = 6_000  # bytes of a program's output that are shown, from its beginning and its end


@dataclass
class Workshop:
    """The folders of a run, and the best validation score that was handed in."""

    clock: Clock
    steps: Steps
    data: Path
    code: Path
    submission: Path
    best: float | None = None
    lower_is_better: bool = False
    has_own: bool = False  # whether something but the sample is handed in

    @classmethod
    def of_environment(cls) -> Workshop:
        """The workshop that the variables of the run describe; the sample is handed in, until there is better."""
        clock = Clock(float(os.environ.get("TIME_LIMIT_SECS") or 3600))
        data, code, logs, out = (Path(os.environ[f"{name}_DIR"]) for name in ("DATA", "CODE", "LOGS", "SUBMISSION"))
        shop = cls(clock, Steps(clock, logs / "steps.jsonl"), data, code, out / "submission.csv")
        sample = next((path for path in sorted(data.glob("*.csv")) if "sample" in path.name.lower()), None)
        if sample is not None:
            shop.hand_in(sample)
            shop.steps.add("submit", "the sample submission, until there is something better")
        return shop

    def run(self, command: Sequence[str], seconds: float | None = None) -> str:
        """Run a program for as long as there is time; how it ended, and what it printed."""
        allowed = max(1.0, min(self.clock.left, float(seconds or self.clock.left)))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command, cwd=self.code, env=environment, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
            try:
                ending = f"exit code {process.wait(timeout=allowed)}"
            except subprocess.TimeoutExpired:
                ending = f"stopped after {allowed:.0f} seconds"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # what it has left running, too
                process.wait()
            left_out = output.seek(0, os.SEEK_END) - MOST_OUTPUT
            output.seek(0)
            text = output.read(MOST_OUTPUT if left_out <= 0 else MOST_OUTPUT // 2)
            if left_out > 0:
                output.seek(left_out, os.SEEK_CUR)
                text += f"\n[… {left_out} bytes …]\n".encode() + output.read()
        shown = f"{ending}\n{text.decode(errors='replace')}"
        self.steps.add("run", shown)
        return shown

    def check(self, path: str) -> tuple[bool | None, str]:
        """Ask the server of the run whether a file is valid, None where it cannot say, and its answer in words."""
        head = '--limit\r\nContent-Disposition: form-data; name="file"; filename="submission.csv"\r\n\r\n'
        body = head.encode() + (self.code / path).read_bytes() + b"\r\n--limit--\r\n"
        address = os.environ.get("VALIDATION_URL", "http://localhost:5000") + "/validate"
        request = urllib.request.Request(address, body, {"Content-Type": "multipart/form-data; boundary=limit"})
        try:
            with urllib.request.urlopen(request, timeout=max(1.0, self.clock.left)) as response:
                answer = json.load(response)
            return bool(answer["is_valid"]), str(answer["result"])
        except (OSError, ValueError, KeyError) as error:
            return None, f"It could not be checked: {error}"

    def submit(self, path: str, score: float, lower_is_better: bool) -> str:
        """Hand in a file if it is valid and its validation score is better than that of what is handed in."""
        if not math.isfinite(score):
            return self.problem("Not handed in: the validation score is not a number.")
        is_valid, answer = self.check(path)
        if is_valid is False:
            return self.problem(f"Not handed in, as it is not valid: {answer}")
        if self.best is None:
            self.lower_is_better = lower_is_better
        elif (score >= self.best) if self.lower_is_better else (score <= self.best):
            text = f"Not handed in: {score} is not better than {self.best}, which stays."
            self.steps.add("submit", text, validation_score=score)
            return text
        self.hand_in(self.code / path)
        self.best, self.has_own = score, True
        text = f"Handed in {path} with the validation score {score}. {answer}"
        self.steps.add("submit", text, validation_score=score)
        return text

    def hand_in(self, path: Path) -> None:
        """Put a copy in place at once, so that there is a whole submission at any moment."""
        partial = self.submission.with_suffix(".partial")
        shutil.copyfile(path, partial)
        partial.replace(self.submission)

    def problem(self, text: str) -> str:
        """Note what went wrong, and say it to the model."""
        self.steps.add("error", text)
        return text


def task_text(data: Path, *, with_files: bool = False) -> str:
    """The instructions, the description, and the files in the data folder."""
    instructions = Path(os.environ["AGENT_DIR"]).parent / "instructions.txt"
    texts = [path.read_text(encoding="utf-8") for path in (instructions, data / "description.md") if path.is_file()]
    if with_files:
        files = [f"{path.name} ({path.stat().st_size} bytes)" for path in sorted(data.iterdir())[:100]]
        texts.append("\n".join(["Files in the data folder:", *files]))
    return "\n\n".join(texts)


def run_agent(about: str, usual_steps: int, work: Callable[[Workshop, Model, int], None]) -> int:
    """Run an agent as its arguments say; 0 if it came to an end by itself and has handed in something of its own."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--model", help="default: MODEL_NAME, or the first that the server lists")
    parser.add_argument("--steps", type=int, default=int(os.environ.get("STEP_LIMIT") or usual_steps))
    parser.add_argument("--temperature", type=float)
    given = parser.parse_args()
    shop = Workshop.of_environment()
    has_model = True
    try:
        work(shop, Model(shop.clock, given.model, given.temperature), given.steps)
    except ModelError as error:
        has_model = False
        shop.problem(str(error))
    shop.steps.add("message", f"the end; best validation score: {shop.best}", validation_score=shop.best)
    return 0 if shop.has_own and has_model else 1
