"""The environment that an agent runs with where it has no image: our own Python, or one made for it.

One is made from what a manifest asks for (a Python, packages, packages without their dependencies, npm packages), once
for all runs: it is kept under a hash of exactly that. Programs are not installed; they must be on the machine.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from mlebench.agents.agent import Agent, AgentError
from mlebench.agents.interpreters import base_python, find_uv, full_version
from mlebench.base.amounts import format_bytes
from mlebench.base.processes import StoppedError, run_apart
from mlebench.base.progress import measured, stage, task

_FORM = "2"  # of an environment; another number makes all of them anew
_READY = ".ready"  # written last: an environment without it is half made
_LOCKED = ".making"
_LOOK_EVERY = 0.5  # seconds between two looks whether to go on waiting for another process
_ROOM = 1.2  # times its size that an environment needs while it is made
_LONGEST_REASON = 400  # characters of what an installer says that are quoted


def default_cache() -> Path:
    """Where environments of agents are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("mlebench") / "agents"


def python_of(agent: Agent, cache: Path | None = None, should_stop: Callable[[], bool] = lambda: False) -> Path:
    """The interpreter for an agent; what it requires is installed once and kept for later runs.

    The environment depends on what the manifest asks for and on the version of Python, nothing else. Several processes
    may ask at the same time: one makes it, the others wait. Installing and waiting end with a StoppedError when
    `should_stop` says so.
    """
    require_programs(agent)
    if not agent.has_environment:
        return Path(sys.executable)
    base = base_python(agent)
    folder = _folder(agent, base, cache)
    python = folder / "bin" / "python"
    if _is_ready(folder):
        return python
    with _only_one(folder, should_stop):
        if not _is_ready(folder):
            _require_room(agent, folder)
            _discard_half_made(folder.parent)
            try:
                with (
                    task(agent.id),
                    stage("install", "packages", total=agent.size, unit="bytes") as installing,
                    measured(installing, lambda: _size_below(folder)),
                ):
                    _make(agent, base, folder, should_stop)
            except BaseException:  # also when interrupted: nothing half made stays
                shutil.rmtree(folder, ignore_errors=True)
                raise
    return python


def is_built(agent: Agent, cache: Path | None = None) -> bool:
    """Whether there is nothing left to install for an agent; a Python that is missing here is an AgentError."""
    return not agent.has_environment or _is_ready(_folder(agent, base_python(agent), cache))


def environment_folder(agent: Agent, cache: Path | None = None) -> Path | None:
    """Where the environment of an agent is, or will be; None if it needs none."""
    return _folder(agent, base_python(agent), cache) if agent.has_environment else None


def packages_of(agent: Agent) -> list[str]:
    """The Python packages with a version that an agent's requirements name, as `name==version`."""
    found = []
    for path in (agent.requirements, agent.without_dependencies):
        if path is not None:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [line.split()[0] for line in lines if "==" in line and line[:1].isalnum()]
    return found


def announcement(agent: Agent, cache: Path | None = None) -> str | None:
    """What a user should know before an environment is made: how large it is, and where; None if there is nothing."""
    if is_built(agent, cache):
        return None
    size = f", about {format_bytes(agent.size)}" if agent.size else ""
    return f"The packages of the agent {agent.id} are installed once{size}, into {(cache or default_cache())}."


def missing_outside_image(agent: Agent) -> str | None:
    """What to say of an agent whose programs only its image has; None if there is nothing to say."""
    if agent.dockerfile is None or agent.has_environment:
        return None
    return (
        f"The agent {agent.id} has a dockerfile and names no requirements: what its image would install is missing "
        "outside docker."
    )


def require_programs(agent: Agent) -> None:
    """Raise an AgentError if a program that the agent needs is not on this machine."""
    wanted = (*agent.programs, *(["npm", "node"] if agent.npm else []))
    if missing := [name for name in wanted if shutil.which(name) is None]:
        are = "is" if len(missing) == 1 else "are"
        raise AgentError(
            f"The agent {agent.id} needs {', '.join(missing)}, which {are} not on this machine.",
            hint="Install it, for example with the package manager of the system.",
        )


def readable_folders(python: Path) -> tuple[Path, ...]:
    """What a sandbox must show of an interpreter that is not ours: its environment, and the Python it was made from."""
    environment = python.parent.parent
    folders = [environment]
    with suppress(OSError):
        for line in (environment / "pyvenv.cfg").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "home":
                folders.append(Path(value.strip()).resolve().parent)
    return tuple(folders)


def _folder(agent: Agent, base: Path, cache: Path | None) -> Path:
    digest = hashlib.sha256()
    # One that is made of packages leads to the Python behind ours; one without to ours itself.
    place = "" if _has_packages(agent) else sys.executable
    for text in (_FORM, full_version(base), place):
        digest.update(text.encode() + b"\0")
    lock = agent.npm.with_name("package-lock.json") if agent.npm else None
    for path in (agent.requirements, agent.without_dependencies, agent.npm, lock):
        digest.update((path.read_bytes() if path else b"") + b"\0")
    return (cache or default_cache()).absolute() / digest.hexdigest()[:16]


def _has_packages(agent: Agent) -> bool:
    """Whether it has a Python of its own, and not npm packages alone."""
    return any((agent.requirements, agent.without_dependencies, agent.python))


def _is_ready(folder: Path) -> bool:
    return (folder / _READY).is_file() and (folder / "bin" / "python").exists()


@contextmanager
def _only_one(folder: Path, should_stop: Callable[[], bool]) -> Iterator[None]:
    """Hold the lock of an environment, which another process may have; waiting ends when `should_stop` says so."""
    from filelock import FileLock, Timeout

    holder = folder.with_name(f"{folder.name}{_LOCKED}")
    holder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(holder / ".lock")
    while True:
        try:
            lock.acquire(timeout=_LOOK_EVERY)
            break
        except Timeout:
            if should_stop():
                raise StoppedError from None
    try:
        yield
    finally:
        lock.release()


def _discard_half_made(cache: Path) -> None:
    """Remove what a builder left that was killed: not ready, and nobody has its lock."""
    from filelock import FileLock, Timeout

    for holder in cache.glob(f"*{_LOCKED}"):
        folder = holder.with_name(holder.name.removesuffix(_LOCKED))
        if folder.is_dir() and not _is_ready(folder):
            with suppress(Timeout), FileLock(holder / ".lock", timeout=0):
                shutil.rmtree(folder, ignore_errors=True)


def _require_room(agent: Agent, folder: Path) -> None:
    if agent.size is None:
        return
    free = shutil.disk_usage(folder.parent).free
    if free < _ROOM * agent.size:
        raise AgentError(
            f"The packages of the agent {agent.id} take about {format_bytes(agent.size)}, and {folder.parent} has "
            f"{format_bytes(free)} left.",
            hint="Make room, or set XDG_CACHE_HOME to a folder on another disk.",
        )


def _make(agent: Agent, base: Path, folder: Path, should_stop: Callable[[], bool]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    uv = find_uv()
    packages = [path for path in (agent.requirements, agent.without_dependencies) if path is not None]
    if _has_packages(agent):
        create = [uv, "venv", "--quiet", "--no-project"] if uv else [str(base), "-m", "venv"]
        python_option = ["--python", str(base)] if uv else []
        _do(agent, [*create, *python_option, str(folder)], base, should_stop)
        for path in packages:
            alone = ["--no-deps"] if path == agent.without_dependencies else []
            _do(agent, [*_installer(uv, folder), *alone, "-r", str(path.absolute())], path, should_stop)
    else:
        _link_own_python(folder)
    if agent.npm is not None:
        _install_npm(agent, agent.npm, folder, should_stop)
    (folder / _READY).touch()


def _installer(uv: str | None, folder: Path) -> list[str]:
    python = str(folder / "bin" / "python")
    if uv is None:
        return [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]
    # Compiled now, since a sandbox cannot write to it: else every run compiles all that it imports.
    return [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python]


def _link_own_python(folder: Path) -> None:
    """An environment without packages of its own has the Python of mlebench; a link would lose that one's packages."""
    (folder / "bin").mkdir(parents=True)
    for name in ("python", "python3"):
        (folder / "bin" / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
        (folder / "bin" / name).chmod(0o755)


def _install_npm(agent: Agent, package: Path, folder: Path, should_stop: Callable[[], bool]) -> None:
    """Install what package-lock.json says, running no script of any package, and put its programs beside Python's."""
    where = folder / "npm"
    where.mkdir()
    for path in (package, package.with_name("package-lock.json")):
        shutil.copy(path, where)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    _do(agent, command, package, should_stop, folder=where)
    for program in sorted((where / "node_modules" / ".bin").glob("*")):
        link = folder / "bin" / program.name
        if not link.exists():
            link.symlink_to(os.path.relpath(program, link.parent))


def _do(
    agent: Agent, command: Sequence[str], source: Path, should_stop: Callable[[], bool], folder: Path | None = None
) -> None:
    """Run one step of making an environment; one that fails is an AgentError with the reason that it gave."""
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    environment.pop("VIRTUAL_ENV", None)
    done = run_apart(command, should_stop=should_stop, folder=folder or source.parent, environment=environment)
    if done.returncode == 0:
        return
    reason = installer_reason(done.stderr or done.stdout)
    raise AgentError(
        f"The packages that the agent {agent.id} requires cannot be installed: {reason}.",
        hint=f"They are listed in {source}." if source.is_file() and os.access(source, os.R_OK) else None,
    )


def installer_reason(text: str) -> str:
    """What an installer gives as the reason: after pip's ERROR, npm's error, or uv's cross, on one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if line.startswith("×"):
            return _one_line(lines[number:])
        for mark in ("ERROR:", "error:", "npm error", "npm ERR!"):
            if line.startswith(mark) and not line.removeprefix(mark).strip().startswith("code "):
                return _one_line([line.removeprefix(mark), *(lines[number + 1 :] if mark == "error:" else [])])
    return _one_line(lines[-1:] or ["no reason given"])


def _one_line(lines: Sequence[str]) -> str:
    text = " ".join(line.lstrip("×╰─▶│├ ").strip() for line in lines)
    return text.strip().rstrip(".")[:_LONGEST_REASON]


def _size_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(parent) / name).lstat().st_size
    return total
