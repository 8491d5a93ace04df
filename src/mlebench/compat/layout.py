"""The layout of the published benchmark's repository, written to disk for projects that read files beside the package.

    mlebench/competitions/<id>/              config.yaml, description.md, leaderboard.csv, checksums.yaml, kernels.txt
    experiments/splits/                      <split>.txt, one id per line
    experiments/competition_categories.csv   competition_id, category

What is in the files comes from here: descriptions are ours, leaderboards are those that decide medals. The package has
the folders of the published competitions too, for projects that look beside its modules; a layout also has the user's
own competitions and downloaded leaderboards.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench import __version__, facts
from mlebench.competition.local import LocalCompetition

if TYPE_CHECKING:
    from mlebench.competition.registry import Registry

COMPETITIONS = Path("mlebench", "competitions")
SPLITS_FOLDER = Path("experiments", "splits")
CATEGORIES_FILE = Path("experiments", "competition_categories.csv")
# The published repository has these; the last one is for trying out an agent.
_SPLITS = ("all", "dev", "high", "lite", "low", "medium", "split75", "systemcard")
_ONE_COMPETITION = "spaceship-titanic"
_KNOWN_LAYOUTS: dict[Registry, Path] = {}


def write_layout(registry: Registry, folder: Path) -> int:
    """Write the layout below a folder and return the number of competitions; files in the way are overwritten."""
    ids = registry.list_competition_ids()
    for name, content in _files(registry):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return len(ids)


def cached_layout(registry: Registry) -> Path:
    """The layout of a registry in the cache folder, written when it is first asked for; complete or not there.

    Its name is a digest of its content, so that versions and registries do not disturb each other.
    """
    if registry not in _KNOWN_LAYOUTS:
        _KNOWN_LAYOUTS[registry] = _written_layout(registry)
    return _KNOWN_LAYOUTS[registry]


def known_layout(registry: Registry) -> Path | None:
    """The layout that this process has given out for a registry, if it has."""
    return _KNOWN_LAYOUTS.get(registry)


def _written_layout(registry: Registry) -> Path:
    digest = hashlib.sha256(__version__.encode())
    for name, content in _files(registry):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    from platformdirs import user_cache_path

    target = user_cache_path() / "mle-bench" / "layout" / digest.hexdigest()[:16]
    if target.is_dir():
        return target
    try:
        building = target.with_name(f".{target.name}-{os.getpid()}")
        building.mkdir(parents=True, exist_ok=True)
    except OSError:  # a cache folder that cannot be written to: for this process only
        temporary = Path(tempfile.mkdtemp(prefix="mlebench-layout-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        write_layout(registry, temporary)
        return temporary
    write_layout(registry, building)
    try:
        building.rename(target)
    except OSError:  # another process was quicker
        shutil.rmtree(building, ignore_errors=True)
    return target


def _files(registry: Registry) -> Iterator[tuple[str, bytes]]:
    """(path below the layout, content) of every file."""
    competitions = [registry.get_competition(competition_id) for competition_id in registry.list_competition_ids()]
    for competition in competitions:
        for name, content in competition_files(competition):
            yield (COMPETITIONS / competition.id / name).as_posix(), content
    rows = [f"{competition.id},{competition.declaration.category}" for competition in competitions]
    yield CATEGORIES_FILE.as_posix(), _lines(["competition_id,category", *rows])
    for split in _SPLITS:
        yield (SPLITS_FOLDER / f"{split}.txt").as_posix(), _lines(sorted(registry.split(split)))
    yield (SPLITS_FOLDER / f"{_ONE_COMPETITION}.txt").as_posix(), _lines([_ONE_COMPETITION])


def competition_files(competition: LocalCompetition) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the files that the published package has of a competition, as far as they are known."""
    yield "config.yaml", _yaml(published_config(competition))
    yield "description.md", competition.description.encode()
    yield "kernels.txt", _lines(facts.kernels(competition.id))
    for name, path in (("leaderboard.csv", competition.leaderboard_file), ("checksums.yaml", competition.checksums)):
        if path.is_file():
            yield name, path.read_bytes()


def published_config(competition: LocalCompetition) -> dict[str, Any]:
    """What config.yaml says of a competition in the published form."""
    data, name = competition.data_dir, f"mlebench.competitions.{competition.id}"
    known = competition.declaration.published_config
    prizes = known.prizes.items() if known else ()
    dataset = {
        "answers": competition.answers.relative_to(data).as_posix(),
        "sample_submission": competition.sample_submission.relative_to(data).as_posix(),
    }
    if competition.gold_submission != competition.answers:
        dataset["gold_submission"] = competition.gold_submission.relative_to(data).as_posix()
    return {
        "id": competition.id,
        "name": competition.name,
        "competition_type": competition.competition_type,
        "awards_medals": known.awards_medals if known else False,
        "prizes": {int(place) if place.isdecimal() else place: amount for place, amount in prizes} or None,
        "description": (COMPETITIONS / competition.id / "description.md").as_posix(),
        "dataset": dataset,
        "grader": {"name": competition.grader.name, "grade_fn": f"{name}.grade:grade"},
        "preparer": f"{name}.prepare:prepare",
    }


def _yaml(values: dict[str, Any]) -> bytes:
    import yaml

    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=1000)
    return text.encode()


def _lines(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
