"""`mlebench runs`: which run groups there are, what became of their runs, and what they printed."""

from __future__ import annotations

import time
from codecs import getincrementaldecoder
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.wording import counted
from mlebench.cli.common import json_option, wide_option
from mlebench.cli.output import STATUS_STYLES, in_bytes, print_json, print_table, print_text
from mlebench.cli.quantities import in_time
from mlebench.cli.run import runs_dir_option, summary_of
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.runs.group import RunGroup


@click.group("runs", invoke_without_command=True, short_help="Look into run groups")
@runs_dir_option
@wide_option
@json_option
@click.pass_context
def group(context: click.Context, runs_dir: Path, as_json: bool) -> None:
    """List run groups; `runs show` and `runs logs` look into one."""
    context.obj = runs_dir
    if context.invoked_subcommand is not None:
        return
    from mlebench.runs.group import find_groups

    groups = find_groups(runs_dir, lambda problem: click.echo(f"warning: {problem}", err=True))
    rows = [
        {
            "run_group": each.record.run_group,
            "agent": each.record.agent,
            "created_at": each.record.created_at,
            "runs": len(each.record.plan),
            **summary_of(each),
        }
        for each in groups
    ]
    if as_json:
        print_json(rows)
        return
    header = ["group", "agent", "runs", "ended as", "submissions"]
    cells = [
        [each["run_group"], each["agent"], each["runs"], _listed(each["statuses"]), each["submissions"]]
        for each in rows
    ]
    print_table(
        header, cells, right=["runs", "submissions"], drop=["agent", "submissions", "runs"], wrap={"ended as": 16}
    )
    print_text(f"\n{counted(len(groups), 'run group')} in {runs_dir}.")


def _listed(statuses: dict[str, int]) -> str:
    return ", ".join(f"{count} {status}" for status, count in statuses.items())


def _opened(runs_dir: Path, name: str) -> RunGroup:
    from mlebench.runs.group import open_group

    return open_group(Path(name) if Path(name).is_dir() else runs_dir / name)


@group.command("show", short_help="Show what became of the runs of a group")
@click.argument("name", metavar="GROUP")
@wide_option
@json_option
@click.pass_obj
def show(runs_dir: Path, name: str, as_json: bool) -> None:
    """Show the runs of GROUP: a folder, or the name of a group in --runs-dir."""
    opened = _opened(runs_dir, name)
    records = opened.run_records()
    if as_json:
        from dataclasses import asdict

        print_json([asdict(record) for record in records])
        return
    header = ["competition", "seed", "status", "time", "peak memory", "submission", "reason"]
    rows: list[list[Any]] = [
        [
            record.competition_id,
            record.seed,
            record.status,
            in_time(record.usage.get("seconds")),
            in_bytes(record.usage["peak_memory_bytes"]) if record.usage.get("peak_memory_bytes") else None,
            "sample" if record.sample_handed_in else record.submission is not None,
            record.error or "",
        ]
        for record in records
    ]
    print_table(
        header,
        rows,
        right=["seed", "time", "peak memory"],
        drop=["peak memory", "time"],
        wrap={"reason": 24},
        styles={"status": STATUS_STYLES},
    )
    ended = next((record for record in records if record.has_ended), None)
    if ended is not None:
        print_text(f"\nSandbox {ended.sandbox}; not promised: {'; '.join(ended.not_promised) or 'nothing'}.")
        print_text(f"Differs from the published setup: {'; '.join(ended.deviations) or 'in nothing'}.")


@group.command("logs", short_help="Print what the agents of a group have printed")
@click.argument("name", metavar="GROUP")
@click.option("-c", "--competition-id", help="Only runs on this competition.")
@click.option("--seed", type=int, help="Only runs with this seed.")
@click.option("--follow", is_flag=True, help="Go on as the log grows, until the run has ended.")
@click.pass_obj
def logs(runs_dir: Path, name: str, competition_id: str | None, seed: int | None, follow: bool) -> None:
    """Print what the agents of GROUP have printed."""
    opened = _opened(runs_dir, name)
    chosen = [
        planned
        for planned in opened.record.plan
        if competition_id in (None, planned.competition_id) and seed in (None, planned.seed)
    ]
    if not chosen:
        raise MlebenchError(f"{name} has no such run.", hint=f"`mlebench runs show {name}` lists its runs.")
    for planned in chosen:
        if len(chosen) > 1:
            click.echo(f"== {planned.competition_id}, seed {planned.seed}")
        _print_log(opened, planned, follow)


def _print_log(opened: RunGroup, planned: Any, follow: bool) -> None:
    from mlebench.runs.execute import AGENT_LOG

    path, at = opened.folder_of(planned) / AGENT_LOG, 0
    decoder = getincrementaldecoder("utf-8")(errors="replace")  # a character may be cut in two by a block
    while True:
        ended = opened.run_record(planned).has_ended
        if path.is_file():
            with path.open("rb") as file:
                file.seek(at)
                while block := file.read(1 << 16):
                    at += len(block)
                    text = decoder.decode(block)
                    click.echo("".join(c if c.isprintable() or c in "\n\t" else " " for c in text), nl=False)
        if ended or not follow:
            return
        time.sleep(0.2)
