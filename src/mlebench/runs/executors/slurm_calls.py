"""What is asked of Slurm, by its own commands: sbatch, squeue, scancel and scontrol; no accounting is needed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.runs.endings import PREEMPTED, Outcome

_PATIENCE = 120.0  # seconds; a controller that restores its state answers late
_AT_ONCE = 500  # jobs on one command line
# Variables that would put other values in the place of those of our scripts, or another form in that of the output.
_DROPPED = re.compile(
    r"(SQUEUE|SCANCEL|SCONTROL)_\w+|SBATCH_(ARRAY_INX|EXPORT|JOB_NAME|NO_REQUEUE|REQUEUE|WAIT|OPEN_MODE|GET_USER_ENV|"
    r"TIMELIMIT|MEM_PER_\w+)|SLURM_(?!CONF$)\w+"
)
_TOO_MUCH = "No node has so much: ask for less with --memory-limit, --cpus or --gpus, or choose another partition."
_RESOURCES = re.compile(r"^#SBATCH (--(?:partition|time|mem[a-z-]*|cpus-per-task|gpus[a-z-]*|gres)=\S+)", re.MULTILINE)
_ENDED = (
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "TIMEOUT",
)
FAULTS = ("BOOT_FAIL", "DEADLINE", "NODE_FAIL", "PREEMPTED", "TIMEOUT")  # that end a job, and not because of its run


class SlurmError(MlebenchError):
    """Slurm cannot be used, or refuses something."""


@dataclass(frozen=True)
class Task:
    """One task of a job array as squeue shows it; `array` and `index` are what 12_3 is made of."""

    name: str
    array: str
    index: int
    state: str
    nodes: str = ""
    reason: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether it is over, however it ended."""
        return self.state in _ENDED

    @property
    def waits(self) -> bool:
        """Whether it has not begun."""
        return self.state in ("PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT")

    @property
    def is_put_back(self) -> bool:
        """Whether it has begun before: Slurm lets it wait for some time."""
        return self.waits and self.reason in ("BeginTime", "launch failed requeued held", "job requeued in held state")


def require_slurm() -> None:
    """Refuse where the commands of Slurm are not installed."""
    if missing := [name for name in ("sbatch", "squeue", "scancel", "scontrol") if shutil.which(name) is None]:
        raise SlurmError(
            f"The executor slurm needs the command {missing[0]}, which is not installed here.",
            hint="Run mlebench on a login node of the cluster.",
        )


def submit(script: Path) -> str:
    """Submit a script; the id of its job."""
    done = _called(["sbatch", "--parsable", str(script)])
    number = done.stdout.strip().partition(";")[0]
    if done.returncode or not number.isdecimal():
        raise SlurmError(f"Slurm refuses the job: {_last_sentence(done)}", hint=_hint(done))
    return number


def check(script: str) -> None:
    """Refuse a script that Slurm would never run, without submitting it."""
    done = _called(["sbatch", "--test-only"], given=script)
    if done.returncode:
        reason, hint, asked = _last_sentence(done), _hint(done), " ".join(_RESOURCES.findall(script))
        if asked and hint == _TOO_MUCH:
            reason = f"{reason.removesuffix('.')} ({asked})."
        raise SlurmError(f"Slurm refuses the job: {reason}", hint=hint)


def tasks(names: Sequence[str]) -> list[Task] | None:
    """The tasks of all jobs of these names that Slurm still knows; None where it does not answer."""
    if not names:
        return []
    form = "%j|%F|%K|%T|%N|%r"
    try:
        done = _called(
            ["squeue", "--noheader", "--array", "--states=all", f"--name={','.join(names)}", f"--format={form}"]
        )
    except SlurmError:
        return None
    if done.returncode:
        return None
    rows = (line.split("|", 5) for line in done.stdout.splitlines())
    return [
        Task(row[0], row[1], int(row[2]), row[3], row[4], row[5])
        for row in rows
        if len(row) == 6 and row[2].isdecimal()
    ]


def cancel(jobs: Sequence[str], *, only_waiting: bool = False) -> None:
    """Ask for jobs or tasks to be cancelled; those that are over are no error."""
    for begin in range(0, len(jobs), _AT_ONCE):
        state = ["--state=PENDING"] if only_waiting else []
        _called(["scancel", *state, *jobs[begin : begin + _AT_ONCE]])


def set_throttle(job: str, most: int) -> str | None:
    """Change how many tasks of an array run at once; why Slurm refuses, if it does."""
    done = _called(["scontrol", "update", f"JobId={job}", f"ArrayTaskThrottle={most}"])
    return _last_sentence(done) if done.returncode else None


def facts(job: str) -> Mapping[str, str]:
    """What scontrol tells about a job or task; nothing where it is forgotten."""
    try:
        done = _called(["scontrol", "show", "job", "--oneliner", job])
    except SlurmError:
        return {}
    pairs = (word.partition("=") for word in done.stdout.split())
    return {name: value for name, equals, value in pairs if equals}


def most_tasks() -> int:
    """How many tasks an array may have."""
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", _called(["scontrol", "show", "config"]).stdout, re.MULTILINE)
    return max(1, int(found[1]) - 1) if found else 1000


def parse_minutes(text: str) -> float | None:
    """A duration as Slurm writes it (2-03:04:05, 03:04:05), in minutes; None for one without end."""
    match = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)", text)
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return days * 1440 + hours * 60 + minutes + seconds / 60


def _called(command: Sequence[str], *, given: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not _DROPPED.fullmatch(name)}
    try:
        return subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=_PATIENCE, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SlurmError(f"{command[0]} does not answer: {error}.", hint="Ask `sinfo` whether Slurm runs.") from error


def _sentences(done: subprocess.CompletedProcess[str]) -> Iterable[str]:
    for line in (done.stderr + done.stdout).splitlines():
        sentence = line.removeprefix("sbatch: ").removeprefix("error: ").removeprefix("allocation failure: ").strip()
        if sentence and not sentence.startswith("Try "):  # to read the help of sbatch
            yield sentence


def _last_sentence(done: subprocess.CompletedProcess[str]) -> str:
    found = list(_sentences(done))
    return f"{found[-1].rstrip('.')}." if found else f"{done.args[0]} ended with exit code {done.returncode}."


def _hint(done: subprocess.CompletedProcess[str]) -> str:
    text = (done.stderr + done.stdout).lower()
    if "partition" in text:
        return "`sinfo` lists the partitions; choose one with --slurm-option partition=NAME."
    if "node configuration" in text or "gres" in text or "generic resource" in text or "memory" in text:
        return _TOO_MUCH
    return "See --print-script for what is submitted, and --slurm-option to change it."


def time_limit(limit: str) -> Outcome:
    """How a run ended whose job was longer than Slurm let it be."""
    return Outcome("infrastructure", "job-time-limit", f"Slurm ended the job at its time limit, {limit or 'unknown'}.")


def outcome_of(task: Task | None, job: str, *, is_taken_back: bool = False) -> Outcome:
    """How a run ended whose process could not say so, by what Slurm knows about its task.

    `is_taken_back` says that we cancelled it while it waited, so that Slurm may have forgotten it.
    """
    where = f" on {task.nodes}" if task is not None and task.nodes else ""
    state = "unknown" if task is None else task.state
    if state == "CANCELLED" or (task is None and is_taken_back):
        return Outcome("cancelled", "cancelled", f"The job {job} was cancelled.")
    if state in ("NODE_FAIL", "BOOT_FAIL"):
        return Outcome("infrastructure", "node-lost", f"The node of the job {job} failed{where}.")
    if state == "PREEMPTED":
        return PREEMPTED
    if state in ("TIMEOUT", "DEADLINE"):
        return time_limit(facts(job).get("TimeLimit", ""))
    if state == "OUT_OF_MEMORY":
        return Outcome("memory", "memory-limit", f"Slurm ended the job {job}{where}, which exceeded its memory.")
    if task is None:
        return Outcome("infrastructure", "runner-lost", f"Slurm no longer knows the job {job}, and the run has no end.")
    code = facts(job).get("ExitCode", "unknown").partition(":")[0]
    return Outcome(
        "infrastructure",
        "runner-lost",
        f"The job {job} ended with exit code {code}{where} and left no record: see its output in .jobs of the group, "
        "or, if there is none, whether that node sees the folder of the group.",
    )
