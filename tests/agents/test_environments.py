"""Environments of agents: made once from exactly what a manifest asks for, by uv or pip, whole or not at all."""

from __future__ import annotations

import shutil
import subprocess
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.agents import Agent, AgentError
from mlebench.agents import environments as environments_module
from mlebench.agents.environments import announcement, is_built, python_of, readable_folders, require_programs
from mlebench.agents.interpreters import base_python, find_uv
from mlebench.base.processes import StoppedError
from mlebench.base.progress import Step, listening


def wheel(folder: Path, name: str, requires: str = "") -> Path:
    """A tiny package that can be installed without a network."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", "answer = 42\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needs}")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def agent_with(folder: Path, *names: str, **fields: object) -> Agent:
    """An agent that requires tiny packages, by the names of their files."""
    requirements = folder / "requirements.txt"
    requirements.write_text("".join(f"./{name}\n" for name in names))
    return Agent("mine", folder, requirements=requirements, **fields)  # type: ignore[arg-type]


def answer(python: Path, module: str) -> str:
    done = subprocess.run(
        [str(python), "-I", "-c", f"import {module}; print({module}.answer)"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_packages_with_and_without_their_dependencies(
    installer: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if installer == "pip":
        monkeypatch.setattr(environments_module, "find_uv", lambda: None)
    elif find_uv() is None:
        pytest.skip("uv is not installed")
    alone = tmp_path / "alone.txt"
    alone.write_text(f"./{wheel(tmp_path, 'greedy', 'no-such-package-anywhere').name}\n")
    agent = agent_with(tmp_path, wheel(tmp_path, "tiny_thing").name, without_dependencies=alone)
    heard: list[Step] = []
    with listening(heard.append):
        python = python_of(agent, cache)
    assert (answer(python, "tiny_thing"), answer(python, "greedy")) == ("42", "42")
    assert ("mine", "install") in {(step.task, step.stage) for step in heard}
    assert python_of(agent, cache) == python
    if installer == "uv":  # what a sandbox cannot write is compiled before
        assert list(python.parents[1].glob("lib/*/site-packages/__pycache__/tiny_thing*.pyc"))


def test_what_does_not_resolve_is_one_sentence_and_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    agent = agent_with(tmp_path, "no_such_file-1.0-py3-none-any.whl")
    with pytest.raises(AgentError, match=r"requires cannot be installed: .*no_such_file.*requirements\.txt") as caught:
        python_of(agent, cache)
    assert "\n" not in str(caught.value)
    assert [path for path in cache.iterdir() if not path.name.endswith(".making")] == []
    assert not is_built(agent, cache)


def test_a_hash_that_differs_is_refused(tmp_path: Path, cache: Path) -> None:
    path = wheel(tmp_path, "tiny_thing")
    agent = agent_with(tmp_path)
    assert agent.requirements is not None
    agent.requirements.write_text(f"tiny_thing @ {path.as_uri()} --hash=sha256:{'0' * 64}\n")
    with pytest.raises(AgentError, match=r"(?i)hash"):
        python_of(agent, cache)


def test_several_at_once_make_it_once(tmp_path: Path, cache: Path) -> None:
    agent = agent_with(tmp_path, wheel(tmp_path, "tiny_thing").name)
    found: list[tuple[Path, int]] = []

    def make() -> None:
        python = python_of(agent, cache)
        found.append((python, (python.parents[1] / ".ready").stat().st_mtime_ns))

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert len(set(found)) == 1


def test_waiting_for_another_builder_can_be_stopped(tmp_path: Path, cache: Path) -> None:
    from filelock import FileLock

    agent = agent_with(tmp_path, wheel(tmp_path, "tiny_thing").name)
    folder = environments_module.environment_folder(agent, cache)
    assert folder is not None
    holder = folder.with_name(f"{folder.name}.making")
    holder.mkdir(parents=True)
    with FileLock(holder / ".lock"), pytest.raises(StoppedError):
        python_of(agent, cache, should_stop=lambda: True)


def test_an_interrupted_builder_leaves_nothing_half_made(tmp_path: Path, cache: Path) -> None:
    agent = agent_with(tmp_path, wheel(tmp_path, "tiny_thing").name)
    folder = environments_module.environment_folder(agent, cache)
    assert folder is not None

    def interrupt(*_: object, **__: object) -> None:
        (folder / "bin").mkdir(parents=True)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environments_module, "_make", interrupt)
        with pytest.raises(KeyboardInterrupt):
            python_of(agent, cache)
    assert not folder.exists()
    killed = cache / "0123456789abcdef"  # a builder that was killed cannot clean up; the next one does
    (killed / "bin").mkdir(parents=True)
    (cache / "0123456789abcdef.making").mkdir()
    assert answer(python_of(agent, cache), "tiny_thing") == "42"
    assert not killed.exists()


def test_what_is_missing_on_the_machine_is_named(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(AgentError, match=r"needs Python 3\.99, which is not on this machine.*uv python install 3\.99"):
        python_of(Agent("mine", tmp_path, python="3.99"), cache)
    with pytest.raises(AgentError, match=r"needs Python from 3\.98"):
        base_python(Agent("mine", tmp_path, python=">=3.98"))
    with pytest.raises(AgentError, match="needs no-such-program, which is not on this machine"):
        require_programs(Agent("mine", tmp_path, programs=("bash", "no-such-program")))
    agent = agent_with(tmp_path, wheel(tmp_path, "tiny_thing").name, size=1 << 60)
    with pytest.raises(AgentError, match=r"take about 1048576 TiB, and .* has .* left"):
        python_of(agent, cache)
    assert announcement(agent, cache) == (
        f"The packages of the agent mine are installed once, about 1048576 TiB, into {cache}."
    )


def other_python() -> str | None:
    """A version of Python on this machine that is not ours, and not where programs of the system are."""
    for version in ("3.12", "3.13", "3.11"):
        try:
            path = base_python(Agent("mine", python=version)).resolve()
        except AgentError:
            continue
        if path != Path(shutil.which("python3") or "").resolve() and not path.is_relative_to("/usr"):
            return version
    return None


def test_another_python(tmp_path: Path, cache: Path) -> None:
    version = other_python()
    if version is None:
        pytest.skip("there is no other Python on this machine")
    python = python_of(Agent("mine", tmp_path, python=version), cache)
    done = subprocess.run([str(python), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"Python {version}.")
    folders = readable_folders(python)
    assert folders[0] == python.parents[1]
    assert python.resolve().is_relative_to(folders[1]), "a sandbox must show the Python behind the environment"


def test_npm_packages(tmp_path: Path, cache: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    source = tmp_path / "tiny"
    source.mkdir()
    (source / "package.json").write_text('{"name": "tiny-tool", "version": "1.0.0", "bin": {"tiny-tool": "tool.js"}}')
    (source / "tool.js").write_text("#!/usr/bin/env node\nconsole.log('tool says 42')\n")
    subprocess.run(["npm", "pack", "--silent"], cwd=source, check=True, capture_output=True)
    package = tmp_path / "package.json"
    package.write_text(f'{{"dependencies": {{"tiny-tool": "file:{source}/tiny-tool-1.0.0.tgz"}}}}')
    command = ["npm", "install", "--package-lock-only", "--no-audit", "--no-fund", "--offline"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    python = python_of(Agent("mine", tmp_path, npm=package), cache)
    done = subprocess.run([str(python.with_name("tiny-tool"))], capture_output=True, text=True, check=True)
    assert done.stdout == "tool says 42\n"
    code = "import pandas; print('pandas')"  # without packages of its own it has those of mlebench
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "pandas\n"


def test_the_key_is_what_was_asked_for(tmp_path: Path, cache: Path) -> None:
    agent = agent_with(tmp_path, "a.whl")
    folder: Callable[[Agent], Path | None] = lambda given: environments_module.environment_folder(given, cache)  # noqa: E731
    first = folder(agent)
    other = tmp_path / "other"
    other.mkdir()
    assert folder(agent_with(other, "a.whl")) == first, "agents that ask for the same share it"
    assert folder(agent_with(other, "b.whl")) != first
    assert folder(Agent("mine", other)) is None
