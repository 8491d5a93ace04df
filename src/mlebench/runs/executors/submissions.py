"""What was submitted to a queue: one folder for each submission in `.jobs` of the group, numbered.

A submission is written before the queue hears of it, and says which runs it executes. A run belongs to the last one
that names it: a job of an earlier one leaves it alone. All of it can be read by anybody who can read the group; what
nobody else may read, the keys of agents, is in the state folder of the user.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.files.writing import to_json, write_json
from mlebench.results.trust import state_dir
from mlebench.runs.executors.node import needed_variables, versions_here
from mlebench.runs.group import PlannedGroup

_JOBS, _FILE, _ENDED = ".jobs", "submission.json", "ended"
_LARGEST = 16 << 20


@dataclass(frozen=True)
class Submission:
    """Runs that were submitted together; `job` is what the queue calls them, None until it has answered.

    `workers` is how many runs of the group its user wants at once. `withdrawn` are runs that were taken back before
    they began.
    """

    group: str
    number: int
    name: str
    run_ids: tuple[str, ...]
    versions: Mapping[str, str]
    environment: str
    job: str | None = None
    workers: int = 1
    withdrawn: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return folder_of(Path(self.group), self.number)

    def save(self) -> None:
        """Write it down."""
        write_json(self.folder / _FILE, asdict(self))

    def with_job(self, job: str) -> Submission:
        """The same, once the queue has answered."""
        answered = replace(self, job=job)
        answered.save()
        return answered

    def with_workers(self, workers: int) -> Submission:
        """The same, after its user wanted another number of runs at once."""
        changed = replace(self, workers=workers)
        if changed != self:
            changed.save()
        return changed

    def without(self, run_ids: Sequence[str]) -> Submission:
        """The same, after some of its runs were taken back."""
        fewer = replace(self, withdrawn=(*self.withdrawn, *run_ids))
        fewer.save()
        return fewer

    def variables(self) -> dict[str, str]:
        """The variables that its runs need."""
        try:
            found = json.loads(read_regular(Path(self.environment), _LARGEST))
        except (OSError, ValueError) as error:
            raise MlebenchError(
                f"The keys of the agent cannot be read from {self.environment}.",
                hint="Set MLEBENCH_STATE_DIR to a folder of yours that all nodes see.",
            ) from error
        return {str(name): str(value) for name, value in found.items()}

    def mark_ended(self, index: int) -> None:
        """Note that a task is over for good; the last one removes the keys."""
        ended = self.folder / _ENDED
        ended.mkdir(exist_ok=True)
        (ended / str(index)).touch()
        if len(list(ended.iterdir())) + len(self.withdrawn) >= len(self.run_ids):
            self.forget_keys()

    def forget_keys(self) -> None:
        """Remove the keys: no run needs them any more."""
        with suppress(OSError):
            Path(self.environment).unlink()


def folder_of(group: Path, number: int) -> Path:
    """The folder of a submission of a group."""
    return group / _JOBS / f"{number:04}"


def new_submission(group: PlannedGroup, run_ids: Sequence[str], workers: int = 1) -> Submission:
    """Write down what is about to be submitted, and put the keys of the agent where only this user can read them."""
    (group.folder / _JOBS).mkdir(exist_ok=True)
    number = max(_numbers(group.folder), default=0) + 1
    name = f"mlebench-{group.record.plan[0].run_id[:8]}-{number:04}"
    keys = state_dir() / "environments" / f"{name}.json"
    folder_of(group.folder, number).mkdir(exist_ok=True)
    submission = Submission(
        str(group.folder), number, name, tuple(run_ids), versions_here(), str(keys), workers=workers
    )
    keys.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    keys.unlink(missing_ok=True)
    with os.fdopen(os.open(keys, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(to_json(needed_variables(group.settings)))
    submission.save()
    return submission


def load_submission(folder: Path) -> Submission:
    """The submission in a folder; where its group is now counts, not where it was."""
    try:
        values: dict[str, Any] = json.loads(read_regular(folder / _FILE, _LARGEST))
        found = Submission(**values)
        found = replace(found, run_ids=tuple(found.run_ids), withdrawn=tuple(found.withdrawn))
        texts = (found.name, found.environment, *found.run_ids, *found.withdrawn, found.job or "0")
        if not all(isinstance(text, str) for text in texts) or not (found.job or "0").isdecimal():
            raise TypeError(folder)
        if not found.name.replace("-", "").isalnum() or not isinstance(found.versions, Mapping):
            raise TypeError(folder)
        if not isinstance(found.workers, int) or found.workers < 1:
            raise TypeError(folder)
        return replace(found, group=str(folder.parent.parent), number=int(folder.name))
    except (OSError, ValueError, TypeError) as error:
        raise MlebenchError(f"{folder / _FILE} is damaged.") from error


def _numbers(group: Path) -> list[int]:
    """The numbers of all submissions of a group, by the names of their folders."""
    names = [path.name for path in (group / _JOBS).glob("[0-9]*")]
    return sorted(int(name) for name in names if name.isdecimal())


def submissions_of(group: Path, after: int = 0) -> list[Submission]:
    """All submissions of a group, or those after one, the first one first; those that are damaged are left out."""
    found = []
    for number in _numbers(group):
        if number > after:
            with suppress(MlebenchError):
                found.append(load_submission(folder_of(group, number)))
    return found


def is_owner(submission: Submission, run_id: str) -> bool:
    """Whether a run still belongs to a submission; only later ones are read, for there may be as many as runs."""
    later = submissions_of(Path(submission.group), after=submission.number)
    return run_id not in submission.withdrawn and not any(run_id in other.run_ids for other in later)


def discard_submission(submission: Submission) -> None:
    """Remove a submission that the queue refused."""
    submission.forget_keys()
    for path in submission.folder.iterdir():
        path.unlink()
    submission.folder.rmdir()


def owners(group: Path) -> dict[str, tuple[Submission, int]]:
    """The submission that each run belongs to, and its place there."""
    found: dict[str, tuple[Submission, int]] = {}
    for submission in submissions_of(group):
        found |= {run_id: (submission, index) for index, run_id in enumerate(submission.run_ids)}
        for run_id in submission.withdrawn:
            found.pop(run_id, None)
    return found
