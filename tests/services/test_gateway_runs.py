"""Runs whose agents call models through the gateway: in a closed sandbox, counted, within budgets, without the key."""

from __future__ import annotations

import json
import os
import shlex
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from gateways import KEY, KEY_VARIABLE, PRICES, budgets, options
from model_server import Fault, Item, ModelServer, Say
from waiting import wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.results.events import board_of_plan, read_events
from mlebench.results.model_usage import counted_usage
from mlebench.results.records import RunRecord
from mlebench.runs.group import PlannedGroup, create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits
from mlebench.services.gateway.options import GatewayOptions
from mlebench.view.watching import Groups

WINE = "practice-wine"
NAMES = [name for name in ("process", "bubblewrap") if SANDBOXES[name].availability().works]
# Hands in at once, then asks models as its arguments say: endpoint:stream, each in turn.
AGENT = """
import json, os, shutil, subprocess, sys, urllib.error, urllib.request
shutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", os.environ["SUBMISSION_DIR"] + "/submission.csv")
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
bodies = {
    "chat": {"messages": [{"role": "user", "content": "Hello"}]},
    "responses": {"input": "Hello"},
    "messages": {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 100},
}
def ask(endpoint, stream):
    if endpoint == "messages":
        url, headers = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}
    else:
        url = os.environ["OPENAI_BASE_URL"] + {"chat": "/chat/completions", "responses": "/responses"}[endpoint]
        headers = {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    body = {"model": os.environ["MODEL_NAME"], "stream": stream, **bodies[endpoint]}
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    try:
        return opener.open(request, timeout=60).read().decode()
    except urllib.error.HTTPError as error:
        return f"status {error.code} {error.read().decode()}"
for argument in sys.argv[1:]:
    endpoint, _, how = argument.partition(":")
    for _ in range(10**9 if how == "forever" else 1):
        print(ask(endpoint, how == "stream"), flush=True)
print(dict(os.environ))
"""
LOOK = """
import os, pathlib
for folder in pathlib.Path("/proc").iterdir():
    for name in ("environ", "cmdline"):
        try:
            print(folder.name, name, (folder / name).read_bytes())
        except OSError:
            pass
"""


@pytest.fixture(autouse=True)
def planted_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


@pytest.fixture
def settings(prepared_practice: Callable[[str], LocalCompetition]) -> RunSettings:
    data = prepared_practice(WINE).data_dir
    return RunSettings(agent="command", data_dir=data, limits=Limits(seconds=120), grace=1.0)


def group_of(
    settings: RunSettings,
    chosen: GatewayOptions,
    tmp_path: Path,
    *arguments: str,
    sandbox: str = "process",
    then: str = "",
) -> PlannedGroup:
    command = shlex.join([sys.executable, "-c", AGENT, *arguments]) + then
    services: dict[str, Any] = {"gateway": chosen.to_dict()}
    changed = replace(settings, sandbox=sandbox, services=services, agent_options={"command": command})
    return create_group(tmp_path / "runs", [WINE], [0], changed)


def executed(group: PlannedGroup) -> tuple[RunRecord, str]:
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    return record, (group.folder_of(group.record.plan[0]) / "agent.log").read_text()


@pytest.mark.parametrize("sandbox", NAMES)
def test_an_agent_without_network_calls_models(sandbox: str, settings: RunSettings, tmp_path: Path) -> None:
    look = f"; {shlex.join([sys.executable, '-c', LOOK])}"
    with ModelServer([Say("Hello from outside.")] * 4, key=KEY) as server:
        arguments = ("chat", "chat:stream", "responses:stream", "messages:stream")
        chosen = options(server, "mine=scripted", prices=PRICES)
        group = group_of(settings, chosen, tmp_path, *arguments, sandbox=sandbox, then=look)
        record, log = executed(group)
    assert record.status == "success", log
    assert record.network == "none"
    assert record.network_attempts == ()
    assert log.count("Hello from ") >= 4
    assert {name: record.model_usage[name] for name in server.usage} == server.usage
    assert record.model_usage["usd"] > 0
    assert record.services["gateway"]["models"] == {"mine": "scripted"}
    assert record.services["gateway"]["provider_tools"] is False
    assert "'MODEL_NAME': 'mine'" in log
    folder = group.folder_of(group.record.plan[0])
    assert len((folder / "model_calls.jsonl").read_text().splitlines()) == 4
    for path in [path for path in group.folder.rglob("*") if path.is_file()]:
        assert KEY.encode() not in path.read_bytes(), f"the key is in {path.name}"
    assert KEY in os.environ[KEY_VARIABLE]


@pytest.mark.parametrize(
    ("amounts", "calls"),
    [({"requests": 2}, 2), ({"tokens": 40}, 2), ({"usd": 0.0001}, 2)],
    ids=["calls", "tokens", "usd"],
)
def test_a_spent_budget_ends_the_run_and_its_submission_counts(
    amounts: dict[str, Any], calls: int, settings: RunSettings, tmp_path: Path
) -> None:
    with ModelServer([Say("Hello.")] * 100) as server:
        chosen = options(server, "scripted", budgets=budgets(**amounts), prices=PRICES)
        record, log = executed(group_of(settings, chosen, tmp_path, "chat:forever"))
    assert (record.status, record.code) == ("budget", "model-budget"), log
    assert record.submission is not None
    assert "status 403" in log
    assert record.model_usage["requests"] == len(server.calls) == calls
    assert record.model_usage["refused"] > 0


def test_an_agent_that_gives_up_at_its_budget_has_spent_it(settings: RunSettings, tmp_path: Path) -> None:
    with ModelServer() as server:
        chosen = options(server, "scripted", budgets=budgets(requests=1))
        group = group_of(replace(settings, grace=60.0), chosen, tmp_path, "chat", "messages", then="; exit 3")
        record, log = executed(group)
    assert (record.status, record.exit_code) == ("budget", 3), log
    assert '"permission_error"' in log
    assert record.usage["seconds"] < 50


@pytest.mark.parametrize("retries", [0, 1])
def test_a_dead_upstream_is_no_fault_of_the_agent(retries: int, settings: RunSettings, tmp_path: Path) -> None:
    script: list[Item] = [Say("Hello."), *[Fault(status=503)] * 500]
    with ModelServer(script) as server:
        chosen = options(server, "scripted", patience=0.4)
        group = group_of(replace(settings, retries=retries), chosen, tmp_path, "chat", "chat:forever")
        record, log = executed(group)
    assert (record.status, record.code, record.attempt) == ("infrastructure", "model-endpoint", retries + 1), log
    assert record.error is not None
    assert "failed for" in record.error


@pytest.mark.parametrize(
    ("last", "status", "code"),
    [(Fault(cut=20), "infrastructure", "model-endpoint"), (Fault(status=400), "failed", "exit-code")],
    ids=["cut", "refused"],
)
def test_an_agent_that_gives_up_has_failed_unless_its_model_did(
    last: Fault, status: str, code: str, settings: RunSettings, tmp_path: Path
) -> None:
    with ModelServer([Say("Hello."), last, Say("It never comes.")]) as server:
        group = group_of(settings, options(server, "scripted"), tmp_path, "chat", "chat", then="; exit 3")
        record, log = executed(group)
    assert (record.status, record.code, record.exit_code) == (status, code, 3), log
    assert record.submission is not None


def test_a_key_that_is_revoked_on_the_way(settings: RunSettings, tmp_path: Path) -> None:
    with ModelServer([Say("Hello."), Fault(status=401)]) as server:
        record, log = executed(
            group_of(settings, options(server, "scripted"), tmp_path, "chat", "chat", "chat:forever")
        )
    assert (record.status, record.code) == ("infrastructure", "model-endpoint"), log
    assert record.error is not None
    assert "refuses the key" in record.error


def test_prompts_are_recorded_on_demand(settings: RunSettings, tmp_path: Path) -> None:
    with ModelServer([Say("An answer to remember.")] * 2) as server:
        chosen = options(server, "scripted", record_prompts=True)
        group = group_of(settings, chosen, tmp_path, "chat", "messages:stream")
        executed(group)
    bodies = group.folder_of(group.record.plan[0]) / "model_bodies"
    assert json.loads((bodies / "000001.request.json").read_text())["messages"][0]["content"] == "Hello"
    assert "An answer to remember." in (bodies / "000001.answer").read_text()
    assert "message_stop" in (bodies / "000002.answer").read_text()


def test_what_a_run_has_used_is_seen_while_it_goes_on(settings: RunSettings, tmp_path: Path) -> None:
    """A burst of calls: the log has their sum soon after the last, in a bounded number of notes, and others read it."""
    hold = tmp_path / "hold"
    hold.touch()
    wait = f"; while [ -e {shlex.quote(str(hold))} ]; do sleep 0.1; done"
    with ModelServer([Say("Hello.")] * 12, key=KEY) as server:
        group = group_of(settings, options(server, "mine=scripted", prices=PRICES), tmp_path, *["chat"] * 12, then=wait)
        running = threading.Thread(target=run_group, args=(group,), kwargs={"workers": 1})
        running.start()
        try:
            board = board_of_plan(group.folder, group.record.plan)
            wait_for(lambda: (usage := board.states()[0].model_usage) is not None and usage.requests == 12)
            (state,) = board.states()
            shown = run_command("runs", "show", group.folder, "--json", cwd=tmp_path)
            row = Groups(group.folder.parent).watched(group.folder.name).standing().rows[0]
        finally:
            hold.unlink()
            running.join()
    assert state.status == "running" and state.model_usage is not None
    assert state.model_usage.input_tokens == server.usage["input_tokens"]
    (values,) = json.loads(shown.out)
    assert values["state"]["model_usage"] == state.model_usage.to_dict()
    assert f"12 calls, {state.model_usage.tokens:,} tokens, $" in row.about
    events = read_events(group.folder_of(group.record.plan[0]))
    assert 1 <= sum(event.values.get("what") == "usage_so_far" for event in events) <= 12
    (ended,) = board.states()
    assert ended.model_usage == counted_usage(group.run_records()[0])
