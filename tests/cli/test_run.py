"""`mlebench run` as a user types it: what it refuses, which seeds it takes, and what one call can do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from command import Run

WINE = "practice-wine"
ON_WINE = ("run", "-c", WINE, "--prepare", "--sandbox", "process")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--agent", "command", "--command", " "), 1, "The command is empty."),
        (("--agent", "command"), 2, "--agent command needs --command 'LINE'."),
        (("--agent", "sample", "--memory-limit", "4"), 2, "'4' has no unit. Write 4G for gigabytes, or 4B for bytes."),
        (("--agent", "sample", "--memory-limit", "4B"), 2, "No program runs with 4 bytes of memory."),
        (("--agent", "sample", "--disk-limit", "10"), 2, "'10' has no unit."),
        (("--agent", "sample", "--seed", "1", "--seeds", "2"), 2, "give one of the two"),
        (("--agent", "sample", "--seeds", "1,two"), 2, "neither a number of seeds nor a list"),
        (("--agent", "sample", "--seeds", "0"), 2, "at least one seed"),
        ((), 2, "Say which agent"),
    ],
)
def test_what_is_refused_starts_no_run(
    run: Run, tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    ran = run(*ON_WINE, *options)
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err
    assert not (tmp_path / "runs").exists()


def test_seeds_and_the_runs_folder_of_a_variable(run: Run, tmp_path: Path) -> None:
    """`MLEBENCH_RUNS_DIR` is where run groups go and where they are found; the option takes its place."""
    elsewhere = str(tmp_path / "elsewhere")
    ran = run(*ON_WINE, "--agent", "sample", "--seeds", "0,7", "--json", MLEBENCH_RUNS_DIR=elsewhere)
    assert ran.code == 0, ran.err
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["seed"] for line in lines if line.get("status") == "success"] == [0, 7]
    assert lines[-1] == {"run_group": lines[-1]["run_group"], "statuses": {"success": 2}, "submissions": 2}
    assert Path(lines[-1]["run_group"]).parent == Path(elsewhere)
    assert not (tmp_path / "runs").exists()
    name = Path(lines[-1]["run_group"]).name
    assert name in run("runs", MLEBENCH_RUNS_DIR=elsewhere).out
    assert run("grade", "--run-group", lines[-1]["run_group"]).code == 0
    for given in (name, "latest"):
        scored = run("score", "--json", given, MLEBENCH_RUNS_DIR=elsewhere)
        assert json.loads(scored.out)["run_group"] == name
        assert run("report", given, MLEBENCH_RUNS_DIR=elsewhere).code == 0


def test_one_call_runs_grades_reports_and_opens(run: Run, tmp_path: Path) -> None:
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!{sys.executable}\nimport sys\nopen("{seen}", "w").write(sys.argv[1])\n', encoding="utf-8")
    browser.chmod(0o755)
    ran = run(*ON_WINE, "--agent", "sample", "--seed", "42", "--grade", "--report", "--open", BROWSER=str(browser))
    assert ran.code == 0, ran.err
    [group] = (tmp_path / "runs").iterdir()
    assert "1 submission in " in ran.out
    assert f"Opened {group / 'report.html'} in a browser." in ran.out
    assert seen.read_text(encoding="utf-8") == (group / "report.html").as_uri()
    assert "seed 42" in ran.err
    assert "Next: mlebench grade" not in ran.err, "it is graded already"
    again = run("run", "--resume", group.name, "--report", "--json")
    assert again.code == 0, again.err
    [line] = [json.loads(text) for text in again.out.splitlines()]
    assert Path(line["page"]).is_file()
    assert Path(line["grading_report"]).is_file()
    assert (line["valid_submissions"], line["not_graded"]) == (1, 0)
