"""The executor `ray`: one task of a Ray cluster per run, with its processors, GPUs and memory.

No file system needs to be shared: a run takes place in a folder of its node, and only this process writes to the folder
of the group. So a node that is lost, or a process that was killed, can never spoil a later attempt.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from mlebench.errors import MlebenchError
from mlebench.files.writing import write_json
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.runs.endings import CANCELLED, NODE_LOST, RUNNER_LOST, Outcome
from mlebench.runs.events import EventLog
from mlebench.runs.executors import ray_node
from mlebench.runs.executors.ended import EndedRuns
from mlebench.runs.executors.interface import ExecutorDefaults
from mlebench.runs.executors.node import end_by_fault, needed_variables, versions_here
from mlebench.runs.executors.staging import Staged, pack, recorded_fingerprint, require_small
from mlebench.runs.material import MATERIAL

if TYPE_CHECKING:
    from mlebench.runs.group import PlannedGroup
    from mlebench.runs.settings import RunSettings

_RUNNERS = ".jobs"
_PATIENCE_TO_CONNECT = 10.0  # seconds
_PATIENCE = 120.0  # seconds for an answer of a node
_FRAME_HEADER, _SETTINGS = 9, b"\x04"  # bytes before each frame of HTTP/2, and the kind of the first one
_HTTP2_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + _SETTINGS + b"\0\0\0\0\0"


class RayError(MlebenchError):
    """A Ray cluster cannot be used."""


def connected(address: str) -> Any:
    """The module ray, connected to a cluster."""
    try:
        import ray
    except ImportError as error:
        raise RayError("The executor ray needs Ray.", hint="Install it with: pip install 'mlebench[ray]'") from error
    if ray.is_initialized():
        return ray
    # Ray would install this folder on every node; what nodes need, they have.
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    try:
        _require_listener(address)
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except Exception as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = text.strip().partition("\n")[0].rstrip(".")
        raise RayError(
            f"There is no Ray cluster at {address} that could be used: {reason}.",
            hint="Start one with `ray start --head`, or name it with --address HOST:PORT.",
        ) from error
    return ray


def _require_listener(address: str) -> None:
    """Somebody listens at an address who speaks HTTP/2, as Ray does: Ray itself would try others for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE_TO_CONNECT) as connection:
        if os.environ.get("RAY_USE_TLS") == "1":
            return
        connection.sendall(_HTTP2_GREETING)
        answer = connection.recv(_FRAME_HEADER)
    if answer[3:4] != _SETTINGS:
        raise RayError("what listens there is not Ray")


class RayExecutor(ExecutorDefaults):
    """Runs on the nodes of a Ray cluster."""

    name: ClassVar[str] = "ray"
    is_remote: ClassVar[bool] = True
    stages_always: ClassVar[bool] = False  # what nodes see is used in its place

    def __init__(self, group: PlannedGroup, workers: int) -> None:
        super().__init__(group, workers)
        settings = group.settings
        self._ray = connected(settings.executor_options.get("address", "auto"))
        self._settings = settings
        self._variables = needed_variables(settings)
        self._staged = self._stage(sorted({planned.competition_id for planned in group.record.plan}))
        self._threads: dict[PlannedRun, threading.Thread] = {}
        self._tasks: dict[PlannedRun, Any] = {}
        self._runners: dict[PlannedRun, Mapping[str, Any]] = {}
        self._stopping: set[PlannedRun] = set()
        self._faults: dict[PlannedRun, Outcome] = {}
        self._ended = EndedRuns()

    @classmethod
    def check(cls, settings: RunSettings, competition_ids: Sequence[str]) -> None:
        """Refuse what no node of the cluster could execute."""
        unknown = settings.executor_options.keys() - {"address"}
        if unknown:
            raise RayError(f"The executor ray has no option {min(unknown)}.")
        address = settings.executor_options.get("address", "auto")
        ray = connected(address)
        nodes = _alive(ray)
        for competition_id in competition_ids:
            wanted = resources(settings, competition_id)
            if not any(
                all(node["Resources"].get(name, 0) >= amount for name, amount in wanted.items()) for node in nodes
            ):
                amounts = ", ".join(f"{amount:g} {name}" for name, amount in wanted.items())
                raise RayError(
                    f"No node of the Ray cluster at {address} has what a run asks for: {amounts}.",
                    hint="Ask for less with --memory-limit, --cpus or --gpus; memory is in bytes.",
                )
        found = [_asked(ray, node["NodeID"], ray_node.facts, "", {})["versions"] for node in nodes]
        if versions_here() not in found:
            there = ", ".join(sorted({f"{name} {number}" for versions in found for name, number in versions.items()}))
            here = ", ".join(f"{name} {number}" for name, number in versions_here().items())
            raise RayError(
                f"The nodes of the Ray cluster have other versions than this machine: {there}, and here {here}.",
                hint="Install the same version of mlebench and Python everywhere.",
            )

    def submit(self, runs: Sequence[PlannedRun]) -> None:
        """Begin runs, each as a task."""
        execute = self._ray.remote(ray_node.execute)
        for planned in runs:
            with EventLog(self.group.folder_of(planned)) as events:
                events.state("queued", waiting_for=self.name)
            wanted = resources(self._settings, planned.competition_id)
            options = {
                "num_cpus": wanted["CPU"],
                "num_gpus": wanted.get("GPU", 0),
                "max_retries": 0,  # whoever runs the group decides on that
                "name": f"mlebench {planned.competition_id}",
            }
            if "memory" in wanted:
                options["memory"] = wanted["memory"]
            order = ray_node.order_of(self.group, planned, self._variables, self._staged)
            self._tasks[planned] = execute.options(**options).remote(order)
            thread = self._threads[planned] = threading.Thread(target=self._follow, args=(planned,), daemon=True)
            thread.start()

    def _follow(self, planned: PlannedRun) -> None:
        """Write what a node sends of a run, until it ends."""
        try:
            for reference in self._tasks[planned]:
                message = self._ray.get(reference)
                if message.kind == "runner":
                    self._note_runner(planned, json.loads(message.content))
                else:
                    write_part(self.group.folder_of(planned), message)
        except Exception as error:
            self._faults[planned] = self._outcome(planned, error)
        finally:
            self._ended.add(planned)

    def _note_runner(self, planned: PlannedRun, runner: Mapping[str, Any]) -> None:
        self._runners[planned] = runner
        folder = self.group.folder / _RUNNERS
        folder.mkdir(exist_ok=True)
        write_json(folder / f"{planned.run_id}.json", runner)
        if planned in self._stopping:
            self._stop(runner)

    def _outcome(self, planned: PlannedRun, error: Exception) -> Outcome:
        """How a run ended of which a node sends no more."""
        errors = self._ray.exceptions
        if planned in self._stopping or isinstance(error, errors.TaskCancelledError):
            return CANCELLED
        if isinstance(error, MlebenchError):
            return Outcome("infrastructure", "refused", str(error))
        if isinstance(error, errors.RayTaskError):
            reason = str(error.cause or error).strip().splitlines()[-1]
            return Outcome("infrastructure", "runner-lost", f"A node could not execute the run: {reason}")
        is_lost = isinstance(error, errors.NodeDiedError | errors.WorkerCrashedError | errors.ObjectLostError)
        return NODE_LOST if is_lost else Outcome("infrastructure", "runner-lost", f"{RUNNER_LOST.error} {error}")

    def wait(self, seconds: float) -> Sequence[PlannedRun]:
        """Wait until a run has ended, at most for `seconds`."""
        return self._ended.wait(seconds)

    def cancel(self, runs: Sequence[PlannedRun]) -> None:
        """Ask the processes of runs to end; what has not begun does not."""
        self._stopping |= set(runs)
        for planned in runs:
            if planned in self._runners:
                threading.Thread(target=self._stop, args=(self._runners[planned],), daemon=True).start()
            else:
                self._ray.cancel(self._tasks[planned], force=False)

    def _stop(self, runner: Mapping[str, Any]) -> None:
        with suppress(Exception):  # a node that is gone has nothing to stop
            _asked(self._ray, str(runner["node_id"]), ray_node.stop, runner)

    def collect(self, planned: PlannedRun) -> RunRecord:
        """The record of a run, which its node has sent; where it could not, by what Ray says."""
        self._threads.pop(planned).join()
        self._tasks.pop(planned, None)
        self._runners.pop(planned, None)
        self._stopping.discard(planned)
        (self.group.folder / _RUNNERS / f"{planned.run_id}.json").unlink(missing_ok=True)
        record = self.group.run_record(planned)
        fault = self._faults.pop(planned, None)
        if fault is not None and not record.is_complete:
            record = end_by_fault(self.group, planned, record, fault)
        return record

    def end_orphan(self, planned: PlannedRun, record: RunRecord) -> None:
        """End what an earlier process began, where its node is still there."""
        path = self.group.folder / _RUNNERS / f"{planned.run_id}.json"
        with suppress(OSError, ValueError, KeyError):
            runner = json.loads(path.read_text())
            if runner["node_id"] in [node["NodeID"] for node in _alive(self._ray)]:
                self._stop(runner)
        path.unlink(missing_ok=True)

    def close(self) -> None:
        """Wait for what was cancelled."""
        for thread in self._threads.values():
            thread.join(_PATIENCE)

    def _stage(self, competition_ids: Sequence[str]) -> tuple[Staged, ...]:
        """Pack the data, the agent and its code, where a node does not see them."""
        settings = self._settings
        competitions = [settings.registry.get_competition(competition_id) for competition_id in competition_ids]
        fingerprints = {competition.id: recorded_fingerprint(competition) for competition in competitions}
        code = settings.agent_options.get("code")
        material = [] if settings.material is None else [settings.material.root]
        others = [*settings.agents_dirs, *settings.competitions_dirs, *([Path(code)] if code else []), *material]
        asked = [
            _asked(
                self._ray, node["NodeID"], _seen, str(settings.data_dir), fingerprints, [str(path) for path in others]
            )
            for node in _alive(self._ray)
        ]
        staged: list[Staged] = []
        if self.stages_always or any(set(found["sees"]) != set(competition_ids) for found in asked):
            prepared = [competition.prepared_dir for competition in competitions]
            require_small(prepared)
            staged.append(pack("data_dir", settings.data_dir, prepared, self._ray.put))
        for path in others:
            if self.stages_always or not all(str(path) in found["folders"] for found in asked):
                require_small([path])
                named = {"agents_dirs": settings.agents_dirs, "competitions_dirs": settings.competitions_dirs}
                named[MATERIAL] = tuple(material)
                setting = next((name for name, folders in named.items() if path in folders), "agent_options")
                staged.append(pack(setting, path, [path], self._ray.put))
        return tuple(staged)


def _seen(data_dir: str, fingerprints: Mapping[str, str | None], folders: Sequence[str]) -> dict[str, Any]:
    """What a node sees of the folders of a group."""
    found = ray_node.facts(data_dir, fingerprints)
    return {**found, "folders": [folder for folder in folders if Path(folder).is_dir()]}


def resources(settings: RunSettings, competition_id: str) -> dict[str, float]:
    """What a run asks a cluster for, in Ray's words."""
    limits = settings.limits_of(competition_id)
    wanted: dict[str, float] = {"CPU": limits.cpus or 1}
    if limits.gpus:
        wanted["GPU"] = limits.gpus
    if limits.memory_bytes is not None:
        wanted["memory"] = limits.memory_bytes
    return wanted


def write_part(folder: Path, message: ray_node.Message) -> None:
    """Write a part of a file that a node sends; its name is the agent's, so it may lead nowhere else."""
    name = PurePosixPath(message.path)
    if name.is_absolute() or ".." in name.parts or not name.parts:
        raise MlebenchError(f"A node has sent a file with the name {message.path!r}, which no run has.")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if message.kind == "replace" and message.content:
        partial = path.with_name(f".{path.name}.partial")
        partial.write_bytes(message.content)
        partial.replace(path)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    flags |= os.O_TRUNC if message.kind == "replace" else os.O_APPEND
    with os.fdopen(os.open(path, flags, 0o644), "wb") as file:
        file.write(message.content)


def _alive(ray: Any) -> list[Mapping[str, Any]]:
    return [node for node in ray.nodes() if node["Alive"]]


def _asked(ray: Any, node_id: str, function: Any, *arguments: Any) -> Any:
    """What a function answers on a node."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy = NodeAffinitySchedulingStrategy(node_id=node_id, soft=False)
    task = ray.remote(function).options(num_cpus=0, max_retries=0, scheduling_strategy=strategy, name="mlebench asks")
    try:
        return ray.get(task.remote(*arguments), timeout=_PATIENCE)
    except Exception as error:
        reason = str(getattr(error, "cause", None) or error).strip().splitlines()[-1]
        raise RayError(
            f"The node {node_id[:6]} of the Ray cluster does not answer as it should: {reason}",
            hint="mlebench must be installed on every node, in the same version.",
        ) from error
