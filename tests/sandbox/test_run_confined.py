"""The confined process: it reads its data, writes its folder, and cannot see the answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mlebench.sandbox import Outcome, landlock, run_confined

needs_landlock = pytest.mark.skipif(landlock.version() == 0, reason="this kernel has no Landlock")


def run(tmp_path: Path, code: str, time_limit: float = 60) -> tuple[Outcome, str]:
    for name in ("data", "answers", "work"):
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / "data" / "train.csv").write_text("public")
    (tmp_path / "answers" / "test.csv").write_text("secret")
    log = tmp_path / "log.txt"
    outcome = run_confined(
        [sys.executable, "-c", code],
        folder=tmp_path / "work",
        data=tmp_path / "data",
        hidden=tmp_path / "answers",
        log=log,
        environment={},
        time_limit=time_limit,
    )
    return outcome, log.read_text()


def test_reads_data_and_writes_its_folder(tmp_path: Path) -> None:
    code = "open('out.txt', 'w').write(open('../data/train.csv').read()); import numpy, tempfile; tempfile.mkdtemp()"
    outcome, log = run(tmp_path, code)
    assert outcome.exit_code == 0, log
    assert (tmp_path / "work" / "out.txt").read_text() == "public"


@needs_landlock
@pytest.mark.parametrize(
    "code",
    [
        "open('../answers/test.csv')",
        "import os; os.listdir('../answers')",
        "import os; os.link('../answers/test.csv', 'link.csv'); open('link.csv')",
        "import os; os.symlink('../answers/test.csv', 'link.csv'); open('link.csv')",
        "import subprocess; subprocess.run(['cat', '../answers/test.csv'], check=True)",
        "open('../data/train.csv', 'w')",
        "open('../elsewhere.txt', 'w')",
    ],
)
def test_cannot_reach_what_it_must_not(tmp_path: Path, code: str) -> None:
    outcome, log = run(tmp_path, code)
    assert outcome.exit_code != 0
    assert "secret" not in log
    assert "Permission denied" in log or "PermissionError" in log or "cross-device" in log
    assert outcome.isolation.startswith("was confined")


def test_time_limit_ends_children_too(tmp_path: Path) -> None:
    code = "import subprocess, time; subprocess.Popen(['sleep', '300']); time.sleep(300)"
    outcome, _ = run(tmp_path, code, time_limit=1)
    assert outcome.timed_out
    assert outcome.problem == "stopped after 1 seconds"


def test_environment_carries_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_KEY", "a-secret-key")
    _, log = run(tmp_path, "import os; print(dict(os.environ))")
    assert "a-secret-key" not in log
