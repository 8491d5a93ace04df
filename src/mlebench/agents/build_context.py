"""What an agent's image is built from where it has no dockerfile: a folder with what its manifest asks for."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from mlebench.agents.agent import Agent, AgentError

_INCLUDING = re.compile(r"^(-r|-c|--requirement|--constraint)[ =]\s*")
_CERTIFICATES = "certificates.pem"
_FOLDER_INSIDE = "/opt/mlebench-agent"  # where the Dockerfile puts the context
_READ_BY_INSTALLERS = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "npm_config_registry")
_NAMES_OF_CERTIFICATES = ("PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")


def write_build_context(agent: Agent, folder: Path) -> None:
    """Write the Dockerfile, its script and what the manifest of an agent asks for into an empty folder."""
    for name, content in _contents(agent).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def context_hash(agent: Agent, base_digest: str) -> str:
    """What changes when the image must be built anew: what is asked for, how it is installed, and the base image."""
    digest = hashlib.sha256(base_digest.encode())
    for name, content in sorted(_contents(agent).items()):
        digest.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\0".encode())
    return digest.hexdigest()[:16]


def build_arguments(folder: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The build arguments that let installers work as on this machine; its certificates are copied into the context.

    Indexes in folders of this machine are left out: a build cannot see them.
    """
    found = {name: value for name in _READ_BY_INSTALLERS if _is_remote(value := environment.get(name, ""))}
    for name in _NAMES_OF_CERTIFICATES:
        path = Path(environment.get(name, ""))
        if path.is_file():
            shutil.copyfile(path, folder / _CERTIFICATES)
            return found | dict.fromkeys(_NAMES_OF_CERTIFICATES, f"{_FOLDER_INSIDE}/{_CERTIFICATES}")
    return found


def _is_remote(addresses: str) -> bool:
    return bool(addresses.split()) and all("=http" in f"={address}" for address in addresses.split())


def _contents(agent: Agent) -> dict[str, bytes]:
    """The files of the context by their paths in it."""
    found: dict[str, bytes] = {}
    programs = [*agent.programs, *(("npm", "node") if agent.npm else ())]
    if programs:
        found["programs.txt"] = "".join(f"{name}\n" for name in programs).encode()
    if agent.python is not None:
        found["python.txt"] = f"{agent.python}\n".encode()
    for name, path in (
        ("requirements.txt", agent.requirements),
        ("without_dependencies.txt", agent.without_dependencies),
        ("package.json", agent.npm),
        ("package-lock.json", agent.npm.with_name("package-lock.json") if agent.npm else None),
    ):
        if path is not None:
            found[name] = _read(agent, path)
            if name.endswith(".txt"):
                found = _files_named_in(agent, path) | found
    ours = files("mlebench.agents").joinpath("image")
    return found | {name: ours.joinpath(name).read_bytes() for name in ("Dockerfile", "build.sh")}


def _files_named_in(agent: Agent, requirements: Path) -> dict[str, bytes]:
    """What lines such as `./package.whl` or `-r more.txt` name: files in the folder of the requirements, or below."""
    found: dict[str, bytes] = {}
    for line in _read(agent, requirements).decode("utf-8", "replace").splitlines():
        name = _INCLUDING.sub("", line.strip()).partition(" ")[0]
        path = Path(os.path.normpath(requirements.parent / name))
        if name and path.is_file() and path.is_relative_to(requirements.parent):
            found[path.relative_to(requirements.parent).as_posix()] = _read(agent, path)
    return found


def _read(agent: Agent, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AgentError(f"{path}, which the agent {agent.id} requires, cannot be read: {error.strerror}.") from None
