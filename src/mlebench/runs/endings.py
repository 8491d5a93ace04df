"""How a run ended: the status, the code and the sentence of every way to end."""

from __future__ import annotations

from dataclasses import dataclass

from mlebench.agents import AgentError
from mlebench.base.processes import StoppedError
from mlebench.errors import MlebenchError, NotPreparedError, VersionError, is_disk_full, os_sentence
from mlebench.results.records import Code, Ended, RunRecord
from mlebench.runs.collect import Collected
from mlebench.runs.disk import DiskUser
from mlebench.sandbox import Ending, SandboxError
from mlebench.services.opening import ServiceError


@dataclass(frozen=True)
class Outcome:
    """What a record says about an end."""

    status: Ended
    code: Code | None = None
    error: str | None = None


CANCELLED = Outcome("cancelled", "cancelled", "The run was cancelled.")
FILLED_DISK = Outcome("disk", "filled-disk", "The run filled the disk, which other runs were in need of.")
RUNNER_LOST = Outcome("infrastructure", "runner-lost", "The process that executed the run was killed.")
NODE_LOST = Outcome("infrastructure", "node-lost", "The machine that executed the run was lost.")
PREEMPTED = Outcome("infrastructure", "preempted", "The cluster took the machine away from the run.")
_BUDGETS: dict[str, Outcome] = {
    "timeout": Outcome("timeout", "time-limit", "The run exceeded its time budget."),
    "memory": Outcome("memory", "memory-limit", "The run exceeded its memory budget."),
    "disk": Outcome("disk", "disk-limit", "The run exceeded its disk budget."),
    "output": Outcome("output", "output-limit", "The run exceeded its output budget."),
    "processes": Outcome("failed", "process-limit", "The run started more processes than allowed."),
    "cancelled": CANCELLED,
}


# What a service may end a run for.
_OF_SERVICES: dict[str, Ended] = {"model-budget": "budget", "model-endpoint": "infrastructure"}


def outcome_of(ending: Ending, collected: Collected, end_request: tuple[str, str] | None = None) -> Outcome:
    """How a run ended whose agent was started; `end_request` is the code and the sentence of a service that ended it.

    An agent that ends by itself after that has ended for the same reason, unless it was done: it left with code 0
    although a model could not be reached.
    """
    if end_request is not None and ending.reason in ("exit", "cancelled"):
        code, sentence = end_request
        status = _OF_SERVICES.get(code, "infrastructure")
        if status == "budget" or ending.reason == "cancelled" or ending.exit_code != 0 or collected.submission is None:
            known: Code = code if code in _OF_SERVICES else "service-error"  # type: ignore[assignment]
            return Outcome(status, known, sentence)
    if ending.reason in _BUDGETS:
        return _BUDGETS[ending.reason]
    if ending.exit_code != 0:
        return Outcome("failed", "exit-code", f"The agent ended with exit code {ending.exit_code}.")
    if collected.submission is None:
        return Outcome("failed", "submission-unreadable" if collected.found else "no-submission", collected.problem)
    return Outcome("success")


def attempt_of_fault(record: RunRecord, outcome: Outcome) -> int:
    """The number of the attempt that a fault ended: one that left no record of its start has begun all the same."""
    has_begun_unseen = record.status == "planned" and outcome.status != "cancelled"
    return max(1, record.attempt + has_begun_unseen)


def outcome_of_error(error: Exception) -> Outcome:
    """How a run ended that could not be made, or that a fault of ours or of the machine ended."""
    if isinstance(error, StoppedError):
        return CANCELLED
    if isinstance(error, AgentError):
        return Outcome("failed", "agent-error", str(error))
    if isinstance(error, MlebenchError):
        return Outcome("infrastructure", _code_of(error), str(error))
    if isinstance(error, OSError):
        return Outcome("infrastructure", "disk-full" if is_disk_full(error) else "system-error", os_sentence(error))
    return Outcome("infrastructure", "internal-error", f"Unexpected {type(error).__name__}: {error}")


def outcome_of_full_disk(outcome: Outcome, disk: DiskUser) -> Outcome:
    """The outcome of a run that found the disk full: whoever filled it is to blame."""
    filler = disk.blame()
    if filler is None:
        return outcome
    if filler == disk.run_id:
        return FILLED_DISK
    return Outcome("infrastructure", "disk-filled-by-other-run", f"The run {filler} filled the disk.")


def _code_of(error: MlebenchError) -> Code:
    """The code of an error of ours: the most special kind that it is."""
    cause: BaseException | None = error
    while cause is not None:  # a full disk stays one, whoever put a sentence around it
        if isinstance(cause, OSError) and is_disk_full(cause):
            return "disk-full"
        cause = cause.__cause__
    kinds: tuple[tuple[type[MlebenchError], Code], ...] = (
        (NotPreparedError, "not-prepared"),
        (ServiceError, "service-error"),
        (VersionError, "version-mismatch"),
        (SandboxError, "sandbox-error"),
    )
    return next((code for kind, code in kinds if isinstance(error, kind)), "refused")
