"""Whose run group is it? What the record of a group names is used only where this user planned it on this machine.

A run group from elsewhere is data. Its record may name folders with code (competitions, agents) and a folder with
answers: those are used only where the user names them, by options or by the environment. For a group that was planned
here nothing has to be named again: planning leaves a note outside of the group's folder, in the state folder of the
user, which is named after a hash of the plan and its settings. Whoever changes either, or brings a group along, has no
such note.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from mlebench.base.wording import plain
from mlebench.competition.local import default_data_dir
from mlebench.competition.registry import COMPETITIONS_DIR_VARIABLE, Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS, Edition
from mlebench.errors import MlebenchError, UnknownCompetitionError
from mlebench.files.regular import is_regular
from mlebench.files.writing import to_json, write_json
from mlebench.results.records import GroupRecord

STATE_DIR_VARIABLE = "MLEBENCH_STATE_DIR"
_PLANNED = ("run_group", "created_at", "agent", "plan", "settings")  # what no run changes


@dataclass(frozen=True)
class Named:
    """What the user has named by options: None, or nothing, where no option was given."""

    data_dir: Path | None = None
    competitions_dirs: tuple[Path, ...] = ()
    agents_dirs: tuple[Path, ...] = ()
    edition: Edition | None = None


NOTHING_NAMED = Named()


def note_planned(record: GroupRecord) -> None:
    """Note that this user has planned a group on this machine; without a state folder its options are asked for."""
    path = _note_of(record)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_json(path, {"run_group": record.run_group, "created_at": record.created_at})


def is_own(record: GroupRecord) -> bool:
    """Whether this user has planned the group on this machine, with exactly these settings."""
    return not record.is_published and is_regular(_note_of(record))


def _note_of(record: GroupRecord) -> Path:
    values = json.loads(to_json(asdict(record)))
    planned = json.dumps({name: values[name] for name in _PLANNED}, sort_keys=True)
    return state_dir() / "planned" / f"{hashlib.sha256(planned.encode('utf-8')).hexdigest()}.json"


def state_dir() -> Path:
    """The folder that keeps what this user's commands know of each other."""
    if chosen := os.environ.get(STATE_DIR_VARIABLE):
        return Path(chosen)
    from platformdirs import user_state_path

    return user_state_path("mlebench")


@dataclass(frozen=True)
class ChosenData:
    """The registry that a group is read with, and one sentence for each difference from what its record names."""

    registry: Registry
    notes: tuple[str, ...] = ()


def choose_data(record: GroupRecord, named: Named = NOTHING_NAMED) -> ChosenData:
    """Where the competitions and answers of a group are: where the user says, else where it was planned if it is own.

    An error asks for a folder of competitions that is needed and was not named.
    """
    recorded_dirs = recorded_folders(record, "competitions_dirs")
    recorded_edition = _recorded_edition(record)
    own = is_own(record)
    recorded_data = Path(record.settings["data_dir"]) if record.settings.get("data_dir") else None
    registry = Registry(
        named.data_dir or (recorded_data if own else None) or default_data_dir(),
        named.competitions_dirs or (recorded_dirs if own else ()),
        named.edition or recorded_edition or DEFAULT_EDITION,
    )
    notes = []
    if recorded_data is not None and registry.data_dir.absolute() != recorded_data:
        notes.append(
            f"The data in {registry.data_dir} is used; the group was run on the data in {_shown(recorded_data)}."
        )
    if recorded_edition is not None and registry.edition != recorded_edition:
        notes.append(f"Edition {registry.edition} is used; the group was run on edition {recorded_edition}.")
    if recorded_dirs and not own and not names_competitions(named):
        _require_found(record, registry, recorded_dirs)
        folders = ", ".join(map(_shown, recorded_dirs))
        notes.append(f"The competitions in {folders}, which its record names, are not used: you did not name them.")
    return ChosenData(registry, tuple(notes))


def names_competitions(named: Named) -> bool:
    """Whether the user has named folders of competitions, by options or by the environment."""
    return bool(named.competitions_dirs or os.environ.get(COMPETITIONS_DIR_VARIABLE))


def recorded_folders(record: GroupRecord, name: str) -> tuple[Path, ...]:
    """The folders that the settings of a group name."""
    folders = record.settings.get(name, ())
    if not isinstance(folders, list | tuple) or not all(isinstance(folder, str) for folder in folders):
        raise MlebenchError("The record of this run group was written by another version of mlebench.")
    return tuple(map(Path, folders))


def options_for(option: str, folders: Sequence[Path]) -> str:
    """The options that name folders, as they are typed."""
    return " ".join(f"{option} {shlex.quote(_shown(folder))}" for folder in folders)


def _shown(path: Path) -> str:
    """A path of a record, without anything that a terminal obeys."""
    return plain(str(path), 300)


def _recorded_edition(record: GroupRecord) -> Edition | None:
    recorded = record.settings.get("edition")
    return next((edition for edition in EDITIONS if edition == recorded), None)


def _require_found(record: GroupRecord, registry: Registry, recorded: Sequence[Path]) -> None:
    """All competitions of a group are known without the folders that its record names."""
    for competition_id in dict.fromkeys(planned.competition_id for planned in record.plan):
        try:
            registry.get_competition(competition_id)
        except UnknownCompetitionError:
            raise MlebenchError(
                f"{plain(competition_id, 100)} is not a competition that mlebench knows, and the run group was not "
                "planned by you on this machine, so the code that its record names is not run.",
                hint=f"If you trust that code, name it: {options_for('--competitions-dir', recorded)}",
            ) from None
