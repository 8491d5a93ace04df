"""Tests that share something expensive to make are run by one worker."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("one worker")
def test_a_group_is_known_to_the_scheduler(request: pytest.FixtureRequest) -> None:
    """It reads the group behind an @ in the name of a test; versions of pytest and xdist must agree on that."""
    if not hasattr(request.config, "workerinput"):
        pytest.skip("there are no workers: start the tests with -n")
    assert request.node.nodeid.endswith("@one worker")
