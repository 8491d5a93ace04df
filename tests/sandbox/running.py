"""Make an attempt: unconfined, as its control, or in a sandbox."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from sandbox.attempts import Attempt
from sandbox.stage import Stage, set_stage

from mlebench.sandbox import Ending, Job, Promise, Sandbox, supervise


def job_of(attempt: Attempt, stage: Stage) -> Job:
    """The job that makes an attempt."""
    return Job(
        attempt.command("python3"),
        home=stage.home,
        data=stage.data,
        log=stage.log,
        environment=stage.variables(),
        limits=attempt.limits,
        hidden=[stage.answers.parent],
    )


def succeeds_unconfined(attempt: Attempt) -> bool:
    """Whether an attempt gets what it wants as an ordinary process, which is ended as ordinary processes are."""
    with set_stage() as stage, stage.log.open("wb") as log:
        places = {"HOME_DIR": str(stage.home), "DATA_DIR": str(stage.data)}
        process = subprocess.Popen(
            attempt.command(sys.executable),
            cwd=stage.home,
            env={**os.environ, **stage.variables(), **places},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(60)
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
    with set_stage() as stage:
        job = job_of(attempt, stage)
        places = {"HOME_DIR": sandbox.home_inside(job), "DATA_DIR": sandbox.data_inside(job)}
        job = replace(job, environment={**job.environment, **places})
        ending = run(sandbox, job)
        got = ending.exit_code == 0 and ending.reason == "exit" and attempt.succeeded(stage)
        return got, f"{ending}\n{stage.log.read_bytes()[-2000:].decode(errors='replace')}"


def run(sandbox: Sandbox, job: Job, grace: float = 1.0) -> Ending:
    """Run a job to its end."""
    running = sandbox.start(job)
    try:
        return supervise(running, job.limits, grace=grace)
    finally:
        running.close()
