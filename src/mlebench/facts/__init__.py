"""Tables of figures about the built-in competitions: medals, human scores, checksums, published results."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from mlebench.leaderboard import Leaderboard, Thresholds
from mlebench.vocabulary import Direction


@dataclass(frozen=True)
class Checksums:
    """md5 sums of a real Kaggle archive and of the files that preparation makes of it."""

    archive: str | None = None
    public: dict[str, str] = field(default_factory=dict)
    private: dict[str, str] = field(default_factory=dict)


def _text(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


@cache
def _medals() -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader(_text("medals.csv").splitlines())}


@cache
def _human_scores() -> dict[str, list[float]]:
    scores: dict[str, list[float]] = json.loads(_text("human_scores.json"))
    return scores


@cache
def _checksums() -> dict[str, dict[str, dict[str, str]]]:
    sums: dict[str, dict[str, dict[str, str]]] = json.loads(_text("checksums.json"))
    return sums


def published_ids() -> list[str]:
    """The ids of the 82 published competitions."""
    return list(_medals())


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
    """What the sample submission scores on the real data, as published."""
    row = _medals().get(competition_id)
    return float(row["sample_submission_score"]) if row and row["sample_submission_score"] else None


def checksums(competition_id: str) -> Checksums:
    """The known md5 sums of a competition; empty where none are known."""
    entry = _checksums().get(competition_id)
    if entry is None:
        return Checksums()
    return Checksums(str(entry["zip"]), entry["public"] or {}, entry["private"] or {})


def leaderboard_path(competition_id: str) -> Path | None:
    """A leaderboard file with one score per team, rebuilt from the published figures (scripts/make_leaderboards.py)."""
    path = Path(str(files(__name__).joinpath("leaderboards", f"{competition_id}.csv")))
    return path if path.is_file() else None


def published_agents() -> list[dict[str, str]]:
    """The published results of other agents, one row each, as text."""
    return list(csv.DictReader(_text("published_agents.csv").splitlines()))
