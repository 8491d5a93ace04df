"""Make an attempt: unconfined, as its control, or in a sandbox."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from sandbox.attempts import ALLOWED, ATTEMPTS, Attempt
from sandbox.stage import Stage, set_stage
from waiting import PATIENCE

from mlebench.sandbox import SANDBOXES, Ending, Job, Limits, Promise, Sandbox, supervise

# Makes attempts one after the other, each as a process with a home of its own, and notes how each has ended.
_ALL = """
import json, os, sys
results = {}
for number, (name, program) in enumerate(json.load(open(os.environ['HOME_DIR'] + '/attempts.json')).items()):
    own = os.path.join(os.environ['HOME_DIR'], str(number))
    os.mkdir(own)
    print('==', name, flush=True)
    pid = os.fork()
    if pid == 0:
        os.environ['HOME_DIR'] = own
        os.chdir(own)
        os.execvp('python3', ['python3', '-c', program])
    results[name] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
json.dump(results, open(os.environ['HOME_DIR'] + '/results.json', 'w'))
"""


def job_of(command: Sequence[str], limits: Limits, stage: Stage, sandbox: Sandbox) -> Job:
    """The job that makes attempts."""
    job = Job(
        command,
        home=stage.home,
        data=stage.data,
        log=stage.log,
        environment=stage.variables(),
        limits=limits,
        hidden=stage.hidden,
        readable=[stage.shown_within],
    )
    places = {"HOME_DIR": sandbox.home_inside(job), "DATA_DIR": sandbox.data_inside(job)}
    return replace(job, environment={**job.environment, **places})


def succeeds_unconfined(attempt: Attempt) -> bool:
    """Whether an attempt gets what it wants as an ordinary process, which is ended as ordinary processes are."""
    with set_stage(is_control=True) as stage, stage.log.open("wb") as log:
        places = {"HOME_DIR": str(stage.home), "DATA_DIR": str(stage.data)}
        process = subprocess.Popen(
            [sys.executable, "-c", attempt.program],
            cwd=stage.home,
            env={**os.environ, **stage.variables(), **places},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        return code == 0 and attempt.succeeded(stage)


def not_promised(attempt: Attempt, sandbox: Sandbox) -> frozenset[Promise]:
    """Those promises that the attempt would break and the sandbox does not make."""
    nowhere = Path("/nowhere")
    return attempt.promises - sandbox.promises(Job(["true"], nowhere, nowhere, nowhere, limits=attempt.limits))


def succeeds_in(attempt: Attempt, sandbox: Sandbox) -> tuple[bool, str]:
    """Whether an attempt gets what it wants in a sandbox; and how it ended, for the one who reads a failure."""
    if not attempt.needs_a_run_of_its_own and not not_promised(attempt, sandbox):
        return _together(sandbox.name)[attempt.name]
    with set_stage() as stage:
        ending = run(sandbox, job_of(["python3", "-c", attempt.program], attempt.limits, stage, sandbox))
        got = ending.exit_code == 0 and ending.reason == "exit" and attempt.succeeded(stage)
        return got, f"{ending}\n{_last_lines(stage)}"


@cache
def _together(name: str) -> Mapping[str, tuple[bool, str]]:
    """The same for all attempts that a sandbox promises to stop, made in one run: to start one takes its time."""
    sandbox = SANDBOXES[name]
    chosen = [
        attempt for attempt in ATTEMPTS if not attempt.needs_a_run_of_its_own and not not_promised(attempt, sandbox)
    ]
    with set_stage() as stage:
        programs = {attempt.name: attempt.program for attempt in [*chosen, ALLOWED]}
        (stage.home / "attempts.json").write_text(json.dumps(programs))
        ending = run(sandbox, job_of(["python3", "-c", _ALL], Limits(seconds=600), stage, sandbox))
        stage.ended = time.monotonic()
        assert ending.exit_code == 0, f"{ending}\n{_last_lines(stage)}"
        codes = json.loads((stage.home / "results.json").read_text())
        assert codes[ALLOWED.name] == 0, _last_lines(stage)
        return {
            attempt.name: (codes[attempt.name] == 0 and attempt.succeeded(stage), _last_lines(stage))
            for attempt in chosen
        }


def _last_lines(stage: Stage) -> str:
    return stage.log.read_bytes()[-4000:].decode(errors="replace")


def run(sandbox: Sandbox, job: Job, grace: float = 1.0) -> Ending:
    """Run a job to its end."""
    running = sandbox.start(job)
    try:
        return supervise(running, job.limits, grace=grace)
    finally:
        running.close()
