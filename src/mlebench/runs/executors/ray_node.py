"""What happens on a node of a Ray cluster: a run in a folder of that node, sent back to whoever runs the group.

A runner executes the run, and ends with the worker that started it: when the process that submitted the run is gone,
Ray ends its workers, and nothing is left. No file system needs to be shared: events, logs and records are sent while
they grow, and everything else at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import psutil

from mlebench.files.regular import is_regular, open_regular
from mlebench.files.scratch import ScratchFolder, remove_abandoned
from mlebench.results.names import AGENT_LOG, EVENTS_FILE, RUN_FILE, RUN_LOG
from mlebench.results.records import ENDED, GroupRecord, PlannedRun, RunRecord
from mlebench.runs.executors.node import versions_here
from mlebench.runs.executors.order import RunOrder
from mlebench.runs.executors.pool import RunnerProcess
from mlebench.runs.executors.staging import Staged, has_data, staged_folder
from mlebench.runs.group import PlannedGroup

NAME = "ray"
_PAUSE = 0.25  # seconds between two checks of what has grown
_CHUNK = 8 << 20
_GROWING = (EVENTS_FILE, AGENT_LOG, RUN_LOG)
_PATIENCE = 120.0  # seconds that a run which is stopped may take to end


class Message(NamedTuple):
    """A part of a file of the run, or where its process is: what a node sends back."""

    kind: Literal["runner", "replace", "append"]
    path: str
    content: bytes


@dataclass(frozen=True)
class Order:
    """A run to execute: everything that a node must know. `variables` has the keys of the agent."""

    group: dict[str, Any]
    run: dict[str, Any]
    record: dict[str, Any]
    versions: Mapping[str, str]
    variables: Mapping[str, str] = field(repr=False)
    staged: tuple[Staged, ...] = ()


def facts(data_dir: str, fingerprints: Mapping[str, str | None]) -> dict[str, Any]:
    """What a node has: its versions, and the competitions whose data it sees."""
    sees = [name for name, fingerprint in fingerprints.items() if has_data(Path(data_dir), name, fingerprint)]
    return {"versions": versions_here(), "node": os.uname().nodename, "sees": sees}


def execute(order: Order) -> Iterator[Message]:
    """Execute a run, and tell what becomes of it as it happens."""
    import ray

    context = ray.get_runtime_context()
    node = f"{os.uname().nodename}/{context.get_node_id()[:6]}"
    remove_abandoned()  # Ray kills what a worker has started together with it, so nobody else removes its folder
    with ScratchFolder() as scratch:
        record, planned = GroupRecord(**order.group), PlannedRun(**order.run)
        record = replace(record, plan=(planned,))
        for staged in order.staged:
            record = replace(record, settings=staged.applied_to(record.settings, staged_folder(staged, ray.get)))
        group = PlannedGroup(scratch / record.run_group, record)
        group.folder.mkdir()
        record.save(group.folder)
        RunRecord(**order.record).save(group.folder_of(planned))
        runner = RunnerProcess(environment={**os.environ, **order.variables})
        try:
            where = _runner(runner.process.pid, context.get_node_id())
            yield Message("runner", "", json.dumps(where).encode())
            task = context.get_task_id()
            runner.execute(RunOrder(str(group.folder), planned.run_id, NAME, task, node, order.versions, str(scratch)))
            runner.finish()
            yield from _growing(group.folder_of(planned), runner.process)
        finally:
            _end(runner.process)
            runner.close()
        yield from _files(group.folder_of(planned))


def _runner(pid: int, node_id: str) -> dict[str, Any]:
    """Where the process of a run is, so that it can be ended, and no other that has its number later."""
    return {"node_id": node_id, "pid": pid, "started": psutil.Process(pid).create_time()}


def _growing(folder: Path, process: subprocess.Popen[bytes]) -> Iterator[Message]:
    """What a run appends and replaces while it goes on.

    The record of its end is not among it: whoever has that may take it for granted that nothing else is missing.
    """
    at: dict[str, int] = {}
    seen = 0
    while process.poll() is None:
        time.sleep(_PAUSE)
        for name in _GROWING:
            with_more = _appended(folder / name, at.get(name, 0))
            if with_more:
                at[name] = at.get(name, 0) + len(with_more)
                yield Message("append", name, with_more)
        path = folder / RUN_FILE
        if is_regular(path) and (changed := path.stat().st_mtime_ns) != seen:
            seen, content = changed, path.read_bytes()
            if json.loads(content)["status"] not in ENDED:
                yield Message("replace", RUN_FILE, content)
    for name in _GROWING:  # what was sent is not sent again
        while with_more := _appended(folder / name, at.get(name, 0)):
            at[name] = at.get(name, 0) + len(with_more)
            yield Message("append", name, with_more)


def _appended(path: Path, at: int) -> bytes:
    if not is_regular(path):
        return b""
    with open_regular(path) as file:
        file.seek(at)
        return file.read(_CHUNK)


def _files(folder: Path) -> Iterator[Message]:
    """All regular files of a run that has ended, the record last: where it is, everything else is."""
    found = sorted(path for path in folder.rglob("*") if is_regular(path))
    for path in [path for path in found if path.name not in (*_GROWING, RUN_FILE) or path.parent != folder]:
        name = path.relative_to(folder).as_posix()
        yield Message("replace", name, b"")
        with open_regular(path) as file:
            while content := file.read(_CHUNK):
                yield Message("append", name, content)
    if is_regular(folder / RUN_FILE):
        yield Message("replace", RUN_FILE, (folder / RUN_FILE).read_bytes())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process of a run, and wait for it: the sandbox ends with it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()


def stop(runner: Mapping[str, Any]) -> bool:
    """Ask the process of a run on this node to end, and wait for that; whether there was one."""
    try:
        process = psutil.Process(int(runner["pid"]))
        if abs(process.create_time() - float(runner["started"])) > 0.01:
            return False
        process.terminate()
        process.wait(_PATIENCE)
    except psutil.NoSuchProcess:
        return False
    except psutil.TimeoutExpired:
        process.kill()
    return True


def order_of(
    group: PlannedGroup, planned: PlannedRun, variables: Mapping[str, str], staged: tuple[Staged, ...]
) -> Order:
    """The order to execute a run."""
    values = asdict(replace(group.record, plan=(), runs={}))
    return Order(values, asdict(planned), group.run_record(planned).to_dict(), versions_here(), variables, staged)
