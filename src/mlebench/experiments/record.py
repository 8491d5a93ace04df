"""What is kept of an experiment, in the runs folder: what was planned, and the run group of every arm.

runs/experiments/<name>/experiment.json   the plan: the file as it was then, and the group of each arm
runs/experiments/<name>/report.html       the page
runs/run_group_experiments.csv            for `mlebench aggregate`: `<experiment>/<arm>` and its run group
"""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from mlebench.base.versions import versions
from mlebench.base.wording import cell_text
from mlebench.experiments.definition import Experiment, ExperimentError, changes
from mlebench.files.regular import open_regular, read_regular
from mlebench.files.writing import now, write_atomically, write_json
from mlebench.results.groups import is_group
from mlebench.results.names import EXPERIMENTS_FILE, EXPERIMENTS_FOLDER, GROUP_FILE, LOCK_FILE
from mlebench.results.records import read_group_file

_FILE = "experiment.json"
_LARGEST = 16 << 20
_MOST_CHANGES = 3  # that a message names
_COLUMNS = ("experiment_id", "run_group")


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment that was planned. `id` is that of this plan, which its groups carry too; `groups` has the name of
    the run group of every arm that has one. `in_queue` says that arms were left to the queue of a cluster, so that
    they take no turns.
    """

    name: str
    id: str
    created_at: str
    definition: Mapping[str, Any]
    groups: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)
    in_queue: bool = False

    def save(self, runs_dir: Path) -> None:
        """Write it down."""
        folder = folder_of(runs_dir, self.name)
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / _FILE, asdict(self))

    def with_group(self, arm: str, group: str) -> ExperimentRecord:
        """The same with the group of one more arm."""
        return replace(self, groups={**self.groups, arm: group})


def new_record(experiment: Experiment) -> ExperimentRecord:
    """The record of an experiment that is planned now."""
    created = now().isoformat(timespec="seconds")
    return ExperimentRecord(experiment.name, str(uuid.uuid4()), created, json.loads(json.dumps(experiment.to_dict())))


def folder_of(runs_dir: Path, name: str) -> Path:
    """Where the record of an experiment is."""
    return runs_dir / EXPERIMENTS_FOLDER / name


def load_record(runs_dir: Path, name: str) -> ExperimentRecord | None:
    """The record of an experiment; None if it was not planned in this folder of runs."""
    path = folder_of(runs_dir, name) / _FILE
    try:
        values = json.loads(read_regular(path, _LARGEST).decode("utf-8"))
        record = ExperimentRecord(**values)
        texts = (record.name, record.id, record.created_at, *record.groups.values())
        if not all(isinstance(text, str) for text in texts) or not isinstance(record.definition, Mapping):
            raise TypeError(path)
        if not isinstance(record.in_queue, bool):
            raise TypeError(path)
        if any(Path(group).name != group or group in ("", "..") for group in record.groups.values()):
            raise TypeError(path)  # a group is in the folder of runs, whatever the record says
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ExperimentError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ExperimentError(
            f"{path} is damaged or was written by another version of mlebench.",
            hint="The run groups of its arms are beside it, and `mlebench run --resume` goes on with each.",
        ) from error
    return record


def require_unchanged(experiment: Experiment, record: ExperimentRecord, runs_dir: Path) -> None:
    """Refuse to go on with an experiment whose file has changed: its arms would be something else by half."""
    if found := changed_since(experiment, record):
        more = f" and {len(found) - _MOST_CHANGES} more" if len(found) > _MOST_CHANGES else ""
        raise ExperimentError(
            f"{experiment.path} has changed since the experiment {record.name} was planned: "
            f"{'; '.join(found[:_MOST_CHANGES])}{more}.",
            hint="Undo the change, or give the experiment another name; nothing of "
            f"{folder_of(runs_dir, record.name) / _FILE} is lost.",
        )


def changed_since(experiment: Experiment, record: ExperimentRecord) -> list[str]:
    """What an experiment's file says otherwise than when it was planned."""
    return changes(record.definition, json.loads(json.dumps(experiment.to_dict())))


def found_groups(record: ExperimentRecord, runs_dir: Path) -> ExperimentRecord:
    """The record with groups that a process planned and could not note any more, for it was killed."""
    missing = [arm for arm in record.definition["arms"] if arm not in record.groups]
    if not missing:
        return record
    for path in sorted(runs_dir.glob(f"*/{GROUP_FILE}")):
        settings = read_group_file(path.parent).get("settings")
        planned = settings.get("experiment") if isinstance(settings, Mapping) else None
        if not isinstance(planned, Mapping) or path.parent.name.startswith(".") or planned.get("id") != record.id:
            continue
        if planned.get("arm") in missing:
            record = record.with_group(str(planned["arm"]), path.parent.name)
    return record


def group_folder(record: ExperimentRecord, arm: str, runs_dir: Path) -> Path:
    """The folder of the run group of an arm; an error if it is gone."""
    folder = runs_dir / record.groups[arm]
    if not is_group(folder):
        raise ExperimentError(
            f"The run group {record.groups[arm]} of the arm {arm} is not in {runs_dir} any more.",
            hint="Put it back, or give the experiment another name.",
        )
    return folder


@contextmanager
def hold_experiment(runs_dir: Path, name: str) -> Iterator[None]:
    """Hold an experiment: a second process that wants to run it is refused."""
    from filelock import FileLock, Timeout

    folder = folder_of(runs_dir, name)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / LOCK_FILE, timeout=0.5):
            yield
    except Timeout as error:
        raise ExperimentError(
            f"The experiment {name} is being run by another process.", hint="Wait for it, or stop it first."
        ) from error
    except BaseException:
        if not (folder / _FILE).exists():  # nothing was planned, so nothing stays
            with suppress(OSError):
                (folder / LOCK_FILE).unlink()
                for empty in (folder, folder.parent, runs_dir):
                    empty.rmdir()
        raise


def experiment_id(name: str, arm: str) -> str:
    """What the CSV file and `mlebench aggregate --experiment-id` call an arm."""
    return f"{name}/{arm}"


def write_experiments_csv(record: ExperimentRecord, runs_dir: Path) -> Path:
    """Write the run group of every arm into the list of experiments; rows of other experiments stay."""
    from filelock import FileLock

    path = runs_dir / EXPERIMENTS_FILE
    own = {experiment_id(record.name, arm) for arm in record.definition["arms"]}
    with FileLock(runs_dir / EXPERIMENTS_FOLDER / LOCK_FILE):
        header, rows = _table(path)
        places = [header.index(column) for column in _COLUMNS]
        kept = [row for row in rows if row[places[0]] not in own]
        for arm, group in record.groups.items():
            row = [""] * len(header)
            row[places[0]], row[places[1]] = cell_text(experiment_id(record.name, arm)), cell_text(group)
            kept.append(row)
        if kept != rows or not path.exists():
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([header, *kept])
            write_atomically(path, text.getvalue())
    return path


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    """(column names, rows) of the list as it is; one that is no such list is an error, for it would be overwritten."""
    try:
        with open_regular(path, follow=True) as binary, io.TextIOWrapper(binary, "utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    except FileNotFoundError:
        return list(_COLUMNS), []
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise _no_list(path) from error
    if not rows or not set(_COLUMNS) <= set(rows[0]):
        raise _no_list(path)
    header = rows[0]
    return header, [row + [""] * (len(header) - len(row)) for row in rows[1:]]


def _no_list(path: Path) -> ExperimentError:
    return ExperimentError(
        f"{path} is not a CSV file with the columns experiment_id,run_group.", hint="Move it away, and run again."
    )
