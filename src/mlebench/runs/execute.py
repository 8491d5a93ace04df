"""Making one run from beginning to end: home, validation server, sandbox, budgets, collection, record."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from pathlib import Path

from mlebench.agents import Agent, AgentError, find_agent
from mlebench.agents.environments import python_of
from mlebench.base.logs import get_logger
from mlebench.base.processes import StoppedError
from mlebench.competition.local import LocalCompetition
from mlebench.data.fingerprint import fingerprint
from mlebench.data.record import DatasetRecord
from mlebench.errors import MlebenchError, NotPreparedError, os_sentence
from mlebench.files.hashing import sha256_of
from mlebench.files.hostile import discard
from mlebench.files.writing import now, reserve
from mlebench.results.names import AGENT_LOG, RUN_FILE, RUN_LOG, SNAPSHOTS_FOLDER, SUBMISSION
from mlebench.results.records import Ended, RunRecord, hashes_below
from mlebench.runs.collect import PARTS, Collected, collect
from mlebench.runs.contract import VALIDATION_PORT, Home, make_home, public_data, tell_promises
from mlebench.runs.hardware import deviations, hardware
from mlebench.runs.images import add_image_files, image_of
from mlebench.runs.instructions import Conditions, Places
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Ending, Job, Promise, Running, Sandbox, Usage, supervise
from mlebench.sandbox.docker import IMAGE
from mlebench.sandbox.engine import image_digest
from mlebench.sandbox.gpu import GpusTakenError
from mlebench.services.validation import ValidationServer

_ENDINGS: dict[str, Ended] = {"timeout": "timeout", "memory": "memory", "disk": "disk", "output": "output"}
_CANCELLED = "The run was cancelled."
_ROOM = 1 << 14  # bytes that a record may grow by while its run begins
_LOOK_FOR_GPUS = 0.5  # seconds between two looks whether a GPU is free
OnSample = Callable[[RunRecord, Usage], None]


def execute(
    folder: Path,
    record: RunRecord,
    settings: RunSettings,
    *,
    seeds: int = 1,
    should_stop: Callable[[], bool] = lambda: False,
    on_sample: OnSample = lambda *_: None,
) -> RunRecord:
    """Make a run in its folder and return its record, which is also written there at every step.

    Whatever happens is a status: what the agent did wrong is `failed` or the budget it exceeded, what we or the
    machine did wrong is `infrastructure`. Nothing is raised but an interrupt.
    """
    record = replace(record, attempt=record.attempt + 1, created_at=now().isoformat(timespec="seconds"), error=None)
    try:
        with ExitStack() as stack:
            return _Run(folder, record, settings, seeds, stack).make(should_stop, on_sample)
    except Exception as error:  # a fault of ours must not take the other runs of the group along
        get_logger(__name__).debug("the run %s raised", record.run_id, exc_info=True)
        status, sentence = _fault(error)
    ended = now().isoformat(timespec="seconds")
    record = replace(record, status=status, error=sentence, ended_at=ended, identity={})
    record.save(folder)
    return record


def _fault(error: Exception) -> tuple[Ended, str]:
    """The status of a run that could not be made, and why."""
    if isinstance(error, StoppedError):
        return "cancelled", _CANCELLED
    if isinstance(error, AgentError):
        return "failed", str(error)
    if isinstance(error, MlebenchError):
        return "infrastructure", str(error)
    if isinstance(error, OSError):
        return "infrastructure", os_sentence(error)
    return "infrastructure", f"Unexpected {type(error).__name__}: {error}"


class _Run:
    """One run while it is made."""

    def __init__(self, folder: Path, record: RunRecord, settings: RunSettings, seeds: int, stack: ExitStack) -> None:
        self.folder, self.record, self.settings, self.seeds = folder, record, settings, seeds
        self.stack = stack
        self._servers: list[ValidationServer] = []
        # Mounts show an agent where its folders are on the host: names that must be hidden may not be in the path.
        self.work = hidden_work_folder(folder.parent, record.run_id) if settings.obfuscated else folder
        self.competition = settings.registry.get_competition(record.competition_id)
        self.limits = settings.limits_of(record.competition_id)
        self.sandbox: Sandbox = settings.make_sandbox()
        self.agent = chosen_agent(settings)

    def make(self, should_stop: Callable[[], bool], on_sample: OnSample) -> RunRecord:
        """Make the run; the record of its end."""
        for part in PARTS:  # what the agent leaves has a place, even if it has taken every file that the disk can hold
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        data_record = require_data(self.competition)
        job, home = self._job(should_stop)
        promised = self.sandbox.promises(job)
        self.record = replace(
            self.record,
            status="running",
            started_at=now().isoformat(timespec="milliseconds"),
            edition=self.competition.edition,
            data=data_record.data if data_record else None,
            variant=self.settings.variant,
            obfuscated=self.settings.obfuscated,
            sandbox=self.sandbox.name,
            promised=tuple(each.value for each in Promise if each in promised),
            not_promised=tuple(each.value for each in Promise if each not in promised),
            network=str(job.network),
            limits=asdict(self.limits),
            hardware=hardware(),
            deviations=tuple(deviations(self.limits, self.seeds)),
            image=self._image_with_digest(job),
            inputs={
                "public": (data_record and data_record.public_fingerprint) or fingerprint(self.competition.public_dir),
                **{f"agent/{name}": each for name, each in hashes_below(home.folder / "agent").items()},
            },
        )
        self.record.save(self.folder)
        self._log(f"starting the agent {self.agent.id} in {self.sandbox.name}")  # its command line may hold secrets
        ending, attempts = self._supervised(job, should_stop, on_sample)
        return self._ended(home, ending, attempts)

    def _job(self, should_stop: Callable[[], bool]) -> tuple[Job, Home]:
        """The agent's home, and the job that starts it there, with the validation server it can reach."""
        home_folder = self.work / "home"
        conditions = Conditions(
            seed=self.record.seed,
            seconds=self.limits.seconds,
            steps=self.settings.step_limit,
            hardware=_in_words(self.limits.cpus, self.limits.memory_bytes, self.limits.gpus),
            variant=self.settings.variant,  # type: ignore[arg-type]
            obfuscate=self.settings.obfuscated,
        )
        data = public_data(self.competition, conditions, self.work / "data")
        job = Job(
            command=(),
            home=home_folder,
            data=data,
            log=self.folder / AGENT_LOG,
            limits=self.limits,
            network=self.settings.network,
            hidden=(self.competition.private_dir, self.competition.home / "raw"),
            privileged=self.agent.privileged,
            image=self._image(should_stop),
        )
        server, url = self._server(job)
        home = make_home(
            home_folder,
            self.competition,
            self.agent,
            conditions,
            places=Places(self.sandbox.home_inside(job), self.sandbox.data_inside(job)),
            python=python_of(self.agent, should_stop=should_stop) if self.sandbox.name != "docker" else None,
            validation_url=url,
        )
        if self.agent.dockerfile is not None and job.image is not None:
            add_image_files(job.image, home_folder)
        threads = {} if self.settings.threads is None else _threads(self.settings.threads)
        job = replace(
            job,
            command=home.command,
            environment={**threads, **home.environment},
            secrets=home.secrets,
            readable=home.readable,
            servers=server,
        )
        if self.agent.built_in and self.agent.id == "dummy":
            tell_promises(
                home,
                [each.name for each in self.sandbox.promises(job)],
                private=self.competition.private_dir,
                host_file=self.folder / RUN_FILE,
                runs=self.folder.parent,
                network="full" if job.network.full else "list" if job.network.allowed else "none",
                ports=list(server),
                gpus=self.limits.gpus,
            )
        return job, home

    def _image(self, should_stop: Callable[[], bool]) -> str | None:
        """The agent's own image, where it runs in a container and has one."""
        return image_of(self.agent, should_stop) if self.sandbox.name == "docker" else None

    def _image_with_digest(self, job: Job) -> str | None:
        """The image that the agent runs in, with the digest that says what was in it."""
        if self.sandbox.name != "docker":
            return None
        name = job.image or IMAGE
        digest = image_digest(name)
        return name if digest is None else f"{name}@{digest}"

    def _server(self, job: Job) -> tuple[dict[int, Path | None], str]:
        """Start the validation server: on a Unix socket where the agent has a network of its own, else on a port."""
        if self.sandbox.has_own_network(job):
            scratch = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="mlebench-")))
            path = scratch / "validation.sock"  # a short path: sockets cannot have a long one
            self._servers.append(self.stack.enter_context(ValidationServer(self.competition, socket=path)))
            return {VALIDATION_PORT: path}, f"http://localhost:{VALIDATION_PORT}"
        server = self.stack.enter_context(ValidationServer(self.competition, port=0))
        self._servers.append(server)
        assert server.port is not None
        return {server.port: None}, f"http://localhost:{server.port}"

    def _supervised(
        self, job: Job, should_stop: Callable[[], bool], on_sample: OnSample
    ) -> tuple[Ending, Sequence[object]]:
        # The agent may have filled the disk before the record says where it runs.
        room = reserve(self.folder / RUN_FILE, 2 * (self.folder / RUN_FILE).stat().st_size + _ROOM)
        self.stack.callback(room.unlink, missing_ok=True)
        running = self._started(job, should_stop)
        if running is None:
            return Ending(None, "cancelled", Usage(0.0)), ()
        try:
            began = now().isoformat(timespec="milliseconds")
            self.record = replace(
                self.record,
                identity=dict(running.identity),
                started_at=began,
                network_attempts_seen_by=running.attempts_seen_by,
            )
            self.record.save(self.folder, room=room)
            snapshots = _Snapshots(self.folder, job.home, self.settings.snapshot_every, self._log)

            def sample(usage: Usage) -> None:
                snapshots.take(usage)
                on_sample(self.record, usage)

            ending = supervise(
                running, job.limits, on_sample=sample, should_stop=should_stop, grace=self.settings.grace
            )
            return ending, running.attempts()
        finally:
            running.close()

    def _started(self, job: Job, should_stop: Callable[[], bool]) -> Running | None:
        """Start the agent, once there are GPUs for it that no other run has; None if the run was cancelled before."""
        waits = False
        while not should_stop():
            try:
                return self.sandbox.start(job)
            except GpusTakenError as error:
                if not waits:
                    self._log(f"waiting for a GPU: {error}")
                    waits = True
                time.sleep(_LOOK_FOR_GPUS)
        return None

    def _ended(self, home: Home, ending: Ending, attempts: Sequence[object]) -> RunRecord:
        """Collect what the agent left, and write the record of the end."""
        collected = collect(home.folder, self.folder, has_ended=True)
        discard(home.folder)
        discard(self.work / "data")
        if self.work != self.folder:
            discard(self.work)
        status, error = _status(ending, collected)
        for problem in (each for server in self._servers for each in server.problems):
            self._log(f"the validation server: {problem}")
        for left in collected.left_behind:
            self._log(f"not collected: {left.path}: {left.reason}")
        self._log(f"ended: {status}" + (f": {error}" if error else ""))
        self.record = replace(
            self.record,
            status=status,
            error=error,
            exit_code=ending.exit_code,
            ended_at=now().isoformat(timespec="milliseconds"),
            usage=asdict(ending.usage),
            network_attempts=tuple(asdict(each) for each in attempts),  # type: ignore[call-overload]
            outputs={
                f"{part}/{name}": each for part in PARTS for name, each in hashes_below(self.folder / part).items()
            },
            submission=SUBMISSION if collected.submission is not None else None,
            sample_handed_in=self._is_sample(collected),
            identity={},
        )
        self.record.save(self.folder)
        return self.record

    def _is_sample(self, collected: Collected) -> bool:
        """Whether the agent handed in the sample submission as it is."""
        sample = self.competition.sample_submission
        return collected.submission_sha256 is not None and collected.submission_sha256 == sha256_of(sample)

    def _log(self, line: str) -> None:
        with (self.folder / RUN_LOG).open("a", encoding="utf-8") as file:
            file.write(f"{now().isoformat(timespec='milliseconds')} {line}\n")


class _Snapshots:
    """Copies of the submission at intervals, for the score over time; one that cannot be made costs the run nothing."""

    def __init__(self, folder: Path, home: Path, every: float | None, log: Callable[[str], None]) -> None:
        self._folder, self._home, self._every, self._log = folder / SNAPSHOTS_FOLDER, home, every, log
        self._next = every or 0.0

    def take(self, usage: Usage) -> None:
        """Copy what there is if it is time to."""
        if self._every is None or usage.seconds < self._next:
            return
        self._next += self._every
        try:
            self._copy(f"{int(usage.seconds):06d}s")
        except OSError as error:
            with suppress(OSError):
                self._log(f"no snapshot after {usage.seconds:.0f} s: {os_sentence(error)}")

    def _copy(self, name: str) -> None:
        self._folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=self._folder) as scratch:
            found = collect(self._home, Path(scratch), submission_only=True).submission
            if found is not None:
                (self._folder / name).mkdir(exist_ok=True)
                found.replace(self._folder / name / found.name)


def hidden_work_folder(group: Path, run_id: str) -> Path:
    """Where a run takes place whose agent must not learn the competition, not even from a path."""
    return group / f".{run_id}"


def chosen_agent(settings: RunSettings) -> Agent:
    """The agent of a group, with the options that were given for it."""
    agent = find_agent(settings.agent, settings.agents_dirs)
    if settings.agent == "command":
        code = settings.agent_options.get("code")
        return replace(agent, shell=settings.agent_options.get("command"), folder=Path(code) if code else None)
    return agent


def require_data(competition: LocalCompetition) -> DatasetRecord | None:
    """The record of prepared data that is there and unchanged; an error says what to do otherwise."""
    from mlebench.data.prepare import is_dataset_prepared

    command = f"mlebench prepare -c {competition.id} --data-dir {competition.data_dir}"
    if not is_dataset_prepared(competition):
        raise NotPreparedError(f"{competition.id} is not prepared in {competition.data_dir}.", hint=f"Run: {command}")
    record = DatasetRecord.load(competition.prepared_dir)
    if record is not None and record.public_fingerprint not in (None, fingerprint(competition.public_dir)):
        raise NotPreparedError(
            f"The public data of {competition.id} has changed since it was prepared.",
            hint=f"Run: {command} --force",
        )
    return record


def _status(ending: Ending, collected: Collected) -> tuple[Ended, str | None]:
    if ending.reason == "cancelled":
        return "cancelled", _CANCELLED
    if ending.reason in _ENDINGS:
        budget = "time" if ending.reason == "timeout" else ending.reason
        return _ENDINGS[ending.reason], f"The run exceeded its {budget} budget."
    if ending.reason == "processes":
        return "failed", "The run started more processes than allowed."
    if ending.exit_code != 0:
        return "failed", f"The agent ended with exit code {ending.exit_code}."
    if collected.submission is None:
        return "failed", collected.problem
    return "success", None


def _in_words(cpus: float | None, memory: int | None, gpus: int) -> str:
    facts = hardware()
    memory_bytes = min(each for each in (memory, facts["memory_bytes"]) if each) if facts["memory_bytes"] else memory
    parts = [f"{cpus or facts['cpus']:g} CPUs"]
    if memory_bytes:
        parts.append(f"{memory_bytes / (1 << 30):.0f} GB of memory")
    parts.append(", ".join(facts["gpus"][:gpus]) if gpus and facts["gpus"] else "no GPU")
    return ", ".join(parts)


def _threads(count: int) -> dict[str, str]:
    return dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(count))
