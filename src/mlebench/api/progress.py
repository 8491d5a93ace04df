"""Where progress goes: to a function of the caller's, to a terminal, or to a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from mlebench.base.progress import Step, listener, listening
from mlebench.base.wording import plain

if TYPE_CHECKING:
    from mlebench.results.events import RunState

Progress: TypeAlias = bool | Callable[[Step], None] | None


@contextmanager
def reporting(progress: Progress) -> Iterator[None]:
    """Within this block progress is given to a function, printed (True), or not shown (False).

    None prints it where somebody is there to read it: on a terminal and in a notebook.
    """
    if progress is None:
        if listener() is not None:  # somebody around us shows it already
            yield
            return
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    if progress is False:
        yield
        return
    with listening(_print_end if progress is True else progress):
        yield


def state_listener() -> Callable[[RunState], None]:
    """A function that is given every state of a run, and passes its begin and its end on as progress."""
    listen = listener() or (lambda _: None)

    def tell(state: RunState) -> None:
        name = f"{state.planned.competition_id} seed {state.planned.seed}"
        if state.status == "running":
            listen(Step(name, "run"))
            return
        took = "" if state.seconds is None else f" after {state.seconds:.1f} s"
        reason = f": {state.last_line}" if state.last_line else ""
        listen(Step(name, None, f"{state.status}{took}{reason}"))

    return tell


def _print_end(step: Step) -> None:
    """One line for each task that has ended."""
    if step.stage is None and step.task:
        print(plain(f"{step.task}: {step.what or 'done'}"), file=sys.stderr)
