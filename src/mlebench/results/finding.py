"""How a user names run groups, in every command: a path, the name of a group below the runs folder, or `latest`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.results.groups import is_group
from mlebench.results.names import GROUP_FILE
from mlebench.results.records import read_group_file

LATEST = "latest"
_STAMP = "%Y-%m-%dT%H-%M-%S"  # how names and the published record write a time


def find_group(name: str | Path, runs_dir: Path) -> Path:
    """What a name stands for: a path that exists, what has that name below the runs folder, or with `latest` the group
    there that was made last.

    It may be a run group, a run (`GROUP/RUN`), or for commands that take reports a file or a folder with some.
    """
    given = Path(name)
    for path in (given, runs_dir / given):
        if _exists(path):
            return path
    if str(name) == LATEST:
        return latest_group(runs_dir)
    is_name = not given.is_absolute() and ".." not in given.parts
    where = f"neither a path nor a name below {runs_dir}" if is_name else "no such file or folder"
    raise MlebenchError(
        f"There is no run group {name}: it is {where}.", hint=f"`mlebench runs` lists them; `{LATEST}` is the newest."
    )


def find_all(names: Iterable[str | Path], runs_dir: Path) -> list[Path]:
    """What each of several names stands for."""
    return [find_group(name, runs_dir) for name in names]


def latest_group(runs_dir: Path) -> Path:
    """The run group below the runs folder that was made last."""
    folders = [path.parent for path in runs_dir.glob(f"*/{GROUP_FILE}") if not path.parent.name.startswith(".")]
    groups = [folder for folder in folders if is_group(folder)]
    if not groups:
        raise MlebenchError(
            f"There is no run group in {runs_dir}.", hint="Make one with `mlebench run`, or name the folder: --runs-dir"
        )
    return max(groups, key=lambda folder: (_created(folder), folder.name))


def _created(folder: Path) -> datetime:
    """When a group was made, by its record; one that does not say it in a known form is older than all others."""
    text = str(read_group_file(folder).get("created_at", ""))
    for read in (datetime.fromisoformat, lambda text: datetime.strptime(text[:19], _STAMP)):
        try:
            time = read(text)
        except ValueError:
            continue
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    return datetime.min.replace(tzinfo=UTC)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
