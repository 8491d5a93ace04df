"""What images of agents are built from, where manifests name packages and no dockerfile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.agents import Agent, find_agent
from mlebench.agents.build_context import build_arguments, context_hash, write_build_context


def written(agent: Agent, folder: Path) -> dict[str, str]:
    folder.mkdir()
    write_build_context(agent, folder)
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


@pytest.mark.parametrize(
    ("agent_id", "names"),
    [
        ("aide", {"requirements.txt", "without_dependencies.txt"}),
        ("openhands", {"requirements.txt", "python.txt"}),
        ("claude-code", {"requirements.txt"}),
    ],
)
def test_a_context_has_what_the_manifest_asks_for_and_nothing_of_the_agent(
    agent_id: str, names: set[str], tmp_path: Path
) -> None:
    agent = find_agent(agent_id)
    found = written(agent, tmp_path / "context")
    assert set(found) == names | {"Dockerfile", "build.sh"}
    assert agent.requirements is not None
    assert found["requirements.txt"] == agent.requirements.read_text()
    assert found.get("python.txt") == (f"{agent.python}\n" if agent.python else None)


def test_programs_npm_and_files_that_requirements_name(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "wheels").mkdir(parents=True)
    for name, text in {
        "requirements.txt": "-r more.txt\n./wheels/tool.whl --hash=sha256:00\nidna==3.7\n../outside.txt\n",
        "more.txt": "# none\n",
        "wheels/tool.whl": "wheel",
        "package.json": "{}",
        "package-lock.json": "{ }",
        "../outside.txt": "not in the folder of the requirements",
    }.items():
        (folder / name).write_text(text)
    agent = Agent(
        "mine", folder, requirements=folder / "requirements.txt", npm=folder / "package.json", programs=("git",)
    )
    found = written(agent, tmp_path / "context")
    assert set(found) - {"Dockerfile", "build.sh"} == {
        *("requirements.txt", "more.txt", "wheels/tool.whl", "package.json", "package-lock.json", "programs.txt")
    }
    assert found["programs.txt"].split() == ["git", "npm", "node"]


def test_the_hash_follows_what_is_installed_and_the_base_image(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("idna==3.7\n")
    agent = Agent("mine", tmp_path, requirements=requirements)
    first = context_hash(agent, "sha256:1")
    (tmp_path / "start.sh").write_text("echo another agent\n")
    assert context_hash(agent, "sha256:1") == first
    assert len({first, context_hash(agent, "sha256:2"), context_hash(replace(agent, python="3.12"), "sha256:1")}) == 3
    requirements.write_text("idna==3.8\n")
    assert context_hash(agent, "sha256:1") != first


def test_installers_work_as_on_this_machine(tmp_path: Path) -> None:
    """Indexes go by build arguments, certificates by the context; folders of this machine mean nothing inside."""
    certificates = tmp_path / "ours.pem"
    certificates.write_text("certificates")
    folder = tmp_path / "context"
    folder.mkdir()
    environment = {
        "PIP_INDEX_URL": "https://packages.example/simple",
        "PIP_EXTRA_INDEX_URL": "file:///opt/packages",
        "UV_INDEX": "own=https://packages.example/more",
        "SSL_CERT_FILE": str(certificates),
    }
    inside = "/opt/mlebench-agent/certificates.pem"
    assert build_arguments(folder, environment) == {
        "PIP_INDEX_URL": "https://packages.example/simple",
        "UV_INDEX": "own=https://packages.example/more",
        **dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"), inside),
    }
    assert (folder / "certificates.pem").read_text() == "certificates"
    (folder / "certificates.pem").unlink()
    assert build_arguments(folder, {}) == {} and not list(folder.iterdir())
