"""What commands have in common: durations, sizes and counts, the help, closed pipes, and who is told what."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command import Run
from graded import medals, write_grading_report

from mlebench import api
from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.cli import run as run_command
from mlebench.cli.common import RegisteredName
from mlebench.results.records import RunRecord
from mlebench.runs.hardware import deviations
from mlebench.sandbox import Limits, Network
from mlebench.sandbox.docker import DockerSandbox

FOUR = ["practice-breast-cancer", "practice-diabetes", "practice-digits", "practice-wine"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0 s"), (59.97, "1 min"), (150, "2 min 30 s"), (3599.7, "1 h"), (7199, "2 h"), (5400, "1 h 30 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), ((1 << 20) - 1, "1 MiB"), (3 << 29, "1.5 GiB"), (440 << 30, "440 GiB")],
)
def test_sizes(size: int, text: str) -> None:
    assert format_bytes(size) == text


@pytest.mark.parametrize("command", [["list"], ["--help"], ["run", "--help"]])
def test_a_closed_pipe_is_no_failure(command: list[str]) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-m", "mlebench", *command], stdout=writes, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_help_of_run_has_sections_and_loads_no_sandbox() -> None:
    code = (
        "import sys; from mlebench.cli import cli; cli.main(['run', '--help'], standalone_mode=False);"
        "assert not {'psutil', 'mlebench.sandbox', 'mlebench.runs.executors'} & set(sys.modules)"
    )
    text = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for expected in ("Which competitions:", "Budgets of each run:", "[auto|bubblewrap|docker|process]", "Examples:"):
        assert expected in text
    for parameter in run_command.command.params:
        assert any(f" {name} " in text or f" {name}\n" in text for name in parameter.opts), parameter
        if isinstance(parameter.type, RegisteredName):
            assert set(parameter.type.built_in) <= set(parameter.type.names())
    assert text.partition("Other options:")[2].split()[:2] == ["-h,", "--help"], "every option has its section"


def test_one_seed_has_no_standard_error(run: Run, tmp_path: Path) -> None:
    for seed in range(2):
        write_grading_report(tmp_path / f"seed{seed}" / "a_grading_report.json", medals(FOUR, "gs--"))
    one = run("aggregate", "seed0")
    assert one.code == 0, one.err
    assert " 50.00\n" in one.out
    assert "± 0" not in one.out
    assert "50.00 ± 0.00" in run("aggregate", "seed0", "seed1").out
    aggregated = api.aggregate(tmp_path / "seed0").table()
    assert ["any_medal %", "50.00"] in aggregated.rows


def test_compare_on_some_competitions_and_with_padding(run: Run, tmp_path: Path) -> None:
    write_grading_report(tmp_path / "one" / "a_grading_report.json", medals(FOUR, "gs-g"))
    write_grading_report(tmp_path / "two" / "a_grading_report.json", medals(FOUR[:3], "---"))
    assert ": 3 competitions, 3 pairs of runs" in run("compare", "one", "two").out
    assert ": 2 competitions" in run("compare", "one", "two", "-c", FOUR[0], "-c", FOUR[1]).out
    assert (
        ": 4 competitions, 4 pairs of runs" in run("compare", "one", "two", "--pad-missing", "--split", "practice").out
    )
    refused = run("compare", "one", "two", "-c", "nope")
    assert refused.code == 1
    assert "There is no competition 'nope'" in refused.err


class TestDeviations:
    def test_more_seeds_are_none(self) -> None:
        phrases = deviations(Limits(), 5, network=Network(full=True))
        assert not [phrase for phrase in phrases if "seed" in phrase]
        assert "2 seeds instead of at least 3" in deviations(Limits(), 2, network=Network(full=True))

    def test_network_instructions_and_obfuscation(self) -> None:
        closed = deviations(Limits(), 3, network=Network(), variant="lite", obfuscated=True)
        assert closed[-3:] == [
            "no network instead of an open one",
            "the instructions lite instead of the published ones",
            "the name of the competition hidden from the agent",
        ]
        listed = deviations(Limits(seconds=150.0), 3, network=Network(allowed=("a.org:443",)))
        assert listed[-1] == "network only to a.org:443 instead of an open one"
        assert listed[0] == "2 min 30 s instead of 24 h"


def test_two_runs_in_a_few_lines(run: Run, tmp_path: Path) -> None:
    """`score` and `runs show` of a group of two runs."""
    options = ("--agent", "sample", "--seeds", 2, "--sandbox", "process", "--variant", "lite")
    ran = run("run", "-c", "practice-wine", "--prepare", "--grade", *options)
    assert ran.code == 0, ran.err
    compact, full = run("score", "latest"), run("score", "latest", "--details")
    assert len(compact.out.splitlines()) <= 14, compact.out
    assert "1 gate" in compact.out
    assert "  gate: " in full.out
    assert " of 24 h; memory: " in full.out
    folder = sorted((tmp_path / "runs").glob("*/practice-wine_*"))[-1]
    record = RunRecord.load(folder)
    replace(record, deviations=(*record.deviations, "a broken clock")).save(folder)
    shown = run("runs", "show", "latest").out
    assert "a broken clock (1 of 2 runs)" in shown
    assert "2 seeds instead of at least 3; no network instead of an open one; the instructions lite" in shown


def test_root_is_not_told_to_join_a_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    advice = DockerSandbox().availability().install
    assert advice is not None
    assert ("usermod" in advice) == (os.geteuid() != 0)


def test_check_takes_a_mirror(run: Run, tmp_path: Path) -> None:
    assert run("new", "my-contest", "--into", "mine").code == 0
    own = ("--competitions-dir", "mine")
    missing = run("check", "my-contest", "--source", "mine", *own)
    assert missing.code == 1
    assert "There is no my-contest.zip in mine." in missing.err
    assert run("twin", "my-contest", "twins", *own).code == 0
    ran = run("check", "my-contest", "--source", "twins", *own)
    assert f"the data can be prepared (from {tmp_path}/twins/my-contest.zip)" in ran.out, ran.out + ran.err
