"""Run groups for the view: some that go on, written event by event, and hostile ones."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlebench.competition.registry import registry
from mlebench.results.records import GroupRecord, PlannedRun, RunRecord

COMPETITIONS = ["spaceship-titanic", "leaf-classification", "aerial-cactus-identification", "dog-breed-identification"]
LIMITS = {"seconds": 3600.0, "memory_bytes": 8 << 30}


def write_plan(folder: Path, competitions: list[str], seeds: int = 1, agent: str = "tester") -> list[PlannedRun]:
    """A group that was planned, and nothing else."""
    plan = [
        PlannedRun(f"{100 * seed + place:08d}", name, seed)
        for seed in range(seeds)
        for place, name in enumerate(competitions)
    ]
    record = GroupRecord(folder.name, "2026-01-01T00:00:00+00:00", agent, tuple(plan), {"limits": LIMITS})
    folder.mkdir(parents=True)
    record.save(folder)
    return plan


def say(folder: Path, planned: PlannedRun, kind: str, **values: Any) -> None:
    """Append an event to the log of a run."""
    place = folder / planned.folder
    place.mkdir(exist_ok=True)
    event = {"seq": 1, "time": datetime.now(UTC).isoformat(), "kind": kind, **values}
    with (place / "events.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(event) + "\n")


def end(folder: Path, planned: PlannedRun, status: str, **values: Any) -> None:
    """Write the record of a run that has ended."""
    usage = {"seconds": 120.0, "peak_memory_bytes": 1 << 30}
    record = RunRecord(
        planned.run_id,
        folder.name,
        planned.competition_id,
        "tester",
        planned.seed,
        **{"status": status, "usage": usage, "limits": LIMITS, **values},
    )
    record.save(folder / planned.folder)


def running_group(folder: Path) -> list[PlannedRun]:
    """A group under way: a run that ended well, one that failed, one that runs, and one that waits for a GPU."""
    plan = write_plan(folder, COMPETITIONS)
    end(folder, plan[0], "success", submission="submission/submission.csv")
    end(folder, plan[1], "failed", code="exit-code", error="exit code 1")
    say(folder, plan[2], "state", status="running", node="here")
    say(folder, plan[2], "usage", seconds=1800.0, memory=4 << 30, submission=False)
    (folder / plan[2].folder / "agent.log").write_text("epoch 1\nepoch 2\n", encoding="utf-8")
    say(folder, plan[3], "state", status="waiting", waiting_for="a GPU")
    return plan


ATTACK = """<script>document.title='owned'</script><img src=x onerror="document.title='owned'">\x1b[31m\x07\u202e"""


def hostile_group(folder: Path, secret: Path) -> list[PlannedRun]:
    """A group whose agent left links, pages and endless lines in the place of logs."""
    plan = write_plan(folder, COMPETITIONS, agent=f"agent {ATTACK}")
    for planned in plan:
        say(folder, planned, "state", status="running", waiting_for=None, node=ATTACK)
    text, link, endless, files = (folder / planned.folder for planned in plan)
    (text / "agent.log").write_text(f"first\n{ATTACK}\n</pre>{ATTACK}\n", encoding="utf-8")
    (link / "agent.log").symlink_to(secret)
    (link / "code").symlink_to(secret.parent)
    (link / "submission").mkdir()
    os.mkfifo(link / "submission" / "submission.csv")
    with (endless / "agent.log").open("wb") as file:
        file.write(b"the beginning ")
        file.truncate(2 << 30)
    (files / "code").mkdir()
    (files / "code" / "page.html").write_text("<script>document.title='owned'</script>")
    (files / "code" / "<img src=x onerror=alert(1)>.py").write_text("print(1)")
    return plan


def many_runs(folder: Path) -> None:
    """A group of 22 competitions under way, for a picture: some ended, one failed, one timed out, some run or wait."""
    plan = write_plan(folder, registry.split("low"), agent="explorer")
    for place, planned in enumerate(plan):
        usage = {"seconds": 600.0 + 137 * place, "peak_memory_bytes": (1 + place % 6) << 30}
        if place < 6:
            end(folder, planned, "success", submission="submission/submission.csv", usage=usage)
        elif place == 6:
            end(folder, planned, "failed", code="exit-code", error="The agent ended with exit code 1.")
        elif place == 7:
            used = {"seconds": 3600.0, "peak_memory_bytes": 5 << 30}
            end(folder, planned, "timeout", code="time-limit", error="It took all of its time, 1 h.", usage=used)
        elif place < 12:
            say(folder, planned, "state", status="running", node=f"node-{place}")
            memory = (place - 6) * 1_450_000_000
            say(folder, planned, "usage", seconds=300.0 * (place - 6), memory=memory, submission=place % 2 == 0)
            lines = (f"epoch {epoch}  loss {1 / (epoch + 1):.4f}\n" for epoch in range(10 * place))
            (folder / planned.folder / "agent.log").write_text("".join(lines), encoding="utf-8")
        elif place < 14:
            say(folder, planned, "state", status="waiting", waiting_for="a GPU")
