"""`mlebench agents`: which agents there are, what they need, whether one's own are sound, a skeleton for a new one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlebench.base.wording import counted
from mlebench.cli.common import GivenPath, json_option, wide_option
from mlebench.cli.output import print_error, print_json, print_table, print_text
from mlebench.cli.progress import show_progress

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


@group.command("show", short_help="What an agent is, needs and has installed")
@click.argument("name", metavar="NAME")
@agents_dir_option
@json_option
def show(name: str, agents_dirs: tuple[Path, ...], as_json: bool) -> None:
    """Show what the agent NAME is, what it needs, and whether its packages are installed."""
    from mlebench.agents import find_agent

    agent = find_agent(name, agents_dirs)
    if as_json:
        print_json(_facts(agent) | _details(agent))
        return
    for label, text in _lines(agent):
        print_text(f"{label + ':':<14} {text}")


@group.command("install", short_help="Install the packages of agents before their first run")
@click.argument("names", metavar="NAME", nargs=-1, required=True)
@click.option("--image", "as_image", is_flag=True, help="Build their images for the sandbox docker instead.")
@agents_dir_option
@json_option
def install(names: tuple[str, ...], as_image: bool, agents_dirs: tuple[Path, ...], as_json: bool) -> None:
    """Install what the agents NAME need on this machine; a run does it, too, if it is not done."""
    from mlebench.agents import find_agent
    from mlebench.agents.environments import announcement, python_of, require_programs

    agents = [find_agent(name, agents_dirs) for name in names]
    if as_image:
        _build_images(agents, as_json)
        return
    for agent in agents:  # whatever is missing is said before anything large is loaded
        require_programs(agent)
        if (note := announcement(agent)) and not as_json:
            print_text(note, err=True)
    with show_progress("Installing", "agent", total=len(agents), quiet=as_json):
        pythons = {agent.id: python_of(agent) for agent in agents}
    if as_json:
        print_json([{"agent": agent, "python": str(python)} for agent, python in pythons.items()])
        return
    for agent_id, python in pythons.items():
        print_text(f"{agent_id} runs with {python}.")


def _build_images(agents: Sequence[Agent], as_json: bool) -> None:
    from mlebench.runs.images import image_announcement, image_of
    from mlebench.sandbox.docker import IMAGE

    for note in filter(None, map(image_announcement, agents)):
        if not as_json:
            print_text(note, err=True)
    with show_progress("Building", "image", total=len(agents), quiet=as_json):
        images = {agent.id: image_of(agent) or IMAGE for agent in agents}
    if as_json:
        print_json([{"agent": agent_id, "image": image} for agent_id, image in images.items()])
        return
    for agent_id, image in images.items():
        print_text(f"{agent_id} runs in {image}.")


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
            if finding.severity != "note":
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
        print_json({"agent": name, "folder": str(folder), "files": sorted(str(path) for path in folder.iterdir())})
        return
    model = " --model-endpoint URL" if template == "react" else ""
    program = "solve.py" if template == "first" else "react.py"
    print_text(f"Wrote {folder}: config.yaml, start.sh and {program}, a small agent that works. Try it:")
    click.echo(f"  mlebench agents check {folder}")
    click.echo(f"  mlebench run --agent {name} --agents-dir {into} --split practice{model}")


def _lines(agent: Agent) -> list[tuple[str, str]]:
    """What a person is shown of an agent, line by line; what does not apply is left out."""
    from mlebench.base.amounts import format_bytes

    details = _details(agent)
    environment, notes = details["environment"], details["notes"]
    lines = [
        ("agent", agent.id + (f" (also {', '.join(agent.aliases)})" if agent.aliases else "")),
        ("what it does", agent.summary),
        ("folder", str(agent.folder or "")),
        ("start", " ".join([agent.start or "--command", *agent.arguments])),
        ("variables", ", ".join(f"{name}={value}" for name, value in agent.variables.items())),
        ("model", "calls one: give --model-endpoint, or keys in your environment" if agent.calls_model else ""),
        ("protocol", ", ".join(agent.protocols)),
        ("network", ", ".join(agent.network) or "none"),
        ("gpus", str(agent.gpus or "")),
        ("home", "must be /home: not in the sandbox process" if agent.needs_home else ""),
        ("privileged", "yes: needs --allow-privileged" if agent.privileged else ""),
        ("dockerfile", str(agent.dockerfile or "")),
        ("secrets", ", ".join(f"{name} ({_set(name, agent)})" for name in agent.secret_names)),
        ("programs", ", ".join(agent.programs)),
    ]
    if environment is not None:
        size = f", about {format_bytes(agent.size)}" if agent.size else ""
        lines += [
            ("python", str(environment["python"])),
            ("packages", f"{environment['packages']} with a version{size}"),
            ("installed", f"yes, in {environment['folder']}" if environment["installed"] else "no"),
        ]
    lines += [("disclosure", ", ".join(f"{name}: {value}" for name, value in agent.disclosure.items()))]
    return [line for line in lines if line[1]] + [("note", note) for note in notes]


def _set(name: str, agent: Agent) -> str:
    return "not set" if name in agent.missing_secrets() else "set"


def _details(agent: Agent) -> dict[str, Any]:
    """What `show` tells beyond the list: the environment, and what a user should know before a run."""
    from mlebench.agents import AgentError
    from mlebench.agents.environments import (
        environment_folder,
        is_built,
        missing_outside_image,
        packages_of,
        require_programs,
    )

    notes = [note for note in (missing_outside_image(agent),) if note]
    folder, installed = None, False
    try:
        require_programs(agent)
        folder, installed = environment_folder(agent), is_built(agent)
    except AgentError as error:
        notes.append(str(error))
    return {
        "aliases": list(agent.aliases),
        "calls_model": agent.calls_model,
        "protocols": list(agent.protocols),
        "start": agent.start,
        "arguments": list(agent.arguments),
        "variables": dict(agent.variables),
        "programs": list(agent.programs),
        "environment": None if not agent.has_environment else {
            "python": agent.python or "the version that mlebench runs with",
            "requirements": _text(agent.requirements),
            "without_dependencies": _text(agent.without_dependencies),
            "npm": _text(agent.npm),
            "packages": len(packages_of(agent)),
            "size_bytes": agent.size,
            "folder": _text(folder),
            "installed": installed,
        },
        "disclosure": dict(agent.disclosure),
        "notes": notes,
    }  # fmt: skip


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _row(agent: Agent) -> list[Any]:
    needs = [
        *(["/home"] if agent.needs_home else []),
        *(["an image"] if agent.dockerfile else []),
        *(["privileges"] if agent.privileged else []),
        *(["a model"] if agent.calls_model else []),
        *(["packages"] if agent.has_environment else []),
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
