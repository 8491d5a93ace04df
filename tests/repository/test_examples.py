"""The examples work as they are: each is copied, started in an empty folder, and prints what it is there to show.

One of them has a quicker agent here, unless `MLEBENCH_TESTS=whole` asks for its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_server import shell_command
from covered import WHOLE

ROOT = Path(__file__).parents[2]

# What each example must show; `.` in a pattern stops at the end of a line.
SHOWN = {
    "run_and_report.py": [
        r"^4 submissions: 4 valid, \d medals$",
        r"^(baseline|sample): Lite score \d+\.\d+, ",
        r"^Open .*report\.html$",
    ],
    "grade_a_file.py": [
        r"^broken\.csv: The submission lacks the column class_2",
        r"^submission\.csv: Submission is valid\.$",
        r"^score 0\.\d+ \(lower is better\), medal: (gold|silver)$",
    ],
    "own_competition/run.sh": [
        r"^deliveries .*root mean squared error",
        r"^Submission is valid\.$",
        r'"any_medal": false',
        r'"gold_medal": true',
    ],
    "own_agent/run.sh": [
        r"^1 sound agent: nearest\.$",
        r"^practice-wine .*success",
        r"^1 submission in .*: 1 valid, 1 medal",
    ],
    "compare_two_agents/run.sh": [r"better in 2, worse in 0", r"No difference can be shown over 2 competitions"],
}


def test_every_example_has_a_line_in_their_readme() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    started = re.findall(r"^(?:python|bash) \.\./examples/(\S+)$", text, re.MULTILINE)
    present = {
        path.relative_to(ROOT / "examples").parts[0] for path in (ROOT / "examples").rglob("*") if path.is_file()
    }
    assert started == list(SHOWN)
    assert {name.split("/")[0] for name in started} == present - {"README.md", "__pycache__"}


def test_the_six_lines_are_in_the_documentation() -> None:
    lines = (ROOT / "examples" / "run_and_report.py").read_text(encoding="utf-8").partition('"""\n\n')[2]
    assert len(lines.splitlines()) == 6
    assert f"```python\n{lines}```" in (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")


@pytest.mark.once
@pytest.mark.skipif(os.name == "nt", reason="the examples are written for a Unix shell")
@pytest.mark.parametrize("example", SHOWN)
def test_example(example: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    if example == "run_and_report.py" and not WHOLE:
        # The quickstart has the agent train its models on these competitions already, which takes half a minute.
        path = tmp_path / "examples" / example
        text = path.read_text(encoding="utf-8")
        assert text.count('agent="baseline"') == 1
        path.write_text(text.replace('agent="baseline"', 'agent="sample"'), encoding="utf-8")
    command, empty = tmp_path / "bin" / "mlebench", tmp_path / "try"
    for folder in (command.parent, empty):
        folder.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shell_command()} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    interpreter = sys.executable if example.endswith(".py") else "bash"
    done = subprocess.run(
        [interpreter, f"../examples/{example}"],
        cwd=empty,
        env={**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    for pattern in SHOWN[example]:
        assert re.search(pattern, done.stdout, re.MULTILINE), f"{pattern} is not in\n{done.stdout}"
