"""What of a group's record may be run: all of it where it was planned here, else only what the user names.

Running and replaying start programs. The record of a group from elsewhere may name folders with code, a command, a
weaker sandbox or an open network; each of these is asked for, by the option that names it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlebench.agents import find_agent
from mlebench.base.wording import plain
from mlebench.errors import MlebenchError
from mlebench.results.names import RUN_FILE
from mlebench.results.records import GroupRecord, RunRecord
from mlebench.results.trust import Named, choose_data, is_own, names_competitions, note_planned, options_for
from mlebench.runs.material import Material
from mlebench.runs.models import GATEWAY, unnamed_endpoints
from mlebench.runs.settings import DEFAULT_SERVICES, RunSettings
from mlebench.sandbox import Network, choose_sandbox, parse_network


@dataclass(frozen=True)
class NamedConditions(Named):
    """What the user has named by options of `mlebench run --resume` and `mlebench replay`."""

    sandbox: str | None = None
    network: str | None = None
    command: str | None = None
    code: Path | None = None
    executor: str | None = None
    executor_options: Mapping[str, str] = field(default_factory=dict)
    services: tuple[str, ...] = ()
    allow_privileged: bool = False
    model_endpoints: tuple[str, ...] = ()
    allow_provider_tools: bool = False
    material: str | None = None


NO_CONDITIONS_NAMED = NamedConditions()


def replay_settings(folder: Path, record: GroupRecord, named: NamedConditions = NO_CONDITIONS_NAMED) -> RunSettings:
    """The settings that a run of a group is replayed with."""
    if not is_own(record):
        _refuse(folder, "replay", _code_options(record, RunSettings.from_dict(record.settings), named))
    return _with_named(record, named)


def resume_settings(folder: Path, record: GroupRecord, named: NamedConditions = NO_CONDITIONS_NAMED) -> RunSettings:
    """The settings that a group from elsewhere is run with; whatever its record asks for, the user has named."""
    recorded = RunSettings.from_dict(record.settings)
    asked = [*_code_options(record, recorded, named), *_condition_options(recorded, named)]
    _refuse(folder, "run --resume", asked)
    settings = _with_named(record, named)
    code = {"code": str(named.code.absolute())} if named.code is not None else {}
    services: dict[str, Mapping[str, Any]] = {name: {} for name in (*DEFAULT_SERVICES, *named.services)}
    if GATEWAY in recorded.services:  # whose endpoints the user has named, or it would have been refused
        services[GATEWAY] = recorded.services[GATEWAY]
    return replace(settings, agent_options={**recorded.agent_options, **code}, services=services)


def adopt(folder: Path, record: GroupRecord, named: NamedConditions) -> GroupRecord:
    """Make a group from elsewhere one's own: with what the user has named it is resumed and graded from now on.

    Processes that its runs name are those of another machine: nothing of that name here is ended.
    """
    adopted = replace(record, settings=resume_settings(folder, record, named).to_dict())
    for planned in record.plan:
        run = folder / planned.folder
        if os.path.lexists(run / RUN_FILE) and (found := RunRecord.load(run)).identity:
            replace(found, identity={}).save(run)
    adopted.save(folder)
    note_planned(adopted)
    return adopted


def _with_named(record: GroupRecord, named: NamedConditions) -> RunSettings:
    recorded = RunSettings.from_dict(record.settings)
    registry = choose_data(record, named).registry
    return replace(
        recorded,
        data_dir=registry.data_dir.absolute(),
        competitions_dirs=tuple(path.absolute() for path in registry.competitions_dirs),
        agents_dirs=named.agents_dirs or (recorded.agents_dirs if is_own(record) else ()),
        edition=registry.edition,
        sandbox=choose_sandbox(named.sandbox).sandbox.name if named.sandbox else recorded.sandbox,
        material=_named_material(recorded, named),
    )


def _named_material(recorded: RunSettings, named: NamedConditions) -> Material | None:
    """The reading material where the user says that it is; its hash stays that of the plan."""
    material = recorded.material
    return material if material is None or named.material is None else material.moved_to(named.material)


def _code_options(record: GroupRecord, recorded: RunSettings, named: NamedConditions) -> Iterator[str]:
    """The options for code that the record names and the user does not, and for a sandbox that holds less of it."""
    if recorded.competitions_dirs and not names_competitions(named) and not _are_known(record):
        yield options_for("--competitions-dir", recorded.competitions_dirs)
    if not named.agents_dirs and not _is_known_agent(recorded.agent):
        yield options_for("--agents-dir", recorded.agents_dirs or [Path("DIR")])
    if recorded.material is not None and named.material is None:  # any folder of this machine would be shown to agents
        yield options_for("--material", [Path(recorded.material.folder)])
    if named.sandbox is None and recorded.sandbox != choose_sandbox().sandbox.name:
        yield f"--sandbox {recorded.sandbox}"


def _condition_options(recorded: RunSettings, named: NamedConditions) -> Iterator[str]:
    command, code = recorded.agent_options.get("command"), recorded.agent_options.get("code")
    if command and named.command != command:
        yield f"--command {shlex.quote(plain(command, 1000))}"
    if code and named.code is None:
        yield options_for("--code", [Path(code)])
    if recorded.network != Network() and (named.network is None or parse_network(named.network) != recorded.network):
        yield f"--network {'full' if recorded.network.full else shlex.quote(','.join(recorded.network.allowed))}"
    if recorded.allow_privileged and not named.allow_privileged:
        yield "--allow-privileged"
    if recorded.executor != "local" and named.executor != recorded.executor:
        yield f"--executor {shlex.quote(plain(recorded.executor, 100))}"
    for name, value in recorded.executor_options.items():
        if named.executor_options.get(name) != value:
            text = shlex.quote(plain(value if name == "address" else f"{name}={value}", 200))
            yield f"--address {text}" if name == "address" else f"--slurm-option {text}"
    if GATEWAY in recorded.services:
        yield from unnamed_endpoints(
            recorded.services[GATEWAY], named.model_endpoints, provider_tools=named.allow_provider_tools
        )
    for name in recorded.services:
        if name not in (*DEFAULT_SERVICES, *named.services, GATEWAY):
            yield f"--service {shlex.quote(plain(name, 100))}"


def _are_known(record: GroupRecord) -> bool:
    """Whether all competitions of a group are known without the folders that its record names."""
    try:
        choose_data(record)
    except MlebenchError:
        return False
    return True


def _is_known_agent(agent_id: str) -> bool:
    try:
        find_agent(agent_id)
    except MlebenchError:
        return False
    return True


def _refuse(folder: Path, command: str, asked: Iterable[str]) -> None:
    if options := list(asked):
        raise MlebenchError(
            f"The run group {folder} was not planned by you on this machine, so what its record names is not run.",
            hint=f"If you trust it, name that: mlebench {command} {shlex.quote(str(folder))} {' '.join(options)}",
        )
