"""On a Mac nothing that only Linux has is needed, and runs take place unconfined, which is reported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare

pytestmark = pytest.mark.skipif(not Path("/bin/ps").exists(), reason="a Mac has /bin/ps")
WINE = "practice-wine"


def on_a_mac(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(Path(__file__).with_name("mac.py")), "-m", "mlebench", *arguments]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_commands() -> None:
    for arguments in (["--help"], ["list"], ["agents"]):
        assert on_a_mac(*arguments).returncode == 0
    done = on_a_mac("doctor", "--json")
    found = {sandbox["name"]: sandbox for sandbox in json.loads(done.stdout)["sandboxes"]}
    assert (found["bubblewrap"]["works"], found["bubblewrap"]["why"]) == (False, "it needs Linux")
    assert found["process"]["why"].startswith("unconfined")
    assert {"TIME_LIMITED", "MEMORY_LIMITED"} <= set(found["process"]["promised"])
    assert {"ANSWERS_HIDDEN", "NOTHING_SURVIVES"} <= set(found["process"]["not_promised"])


def test_runs(tmp_path: Path) -> None:
    """One that ends by itself, and one that is ended with all it has started."""
    prepare(Registry(tmp_path / "data").get_competition(WINE))
    common = ["-c", WINE, "--sandbox", "process", "--data-dir", str(tmp_path / "data"), "--runs-dir", str(tmp_path)]
    done = on_a_mac("run", "--agent", "dummy", *common)
    assert done.returncode == 0, done.stderr
    assert "Sandbox: process (unconfined" in done.stderr
    assert "Not promised here: private data cannot be read;" in done.stderr
    (record,) = (json.loads(path.read_text()) for path in tmp_path.glob("*dummy/*/run.json"))
    assert record["status"] == "success"
    assert "private data cannot be read" in record["not_promised"]
    line = "(trap '' TERM; sleep 600) & sleep 600"
    done = on_a_mac("run", "--agent", "command", "--command", line, "--time-limit", "1s", *common)
    assert done.returncode == 1
    assert "timeout after" in done.stderr
