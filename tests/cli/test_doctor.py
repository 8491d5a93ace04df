"""`mlebench doctor` as a user runs it."""

from __future__ import annotations

import json

from command import Run

from mlebench.sandbox import SANDBOXES, Promise


def test_it_shows_every_sandbox_and_every_promise(run: Run) -> None:
    shown = run("doctor").out
    for name in SANDBOXES:
        assert name in shown
    for promise in Promise:
        assert promise.value in shown


def test_json(run: Run) -> None:
    found = json.loads(run("doctor", "--json").out)
    assert [each["name"] for each in found["sandboxes"]] == list(SANDBOXES)
    process = found["sandboxes"][-1]
    assert process["works"]
    assert {*process["promised"], *process["not_promised"]} == {promise.name for promise in Promise}
    assert found["auto"] in SANDBOXES
    assert found["measured_by"] in ("sampling", "cgroup v2")
