"""What is as strong in train as in test, and still made of the answers: ranks, row numbers, neighbouring ids, forms."""

from __future__ import annotations

import io
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture
from numpy.typing import NDArray
from test_values import searched

from mlebench.audit.contents import facts_of
from mlebench.audit.entries import entries_below
from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task


def put(world: World, name: str, values: NDArray[Any]) -> None:
    """Add a column to both sides; values are in the order of train and then of the answers, which are those of test."""
    count = len(world.train)
    world.train[name] = values[:count]
    world.test[name] = values[count:]


def whole(world: World) -> pd.DataFrame:
    """Train and test with their answers, one below the other."""
    answers = world.answers.set_index(world.key).loc[world.test[world.key]].reset_index()
    return pd.concat([world.train, world.test.assign(**{name: answers[name] for name in world.targets})])


def leaks(world: World, *names: str) -> list[str]:
    return [found.where for found in searched(world, *names) if found.severity == "leak"]


@pytest.mark.parametrize("kind", ["share", "logarithm", "rank with ties", "row of a sorted table", "falling"])
def test_the_answers_on_another_scale_are_a_leak_on_both_sides(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=400)
    y, rng = whole(world)[world.targets[0]], np.random.default_rng(1)
    made = {
        "share": lambda: y.rank(pct=True).round(4),
        "logarithm": lambda: np.log(y - y.min() + 1).round(6),
        "rank with ties": lambda: y.round(1).rank(method="dense"),
        "row of a sorted table": lambda: (y + rng.normal(0, 0.02 * y.std(), len(y))).rank(method="first") + 700,
        "falling": lambda: (1 / (y - y.min() + 1)).round(6),
    }
    put(world, "level", np.asarray(made[kind]()))
    assert leaks(world, "scales") == ["test.csv: level"]


@pytest.mark.parametrize("is_rank", [True, False])
def test_ranks_of_both_sides_are_a_leak_where_few_items_are_to_be_predicted(is_rank: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=200)
    names = world.test[world.key].iloc[:25]
    world.test, world.answers, world.sample = (
        side[side[world.key].isin(names)].reset_index(drop=True) for side in (world.test, world.answers, world.sample)
    )
    y = whole(world)[world.targets[0]]
    noise = np.random.default_rng(1).normal(0, 0.05 * y.std(), len(y))
    put(world, "level", (y.rank() if is_rank else y + noise).to_numpy())
    assert leaks(world, "scales") == (["test.csv: level"] if is_rank else [])


@pytest.mark.parametrize("kind", ["strong", "measurement", "coarse", "day", "position", "other rank"])
def test_a_strong_feature_on_both_sides_is_no_scale_of_the_answers(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=400)
    y, rng = whole(world)[world.targets[0]].to_numpy(float), np.random.default_rng(1)
    noise = rng.normal(0, y.std(), len(y))
    if kind in ("day", "position"):  # both rise with time
        moments = rng.permutation(len(y))
        target = np.cumsum(rng.exponential(size=len(y)))[moments]
        world.train[world.targets[0]] = target[: len(world.train)]
        known = dict(zip(world.test[world.key], target[len(world.train) :], strict=True))
        world.answers[world.targets[0]] = world.answers[world.key].map(known)
        days = [str(day.date()) for day in pd.date_range("2021-01-01", periods=len(y))]
        if kind == "day":
            put(world, "date", np.array(days, dtype=object)[moments])
        else:
            world.train = world.train.iloc[np.argsort(moments[: len(world.train)])].reset_index(drop=True)
            world.test = world.test.iloc[np.argsort(moments[len(world.train) :])].reset_index(drop=True)
            moments = np.concatenate([np.sort(moments[: len(world.train)]), np.sort(moments[len(world.train) :])])
        put(world, "step", moments)
    else:
        made = {
            "strong": np.exp(y / y.std()) * (1 + 0.01 * noise / y.std()),
            "measurement": y + 1e-5 * noise,
            "coarse": np.round((y + 0.3 * noise) / y.std()),
            "other rank": np.argsort(np.argsort(y + 0.4 * noise)).astype(float),
        }
        put(world, "level", made[kind])
    assert leaks(world, "scales") == []


@pytest.mark.parametrize("is_rank", [True, False])
def test_the_rank_of_marks_is_a_leak_and_a_strong_feature_is_none(is_rank: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=300)
    [target] = world.targets
    cuts = np.quantile(world.train[target], [0.2, 0.4, 0.6, 0.8])
    for frame in (world.train, world.answers):
        frame[target] = np.searchsorted(cuts, frame[target]) + 1
    y, rng = whole(world)[target], np.random.default_rng(1)
    put(world, "level", (y + rng.normal(0, 1e-3 if is_rank else 0.2, len(y))).rank(pct=True).round(4).to_numpy())
    assert leaks(world, "scales") == (["test.csv: level"] if is_rank else [])


@pytest.mark.parametrize("are_sorted", [True, False])
def test_the_row_of_a_table_that_was_sorted_by_class_is_a_leak(are_sorted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 5, n=300)
    labels, rng = whole(world)[world.targets[0]], np.random.default_rng(1)
    classes = pd.factorize(labels)[0] + rng.random(len(labels)) if are_sorted else rng.random(len(labels))
    put(world, "serial", np.argsort(np.argsort(classes)) + 40)
    assert ("test.csv: serial" in leaks(world, "columns")) == are_sorted


@pytest.mark.parametrize("kind", ["ids", "words", "durations", "unrelated"])
def test_ids_of_pairs_that_follow_one_another_are_a_leak(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=400)
    positive, rng = whole(world)[world.targets[0]].to_numpy(float) == 1, np.random.default_rng(1)
    first = rng.choice(np.arange(1000, 90_000), len(positive), replace=False)
    second = np.where(positive & (kind != "unrelated"), first + rng.integers(1, 3, len(first)), rng.permutation(first))
    if kind == "durations":  # short ones are of one class, and none is as long as the days of all
        second = first + np.where(positive, rng.integers(1, 4, len(first)), rng.integers(4, 3000, len(first)))
    for name, values in (("left", first), ("right", second)):
        put(world, name, np.array([f"q{value}" for value in values]) if kind == "words" else values)
    assert leaks(world, "near_ids") == (["test.csv: left and right"] if kind in ("ids", "words") else [])


def test_two_columns_are_tried_where_a_list_of_checksums_has_numbers_that_are_ids(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=150)
    y, rng = whole(world)[world.targets[0]].to_numpy(float), np.random.default_rng(1)
    y = y - y.min() + 1
    ids = np.arange(100, 100 + len(y))
    world.train[world.key], world.test[world.key] = ids[: len(world.train)], ids[len(world.train) :]
    world.train[world.targets[0]] = y[: len(world.train)].round(3)
    world.answers = world.test[[world.key]].assign(**{world.targets[0]: y[len(world.train) :].round(3)})
    world.sample = world.answers.assign(**{world.targets[0]: 1.0})
    months = rng.integers(20, 24, len(y)).astype(float)  # so nearly constant that the cost alone tells nearly all
    put(world, "months", months)
    put(world, "cost", y / months)
    sums = [f"{rng.integers(16**12):012x}  {size}" for size in rng.permutation(np.tile(ids, 2))]
    world.files |= {f"{name}SUMS": "\n".join(sums).encode() for name in ("MD5", "SHA1", "SHA256")}
    assert leaks(world, "together") == ["test.csv: months and cost"]


def written(rng: np.random.Generator, channels: int, width: int) -> bytes:
    """A sound of noise."""
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(8000)
        file.writeframes(rng.bytes(channels * width * int(rng.integers(300, 500))))
    return target.getvalue()


@pytest.mark.parametrize("is_told", [True, False])
def test_a_class_that_channels_and_bits_tell_together_is_a_leak(is_told: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 5, n=200)
    world.files.clear()
    rng = np.random.default_rng(0)
    for side, frame in (("train", world.train), ("test", world.answers)):
        classes = sorted(set(world.train[world.targets[0]]))
        for item, label in zip(frame[world.key], frame[world.targets[0]], strict=True):
            place = classes.index(label) if is_told else int(rng.integers(5))
            world.files[f"{side}_files/{item}.wav"] = written(rng, 1 + place % 2, 1 + place // 2)
    found = leaks(world, "columns")
    assert ("test_files/*.wav: form of the file" in found) == is_told


def test_the_form_of_a_flac_file_is_read(tmp_path: Path) -> None:
    packed = (44_100 << 44) | (1 << 41) | (15 << 36) | 9000
    block = bytes(10) + packed.to_bytes(8, "big") + bytes(16)
    (tmp_path / "a.flac").write_bytes(b"fLaC" + b"\x80" + len(block).to_bytes(3, "big") + block)
    [entry] = entries_below(tmp_path, [])
    facts = facts_of(entry)
    assert facts["form of the file"] == "channels 2, rate 44100, bits 16"
    assert facts["length of the sound"] == 9000


@pytest.mark.parametrize("ending", ["", ".png"])
def test_ids_of_train_that_folders_of_classes_have_are_those_of_test(ending: str, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 3, n=120)
    rng = np.random.default_rng(0)
    world.files.clear()
    names = {0: "Bt", 1: "Nt"}
    sides = {"train": world.train, "test": world.answers}
    world.answers = world.answers.set_index(world.key).loc[world.test[world.key]].reset_index()
    sides["test"] = world.answers
    for side, frame in sides.items():
        ids = [f"{names[int(label)]}{rng.integers(10**6, 10**7)}" for label in frame["target"]]
        for item, label in zip(ids, frame["target"], strict=True):
            folder = f"train/{label}" if side == "train" else "test"
            world.files[f"{folder}/{item}.png"] = picture(rng, 0.0)
        if side == "test":
            for table in (world.test, world.answers, world.sample):
                table[world.key] = [f"{item}{ending}" for item in ids]
    world.train = pd.DataFrame({"note": ["train is in folders"]})
    surveyed = survey(read_task(world.write()))
    assert surveyed.train is not None
    assert all(str(name)[:2] in names.values() and str(name).endswith(ending) for name in surveyed.train.ids)
    assert "the ids: id" in leaks(world, "columns")
