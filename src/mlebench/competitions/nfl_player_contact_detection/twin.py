"""Twin of nfl-player-contact-detection: short plays of five players who touch when they are close."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.submissions import Submissions, Usual

PLAYERS = 5
POSITIONS = ["CB", "DE", "QB", "T", "WR"]
VIEWS = ["Endzone", "Sideline"]
CAMERAS = ["All29", *VIEWS]
PLAY = ["game_play", "game_key", "play_id"]
COLUMNS = {
    "labels": ["contact_id", "game_play", "datetime", "step", "nfl_player_id_1", "nfl_player_id_2", "contact"],
    "baseline_helmets": [
        *PLAY, "view", "video", "frame", "nfl_player_id", "player_label", "left", "width", "top", "height",
    ],
    "player_tracking": [
        *PLAY, "nfl_player_id", "datetime", "step", "team", "position", "jersey_number", "x_position", "y_position",
        "speed", "distance", "direction", "orientation", "acceleration", "sa",
    ],
    "video_metadata": [*PLAY, "view", "start_time", "end_time", "snap_time"],
}  # fmt: skip


@dataclass(frozen=True)
class _Play:
    """A play, its place in the list of plays, and its players."""

    key: int
    number: int
    position: int
    players: list[int]

    @property
    def name(self) -> str:
        return f"{self.key}_{self.number:06d}"

    @property
    def ids(self) -> tuple[str, int, int]:
        return self.name, self.key, self.number

    @property
    def day(self) -> str:
        return f"2020-09-{10 + self.position % 20:02d}"

    def time(self, step: int) -> str:
        return f"{self.day}T03:01:4{step + 2}.{self.position % 10}00Z"


@dataclass
class _Tables:
    """The rows of the four tables."""

    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=lambda: {name: [] for name in COLUMNS})

    def add(self, table: str, *cells: Any) -> None:
        self.rows[table].append(cells)

    def frame(self, table: str) -> pd.DataFrame:
        return pd.DataFrame(self.rows[table], columns=COLUMNS[table])


def make(raw: Path, seed: int, scale: int) -> None:
    """Write the tables and videos of all plays, and again those of the first one as Kaggle's own test, unused."""
    rng = np.random.default_rng(seed)
    for folder in ("train", "test"):
        (raw / folder).mkdir()
    plays: dict[tuple[int, int], None] = {}
    while len(plays) < 22 * scale:
        plays[int(rng.integers(58100, 58999)), int(rng.integers(1, 5000))] = None
    tables = _Tables()
    for position, (key, number) in enumerate(plays):
        players = sorted(int(each) for each in rng.choice(np.arange(30000, 56000), PLAYERS, replace=False))
        play = _Play(key, number, position, players)
        _simulate(rng, play, tables)
        for camera in CAMERAS:
            (raw / f"train/{play.name}_{camera}.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + rng.bytes(24))
    # A helmet in a play without labels.
    other = _Play(59000, 1, 0, [])
    video = f"{other.name}_Endzone.mp4"
    tables.add("baseline_helmets", *other.ids, "Endzone", video, 1, 40000, "H40", 1, 2, 3, 4)
    _write(raw, seed, tables)


def _simulate(rng: np.random.Generator, play: _Play, tables: _Tables) -> None:
    """Four tenths of a second of a play; labels begin at step 0, tracking before."""
    places = rng.uniform([20, 15], [35, 30], (PLAYERS, 2))
    for step in range(-1, 3):
        places = places + rng.normal(0, 0.6, places.shape)
        down = rng.random(PLAYERS) < 0.25
        for player in range(PLAYERS):
            _track(rng, play, step, player, places[player], bool(down[player]), tables)
            for view in VIEWS:
                if rng.random() < 0.5:
                    _see_helmet(rng, play, step, player, view, tables)
        if step >= 0:
            _label(rng, play, step, places, down, tables)
    for view in VIEWS:
        times = (f"{play.day}T03:01:43.{play.position:03d}Z", f"{play.day}T03:01:54.971Z", "2020-09-11T03:01:48.134Z")
        tables.add("video_metadata", *play.ids, view, *times)


def _track(
    rng: np.random.Generator,
    play: _Play,
    step: int,
    player: int,
    place: NDArray[np.float64],
    down: bool,
    tables: _Tables,
) -> None:
    speed = round(abs(rng.normal(2, 1)) * (0.2 if down else 1), 2)
    distance = round(abs(rng.normal(0, 0.2)), 2)
    direction = None if rng.random() < 0.03 else round(rng.uniform(0, 360), 2)
    orientation = round(rng.uniform(0, 360), 2)
    acceleration = float(abs(rng.normal(1, 1)))
    # Long decimals of all sizes, which the two float parsers of pandas may read differently.
    signed = float(rng.normal() * 10.0 ** rng.integers(-7, 3))
    who = (play.players[player], play.time(step), step, "home" if player % 2 else "away", POSITIONS[player])
    x, y = np.round(place, 2)
    motion = (x, y, speed, distance, direction, orientation, acceleration, signed)
    tables.add("player_tracking", *play.ids, *who, 10 + player, *motion)


def _see_helmet(rng: np.random.Generator, play: _Play, step: int, player: int, view: str, tables: _Tables) -> None:
    name = f"{'HV'[player % 2]}{10 + player:02d}"
    box = [int(rng.integers(*limits)) for limits in ((0, 1200), (8, 30), (0, 700), (8, 30))]
    where = (view, f"{play.name}_{view}.mp4", 300 + 6 * step)
    tables.add("baseline_helmets", *play.ids, *where, play.players[player], name, *box)


def _label(
    rng: np.random.Generator,
    play: _Play,
    step: int,
    places: NDArray[np.float64],
    down: NDArray[np.bool_],
    tables: _Tables,
) -> None:
    """Contact between players is likely within three yards; with the ground only of those who are down."""

    def add(first: int, second: str, contact: bool) -> None:
        contact_id = f"{play.name}_{step}_{first}_{second}"
        tables.add("labels", contact_id, play.name, play.time(step), step, first, second, int(contact))

    for one, other in combinations(range(PLAYERS), 2):
        distance = np.hypot(*(places[one] - places[other]))
        chance = 1 / (1 + np.exp(2 * (distance - 3)))
        add(play.players[one], str(play.players[other]), bool(rng.random() < chance))
    for player, is_down in zip(play.players, down, strict=True):
        add(player, "G", bool(is_down and rng.random() < 0.8))


def _write(raw: Path, seed: int, tables: _Tables) -> None:
    labels = tables.frame("labels")
    first = labels["game_play"].iloc[0]
    labels.to_csv(raw / "train_labels.csv", index=False)
    sample = labels.loc[labels["game_play"] == first, ["contact_id"]].assign(contact=0)
    sample.to_csv(raw / "sample_submission.csv", index=False)
    for name in ("baseline_helmets", "player_tracking", "video_metadata"):
        frame = tables.frame(name)
        if name == "player_tracking":
            frame = frame.sample(frac=1, random_state=seed)  # plays are mixed
        frame.to_csv(raw / f"train_{name}.csv", index=False)
        frame[frame["game_play"] == first].to_csv(raw / f"test_{name}.csv", index=False)
    for camera in CAMERAS:
        video = f"{first}_{camera}.mp4"
        (raw / "test" / video).write_bytes((raw / "train" / video).read_bytes())


submissions = Submissions(
    guess=lambda case: case.truth.mask(case.rng.random(case.n) < 0.15, 1 - case.truth),
    usual=Usual(cells="perfect", twice="last_row", wrong_column="target", wrong_id_column="id", extra={"note": "x"}),
    constants={"all_ones": 1, "text": "yes"},
    each={"inverted": lambda contact: 1 - contact},
    variants=["booleans"],
    special=lambda case: {
        "floats": case.guess.astype(float),
        "probabilities": case.rng.random(case.n).round(3),
        "one_positive": (np.arange(case.n) == 0).astype(int),
        # Numbers other than 0 and 1 are further classes.
        "third_class": case.guess.where(np.arange(case.n) % 7 != 0, 2),
        "minus_one": case.guess.replace(0, -1),
        "scaled": case.guess * 2.0,
    },
)
