"""What the published command does that scripts rely on: abbreviated options, and a report on standard error."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

# Its parser understands any beginning of an option that no other one has. The options of each of its commands:
_OPTIONS = {
    "prepare": (
        "--competition-id", "--all", "--lite", "--list", "--keep-raw", "--data-dir", "--overwrite-checksums",
        "--overwrite-leaderboard", "--skip-verification",
    ),
    "grade": ("--submission", "--output-dir", "--data-dir"),
    "grade-sample": ("--data-dir",),
    "download-leaderboard": ("--competition-id", "--all", "--force"),
}  # fmt: skip
_TITLE = "Competition report:"


class AbbreviatingGroup(click.Group):
    """A group whose commands understand the abbreviations that the published command understands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is asked for, and its arguments with options in full."""
        name, command, arguments = super().resolve_command(ctx, args)
        return name, command, in_full(name or "", arguments)


def in_full(command: str, arguments: list[str]) -> list[str]:
    """Arguments with abbreviated options written out, as far as they are clear.

    >>> in_full("prepare", ["--competition", "AI4Code", "--data=here", "--overwrite"])
    ['--competition-id', 'AI4Code', '--data-dir=here', '--overwrite']
    """
    written: list[str] = []
    for number, argument in enumerate(arguments):
        if argument == "--":
            return written + arguments[number:]
        name, equals, value = argument.partition("=")
        meant = [option for option in _OPTIONS.get(command, ()) if len(name) > 2 and option.startswith(name)]
        written.append(f"{meant[0]}{equals}{value}" if name.startswith("--") and len(meant) == 1 else argument)
    return written


def print_report(report: dict[str, Any]) -> None:
    """Print a report for programs: JSON on standard output, and on standard error as the published command does.

    That one writes the line `Competition report:` and the JSON to standard error alone. Whoever reads only one of the
    streams gets one object, and so does whoever reads both as one, below the same line. Where there was nothing to
    grade, standard output alone has it: harnesses that join the streams ask for such reports to know the thresholds.
    """
    from mlebench.files.writing import to_flat_json

    text = to_flat_json(report)
    is_one = _is_one_stream()
    if not sys.stderr.isatty() and (is_one or report["submission_exists"]):
        click.echo(_TITLE, err=True)
        if not is_one:
            click.echo(text, err=True)
        sys.stderr.flush()
    click.echo(text)


def _is_one_stream() -> bool:
    """Whether standard output and standard error are the same pipe or file, as after `2>&1`."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):  # not files, as in a test that calls the command as a function
        return False
