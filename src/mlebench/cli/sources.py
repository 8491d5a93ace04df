"""Options and arguments of the commands that work on grading reports and run groups."""

from __future__ import annotations

import click

from mlebench.cli.common import GivenPath

sources_argument = click.argument("sources", metavar="REPORTS", nargs=-1, type=GivenPath())
partial_option = click.option("--partial", is_flag=True, help="Of groups still running, take the runs that have ended.")
pad_option = click.option("--pad-missing", is_flag=True, help="Count runs that are missing as failures.")
num_seeds_option = click.option("--num-seeds", type=click.IntRange(min=1), help="Use so many seeds, from the first.")
