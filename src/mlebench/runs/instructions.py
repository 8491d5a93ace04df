"""The instructions that an agent reads before it starts, in our own words."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mlebench.results.names import SUBMISSION, SUBMISSION_FILE, SUBMISSION_FOLDER

Variant: TypeAlias = Literal["published", "lite"]
RESULT_WORD = "MLE_BENCH_LITE_RESULT="


@dataclass(frozen=True)
class AgentPaths:
    """Where things are, as the agent sees them."""

    home: str = "/home"
    data: str = "/home/data"
    material: str | None = None

    def below(self, name: str) -> str:
        """The path of something in the agent's home."""
        return f"{self.home.rstrip('/')}/{name}"

    @property
    def submission(self) -> str:
        """The one file that counts."""
        return self.below(SUBMISSION)


@dataclass(frozen=True)
class Conditions:
    """What a run grants an agent and asks of it; `hardware` is a phrase such as "36 CPUs, 440 GB of memory".

    `added` is a text of the user's that is added to the instructions.
    """

    seed: int = 0
    seconds: float | None = 24 * 3600.0
    steps: int | None = None
    hardware: str = ""
    variant: Variant = "published"
    obfuscate: bool = False
    added: str = ""


def instructions(paths: AgentPaths, conditions: Conditions, *, competition: str | None) -> str:
    """The text of instructions.txt; without the name of the competition it names neither it nor where it is from."""
    name = f" “{competition}”" if competition else ""
    task = [
        f"You take part in the machine-learning competition{name}, offline{', as part of MLE-bench' * bool(name)}. "
        "Your task is to build the best model you can and to predict the test set with it. Nobody will answer "
        "questions: decide yourself, and go on until you have a result that you would stand behind."
    ]
    files = [
        f"- Task description: {paths.data}/description.md. Read it first. It says what to predict, how predictions "
        "are scored, and what a submission looks like.",
        f"- Data: {paths.data}/. You can read it, but not change it.",
        f"- Your submission: {paths.submission}. Write it there, as a CSV file in the format that the "
        "description gives. Only this one file counts, as it is when your time is over.",
        f"- Your code: {paths.below('code')}/. Leave there what made the submission.",
        f"- Logs, if you keep any: {paths.below('logs')}/.",
    ]
    if paths.material is not None:
        files.insert(
            2,
            f"- Reading material: {paths.material}/. It was put there for you: use it as you see fit. You can read it, "
            "but not change it.",
        )
    copying = "Do not copy" if paths.material is None else "Apart from the reading material, do not copy"
    split = (
        "The split into training and test data was made for this benchmark and differs from the one on Kaggle; scores "
        "there and here come from different rows."
        if competition
        else "The split into training and test data was made for this task and differs from any other version of it."
    )
    rules = [
        "- Predictions come from a model that you trained or applied in your code. Do not write labels by hand, "
        "and do not look them up.",
        f"- {copying} or adapt solutions that others have written for this competition, and do not search for its "
        "answers. A submission that relies on them is disqualified.",
        f"- {split}",
        "- Where the description says something else (about notebooks, deadlines, teams, external submission systems), "
        "these rules win.",
    ]  # fmt: skip
    check = [
        f"To see whether a file has the right form, run: bash {paths.below('validate_submission.sh')} FILE",
        "The answer says whether the file is valid, and if not, what is wrong. It never gives a score, and you may ask "
        "as often as you like.",
    ]
    sections = [
        ("Task", task),
        ("Files", files),
        ("Rules", rules),
        ("Checking a submission", check),
    ]
    if conditions.variant == "lite":
        sections.append(("What to leave", _artifacts(paths, conditions)))
    sections.append(("Conditions", _conditions(conditions)))
    parts = [f"{title.upper()}\n\n{_wrapped(lines)}" for title, lines in sections]
    if conditions.added:
        parts.append(f"FURTHER INSTRUCTIONS\n\n{conditions.added}")
    return "\n\n".join(parts) + "\n"


def _artifacts(paths: AgentPaths, conditions: Conditions) -> list[str]:
    folder = paths.below(SUBMISSION_FOLDER)
    example = {
        "seed": conditions.seed,
        "runtime_seconds": 812.5,
        "peak_memory_mb": 2048,
        "artifacts": [{"path": SUBMISSION_FILE, "sha256": "<64 digits>", "bytes": 12345}],
        "tasks": [{"competition_id": "<COMPETITION_ID>", "metric": "accuracy", "score": 0.81}],
        "replay": {"command": "python solve.py", "seed": conditions.seed},
    }
    return [
        f"Beside the submission, {folder}/ holds two more files when you are done:",
        f"- {folder}/metrics.json: a JSON object with `metric` (its name), `direction` (higher or lower, whichever is "
        "better), `validation_score` (your own estimate of the score on unseen rows) and `validation_method` (how you "
        "got it). More is welcome.",
        f"- {folder}/report.md: a page for a colleague, with the headings Model, Preprocessing and Decisions and at "
        "least a sentence below each. The code that you leave contains the model that you name.",
        f"Use the seed {conditions.seed} (also in the variable SEED) for everything random, so that running your code "
        "again gives the same submission.",
        f"Print one line with `{RESULT_WORD}` followed by a JSON object: the seed, your runtime and peak memory, what "
        "you left, your validation score, and the command that makes the submission again. That command is run in "
        f"{paths.below('code')}/, with the same seed, without network and without anything else that you left. "
        "`usage` (input_tokens, output_tokens, usd) may be added. The last such line counts. For example:",
        f"{RESULT_WORD}{json.dumps(example)}",
    ]


def _conditions(conditions: Conditions) -> list[str]:
    lines = []
    if conditions.hardware:
        lines.append(f"- Hardware: {conditions.hardware}.")
    if conditions.seconds is not None:
        lines.append(
            f"- Time: {duration(conditions.seconds)}, from your start. Then you are stopped, and what is at the place "
            "of the submission is graded; have a valid one there early."
        )
    if conditions.steps is not None:
        lines.append(f"- Steps: {conditions.steps}.")
    return lines or ["There is no limit on time or steps."]


def duration(seconds: float) -> str:
    """A time span that people can read: 24 hours, 90 minutes, 45 seconds."""
    for unit, name in ((3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= unit and seconds % unit == 0:
            count = int(seconds // unit)
            return f"{count} {name}" if count == 1 else f"{count} {name}s"
    return f"{seconds:g} seconds"


def _wrapped(lines: list[str]) -> str:
    return "\n".join(
        textwrap.fill(line, 110, subsequent_indent="  " if line.startswith("- ") else "", break_long_words=False,
                      break_on_hyphens=False)
        for line in lines
    )  # fmt: skip
