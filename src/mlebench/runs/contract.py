"""The contract that an agent sees: its home, with data, instructions and places to write, and its variables.

It is that of the published benchmark, so that existing agents run unchanged. Where a sandbox cannot make `/home`, the
same tree lies at its true path, and variables and instructions name that.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from mlebench.agents import Agent, AgentError
from mlebench.agents.environments import readable_folders
from mlebench.competition.local import LocalCompetition
from mlebench.errors import MlebenchError
from mlebench.files.hostile import discard
from mlebench.files.writing import write_json
from mlebench.runs.collect import PARTS
from mlebench.runs.instructions import AgentPaths, Conditions, instructions
from mlebench.runs.material import MATERIAL
from mlebench.sandbox.interface import CONDA

_NEVER_COPIED = {"__pycache__", ".git", ".venv"}


@dataclass(frozen=True)
class Home:
    """An agent's home, ready to be started in.

    `folder` is on the host; `command` and `environment` hold paths as the agent sees them. `secrets` are texts to mask
    in everything it prints, `readable` folders of the host that it must be able to read. `competition_id` is what the
    agent is told, which is opaque where names are hidden.
    """

    folder: Path
    paths: AgentPaths
    competition_id: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    secrets: tuple[str, ...] = ()
    readable: tuple[Path, ...] = ()


def make_home(
    folder: Path,
    competition: LocalCompetition,
    agent: Agent,
    conditions: Conditions | None = None,
    *,
    paths: AgentPaths | None = None,
    python: Path | None = None,
    services: Mapping[str, str] = MappingProxyType({}),
    environment: Mapping[str, str] = os.environ,
) -> Home:
    """Make the home of an agent at `folder`, which is replaced, and say how to start the agent there.

    `paths` are the paths inside; where there is no `/home`, they are true paths. `python` is the interpreter that the
    agent finds first on its PATH, None where an image brings its own. `services` are the variables that tell it about
    services of the host. Secrets are looked up in `environment`.
    """
    conditions, paths = conditions or Conditions(), paths or AgentPaths()
    _require_paths(agent, competition, conditions, paths)
    start = agent.starting(paths.below("agent"), environment)
    discard(folder)
    folder.mkdir(parents=True)
    for name in PARTS:
        (folder / name).mkdir()
    if paths.data == paths.below("data"):
        (folder / "data").mkdir()  # the sandbox mounts the data there
    else:
        (folder / "data").symlink_to(paths.data)
    if paths.material == paths.below(MATERIAL):
        (folder / MATERIAL).mkdir()  # the sandbox mounts it there
    elif paths.material is not None:
        (folder / MATERIAL).symlink_to(paths.material)
    if agent.folder is None:
        (folder / "agent").mkdir()
    else:
        left_out = _left_out(folder, competition)
        shutil.copytree(agent.folder, folder / "agent", symlinks=True, ignore=left_out)
        for included in agent.includes:
            shutil.copytree(included, folder / "agent", symlinks=True, ignore=left_out, dirs_exist_ok=True)
    named = instructions(paths, conditions, competition=competition.name)
    anonymous = instructions(paths, conditions, competition=None)
    (folder / "instructions.txt").write_text(anonymous if conditions.obfuscate else named, encoding="utf-8")
    (folder / "instructions_obfuscated.txt").write_text(anonymous, encoding="utf-8")
    script = files("mlebench.services").joinpath("inside/validate_submission.sh").read_text(encoding="utf-8")
    (folder / "validate_submission.sh").write_text(script, encoding="utf-8")
    (folder / "validate_submission.sh").chmod(0o755)
    competition_id = f"competition-{secrets.token_hex(4)}" if conditions.obfuscate else competition.id
    variables = {
        **start.environment,
        "COMPETITION_ID": competition_id,
        "SEED": str(conditions.seed),
        "DATA_DIR": paths.data,
        **{f"{name.upper()}_DIR": paths.below(name) for name in (*PARTS, "agent")},
        **({} if paths.material is None else {"MATERIAL_DIR": paths.material}),
        **services,
        **_limits(conditions, start.environment),
    }
    if python is not None:
        _add_conda(folder)
        programs = [paths.below(f"{CONDA}/bin"), str(python.parent), environment.get("PATH", os.defpath)]
        variables["PATH"] = os.pathsep.join(programs)
    (folder / ".profile").write_text(_profile(variables.get("PATH")), encoding="utf-8")
    own_python = python is not None and python != Path(sys.executable)
    return Home(
        folder=folder,
        paths=paths,
        competition_id=competition_id,
        command=start.command,
        environment=variables,
        secrets=start.secrets,
        readable=readable_folders(python) if python is not None and own_python else (),
    )


def _profile(path: str | None) -> str:
    """What a login shell reads after /etc/profile, which sets PATH anew: else `bash -lc` loses the agent's Python.

    The PATH that it was started with comes first, then the one that is known here; an image has one that is not.
    """
    kept = "" if path is None else shlex.quote(path)
    return _PROFILE.replace("KNOWN", kept)


_PROFILE = """\
_path=$(tr '\\0' '\\n' < /proc/$$/environ 2> /dev/null | sed -n 's/^PATH=//p' | head -n 1)
_known=KNOWN
PATH=${_path:-${_known:-$PATH}}
export PATH
unset _path _known
"""


def _add_conda(home: Path) -> None:
    """Put the image's command `conda` into a home; its environment `agent` is the Python that the agent finds first."""
    folder = home / CONDA / "bin"
    folder.mkdir(parents=True)
    for source in files("mlebench.sandbox").joinpath("image/conda").iterdir():
        (folder / source.name).write_bytes(source.read_bytes())
        (folder / source.name).chmod(0o755)


def _left_out(home: Path, competition: LocalCompetition) -> Callable[[str, list[str]], set[str]]:
    """What is not copied into a home, for `--code .` in a folder that also holds data and runs.

    Nothing that the home itself is in, and no data of competitions, wherever it is: answers are part of it.
    """
    home, data = home.resolve(), competition.data_dir.resolve()

    def is_left_out(path: Path) -> bool:
        if path.name in _NEVER_COPIED or home.is_relative_to(path) or path == data:
            return True
        return (path.name == "private" and path.with_name("public").is_dir()) or any(path.glob("prepared*/public"))

    def ignored(parent: str, names: list[str]) -> set[str]:
        folder = Path(parent).resolve()
        return {name for name in names if is_left_out(folder / name)}

    return ignored


def _require_paths(agent: Agent, competition: LocalCompetition, conditions: Conditions, paths: AgentPaths) -> None:
    if agent.needs_home and paths.home != "/home":
        raise AgentError(
            f"The agent {agent.id} needs its home to be /home, which this sandbox cannot make.",
            hint="Use --sandbox bubblewrap or docker; an agent that does not need it says `needs_home: false`.",
        )
    if conditions.obfuscate and paths.home != "/home":
        raise MlebenchError(
            "The name of a competition cannot be hidden in this sandbox, where the agent sees the true paths of files.",
            hint="Use --sandbox bubblewrap or docker with --obfuscate.",
        )
    if not competition.public_dir.is_dir():
        raise MlebenchError(
            f"{competition.id} is not prepared in {competition.data_dir}.",
            hint=f"Run: mlebench prepare -c {competition.id} --data-dir {competition.data_dir}",
        )


def _limits(conditions: Conditions, own: Mapping[str, str]) -> dict[str, str]:
    """The limits that the agent is told: those of the run, or its manifest's where these are tighter."""
    limits: dict[str, str] = {}
    for name, value in (("TIME_LIMIT_SECS", conditions.seconds), ("STEP_LIMIT", conditions.steps)):
        chosen = own.get(name, "")
        given = [int(limit) for limit in (value, chosen if chosen.isdecimal() else None) if limit is not None]
        if given:
            limits[name] = str(min(given))
    return limits


def public_data(competition: LocalCompetition, conditions: Conditions, scratch: Path) -> Path:
    """The folder that the agent sees as its data; where names are hidden, a copy at `scratch` with another description.

    Files are linked, not copied, where the file system allows that.
    """
    if not conditions.obfuscate:
        return competition.public_dir
    discard(scratch)
    shutil.copytree(competition.public_dir, scratch, copy_function=_link_or_copy)
    description = scratch / "description.md"
    text = description.read_text(encoding="utf-8") if description.is_file() else competition.description
    description.unlink(missing_ok=True)  # it may be a link to the original
    description.write_text(competition.obfuscated_description(text), encoding="utf-8")
    return scratch


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def tell_promises(
    home: Home,
    promised: Iterable[str],
    *,
    private: Path,
    host_file: Path,
    runs: Path,
    network: str = "none",
    ports: Sequence[int] = (),
    gpus: int = 0,
) -> None:
    """Tell the agent `dummy` what its sandbox promises (names of promises), and where it can try to break that.

    For that agent only: it says where private data is. `host_file` is any file outside the home, `runs` the folder
    with all runs, `ports` are those that the agent may connect to.
    """
    found = {
        "promised": sorted(promised),
        "private": [str(path.resolve()) for path in sorted(private.rglob("*")) if path.is_file()][:10],
        "host_file": str(host_file.resolve()),
        "runs": str(runs.resolve()),
        "package": str(Path(__file__).resolve().parents[1]),
        "pid": os.getpid(),
        "start_time": _start_time(),
        "network": network,
        "ports": list(ports),
        "gpus": gpus,
    }
    write_json(home.folder / "agent" / "promises.json", found)


def _start_time() -> int | None:
    """When this process was started, in the units of /proc; with its number that names it for good."""
    try:
        text = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return int(text.rpartition(")")[2].split()[19])
