"""Run groups for pages, written as records: of the size of the whole benchmark, and hostile ones."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graded import write_group

from mlebench.competition.registry import registry
from mlebench.results.records import RunRecord

BENCHMARK = registry.split("all")
PROMISES = tuple(f"promise number {number} of a sandbox that keeps what it says" for number in range(23))
_START = datetime(2026, 1, 1, tzinfo=UTC)
_ENDS = ["success"] * 16 + ["timeout", "failed", "failed", "memory"]
_LINE = "epoch {epoch:3d}  loss {loss:.5f}  validation {loss:.5f}  best so far at epoch {epoch:3d} after {loss:.3f} h\n"


def benchmark_group(
    folder: Path,
    seeds: int = 3,
    *,
    agent: str = "explorer",
    skill: float = 0.35,
    competitions: Sequence[str] = BENCHMARK,
) -> Path:
    """A graded group on all 75 competitions, or others, with logs, artifacts, snapshots and failures."""
    chance = random.Random(f"{agent} {skill}")
    snapshots: dict[str, list[dict[str, Any]]] = {}
    scores: dict[tuple[str, int], float | None] = {}

    def left(place: Path, record: RunRecord) -> Mapping[str, Any]:
        status = chance.choice(_ENDS)
        lines = [_LINE.format(epoch=epoch, loss=chance.random()) for epoch in range(120)]
        if status == "failed":
            lines += ["Traceback (most recent call last):\n", 'ValueError: could not convert string to float: "<NA>"\n']
            (place / "submission" / "submission.csv").unlink()
        (place / "agent.log").write_text("".join(lines), encoding="utf-8")
        (place / "run.log").write_text("starting\nended\n", encoding="utf-8")
        (place / "submission" / "report.md").write_text("# Model\nA tree.\n", encoding="utf-8")
        for number in range(8):
            (place / "code" / f"step_{number}.py").write_text(f"print({number})\n", encoding="utf-8")
        board = registry.get_competition(record.competition_id).human_leaderboard()
        assert board is not None
        rank = min(1.0, max(0.0, chance.gauss(1 - skill, 0.3)))
        values = board.curve()[1]
        score = None if status == "failed" else values[round(rank * (len(values) - 1))]
        scores[record.competition_id, record.seed] = score
        worst = values[-1]
        snapshots[record.run_id] = [
            {
                "seconds": 3600 * hour,
                "score": None if score is None else worst + (score - worst) * hour / 12,
                "medal": None,
            }
            for hour in range(1, 13)
        ]
        seconds = chance.uniform(1000, 86400)
        return {
            "status": status,
            "exit_code": 0 if status == "success" else 1,
            "error": None if status == "success" else f"the run ended: {status}",
            "started_at": _START.isoformat(timespec="milliseconds"),
            "ended_at": (_START + timedelta(seconds=seconds)).isoformat(timespec="milliseconds"),
            "usage": {
                "seconds": seconds,
                "peak_memory_bytes": chance.randrange(1 << 30, 300 << 30),
            },
        }

    def report_of(competition_id: str, seed: int) -> Mapping[str, Any]:
        board = registry.get_competition(competition_id).human_leaderboard()
        assert board is not None
        score, limits = scores[competition_id, seed], board.thresholds
        standing = board.standing(score)
        return {
            "score": score,
            "gold_threshold": limits.gold,
            "silver_threshold": limits.silver,
            "bronze_threshold": limits.bronze,
            "median_threshold": limits.median,
            "is_lower_better": board.better == "lower",
            "any_medal": standing.any_medal,
            "gold_medal": standing.gold_medal,
            "silver_medal": standing.silver_medal,
            "bronze_medal": standing.bronze_medal,
            "above_median": standing.above_median,
            "human_percentile": None if score is None else board.percentile(score),
        }

    write_group(
        folder,
        competitions,
        range(seeds),
        agent=agent,
        left=left,
        report_of=report_of,
        sandbox="bubblewrap",
        promised=PROMISES,
        not_promised=PROMISES[:2],
        deviations=("no GPU instead of one 24 GB A10",),
        inputs={"public": "0" * 64, "agent/start.sh": "1" * 64},
    )
    (folder / "snapshots.json").write_text(json.dumps(snapshots), encoding="utf-8")
    return folder


HOSTILE = """</script><script>document.title="owned"</script><img src=x onerror="document.title='owned'">'\"`&amp;"""
HIDDEN = "\x1b[31m\x00\u202eevil\u2066\ud800"


def hostile_group(folder: Path) -> Path:
    """A group in which everything that an agent can write tries to become a part of the page."""
    folder = folder / "x\" onmouseover='alert(1)' <b>"

    def left(place: Path, record: RunRecord) -> Mapping[str, Any]:
        log = f"{HOSTILE}\n</pre></details>{HOSTILE}\n\x1b]0;title\x07\u202e{HOSTILE}\n<!-- \x00 {HOSTILE}\n"
        (place / "agent.log").write_bytes(log.encode() + b"\xff\xfe\n")
        (place / "submission" / "report.md").write_text(HOSTILE, encoding="utf-8")
        (place / "submission" / "page.html").write_text("<script>alert(1)</script>", encoding="utf-8")
        (place / "submission" / "javascript:alert(1).csv").write_text("a", encoding="utf-8")
        (place / "submission" / "<img src=x onerror=alert(1)>.csv").write_text("a", encoding="utf-8")
        return {
            "status": "failed",
            "exit_code": 1,
            "error": HOSTILE + HIDDEN,
            "sandbox": HOSTILE,
            "not_promised": (HOSTILE + HIDDEN,),
            "deviations": (HOSTILE,),
            "data": HOSTILE,
            "versions": {HOSTILE: HIDDEN},
            "hardware": {"cpus": 36, "machine": HOSTILE, "gpus": []},
            "inputs": {HOSTILE: HOSTILE, "public": HOSTILE},
            "started_at": HOSTILE,
        }

    return write_group(
        folder,
        ["spaceship-titanic", "leaf-classification"],
        (0, 1),
        agent=f"agent {HOSTILE}{HIDDEN}",
        left=left,
        report_of=lambda *_: {"refusal": HOSTILE + HIDDEN, "valid_submission": False, "score": None},
    )
