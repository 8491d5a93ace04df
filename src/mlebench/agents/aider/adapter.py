"""aider on a competition: it edits one program, solve.py, which is run after every edit, and is asked to improve it.

aider ends when it has nothing left to fix, so the adapter asks again until the rounds or the time are over.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

import harness

QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else litellm fetches its prices
    "LITELLM_TELEMETRY": "False",
    "AIDER_ANALYTICS_DISABLE": "true",
}
FLAGS = (
    *("--edit-format", "whole", "--yes-always", "--no-git", "--no-auto-lint", "--no-suggest-shell-commands"),
    *("--no-check-update", "--no-show-release-notes", "--analytics-disable", "--no-show-model-warnings"),
    *("--no-pretty", "--no-fancy-input", "--no-detect-urls", "--disable-playwright", "--map-tokens", "0"),
    *("--max-chat-history-tokens", "50000"),  # of an unknown model aider would keep next to nothing
)
OWN_TASK = """

## What you edit

Only the program solve.py. It is run by `python3 solve.py` after every edit; you are shown what it prints when it fails.
It must write its predictions for the test set to `submission.csv` in the current folder, and print one line with the
score on data that it was not trained on: `validation score: NUMBER (higher is better)`, or `(lower is better)` where
the metric is an error. The best submission is handed in for you.
"""
IMPROVE = """\
solve.py works; the last lines that it printed are

{output}

Change it so that the validation score gets better. {minutes} minutes are left in all. If you see nothing to improve,
change nothing.
"""
FIX = """\
solve.py fails; the last lines that it printed are

{output}

Fix it. {minutes} minutes are left in all.
"""
_REFUSAL = re.compile(r"litellm\.\w+Error\b")
_LEAST_SECONDS = 30.0  # that a round is worth beginning with


def prepare_caches() -> None:
    """Put the prices that litellm brings where aider keeps those that it would fetch."""
    found = importlib.util.find_spec("litellm")
    prices = Path(found.origin or "").with_name("model_prices_and_context_window_backup.json") if found else None
    cache = Path.home() / ".aider" / "caches"
    cache.mkdir(parents=True, exist_ok=True)
    target = cache / "model_prices_and_context_window.json"
    if prices is not None and prices.is_file():
        shutil.copyfile(prices, target)
    else:
        target.write_text('{"none": {}}', encoding="utf-8")


class Output:
    """What aider prints in a round. It ends with code 0 even when its model refuses, which only its output tells."""

    def __init__(self) -> None:
        self.refusal: str | None = None

    def on_line(self, line: str) -> None:
        """Print a line; the steps are noted where the program is run."""
        print(line, flush=True)
        if _REFUSAL.match(line):
            self.refusal = line


def main() -> int:
    """Ask for a program, and for better ones."""
    options = harness.options(sys.argv[1:])
    name = harness.model_name(options.get("model"))
    harness.set_path()
    prepare_caches()
    model = f"{'anthropic' if harness.uses_anthropic(name) else 'openai'}/{name}"
    variables = dict(QUIET)
    for provider in ("OPENAI", "ANTHROPIC"):
        if address := os.environ.get(f"{provider}_BASE_URL"):
            variables[f"{provider}_API_BASE"] = address
    solve, message = harness.CODE / "solve.py", harness.HOME / "message.md"
    solve.touch()
    output, ended_well = harness.CODE / "output.txt", harness.CODE / ".ended_well"
    message.write_text(harness.task() + OWN_TASK, encoding="utf-8")
    test = f"{sys.executable} {harness.AGENT / 'try_solution.py'}"
    command = [sys.executable, "-m", "aider", "--model", model, "--weak-model", model, *FLAGS]
    command += ["--auto-test", "--test-cmd", test, "--message-file", str(message), str(solve)]
    code, rounds = 0, int(options.get("rounds", "20"))
    for number in range(rounds):
        before = solve.read_bytes()
        harness.note("plan", message.read_text(encoding="utf-8") if number else "The task.")
        printed = Output()
        code = harness.supervise(command, printed.on_line, variables=variables, folder=harness.CODE, is_last=False)
        if printed.refusal is not None and solve.read_bytes() == before and harness.time_left() > 0:
            harness.note("error", printed.refusal)
            code = code or 1
        if code != 0 or harness.time_left() < _LEAST_SECONDS or solve.read_bytes() == before:
            break
        text = output.read_text(encoding="utf-8", errors="replace")[-3000:] if output.is_file() else ""
        form = IMPROVE if ended_well.exists() else FIX
        message.write_text(form.format(output=text, minutes=f"{harness.time_left() / 60:.0f}"), encoding="utf-8")
    harness.Versions().settle()
    return code


if __name__ == "__main__":
    sys.exit(main())
