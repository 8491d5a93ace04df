"""What the tests of executors share: practice data, settings of quick runs on it, and an agent that calls a model."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from model_server import ModelServer, Say

from mlebench.competition.local import LocalCompetition
from mlebench.results.records import PlannedRun
from mlebench.runs.executors import require_executor
from mlebench.runs.group import create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits
from mlebench.services.gateway.options import GatewayOptions, parse_models, parse_upstream

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'


@pytest.fixture(scope="module")
def data(prepared_practice: Callable[[str], LocalCompetition]) -> Path:
    """A folder with the data of a practice competition."""
    return prepared_practice(WINE).data_dir


@pytest.fixture
def settings(data: Path, request: pytest.FixtureRequest) -> RunSettings:
    """Runs that hand in the sample, by the executor that a file is about (`EXECUTOR`)."""
    return RunSettings(
        agent="command",
        data_dir=data,
        sandbox="process",
        executor=request.module.EXECUTOR,
        limits=Limits(seconds=300, memory_bytes=1 << 30),
        grace=1.0,
        agent_options={"command": HAND_IN},
    )


@dataclass(frozen=True)
class KeyedAgent:
    """Settings of runs whose agent is given a key, and the key."""

    settings: RunSettings
    key: str


@pytest.fixture
def keyed_agent(settings: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], KeyedAgent]:
    """A function that makes an agent of its own folder, which ends with code 4 unless it sees the key, then goes on."""

    def make(script: str) -> KeyedAgent:
        key = "sk-verysecret-01234567"
        agent = tmp_path / "agents" / "keyed"
        agent.mkdir(parents=True)
        (agent / "config.yaml").write_text(
            "keyed:\n  start: keyed/start.sh\n  env_vars:\n    THE_KEY: ${{ secrets.THE_KEY }}\n"
        )
        (agent / "start.sh").write_text(f"[ ${{#THE_KEY}} = {len(key)} ] || exit 4; {script}\n")
        monkeypatch.setenv("THE_KEY", key)
        keyed = replace(settings, agent="keyed", agent_options={}, agents_dirs=(tmp_path / "agents",))
        return KeyedAgent(keyed, key)

    return make


# Hands in at once, then asks a model with what the gateway has given it.
_ASKING = """
import json, os, shutil, urllib.request
shutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", os.environ["SUBMISSION_DIR"] + "/submission.csv")
body = {"model": "scripted", "messages": [{"role": "user", "content": "Hello"}]}
headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(opener.open(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60).read().decode())
print(dict(os.environ))
"""
MODEL_KEY, MODEL_KEY_VARIABLE = "sk-planted-0123456789abcdef", "KEY_OF_A_MODEL"


@pytest.fixture
def model_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[RunSettings], None]:
    """A function that has a run call a model through the gateway, wherever it is executed, and looks for the key."""

    def check(settings: RunSettings) -> None:
        monkeypatch.setenv(MODEL_KEY_VARIABLE, MODEL_KEY)
        shown: list[str] = []

        class Watched(require_executor(settings.executor)):  # type: ignore[misc]
            def wait(self, seconds: float) -> Sequence[PlannedRun]:
                shown.append(subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout)
                return super().wait(seconds)  # type: ignore[no-any-return]

        with ModelServer([Say("Hello from outside.")], key=MODEL_KEY) as server:
            upstream = parse_upstream(f"{server.url},key={MODEL_KEY_VARIABLE}", {})
            gateway = GatewayOptions(upstreams=(upstream,), models=parse_models(["scripted"]), patience=5.0)
            command = shlex.join([sys.executable, "-c", _ASKING])
            asking = replace(settings, services={"gateway": gateway.to_dict()}, agent_options={"command": command})
            group = create_group(tmp_path, [WINE], [0], asking)
            assert run_group(group, workers=1, executor=Watched(group, 1))
        (record,) = group.run_records()
        log = (group.folder_of(group.record.plan[0]) / "agent.log").read_text()
        assert record.status == "success", (record.error, log)
        assert "Hello from outside." in log
        assert {name: record.model_usage[name] for name in server.usage} == server.usage
        files = [path.read_bytes().decode(errors="replace") for path in group.folder.rglob("*") if path.is_file()]
        assert not [text for text in (*shown, *files) if MODEL_KEY in text]

    return check
