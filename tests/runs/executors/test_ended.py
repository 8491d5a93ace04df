"""Waiting for runs that have ended."""

from __future__ import annotations

import signal
import threading
import time

from mlebench.results.records import PlannedRun
from mlebench.runs.executors.ended import EndedRuns

RUN = PlannedRun("3b1f", "practice-wine", 0)


def test_what_has_ended_is_told_once() -> None:
    ended = EndedRuns()
    assert ended.wait(0) == []
    ended.add(RUN)
    ended.add(RUN)
    assert ended.wait(60) == [RUN, RUN]
    assert ended.wait(0) == []


def test_an_interrupt_that_is_handled_late_does_not_make_it_wait_for_ever() -> None:
    ended = EndedRuns()
    rescue = threading.Timer(20, ended.add, [RUN])  # else a failure would never end
    before = signal.signal(signal.SIGALRM, lambda *_: time.sleep(0.3))
    rescue.start()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        assert ended.wait(0.2) == []
    finally:
        signal.signal(signal.SIGALRM, before)
        rescue.cancel()
