"""Images of agents on top of mlebench-env: built once, from the Dockerfile or the packages that a manifest names."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from mlebench.agents import Agent, AgentError
from mlebench.agents.build_context import build_arguments, context_hash, write_build_context
from mlebench.agents.environments import default_cache, installer_reason
from mlebench.base.amounts import format_bytes
from mlebench.base.progress import stage, task
from mlebench.files.locks import exclusive
from mlebench.runs.collect import PARTS
from mlebench.runs.instructions import AgentPaths
from mlebench.sandbox import SandboxError
from mlebench.sandbox.docker import IMAGE, DockerSandbox
from mlebench.sandbox.engine import docker, groups_of, has_image, image_digest, last_line

_AROUND_BUILD_OUTPUT = re.compile(r"\x1b\[[0-9;]*m|^#\d+ [0-9.]+ ")
_BUILD_SECONDS = 4 * 3600.0
# What is in every home already, and never comes from an image.
_OURS = {*PARTS, "data", "instructions.txt", "instructions_obfuscated.txt", "validate_submission.sh"}


def image_of(agent: Agent, should_stop: Callable[[], bool] = lambda: False) -> str | None:
    """The image of an agent, built if there is none of what it asks for now; None if the environment image will do.

    It is built from the Dockerfile that the manifest names, or else from the packages and programs that it asks for.
    Building it ends with a StoppedError when `should_stop` says so.
    """
    tag = _tag(agent)
    if tag is not None and not has_image(tag):
        with exclusive(default_cache() / f"{tag.replace(':', '-')}.building"):
            if not has_image(tag):  # another run may have built it meanwhile
                with task(agent.id), stage("install", "an image"):
                    _build(agent, tag, should_stop)
    return tag


def image_announcement(agent: Agent) -> str | None:
    """What a user should know before an image is built from a manifest: how large it is; None if there is nothing."""
    tag = _tag(agent)
    if tag is None or agent.dockerfile is not None or has_image(tag):
        return None
    size = f", about {format_bytes(agent.size)} more than {IMAGE}" if agent.size else ""
    return f"The image of the agent {agent.id} is built once{size}."


def _tag(agent: Agent) -> str | None:
    """The name of an agent's image, which says all that decides its content; None if it has none of its own."""
    if agent.dockerfile is not None and agent.folder is not None:
        return f"mlebench-agent-{_image_name(agent.folder.resolve().name)}:{_content_hash(agent.folder)}"
    if not agent.has_environment:
        return None
    base = image_digest(IMAGE)
    if base is None:
        why = DockerSandbox().availability().why
        raise AgentError(f"The image of the agent {agent.id} cannot be built: {why}.", hint="See mlebench doctor.")
    return f"mlebench-environment-{_image_name(agent.id)}:{context_hash(agent, base)}"


def _image_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "agent"


def _build(agent: Agent, tag: str, should_stop: Callable[[], bool]) -> None:
    if agent.dockerfile is not None and agent.folder is not None:
        inside = AgentPaths()
        paths = {f"{part.upper()}_DIR": inside.below(part) for part in (*PARTS, "agent")}
        _build_context(agent, agent.folder.resolve(), agent.dockerfile.resolve(), tag, paths, should_stop)
        return
    with tempfile.TemporaryDirectory(prefix="mlebench-image-") as scratch:
        folder = Path(scratch)
        write_build_context(agent, folder)
        arguments = {"BASE_IMAGE": IMAGE, **build_arguments(folder)}
        _build_context(agent, folder, folder / "Dockerfile", tag, arguments, should_stop)


def _build_context(
    agent: Agent,
    folder: Path,
    dockerfile: Path,
    tag: str,
    arguments: Mapping[str, str],
    should_stop: Callable[[], bool],
) -> None:
    # The host's network: a build may fetch packages, also where the engine has no bridge. Values go by the environment,
    # as other users can see a command line.
    options = ["build", "--quiet", "--network", "host", "--tag", tag, "--file", str(dockerfile)]
    try:
        docker(
            *options,
            *groups_of(list(arguments), "--build-arg"),
            str(folder),
            environment=arguments,
            seconds=_BUILD_SECONDS,
            should_stop=should_stop,
            complaint_in=last_line if agent.dockerfile is not None else _complaint_of_installer,
        )
    except SandboxError as error:
        raise AgentError(f"The image of the agent {agent.id} cannot be built: {error.sentence}") from error


def _complaint_of_installer(output: str) -> str:
    """Why our own build failed: what the installer said, without colours and what the engine wrote around it."""
    lines = (_AROUND_BUILD_OUTPUT.sub("", line) for line in output.splitlines())
    said = "\n".join(line for line in lines if not line.startswith(("The command '/bin/sh", "ERROR: failed to")))
    return f"{installer_reason(said)}."


def _content_hash(folder: Path) -> str:
    """A hash of all files in a folder, by name and content."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(f"{path.relative_to(folder)}\0{path.stat().st_mode & 0o111}\0".encode("utf-8", "replace"))
            with path.open("rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


def add_image_files(image: str, home: Path) -> None:
    """Bring what an image has below /home into a home, which hides it there: agents are installed in /home/agent."""
    container = docker("create", "--network", "none", "--pull", "never", image, "true").strip()
    try:
        with tempfile.TemporaryDirectory(prefix=".image-", dir=home.parent) as scratch:
            try:
                docker("cp", f"{container}:/home/.", scratch, seconds=3600)
            except SandboxError:  # there is no /home in it
                return
            for path in Path(scratch).iterdir():
                if path.name in _OURS:
                    continue
                if path.is_dir() and not path.is_symlink():
                    shutil.copytree(path, home / path.name, symlinks=True, dirs_exist_ok=True)
                elif not (home / path.name).exists():
                    shutil.copy2(path, home / path.name, follow_symlinks=False)
    finally:
        docker("rm", "--force", container)
