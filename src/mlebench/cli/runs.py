"""`mlebench runs`: which run groups there are, what became of their runs, and what they printed."""

from __future__ import annotations

import time
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.base.wording import counted
from mlebench.cli import watch
from mlebench.cli.common import json_option, wide_option
from mlebench.cli.output import STATUS_STYLES, print_json, print_table, print_text
from mlebench.cli.run import runs_dir_of_subcommand, runs_dir_option
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.results.events import RunState
    from mlebench.results.groups import RunGroup
    from mlebench.results.records import RunRecord
    from mlebench.results.runs import Run


class RunsGroup(click.Group):
    """`mlebench runs GROUP` is short for `mlebench runs show GROUP`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named, or `show` for anything else."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            args = ["show", *args]
        return super().resolve_command(ctx, args)


@click.group("runs", cls=RunsGroup, invoke_without_command=True, short_help="Look into run groups")
@runs_dir_option
@wide_option
@json_option
@click.pass_context
def group(context: click.Context, runs_dir: Path, as_json: bool) -> None:
    """List run groups; `runs GROUP` (or `runs show GROUP`), `runs watch GROUP` and `runs logs GROUP` look into one."""
    context.obj = runs_dir
    if context.invoked_subcommand is not None:
        return
    from mlebench.results.groups import find_groups

    groups = find_groups(runs_dir, lambda problem: click.echo(f"warning: {problem}", err=True))
    rows = [
        {
            "run_group": found.name,
            "agent": found.agent,
            "created_at": found.record.created_at if found.record else None,
            "runs": len(found.runs),
            "statuses": found.statuses,
            "submissions": found.submissions,
        }
        for found in groups
    ]
    if as_json:
        print_json(rows)
        return
    header = ["group", "agent", "runs", "ended as", "submissions"]
    cells = [
        [row["run_group"], row["agent"], row["runs"], _listed(row["statuses"]), row["submissions"]] for row in rows
    ]
    print_table(
        header, cells, right=["runs", "submissions"], drop=["agent", "submissions", "runs"], wrap={"ended as": 16}
    )
    print_text(f"\n{counted(len(groups), 'run group')} in {runs_dir}.")


def _listed(statuses: Any) -> str:
    return ", ".join(f"{count} {status}" for status, count in statuses.items())


def _opened(runs_dir: Path, name: str) -> RunGroup:
    from mlebench.results.finding import find_group
    from mlebench.results.groups import open_group

    return open_group(find_group(name, runs_dir))


@group.command("show", short_help="Show what became of the runs of a group")
@click.argument("names", metavar="GROUPS", nargs=-1, required=True)
@wide_option
@json_option
@runs_dir_of_subcommand
def show(runs_dir: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Show the runs of GROUPS, folders, names of groups in --runs-dir, or `latest`, as they are now.

    Any process that can read a folder may ask, also while the group is being run.
    """
    groups = [_opened(runs_dir, name) for name in names]
    if as_json:
        from dataclasses import asdict

        print_json(
            [
                asdict(run.record) | ({} if run.record.has_ended else {"state": state.to_dict()})
                for opened in groups
                for run, state in zip(opened.runs, _states(opened), strict=True)
            ]
        )
        return
    for place, opened in enumerate(groups):
        if len(groups) > 1:
            print_text(f"{chr(10) * (place > 0)}{opened.name}", style="bold")
        _show(opened)


def _states(opened: RunGroup) -> list[RunState]:
    """Where the runs of a group stand, by their event logs and records, and by the queue that they wait in."""
    from mlebench.results.events import board_of

    states = board_of(opened).states()
    if opened.record is None or all(state.has_submission is not None for state in states):
        return states
    from mlebench.runs.executors.watching import with_reasons

    return with_reasons(opened.folder, opened.record, states)


def _show(opened: RunGroup) -> None:
    records, states = [run.record for run in opened.runs], _states(opened)
    header = ["competition", "seed", "status", "time", "peak memory", "submission", "reason"]
    rows: list[list[Any]] = [
        _ended_row(record) if record.has_ended else _unfinished_row(state)
        for record, state in zip(records, states, strict=True)
    ]
    print_table(
        header,
        rows,
        right=["seed", "time", "peak memory"],
        drop=["peak memory", "time"],
        wrap={"reason": 24},
        styles={"status": STATUS_STYLES},
    )
    if unfinished := [state for state in states if state.has_submission is None]:
        print_text(f"\n{_standing(unfinished, len(states))}")
    ended = [record for record in records if record.has_ended and record.has_conditions]
    if opened.is_published:
        print_text("\nAnother program made these runs: under which conditions is not recorded.")
    elif ended:
        sandboxes = _of_runs([(record.sandbox,) for record in ended if record.sandbox]) or "unknown"
        print_text(
            f"\nSandbox {sandboxes}; not promised: {_of_runs([record.not_promised for record in ended]) or 'nothing'}."
        )
        print_text(
            f"Differs from the published setup: {_of_runs([record.deviations for record in ended]) or 'in nothing'}."
        )


def _of_runs(phrases: Sequence[Sequence[str]]) -> str:
    """The phrases of all runs, each once; one that is not true of all says of how many it is."""
    counts = Counter(phrase for of_run in phrases for phrase in dict.fromkeys(of_run))
    total = len(phrases)
    return "; ".join(
        phrase if count == total else f"{phrase} ({count} of {counted(total, 'run')})"
        for phrase, count in counts.items()
    )


def _ended_row(record: RunRecord) -> list[Any]:
    peak = record.usage.get("peak_memory_bytes")
    return [
        record.competition_id,
        record.seed,
        record.status,
        format_seconds(record.usage.get("seconds")),
        format_bytes(peak) if peak else None,
        "sample" if record.sample_handed_in else record.submission is not None,
        record.error or "",
    ]


def _unfinished_row(state: RunState) -> list[Any]:
    about = [f"waiting for {state.waiting_for}" if state.waiting_for else state.phase or ""]
    if state.status == "running":
        about += [state.model_usage.in_words] if state.model_usage is not None else []
        about += [f"on {state.node}" if state.node else "", f"last sign of life {_ago(state)}"]
    memory = format_bytes(state.memory_bytes) if state.memory_bytes else None
    run = state.planned
    reason = ", ".join(phrase for phrase in about if phrase)
    return [run.competition_id, run.seed, state.status, format_seconds(state.seconds), memory, None, reason]


def _ago(state: RunState) -> str:
    """How long ago the process that executes a run last gave a sign of life."""
    from mlebench.files.writing import now

    if state.last_sign is None:
        return "unknown"
    return f"{format_seconds(max(0.0, (now() - state.last_sign).total_seconds()))} ago"


def _standing(unfinished: list[RunState], total: int) -> str:
    """A sentence on a group that has not ended."""
    running = [state for state in unfinished if state.status == "running"]
    waiting = len(unfinished) - len(running)
    counts = f"{len(running)} running, {waiting} waiting, {total - len(unfinished)} ended"
    seen = max((state for state in running if state.last_sign), key=lambda state: str(state.last_sign), default=None)
    return f"{counts}." if seen is None else f"{counts}; the last sign of life of a runner was {_ago(seen)}."


@group.command("logs", short_help="Print what the agents of a group have printed")
@click.argument("name", metavar="GROUP")
@click.option("-c", "--competition-id", help="Only runs on this competition.")
@click.option("--seed", type=int, help="Only runs with this seed.")
@click.option("--follow", is_flag=True, help="Go on as the log grows, until the run has ended.")
@runs_dir_of_subcommand
def logs(runs_dir: Path, name: str, competition_id: str | None, seed: int | None, follow: bool) -> None:
    """Print what the agents of GROUP (a folder, a name or `latest`) have printed."""
    opened = _opened(runs_dir, name)
    chosen = [
        run
        for run in opened.runs
        if competition_id in (None, run.record.competition_id) and seed in (None, run.record.seed)
    ]
    if not chosen:
        raise MlebenchError(f"{name} has no such run.", hint=f"`mlebench runs show {name}` lists its runs.")
    for run in chosen:
        if len(chosen) > 1:
            click.echo(f"== {run.record.competition_id}, seed {run.record.seed}")
        _print_log(run, follow)


def _print_log(run: Run, follow: bool) -> None:
    from mlebench.files.regular import is_regular, open_regular

    path, at = run.agent_log, 0
    decoder = getincrementaldecoder("utf-8")(errors="replace")  # a character may be cut in two by a block
    while True:
        run = run.reread()
        ended = run.record.has_ended
        if is_regular(path):
            with open_regular(path) as file:
                file.seek(at)
                while block := file.read(1 << 16):
                    at += len(block)
                    text = decoder.decode(block)
                    click.echo("".join(c if c.isprintable() or c in "\n\t" else " " for c in text), nl=False)
        if ended or not follow:
            return
        time.sleep(0.2)


group.add_command(watch.command)
