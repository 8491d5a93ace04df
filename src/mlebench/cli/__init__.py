"""The `mlebench` command: one thin module per command; heavy libraries load inside the commands that need them."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from mlebench import __version__
from mlebench.base.lazy import lazy_attribute
from mlebench.base.logs import DEBUG_VARIABLE, is_debugging, show_everything
from mlebench.cli.help import CommandsByName, SectionedGroup
from mlebench.cli.output import print_error, print_text
from mlebench.cli.published import AbbreviatingGroup
from mlebench.errors import MlebenchError, StoppedByUser, os_sentence

# The module and the attribute of each command: one is imported when it is asked for.
_COMMANDS = {
    "quickstart": "quickstart:command",
    "list": "listing:command",
    "info": "info:command",
    "prepare": "prepare:command",
    "status": "status:command",
    "verify": "verify:command",
    "audit": "audit:command",
    "twin": "twin:command",
    "run": "run:command",
    "runs": "runs:group",
    "experiment": "experiment:group",
    "grade": "grade:command",
    "grade-sample": "grade:sample_command",
    "validate": "validate:command",
    "agents": "agents:group",
    "score": "score:command",
    "replay": "replay:command",
    "aggregate": "aggregate:command",
    "compare": "compare:command",
    "failures": "failures:command",
    "leaderboard": "leaderboard:group",
    "report": "report:command",
    "view": "view:command",
    "violations": "violations:command",
    "plagiarism": "plagiarism:command",
    "familiarity": "familiarity:command",
    "new": "new:command",
    "check": "check:command",
    "dev": "dev:group",
    "doctor": "doctor:command",
    "completion": "completion:command",
}


class _ReaderGoneError(Exception):
    """The reader of our output has gone, as in `mlebench list | head -1`."""


class _Commands(AbbreviatingGroup, SectionedGroup):
    """All commands. A pipe that is closed has an error of ours, since click would end with 1."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the command line; the help is printed here."""
        try:
            return super().make_context(*arguments, **options)
        except BrokenPipeError as error:
            raise _ReaderGoneError from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGoneError from error


@click.group(
    cls=_Commands,
    commands=CommandsByName(__name__, _COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="First time here? `mlebench quickstart` runs a real evaluation in about a minute.",
)
@click.version_option(__version__, prog_name="mlebench")
@click.option(
    "--debug",
    is_flag=True,
    envvar=DEBUG_VARIABLE,
    help=f"Show the traceback of an error, and what is logged (also ${DEBUG_VARIABLE}=1).",
)
def cli(debug: bool) -> None:
    """MLE-bench: can an AI agent do a machine-learning engineer's whole job?"""
    if debug:
        show_everything()


def __getattr__(name: str) -> Any:
    """What the published module of the command imports, and other projects import from it."""
    return lazy_attribute(
        __name__,
        name,
        {
            "mlebench.data": ["download_and_prepare_dataset", "ensure_leaderboard_exists"],
            "mlebench.grade": ["grade_csv", "grade_jsonl", "logger"],
            "mlebench.competition.registry": ["registry"],
            "mlebench.base.logs": ["get_logger"],
        },
    )


def main() -> None:
    """Run the command; whatever a user can cause ends in one sentence and an exit code, not in a traceback."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by a program that runs in the background
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):  # a name may have bytes that are no text; they are spelled out
            stream.reconfigure(errors="backslashreplace")
    _listen_for_the_end()
    try:
        status = cli.main(prog_name="mlebench", standalone_mode=False)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(file=shown)
        print_text(shown.getvalue().rstrip("\n"), err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as stop:
        cause = stop.__cause__ or stop  # click turns an interrupt into an error of its own
        where = str(cause) if isinstance(cause, StoppedByUser) else ""
        code = 143 if isinstance(cause, _Terminated) else 130
        _fail(where or "Interrupted. What was finished is kept; run the same command again to go on.", code)
    except MlebenchError as error:
        _show_traceback(error)
        _fail(str(error), 1)
    except _ReaderGoneError:
        _discard_output()
        sys.exit(0)
    except OSError as error:
        _show_traceback(error)
        _fail(os_sentence(error), 1)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    sys.exit(status if isinstance(status, int) else 0)


def _discard_output() -> None:
    """What is still to be written is not, so that Python does not complain about it at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Terminated(StoppedByUser):
    """SIGTERM, which ends a command as Ctrl-C does: the cursor is shown again, and nothing half-built is left."""


def _listen_for_the_end() -> None:
    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends it at once
        raise _Terminated("Ended by SIGTERM. What was finished is kept; run the same command again to go on.")

    is_main = threading.current_thread() is threading.main_thread()  # elsewhere Python does not let us
    if is_main and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)


def _show_traceback(error: Exception) -> None:
    """With --debug, how an error came about, above the sentence that everybody gets."""
    if is_debugging():
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)


def _fail(sentence: str, code: int) -> None:
    print_error(sentence)
    sys.exit(code)
