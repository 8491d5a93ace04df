"""One attempt to execute a run: home, services, sandbox, budgets, collection, record."""

from __future__ import annotations

import platform
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from pathlib import Path

from mlebench.data.fingerprint import fingerprint
from mlebench.data.record import DatasetRecord
from mlebench.data.required import require_data
from mlebench.errors import MlebenchError
from mlebench.files.hashing import sha256_of
from mlebench.files.hostile import discard
from mlebench.files.writing import now, write_atomically
from mlebench.renaming.mapping import RENAMING_FILE
from mlebench.renaming.submissions import sha256_as_shown
from mlebench.results.names import AGENT_LOG, RUN_FILE, RUN_LOG, SUBMISSION
from mlebench.results.records import MOST_ATTEMPTS, RunRecord, hashes_below, outputs_below
from mlebench.runs.collect import PARTS, Collected, collect, has_submission
from mlebench.runs.contract import Home, tell_promises
from mlebench.runs.disk import DiskUser, RecordRoom
from mlebench.runs.endings import CANCELLED, FILLED_DISK, Outcome, outcome_of, outcome_of_full_disk
from mlebench.runs.events import EventLog
from mlebench.runs.hardware import deviations, hardware
from mlebench.runs.oracle import give_answers
from mlebench.runs.recipe import Recipe, added_inputs, build_recipe
from mlebench.runs.settings import RunSettings
from mlebench.runs.snapshots import Snapshots
from mlebench.runs.work_folders import discard_shown, hidden_work_folder
from mlebench.sandbox import Ending, Job, Promise, Running, Usage, supervise
from mlebench.sandbox.gpu import GpusTakenError
from mlebench.services.opening import EndRequest, OpenServices, open_services

_OF_SIGNALS = (-signal.SIGTERM, -signal.SIGKILL, 128 + signal.SIGTERM, 128 + signal.SIGKILL)
_SIGNAL_PAUSE = 1.0  # seconds within which a signal that ended the agent reaches this process too
_CHECK_EVERY = 5.0  # seconds between two checks of an attempt on a cluster whether it was given up
_GPU_PAUSE = 0.5  # seconds between two attempts to get a GPU


class Attempt:
    """One attempt to execute a run."""

    def __init__(
        self,
        folder: Path,
        record: RunRecord,
        settings: RunSettings,
        seeds: int,
        events: EventLog,
        disk: DiskUser,
        room: RecordRoom,
        why_stopped: Callable[[], Outcome],
    ) -> None:
        self.why_stopped = why_stopped
        self.folder, self.record, self.settings, self.seeds = folder, record, settings, seeds
        self.events, self.disk, self.room = events, disk, room
        self.has_started = False
        self.next_check = 0.0
        # Mounts show an agent where its folders are on the host: names that must be hidden may not be in the path. On a
        # cluster an earlier attempt may still go on, on a node that was given up: each has a folder of its own.
        self.is_alone = record.executor in (None, "local")
        hidden = hidden_work_folder(folder.parent, record.run_id, None if self.is_alone else record.attempt)
        self.work = hidden if settings.obfuscated or not self.is_alone else folder

    def execute(self, stack: ExitStack, should_stop: Callable[[], bool]) -> RunRecord:
        """Execute the run; the record of its end."""
        for part in PARTS:  # what the agent leaves has a place, even if it has taken every file that the disk can hold
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        data_record = require_data(self.settings.registry.get_competition(self.record.competition_id))
        recipe = build_recipe(
            self.settings,
            self.record,
            folder=self.work,
            log=self.folder / AGENT_LOG,
            runs_dir=self.folder.parent.parent,
            should_stop=should_stop,
        )
        renaming = self._record_renaming(recipe)
        services = open_services(
            self.settings.services,
            stack,
            run_id=self.record.run_id,
            competition=recipe.competition,
            own_network=recipe.sandbox.has_own_network(recipe.job()),
            record_event=self.events.service,
            folder=self.folder,
            renaming=renaming,
        )
        home = recipe.make_home(services.environment)
        job = recipe.job(home, servers=services.servers, secrets=services.secrets)
        if recipe.agent.built_in and recipe.agent.id == "dummy":
            self._tell_promises(recipe, home, job)
        give_answers(recipe.agent, recipe.competition, home.folder, recipe.renaming)
        self._record_start(recipe, home, job, data_record)
        self._log(f"starting the agent {recipe.agent.id} in {recipe.sandbox.name}")  # its command may hold secrets
        ending, attempts = self._supervised(recipe, job, services, should_stop)
        self.events.state("collecting")
        return self._ended(recipe, home, ending, attempts, services)

    def _record_renaming(self, recipe: Recipe) -> Path | None:
        """Leave in the run's folder, where the agent cannot read, what leads back to the true names."""
        path = self.folder / RENAMING_FILE
        if recipe.renaming is None:
            path.unlink(missing_ok=True)
            return None
        write_atomically(path, recipe.renaming.to_json())
        return path

    def _record_start(self, recipe: Recipe, home: Home, job: Job, data_record: DatasetRecord | None) -> None:
        promised = recipe.sandbox.promises(job)
        competition = recipe.competition
        public = (data_record and data_record.public_fingerprint) or fingerprint(competition.public_dir)
        agent_files = {f"agent/{name}": sha256 for name, sha256 in hashes_below(home.folder / "agent").items()}
        self.record = replace(
            self.record,
            status="running",
            started_at=now().isoformat(timespec="milliseconds"),
            edition=competition.edition,
            data=data_record.data if data_record else None,
            variant=self.settings.variant,
            obfuscated=self.settings.obfuscated,
            renaming=None if recipe.renaming is None else recipe.renaming.sha256,
            sandbox=recipe.sandbox.name,
            promised=tuple(promise.value for promise in Promise if promise in promised),
            not_promised=tuple(promise.value for promise in Promise if promise not in promised),
            network=str(job.network),
            limits=asdict(recipe.limits),
            hardware=hardware(),
            deviations=tuple(
                deviations(
                    recipe.limits,
                    self.seeds,
                    network=job.network,
                    variant=self.settings.variant,
                    obfuscated=self.settings.obfuscated,
                    material=self.settings.material is not None,
                    added_instructions=bool(self.settings.instructions),
                    renamed=self.settings.renamed,
                )
            ),
            image=recipe.sandbox.image_with_digest(job.image),
            inputs={"public": public, **agent_files, **added_inputs(self.settings, self.record.competition_id)},
        )
        self._save()

    def _tell_promises(self, recipe: Recipe, home: Home, job: Job) -> None:
        tell_promises(
            home,
            [promise.name for promise in recipe.sandbox.promises(job)],
            private=recipe.competition.private_dir,
            host_file=self.folder / RUN_FILE,
            runs=self.folder.parent,
            network="full" if job.network.full else "list" if job.network.allowed else "none",
            ports=list(job.servers),
            gpus=recipe.limits.gpus,
        )

    def _supervised(
        self, recipe: Recipe, job: Job, services: OpenServices, should_stop: Callable[[], bool]
    ) -> tuple[Ending, Sequence[object]]:
        running = self._started(recipe, job, should_stop)
        if running is None:
            return Ending(None, "cancelled", Usage(0.0)), ()
        self.has_started = True
        try:
            began = now().isoformat(timespec="milliseconds")
            self.record = replace(
                self.record,
                identity={**running.identity, "host": platform.node()},
                started_at=began,
                network_attempts_seen_by=running.attempts_seen_by,
            )
            self._save()
            self.events.state("running", node=self.record.node, job_id=self.record.job_id)
            snapshots = Snapshots(
                self.folder,
                job.home,
                self.settings.snapshot_every,
                on_snapshot=lambda seconds, path: self.events.append("snapshot", seconds=round(seconds, 2), path=path),
                on_problem=self._log,
            )

            def sample(usage: Usage) -> None:
                snapshots.take(usage)
                self.events.usage(usage, submission=lambda: has_submission(job.home))
                self.disk.note(usage.disk_bytes)

            ending = supervise(
                running,
                job.limits,
                on_sample=sample,
                should_stop=lambda: (
                    should_stop() or self.disk.is_blamed or self._is_ended_by(services) or self._seems_given_up()
                ),
                grace=self.settings.grace,
            )
            return self._with_stop(ending, should_stop), running.attempts()
        finally:
            running.close()

    def _seems_given_up(self) -> bool:
        """The same as `is_given_up`, checked from time to time."""
        if self.is_alone or time.monotonic() < self.next_check:
            return False
        self.next_check = time.monotonic() + _CHECK_EVERY
        return self.is_given_up()

    def _with_stop(self, ending: Ending, should_stop: Callable[[], bool]) -> Ending:
        """The ending, or that of a stopped run: a cluster signals all processes of a job at once, also the agent."""
        if ending.reason != "exit" or self.record.executor == "local":
            return ending
        end = time.monotonic() + (_SIGNAL_PAUSE if ending.exit_code in _OF_SIGNALS else 0.0)
        while not should_stop() and time.monotonic() < end:
            time.sleep(0.05)
        return replace(ending, reason="cancelled") if should_stop() else ending

    def _is_ended_by(self, services: OpenServices) -> bool:
        """Whether a service has asked for the end, and the agent has had its time to come to an end by itself."""
        request = services.end_request
        return request is not None and time.monotonic() - request.time >= self.settings.grace

    def _started(self, recipe: Recipe, job: Job, should_stop: Callable[[], bool]) -> Running | None:
        """Start the agent, once there are GPUs for it that no other run has; None if the run was cancelled before."""
        waits = False
        while not should_stop():
            try:
                return recipe.sandbox.start(job)
            except GpusTakenError as error:
                if not waits:
                    self._log(f"waiting for a GPU: {error}")
                    self.events.state("waiting", waiting_for="a GPU")
                    waits = True
                time.sleep(_GPU_PAUSE)
        return None

    def _ended(
        self, recipe: Recipe, home: Home, ending: Ending, attempts: Sequence[object], services: OpenServices
    ) -> RunRecord:
        """Collect what the agent left, and write the record of the end."""
        self._require_own()
        collected = collect(home.folder, self.folder, has_ended=True)
        outcome = self._outcome(ending, collected, services.reason_for_end(by_itself=ending.reason == "exit"))
        self._discard_work()
        for name, service in services.by_name.items():
            for problem in service.problems:
                self._log(f"the service {name}: {problem}")
        for left in collected.left_behind:
            self._log(f"not collected: {left.path}: {left.reason}")
        if more := collected.left_behind_count - len(collected.left_behind):
            self._log(f"not collected: {more} more")
        self._log(f"ended: {outcome.status}" + (f": {outcome.error}" if outcome.error else ""))
        outputs = outputs_below(self.folder, PARTS)
        self.record = replace(
            self.record,
            status=outcome.status,
            code=outcome.code,
            error=outcome.error,
            exit_code=ending.exit_code,
            ended_at=now().isoformat(timespec="milliseconds"),
            usage=asdict(ending.usage),
            network_attempts=tuple(asdict(attempt) for attempt in attempts[:MOST_ATTEMPTS]),  # type: ignore[call-overload]
            network_attempts_not_listed=max(0, len(attempts) - MOST_ATTEMPTS),
            services=services.records(),
            model_usage=services.model_usage(),
            outputs=outputs.listed,
            outputs_not_listed=outputs.not_listed,
            output_digests=outputs.digests,
            submission=SUBMISSION if collected.submission is not None else None,
            sample_handed_in=_is_sample(recipe, collected),
            identity={},
        )
        self._save()
        return self.record

    def _outcome(self, ending: Ending, collected: Collected, request: EndRequest | None) -> Outcome:
        """How the run ended; of a full disk whoever filled it is to blame, while what it filled is still there."""
        outcome = outcome_of(ending, collected, None if request is None else (request.code, request.sentence))
        if outcome == CANCELLED and self.disk.is_blamed:
            return FILLED_DISK
        if outcome == CANCELLED:
            return self.why_stopped()
        if outcome.status == "failed" and self.disk.is_full():
            blamed = outcome_of_full_disk(outcome, self.disk)
            return outcome if blamed == FILLED_DISK else blamed  # what fails after it has filled the disk just fails
        return outcome

    def ended_by_fault(self, outcome: Outcome) -> RunRecord:
        """Write the record of a run that a fault ended."""
        with suppress(OSError):
            self._discard_work()
        ended = now().isoformat(timespec="milliseconds")
        self.record = replace(
            self.record, status=outcome.status, code=outcome.code, error=outcome.error, ended_at=ended, identity={}
        )
        self._save()
        return self.record

    def _save(self) -> None:
        self._require_own()
        self.room.save(self.record)

    def _require_own(self) -> None:
        """End this attempt without a trace if the run was given to another one since."""
        if self.is_alone or not self.is_given_up():
            return
        self._discard_work()
        raise GivenUpError(self.record.run_id)

    def is_given_up(self) -> bool:
        """Whether somebody has ended this attempt, or begun the next one, in the belief that its node is lost."""
        try:
            found = RunRecord.load(self.folder)
        except MlebenchError:
            return False
        mine = self.record.attempt
        return found.attempt > mine or (found.attempt == mine and found.status != "running")

    def _discard_work(self) -> None:
        """Remove what the agent could write to."""
        discard_shown(self.work)
        if self.work != self.folder:
            discard(self.work)

    def _log(self, line: str) -> None:
        """Add a line for people; a full disk costs the line, not the run."""
        with suppress(OSError), (self.folder / RUN_LOG).open("a", encoding="utf-8") as file:
            file.write(f"{now().isoformat(timespec='milliseconds')} {line}\n")


class GivenUpError(BaseException):
    """Another attempt has taken the place of this one: nothing of it may be written any more."""


def _is_sample(recipe: Recipe, collected: Collected) -> bool:
    """Whether the agent handed in the sample submission as it was shown."""
    if collected.submission_sha256 is None:
        return False
    sample, renaming = recipe.competition.sample_submission, recipe.renaming
    shown = sha256_of(sample) if renaming is None else sha256_as_shown(sample, renaming)
    return collected.submission_sha256 == shown
