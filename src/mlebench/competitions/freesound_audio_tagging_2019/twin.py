"""Twin of freesound-audio-tagging-2019: milliseconds of sound in which every label hums one tone of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.packed import zipped
from mlebench.twins.kit.sounds import wav
from mlebench.twins.kit.submissions import Submissions, Usual, at

CLASSES = [
    "Accelerating_and_revving_and_vroom", "Accordion", "Acoustic_guitar", "Applause", "Bark", "Bass_drum",
    "Bass_guitar", "Bathtub_(filling_or_washing)", "Bicycle_bell", "Burping_and_eructation", "Bus", "Buzz",
    "Car_passing_by", "Cheering", "Chewing_and_mastication", "Child_speech_and_kid_speaking", "Chink_and_clink",
    "Chirp_and_tweet", "Church_bell", "Clapping", "Computer_keyboard", "Crackle", "Cricket", "Crowd",
    "Cupboard_open_or_close", "Cutlery_and_silverware", "Dishes_and_pots_and_pans", "Drawer_open_or_close", "Drip",
    "Electric_guitar", "Fart", "Female_singing", "Female_speech_and_woman_speaking", "Fill_(with_liquid)",
    "Finger_snapping", "Frying_(food)", "Gasp", "Glockenspiel", "Gong", "Gurgling", "Harmonica", "Hi-hat", "Hiss",
    "Keys_jangling", "Knock", "Male_singing", "Male_speech_and_man_speaking", "Marimba_and_xylophone",
    "Mechanical_fan", "Meow", "Microwave_oven", "Motorcycle", "Printer", "Purr", "Race_car_and_auto_racing",
    "Raindrop", "Run", "Scissors", "Screaming", "Shatter", "Sigh", "Sink_(filling_or_washing)", "Skateboard", "Slam",
    "Sneeze", "Squeak", "Stream", "Strum", "Tap", "Tick-tock", "Toilet_flush", "Traffic_noise_and_roadway_noise",
    "Trickle_and_dribble", "Walk_and_footsteps", "Water_tap_and_faucet", "Waves_and_surf", "Whispering", "Writing",
    "Yell", "Zipper_(clothing)",
]  # fmt: skip
RATE = 44100
RELEASED = (2020, 1, 20)  # the day on the files of the labels that were published after the contest


class _Labels:
    """Draws the labels of clips from a few of the classes."""

    def __init__(self, rng: np.random.Generator, kinds: int) -> None:
        self._rng = rng
        self._used = [CLASSES[number] for number in sorted(rng.permutation(len(CLASSES))[:kinds])]

    def draw(self) -> list[str]:
        order = self._rng.permutation(len(self._used))
        count = int(self._rng.choice([1, 1, 1, 2, 3]))
        return [self._used[number] for number in order[:count]]


def _sound(rng: np.random.Generator, labels: Sequence[str]) -> bytes:
    """A tone per known label; one silent sample if none is known, and nothing at all without labels."""
    length = int(rng.integers(150, 400))
    known = [CLASSES.index(label) for label in labels if label in CLASSES]
    time = np.arange(length) / RATE
    signal = np.zeros(length if known else min(1, len(labels)))
    for number in known:
        signal += np.sin(2 * np.pi * (400 + 150 * number) * time)
    return wav(np.round(signal * 20) * 200, RATE)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write two training sets and a test set, whose labels are in the archive that came out after the contest."""
    rng = np.random.default_rng(seed)
    labels = _Labels(rng, 14)
    names = (f"{number:08x}.wav" for number in rng.choice(2**32, 90 * scale, replace=False))
    curated = _train(raw, rng, labels, [next(names) for _ in range(24 * scale)], "train_curated", right=1)
    noisy = _train(raw, rng, labels, [next(names) for _ in range(20 * scale)], "train_noisy", right=0.7)
    # One clip has no sound: the real curated set holds one without any signal.
    (raw / "train_curated" / curated["fname"].iloc[0]).write_bytes(_sound(rng, []))
    test = _test(raw, rng, labels, [next(names) for _ in range(22 * scale)])
    asked = sorted(test.loc[test["usage"] == "Private", "fname"])
    sample = pd.DataFrame({"fname": asked, **dict.fromkeys(CLASSES, 0)})
    sample.to_csv(raw / "sample_submission.csv", index=False)
    tables = {"test": test, "train_curated": curated, "train_noisy": noisy}
    members = (
        (f"FSDKaggle2019.meta/{part}_post_competition.csv", table.to_csv(index=False).encode())
        for part, table in tables.items()
    )
    (raw / "FSDKaggle2019.meta.zip").write_bytes(zipped(members, RELEASED))


def _train(
    raw: Path, rng: np.random.Generator, labels: _Labels, names: Sequence[str], part: str, *, right: float
) -> pd.DataFrame:
    """Write a training set in which about a share of `right` clips have their own labels, the others any."""
    (raw / part).mkdir()
    written = []
    for name in names:
        heard = labels.draw()
        (raw / part / name).write_bytes(_sound(rng, heard))
        # Where all labels are right no number is drawn, which keeps the sequence of random numbers.
        is_right = right == 1 or rng.random() < right
        written.append(",".join(heard if is_right else labels.draw()))
    table = pd.DataFrame({"fname": names, "labels": written})
    table.sort_values("fname").to_csv(raw / f"{part}.csv", index=False)
    return table.assign(freesound_id=range(len(table)), license="CC-BY")


def _test(raw: Path, rng: np.random.Generator, labels: _Labels, names: Sequence[str]) -> pd.DataFrame:
    """Write the test clips of the private leaderboard, three in four, and return the table of all."""
    (raw / "test").mkdir()
    rows = []
    for number, name in enumerate(names):
        heard = labels.draw()
        if number == 3:
            heard = ["Not_in_the_vocabulary"]  # its answers are all 0, and the metric leaves it out
        usage = "Private" if number % 4 else "Public"
        rows.append((name, ",".join(heard), usage, 100000 + number, "http://creativecommons.org/licenses/by/3.0/"))
        if usage == "Private":
            (raw / "test" / name).write_bytes(_sound(rng, heard))
    return pd.DataFrame(rows, columns=["fname", "labels", "usage", "freesound_id", "license"])


submissions = Submissions(
    guess=lambda case: (case.truth * 0.5 + case.rng.random(case.truth.shape) * 0.6).round(3),
    usual=Usual(unknown="x.wav", wrong_column=("Bark", "bark"), no_id_column="id", extra={"note": 0}),
    cells=at(column="Bark", nan=None, infinite="inf", text="high"),
    variants=["ties"],
    special=lambda case: {
        "random": case.rng.random(case.truth.shape).round(3),
        "inverted": 1 - case.truth,
        "half_tied": np.where(case.truth == 1, 0.5, np.where(case.rng.random(case.truth.shape) < 0.1, 0.5, 0)),
        "out_of_range": (case.guess * 100 - 50).round(2),
        "integers": (case.guess * 5).round().astype(int),
        "booleans": case.guess > 0.55,
        "column_order": case.noisy[["fname", *CLASSES[::-1]]],
        "id_not_first": case.noisy[[*CLASSES, "fname"]],
        "missing_class": case.noisy.drop(columns="Bark"),
    },
)
