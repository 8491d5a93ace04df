"""Services of the host: one is added in one place, and works wherever the agent runs."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import UnixStreamServer
from typing import Any

import pytest

from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.results.events import read_events
from mlebench.runs.group import create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits
from mlebench.services.interface import Service, ServiceContext
from mlebench.services.opening import SERVICES, require_service

WINE = "practice-wine"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
NAMES = [name for name in ("process", "bubblewrap") if SANDBOXES[name].availability().works]


# From here: all that a further service takes.
class Echo:
    """Answers whoever has the token of the run."""

    def __init__(self, context: ServiceContext) -> None:
        self.context, self.answered, self.refused = context, 0, 0
        self.problems: list[str] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                allowed = self.headers.get("Authorization") == f"Bearer {context.token}"
                service.answered, service.refused = service.answered + allowed, service.refused + (not allowed)
                context.record_event("asked", {"path": self.path, "allowed": allowed})
                self.send_response(200 if allowed else 403)
                self.end_headers()
                self.wfile.write(b"echo\n" if allowed else b"no\n")

            def address_string(self) -> str:
                return "the agent"

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        if context.socket is None:
            self.server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        else:
            self.server = UnixStreamServer(str(context.socket), Handler)
        self.port = None if context.socket else self.server.server_address[1]

    def environment(self, url: str) -> Mapping[str, str]:
        return {"ECHO_URL": url, "ECHO_TOKEN": self.context.token}

    def record(self) -> Mapping[str, Any]:
        return {"answered": self.answered, "refused": self.refused}


@contextmanager
def opened(context: ServiceContext) -> Iterator[Echo]:
    echo = Echo(context)
    threading.Thread(target=echo.server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield echo
    finally:
        echo.server.shutdown()
        echo.server.server_close()


ECHO = Service("echo", inside_port=5001, open=opened, uses_token=True)
# Up to here.

ASK = """
import os, urllib.error, urllib.request
for token in (os.environ["ECHO_TOKEN"], "another"):
    request = urllib.request.Request(os.environ["ECHO_URL"] + "/x", headers={"Authorization": "Bearer " + token})
    try:
        print("answer", urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read())
    except urllib.error.HTTPError as error:
        print("refused", error.code)
print("the token is", os.environ["ECHO_TOKEN"])
"""


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[Service], None]:
    monkeypatch.setattr(SERVICES, "_built_in", dict(SERVICES._built_in))
    return SERVICES.register


@pytest.fixture
def settings(prepared_practice: Callable[[str], LocalCompetition]) -> RunSettings:
    data = prepared_practice(WINE).data_dir
    return RunSettings(agent="command", data_dir=data, limits=Limits(seconds=120), grace=1.0)


@pytest.mark.parametrize("sandbox", NAMES)
def test_a_service_of_ones_own(
    sandbox: str, settings: RunSettings, registered: Callable[[Service], None], tmp_path: Path
) -> None:
    registered(ECHO)
    command = f"{HAND_IN}; {shlex.quote(sys.executable)} -c {shlex.quote(ASK)}"
    services = {**settings.services, "echo": {}}
    chosen = replace(settings, sandbox=sandbox, services=services, agent_options={"command": command})
    group = create_group(tmp_path, [WINE], [0], chosen)
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    folder = group.folder_of(group.record.plan[0])
    log = (folder / "agent.log").read_text()
    assert record.status == "success", log
    assert record.services == {
        "validation": {"requests": 0, "valid": 0, "problems": 0},
        "echo": {"answered": 1, "refused": 1},
    }
    assert "answer b'echo\\n'" in log
    assert "refused 403" in log
    token = next(line for line in log.splitlines() if line.startswith("the token is")).split()[-1]
    assert len(set(token)) == 1, "it is masked"
    events = [event.values for event in read_events(folder) if event.kind == "service"]
    assert events == [
        {"service": "echo", "what": "asked", "path": "/x", "allowed": allowed} for allowed in (True, False)
    ]


@pytest.mark.parametrize("sandbox", NAMES)
def test_the_validation_server_tells_how_often_it_was_asked(
    sandbox: str, settings: RunSettings, tmp_path: Path
) -> None:
    command = f'{HAND_IN}; bash "$HOME/validate_submission.sh" "$SUBMISSION_DIR/submission.csv"'
    group = create_group(tmp_path, [WINE], [0], replace(settings, sandbox=sandbox, agent_options={"command": command}))
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    assert record.services == {"validation": {"requests": 1, "valid": 1, "problems": 0}}
    written = json.loads((group.folder_of(group.record.plan[0]) / "run.json").read_text())
    assert written["services"] == record.services


def failing(times: int) -> Service:
    """A service that cannot be opened so many times."""
    left = [times]

    @contextmanager
    def open_or_fail(context: ServiceContext) -> Iterator[Echo]:
        left[0] -= 1
        if left[0] >= 0:
            raise OSError(98, "Address already in use")
        with opened(context) as echo:
            yield echo

    return Service("echo", inside_port=5001, open=open_or_fail)


@pytest.mark.parametrize(("failures", "retries", "status", "attempts"), [
    (1, 0, "infrastructure", 1),
    (1, 1, "success", 2),
    (2, 1, "infrastructure", 2),
    (2, 2, "success", 3),
])  # fmt: skip
def test_what_cannot_be_opened_is_a_fault_of_the_machine_and_retried(
    failures: int,
    retries: int,
    status: str,
    attempts: int,
    settings: RunSettings,
    registered: Callable[[Service], None],
    tmp_path: Path,
) -> None:
    """`--retries N` are N attempts beyond the first."""
    registered(failing(failures))
    chosen = replace(settings, services={"echo": {}}, retries=retries, agent_options={"command": HAND_IN})
    group = create_group(tmp_path, [WINE], [0], chosen)
    states: list[str] = []
    assert run_group(group, workers=1, on_state=lambda state: states.append(state.status))
    (record,) = group.run_records()
    assert (record.status, record.attempt) == (status, attempts), record.error
    assert record.code == (None if status == "success" else "service-error")
    assert record.identity == {}
    assert states.count("running") == attempts
    phases = [event.values.get("status") for event in read_events(group.folder_of(group.record.plan[0]))]
    assert phases.count("preparing") == attempts, "the log has all attempts"


def test_a_service_that_is_not_there() -> None:
    with pytest.raises(MlebenchError, match=r"There is no service validtion\. Did you mean validation\?"):
        require_service("validtion")
