"""Images of agents: built once from the Dockerfile that a manifest names, on top of mlebench-env."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from mlebench.agents import Agent, AgentError
from mlebench.agents.environments import default_cache
from mlebench.files.locks import exclusive
from mlebench.runs.collect import PARTS
from mlebench.runs.instructions import AgentPaths
from mlebench.sandbox import SandboxError
from mlebench.sandbox.engine import docker, has_image

_BUILD_SECONDS = 4 * 3600.0
# What is in every home already, and never comes from an image.
_OURS = {*PARTS, "data", "instructions.txt", "instructions_obfuscated.txt", "validate_submission.sh"}


def image_of(agent: Agent, should_stop: Callable[[], bool] = lambda: False) -> str | None:
    """The image of an agent, built if there is none of its folder as it is now; None if it has no Dockerfile.

    Building it ends with a StoppedError when `should_stop` says so.
    """
    if agent.dockerfile is None or agent.folder is None:
        return None
    name = re.sub(r"[^a-z0-9]+", "-", agent.folder.resolve().name.lower()).strip("-") or "agent"
    tag = f"mlebench-agent-{name}:{_content_hash(agent.folder)}"
    if not has_image(tag):
        with exclusive(default_cache() / f"{tag.replace(':', '-')}.building"):
            if not has_image(tag):  # another run may have built it meanwhile
                _build(agent, agent.folder, agent.dockerfile, tag, should_stop)
    return tag


def _build(agent: Agent, folder: Path, dockerfile: Path, tag: str, should_stop: Callable[[], bool]) -> None:
    inside = AgentPaths()
    paths = {f"{part.upper()}_DIR": inside.below(part) for part in (*PARTS, "agent")}
    arguments = [part for key, path in paths.items() for part in ("--build-arg", f"{key}={path}")]
    try:
        # The host's network: a build may fetch packages, also where the engine has no bridge.
        docker(
            *("build", "--quiet", "--network", "host", "--tag", tag, "--file", str(dockerfile.resolve())),
            *arguments,
            str(folder.resolve()),
            seconds=_BUILD_SECONDS,
            should_stop=should_stop,
        )
    except SandboxError as error:
        raise AgentError(f"The image of the agent {agent.id} cannot be built: {error.sentence}") from error


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
