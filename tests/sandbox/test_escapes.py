"""No attempt to escape succeeds in a sandbox that promises to stop it; each one succeeds unconfined."""

from __future__ import annotations

import sys

import pytest
from sandbox.attempts import ATTEMPTS, Attempt
from sandbox.running import not_promised, succeeds_in, succeeds_unconfined

from mlebench.sandbox import SANDBOXES, Promise

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the attempts are written for Linux"),
]
# What has tests of its own: it needs a control group.
TESTED_SEPARATELY = {Promise.CPUS_LIMITED}


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
def test_it_succeeds_unconfined(attempt: Attempt) -> None:
    if reason := attempt.why_no_control():
        pytest.skip(reason)
    assert succeeds_unconfined(attempt)


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
@pytest.mark.parametrize("name", SANDBOXES)
def test_it_fails_confined(attempt: Attempt, name: str) -> None:
    sandbox = SANDBOXES[name]
    if not (found := sandbox.availability()).works:
        pytest.skip(found.why)
    if missing := not_promised(attempt, sandbox):
        pytest.skip("not promised: " + "; ".join(missing))
    got, ending = succeeds_in(attempt, sandbox)
    assert not got, ending


def test_every_promise_has_an_attempt() -> None:
    assert {promise for attempt in ATTEMPTS for promise in attempt.promises} | TESTED_SEPARATELY == set(Promise)
