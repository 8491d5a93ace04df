"""Tables about the built-in competitions: medals, human scores, checksums, published settings and results.

What the published package has as files of a competition is in a folder with its id below `mlebench/competitions`, where
other projects look for it: leaderboard.csv, checksums.yaml and kernels.txt are kept there alone, and config.yaml and
description.md are written by scripts/make_published_folders.py.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from mlebench.competition.leaderboard import Leaderboard, Thresholds
from mlebench.competition.vocabulary import Direction
from mlebench.errors import MlebenchError

_HERE = Path(__file__).parent
_COMPETITIONS = _HERE.parent / "competitions"


@dataclass(frozen=True)
class Checksums:
    """md5 sums of a real Kaggle archive and of the files that preparation makes of it."""

    archive: str | None = None
    public: dict[str, str] = field(default_factory=dict)
    private: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedConfig:
    """What the configuration file of a competition in the published benchmark says.

    Paths are below the folder of prepared data. `metric` is the name that the published grader has. `prizes` are in
    dollars, by the name of the prize.
    """

    competition_type: str
    metric: str
    answers: str
    sample_submission: str
    gold_submission: str | None = None
    awards_medals: bool = False
    prizes: dict[str, int] = field(default_factory=dict)


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def _medals() -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader(_text("medals.csv").splitlines())}


@cache
def _human_scores() -> dict[str, list[float]]:
    scores: dict[str, list[float]] = json.loads(_text("human_scores.json"))
    return scores


@cache
def _published() -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader(_text("published.csv").splitlines())}


def published_ids() -> list[str]:
    """The ids of the 82 published competitions."""
    return list(_medals())


def published_folder(competition_id: str) -> Path:
    """The folder with the files that the published package has of a competition; its name is the id."""
    return _COMPETITIONS / competition_id


def leaderboard(competition_id: str, better: Direction) -> Leaderboard | None:
    """The published human side of a competition, or None for one we have no figures about."""
    row = _medals().get(competition_id)
    if row is None:
        return None
    thresholds = Thresholds(*(float(row[key]) for key in ("gold", "silver", "bronze", "median")))
    quantiles = _human_scores().get(competition_id)
    teams = int(row["teams"]) if row["teams"] else None
    return Leaderboard(better, thresholds, teams, tuple(quantiles) if quantiles else None)


def sample_submission_score(competition_id: str) -> float | None:
    """What the sample submission scores on the real data, as published; None where it is unknown or not a number."""
    row = _medals().get(competition_id)
    score = float(row["sample_submission_score"]) if row and row["sample_submission_score"] else math.nan
    return None if math.isnan(score) else score


def checksums(competition_id: str) -> Checksums:
    """The known md5 sums of a competition; empty where none are known."""
    path = checksums_path(competition_id)
    if path is None:
        return Checksums()
    entry = json.loads(path.read_text(encoding="utf-8"))
    return Checksums(entry["zip"], entry["public"], entry["private"])


def read_checksums(path: Path) -> Checksums:
    """The md5 sums in a YAML file of the published form: `zip`, and `public` and `private` with a sum per file."""
    import yaml

    try:
        entry = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        public, private = (
            {str(name): str(value) for name, value in (entry.get(part) or {}).items()} for part in ("public", "private")
        )
        return Checksums(str(entry["zip"]) if entry.get("zip") else None, public, private)
    except (yaml.YAMLError, ValueError, AttributeError) as error:
        raise MlebenchError(f"{path} is not a list of checksums: {error}.") from error


def checksums_path(competition_id: str) -> Path | None:
    """The file with the known md5 sums of a competition, in the published form. It is JSON, which is YAML too."""
    return _shipped(competition_id, "checksums.yaml")


def published_config(competition_id: str) -> PublishedConfig | None:
    """What the published benchmark says of a competition; None for one that it does not have."""
    row = _published().get(competition_id)
    if row is None:
        return None
    prizes = (prize.rsplit(": ", 1) for prize in row["prizes"].split("; ") if prize)
    return PublishedConfig(
        competition_type=row["type"],
        metric=row["metric"],
        answers=row["answers"],
        sample_submission=row["sample_submission"],
        gold_submission=row["gold_submission"] or None,
        awards_medals=row["awards_medals"] == "true",
        prizes={name: int(amount) for name, amount in prizes},
    )


def kernels(competition_id: str) -> list[str]:
    """Public notebooks about a competition, as `author/name` on Kaggle; none where none are known."""
    path = _shipped(competition_id, "kernels.txt")
    return path.read_text(encoding="utf-8").split() if path else []


def split(name: str) -> list[str]:
    """The ids of a published selection of competitions that is not a group, in the order of its file."""
    return _text(f"splits/{name}.txt").split()


def leaderboard_path(competition_id: str) -> Path | None:
    """A leaderboard file with one score per team, rebuilt from the published figures (scripts/make_leaderboards.py)."""
    return _shipped(competition_id, "leaderboard.csv")


def _shipped(competition_id: str, name: str) -> Path | None:
    if competition_id not in _medals():  # a folder that somebody put beside ours has files of its own
        return None
    path = published_folder(competition_id) / name
    return path if path.is_file() else None


def published_agents() -> list[dict[str, str]]:
    """The published results of other agents, one row each, as text."""
    return list(csv.DictReader(_text("published_agents.csv").splitlines()))
