"""Twin of nfl-player-contact-detection: short plays of five players who touch when they are close."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Contacts of all sorts, further whole numbers, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")[["contact_id", "contact"]]
    truth = answers["contact"]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: no contact anywhere, which scores 0")
    flipped = rng.random(len(answers)) < 0.15
    guess = truth.mask(flipped, 1 - truth)
    noisy = answers.assign(contact=guess)
    yield Example("noisy", noisy, "15 % of the contacts are wrong")
    yield examples.shuffled(noisy, seed)
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.last_for_first(answers)
    yield examples.unknown_id(answers, "contact_id", "x")
    yield examples.renamed(answers, "contact", "target")
    yield examples.renamed(answers, "contact_id", "id", "wrong_id_column")
    yield Example("nan", examples.with_cell(answers, "contact", None), "an empty prediction")
    yield examples.empty()
    yield Example("all_ones", answers.assign(contact=1), "contact everywhere: 0")
    yield Example("inverted", answers.assign(contact=1 - truth), "all wrong: -1")
    yield Example("floats", noisy.assign(contact=guess.astype(float)), "as noisy, written as 0.0 and 1.0")
    fractions = answers.assign(contact=rng.random(len(answers)).round(3))
    yield Example("probabilities", fractions, "probabilities instead of 0 and 1")
    yield Example("booleans", noisy.assign(contact=guess == 1), "as noisy, True and False")
    third = guess.where(np.arange(len(guess)) % 7 != 0, 2)
    yield Example("third_class", noisy.assign(contact=third), "every seventh value is 2: a further class")
    yield Example("minus_one", noisy.assign(contact=guess.replace(0, -1)), "-1 for no contact: a further class")
    yield Example("scaled", noisy.assign(contact=guess * 2.0), "2.0 for contact: a further class")
    one = (np.arange(len(answers)) == 0).astype(int)
    yield Example("one_positive", answers.assign(contact=one), "contact in the first row only")
    yield Example("text", answers.assign(contact="yes"), "words instead of numbers")
    yield Example("extra_column", noisy.assign(note="x"), "as noisy, one more column")
