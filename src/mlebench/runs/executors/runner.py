"""A runner: a process that executes runs for the process that started it.

    python -m mlebench.runs.executors.runner FIRST STEP [DESCRIPTOR]

Lines of JSON on standard input say what to do: `{"execute": {…}}` begins a run, in a thread, with the fields of a
`RunOrder`; `{"cancel": RUN_ID}` stops it; `{"finish": true}` says that no more orders follow, and the runner ends with
its last run. A line on standard output tells of each end: `{"ended": RUN_ID}`, with an `error` where not even a record
could be written. SIGTERM cancels all runs and ends the runner.

Standard input stays open as long as whoever started the runner lives. When that process is killed, the runner ends at
once, as if it had been killed, too: wardens end the agents, and resuming the group finds what it finds after any kill.
Runs in a scratch folder, of which nobody else knows, are cancelled first, and the folder is removed.

FIRST and STEP share out processors among several runners; DESCRIPTOR is the table of `mlebench.runs.disk` that they
share.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from mlebench.runs.attempt import GivenUpError
from mlebench.runs.disk import DISK_USERS
from mlebench.runs.executors.order import RunOrder, execute_order
from mlebench.sandbox.kernel_limits import take_turns


class _Runner:
    """The runs of this process."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self._stops: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []
        self._scratch: list[str] = []
        self._is_stopped = False
        self._finished = threading.Event()

    def obey(self, orders: int) -> None:
        """Do what lines say, until there are no more because whoever wrote them is gone."""
        try:
            for line in _lines(orders):
                values: dict[str, Any] = json.loads(line)
                if "execute" in values:
                    self._begin(RunOrder(**values["execute"]))
                elif "cancel" in values and (stop := self._stops.get(values["cancel"])) is not None:
                    stop.set()
                elif "finish" in values:
                    self._finished.set()
            self._leave()
        except BaseException:
            traceback.print_exc()
        os._exit(1)

    def _begin(self, order: RunOrder) -> None:
        stop = self._stops[order.run_id] = threading.Event()
        if order.scratch is not None:
            self._scratch.append(order.scratch)
        thread = threading.Thread(target=self._execute, args=(order, stop), name=f"run {order.run_id}")
        self._threads = [*(other for other in self._threads if other.is_alive()), thread]
        thread.start()

    def _execute(self, order: RunOrder, stop: threading.Event) -> None:
        answer: dict[str, Any] = {"ended": order.run_id}
        try:
            execute_order(order, should_stop=lambda: stop.is_set() or self._is_stopped)
        except GivenUpError:
            pass  # another attempt has the run now
        except OSError as error:
            answer["error"] = [error.errno, error.strerror, error.filename and str(error.filename)]
        except BaseException as error:
            traceback.print_exc()
            answer["error"] = [None, f"{type(error).__name__}: {error}", None]
        self._stops.pop(order.run_id, None)
        with self._lock, suppress(OSError):  # nobody may be left to read it
            os.write(self._answers, f"{json.dumps(answer)}\n".encode())

    def _leave(self) -> None:
        """Cancel the runs that nobody else knows of, and remove what they leave."""
        if self._scratch:
            self._is_stopped = True
            self._join()
            for folder in self._scratch:
                shutil.rmtree(folder, ignore_errors=True)

    def stop(self, *_: object) -> None:
        """Cancel all runs, and end after them."""
        self._is_stopped = True
        self._finished.set()

    def wait(self) -> None:
        """Wait until there are no more orders, and all runs have ended."""
        self._finished.wait()
        self._join()

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()


def _lines(descriptor: int) -> Iterator[bytes]:
    rest = b""
    while data := os.read(descriptor, 1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


def main(first: str = "0", step: str = "1", descriptor: str | None = None) -> None:
    """Execute runs until no more orders follow."""
    orders, answers = os.dup(0), os.dup(1)
    with open(os.devnull) as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)  # no program that is started here may read an order
    os.dup2(2, 1)  # and what it prints must not be taken for an answer
    take_turns(int(first), int(step))
    if descriptor is not None:
        DISK_USERS.join(int(descriptor), int(first))
    runner = _Runner(answers)
    signal.signal(signal.SIGTERM, runner.stop)
    threading.Thread(target=runner.obey, args=(orders,), daemon=True, name="orders").start()
    runner.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
