"""A competition of somebody else's, in the form of the published benchmark: config.yaml, prepare.py and grade.py.

    id: my-contest
    name: My contest
    competition_type: simple
    description: description.md
    dataset:
      answers: my-contest/prepared/private/test.csv
      sample_submission: my-contest/prepared/public/sample_submission.csv
    grader:
      name: accuracy
      grade_fn: grade:grade
    preparer: prepare:prepare

`prepare(raw, public, private)` works with the paths of three folders, `grade(submission, answers)` with two tables.
Nothing is asked of such a competition that the published benchmark does not ask.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from mlebench import facts
from mlebench.competition.declaration import Check, Competition
from mlebench.competition.leaderboard import read_scores
from mlebench.competition.named_functions import FolderFunction
from mlebench.competition.vocabulary import Direction, OwnMetric
from mlebench.errors import MlebenchError
from mlebench.facts import PublishedConfig
from mlebench.files.small_yaml import load_small_yaml

if TYPE_CHECKING:
    from mlebench.files.output_folder import Output
    from mlebench.files.raw_files import Raw

CONFIG = "config.yaml"


@dataclass(frozen=True)
class PathPreparation:
    """A preparation that works with paths, to be called with handles."""

    function: Callable[[Path, Path, Path], object]

    def __call__(self, raw: Raw, public: Output, private: Output) -> None:
        """Prepare."""
        self.function(raw.unpacked(), public.root, private.root)


def is_competition(folder: Path) -> bool:
    """Whether a folder holds a competition in the published form: other projects have a config.yaml too."""
    path = folder / CONFIG
    return path.is_file() and {"id", "grader", "preparer"} <= _config(path).keys()


def load_published_folder(folder: Path) -> Competition:
    """The competition that config.yaml in a folder describes; its modules are imported when they are needed."""
    path = folder / CONFIG
    config = _config(path)
    try:
        dataset, grader = config["dataset"], config["grader"]
        published = PublishedConfig(
            competition_type=str(config.get("competition_type") or "simple"),
            metric=str(grader["name"]),
            answers=from_prepared(config["id"], dataset["answers"]),
            sample_submission=from_prepared(config["id"], dataset["sample_submission"]),
            gold_submission=from_prepared(config["id"], dataset["gold_submission"])
            if dataset.get("gold_submission")
            else None,
            awards_medals=bool(config.get("awards_medals")),
        )
        competition = declared(
            str(config["id"]),
            str(config.get("name") or config["id"]),
            published,
            folder,
            grade_fn=FolderFunction(folder, str(grader["grade_fn"])),
            prepare_fn=FolderFunction(folder, str(config["preparer"])),
        )
    except KeyError as error:
        raise MlebenchError(f"{path} has no {error.args[0]}.", hint="It is a competition's config.yaml.") from error
    except (TypeError, ValueError) as error:
        raise MlebenchError(f"{path} does not describe a competition: {error}.") from error
    return competition


def declared(
    competition_id: str,
    name: str,
    published: PublishedConfig,
    folder: Path,
    *,
    grade_fn: Callable[..., Any],
    prepare_fn: Callable[[Path, Path, Path], object],
) -> Competition:
    """The declaration of a competition whose functions have the published form."""
    in_private = published.sample_submission.startswith("private/")
    sample = posixpath.relpath(published.sample_submission, "private" if in_private else "public")
    competition = Competition(
        competition_id,
        name,
        category="Other",
        metric=OwnMetric(published.metric),
        better=_direction(competition_id, folder / "leaderboard.csv"),
        answers=posixpath.relpath(published.answers, "private"),
        sample=sample,
        private_sample=sample if in_private else None,
        breaks=get_args(Check),
        folder=folder,
        published=published,
    )
    competition.prepare(PathPreparation(prepare_fn))
    competition.grade(grade_fn)
    return competition


@cache
def _config(path: Path) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # many times as fast, where it was built
    try:
        content = load_small_yaml(path.read_text(encoding="utf-8"), loader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise MlebenchError(f"{path} is not a YAML file: {' '.join(str(error).split())}.") from error
    return content if isinstance(content, dict) else {}


def from_prepared(competition_id: str, path: str) -> str:
    """A path as seen from the folder of prepared data, of one as seen from the data folder.

    >>> from_prepared("my-contest", "my-contest/prepared/private/test.csv")
    'private/test.csv'
    """
    return posixpath.relpath(path, f"{competition_id}/prepared")


def _direction(competition_id: str, leaderboard: Path) -> Direction:
    """The published benchmark sees from a leaderboard, whose first row is the best, whether lower scores are better."""
    if leaderboard.is_file():
        scores = read_scores(leaderboard)
        return "lower" if scores and scores[0] < scores[-1] else "higher"
    known = facts.leaderboard(competition_id, "higher")
    return "lower" if known and known.thresholds.gold < known.thresholds.median else "higher"
