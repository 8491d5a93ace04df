"""`mlebench agents`: which agents there are, whether one's own are sound, and a skeleton for a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text

if TYPE_CHECKING:
    from mlebench.agents import Agent
    from mlebench.base.findings import Finding

agents_dir_option = click.option(
    "--agents-dir",
    "agents_dirs",
    type=GivenPath(file_okay=False, exists=True),
    multiple=True,
    help="A folder with agents of your own (repeatable).",
)


@click.group("agents", invoke_without_command=True, short_help="Which agents there are; check or begin one of your own")
@agents_dir_option
@wide_option
@json_option
@click.pass_context
def group(context: click.Context, agents_dirs: tuple[Path, ...], as_json: bool) -> None:
    """List agents, or check and begin agents of your own."""
    if context.invoked_subcommand is not None:
        return
    from mlebench.agents import broken_manifests, list_agents

    agents = list_agents(agents_dirs)
    if as_json:
        print_json([_facts(agent) for agent in agents])
    else:
        header = ["id", "from", "network", "gpus", "needs", "what it does"]
        print_table(
            header,
            [_row(agent) for agent in agents],
            right=["gpus"],
            drop=["gpus", "network", "from"],
            wrap={"from": 16, "network": 12, "needs": 12, "what it does": 30},
        )
    for _, problem in broken_manifests(agents_dirs):
        print_error(problem, label="warning")


@group.command("check", short_help="Find mistakes in agents of your own")
@click.argument("folder", metavar="DIR", type=GivenPath(file_okay=False, exists=True))
@json_option
def check(folder: Path, as_json: bool) -> int:
    """Find mistakes in the agent, or the agents, in a folder DIR."""
    from mlebench.agents.checking import check_agents

    agents, findings = check_agents(folder)
    errors = [finding for finding in findings if finding.severity == "error"]
    if as_json:
        print_json({"agents": [_facts(agent) for agent in agents], "findings": [_finding(found) for found in findings]})
    else:
        for finding in findings:
            print_text(f"{finding.severity}: {finding.subject}: {finding.message}")
        names = ", ".join(agent.id for agent in agents)
        print_text(f"{counted(len(agents), 'sound agent')}{': ' if names else ''}{names}.")
    return 1 if errors else 0


@group.command("new", short_help="Write a small agent that works, to change")
@click.argument("name", metavar="NAME")
@click.option(
    "--into",
    type=GivenPath(file_okay=False),
    default=Path("agents"),
    show_default=True,
    help="The folder that holds your agents.",
)
@click.option("--template", default="first", show_default=True, help="What to begin with: first, or react.")
@json_option
def new(name: str, into: Path, template: str, as_json: bool) -> None:
    """Write a small agent NAME that works, to change step by step."""
    from mlebench.agents.new_agent import write_agent

    folder = write_agent(name, into, template)
    if as_json:
        print_json({"agent": name, "folder": str(folder), "files": sorted(str(each) for each in folder.iterdir())})
        return
    model = " --model-endpoint URL" if template == "react" else ""
    program = "solve.py" if template == "first" else "react.py"
    print_text(f"Wrote {folder}: config.yaml, start.sh and {program}, a small agent that works. Try it:")
    click.echo(f"  mlebench agents check {folder}")
    click.echo(f"  mlebench run --agent {name} --agents-dir {into} --split practice{model}")


def _row(agent: Agent) -> list[Any]:
    needs = [
        *(["/home"] if agent.needs_home else []),
        *(["an image"] if agent.dockerfile else []),
        *(["privileges"] if agent.privileged else []),
        *(["packages"] if agent.requirements else []),
        *agent.secret_names,
    ]
    place = "built in" if agent.built_in else str(agent.folder)
    return [agent.id, place, ", ".join(agent.network) or "none", agent.gpus, ", ".join(needs) or None, agent.summary]


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "level": finding.severity,
        "agent": finding.subject,
        "sentence": finding.message,
        "code": str(finding.code),
        "file": str(finding.evidence.file) if finding.evidence.file else None,
        "line": finding.evidence.line,
    }


def _facts(agent: Agent) -> dict[str, Any]:
    return {
        "id": agent.id,
        "built_in": agent.built_in,
        "folder": None if agent.folder is None else str(agent.folder),
        "summary": agent.summary,
        "network": list(agent.network) if agent.network and agent.network != ("full",) else (
            "full" if agent.network else "none"
        ),
        "gpus": agent.gpus,
        "needs_home": agent.needs_home,
        "privileged": agent.privileged,
        "dockerfile": None if agent.dockerfile is None else str(agent.dockerfile),
        "requirements": None if agent.requirements is None else str(agent.requirements),
        "secrets": list(agent.secret_names),
        "missing_secrets": list(agent.missing_secrets()),
    }  # fmt: skip
