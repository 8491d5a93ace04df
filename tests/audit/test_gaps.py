"""Inputs that items to predict lack: rows of a table, cells, and files with a content of their own."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from PIL import Image
from test_values import searched

from mlebench.audit.finding import Found


def with_parts(world: World) -> World:
    """A competition with tables of parts, three rows of each item."""
    rng = np.random.default_rng(4)
    for side, table in (("train", world.train), ("test", world.test)):
        parts = pd.DataFrame({world.key: np.repeat(table[world.key].to_numpy(), 3)})
        parts["length"] = rng.normal(size=len(parts)).round(3)
        world.files[f"{side}_parts.csv"] = parts.to_csv(index=False).encode()
    return world


def places(found: list[Found]) -> list[tuple[str, str, str]]:
    return [(one.kind, one.severity, one.where) for one in found]


@pytest.mark.parametrize("name", ["test.csv", "test_parts.csv"])
def test_items_without_a_row_that_those_of_train_have_are_suspicious(name: str, tmp_path: Path) -> None:
    world = with_parts(make(tmp_path, "regression", 5, n=200))
    assert searched(world, "gaps") == []
    gone = set(world.test[world.key].iloc[::5])
    if name == "test.csv":
        world.test = world.test[~world.test[world.key].isin(gone)]
    else:
        parts = pd.read_csv(io.BytesIO(world.files[name]))
        world.files[name] = parts[~parts[world.key].isin(gone)].to_csv(index=False).encode()
    assert places(searched(world, "gaps")) == [("missing_inputs", "suspicious", name)]


@pytest.mark.parametrize("value", [None, "[removed]"])
@pytest.mark.parametrize("in_train", [False, True])
def test_texts_that_say_nothing_in_test_alone_are_suspicious(value: str | None, in_train: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "texts", 5, n=300)
    for table, is_changed in ((world.test, True), (world.train, in_train)):
        # Texts of their own, as most are: where many repeat, one more that does says nothing.
        table["text"] = [f"{text} {number}" for number, text in enumerate(table["text"])]
        if is_changed:
            table.loc[table.index[::4], "text"] = value
    expected = [] if in_train else [("missing_inputs", "suspicious", "test.csv: text")]
    assert places(searched(world, "gaps")) == expected


@pytest.mark.parametrize("in_train", [False, True])
def test_pictures_that_are_all_the_same_in_test_alone_are_suspicious(in_train: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=120)
    assert searched(world, "gaps") == []
    black = io.BytesIO()
    Image.new("L", (16, 16)).save(black, "PNG")
    for side in ("test", "train") if in_train else ("test",):
        for name in [name for name in world.files if name.startswith(f"{side}_files/")][::4]:
            world.files[name] = black.getvalue()
    found = searched(world, "gaps")
    assert [one.severity for one in found] == ([] if in_train else ["suspicious"])


@pytest.mark.parametrize("kind", ["feature", "outcome", "fold", "empty in train"])
def test_a_column_that_test_lacks_wholly_is_suspicious_unless_it_follows_from_the_answer(
    kind: str, tmp_path: Path
) -> None:
    world = make(tmp_path, "regression", 5, n=200)
    rng, name = np.random.default_rng(4), "fold" if kind == "fold" else "made"
    world.train[name] = rng.normal(size=len(world.train)).round(3)
    if kind == "outcome":
        world.train[name] += 5 * world.train[world.targets[0]].rank(pct=True)
    elif kind == "empty in train":
        world.train.loc[world.train.index[::3], name] = None
    world.test[name] = None
    expected = [("missing_inputs", "suspicious", "test.csv: made")] if kind == "feature" else []
    assert places(searched(world, "gaps")) == expected


def scan(rng: np.random.Generator, is_whole: bool) -> bytes:
    """A DICOM file with or without pixels."""
    name = b"\x10\x00\x10\x00PN\x08\x00" + bytes(rng.integers(65, 90, 8).tolist())
    pixels = b"\xe0\x7f\x10\x00OW\0\0" + (4096).to_bytes(4, "little") + rng.bytes(4096)
    return bytes(128) + b"DICM" + name + (pixels if is_whole else b"")


def sound(rng: np.random.Generator, is_whole: bool) -> bytes:
    """A WAV file of some rate, with or without samples."""
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(int(rng.integers(8000, 9000)))
        file.writeframes(rng.bytes(800) if is_whole else b"")
    return target.getvalue()


def flat(rng: np.random.Generator, is_whole: bool) -> bytes:
    """A picture, or one colour, which is another in each."""
    pixels = rng.integers(0, 255, (16, 16, 3) if is_whole else (1, 1, 3), dtype=np.uint8)
    target = io.BytesIO()
    Image.fromarray(np.broadcast_to(pixels, (16, 16, 3)).copy()).save(target, "PNG")
    return target.getvalue()


def cut(rng: np.random.Generator, is_whole: bool) -> bytes:
    """A picture, or most of it."""
    data = flat(rng, True)
    return data if is_whole else data[: len(data) * 2 // 3]


@pytest.mark.parametrize(("written", "ending"), [(scan, "dcm"), (sound, "wav"), (flat, "png"), (cut, "png")])
@pytest.mark.parametrize("in_train", [False, True])
def test_files_with_nothing_in_them_in_test_alone_are_suspicious(
    written: Callable[[np.random.Generator, bool], bytes], ending: str, in_train: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, "binary", 5, n=120)
    rng = np.random.default_rng(4)
    for side, table in (("train", world.train), ("test", world.test)):
        for number, item in enumerate(table[world.key]):
            is_whole = number % 2 == 0 or (side == "train" and not in_train)
            world.files[f"{side}/{item}.{ending}"] = written(rng, is_whole)
    found = {(one.kind, one.severity) for one in searched(world, "gaps")}
    assert found == (set() if in_train else {("missing_inputs", "suspicious")})


@pytest.mark.parametrize("is_whole", [False, True])
def test_pictures_of_one_colour_are_suspicious_where_train_has_empty_masks(is_whole: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=120)
    rng = np.random.default_rng(4)
    for side, table in (("train", world.train), ("test", world.test)):
        for number, item in enumerate(table[world.key]):
            world.files[f"{side}/images/{item}.png"] = flat(rng, is_whole or side == "train")
            if side == "train" and number % 2:
                world.files[f"{side}/masks/{item}.png"] = flat(np.random.default_rng(0), number % 6 == 1)
    found = {(one.kind, one.severity) for one in searched(world, "gaps")}
    assert found == (set() if is_whole else {("missing_inputs", "suspicious")})


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_files_beside_others_that_some_items_to_predict_lack(share: float, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=120)
    rng = np.random.default_rng(4)
    for side, table in (("train", world.train), ("test", world.test)):
        for number, name in enumerate(table[world.key]):
            if side == "train" or number < share * len(table):
                words = " ".join(map(str, rng.integers(0, 99, 9)))
                world.files[f"curves/{side}/{Path(str(name)).stem}.txt"] = words.encode()
    expected = [("missing_inputs", "suspicious", "curves/test/*.txt (as curves/train/*.txt)")] if share < 1 else []
    assert places(searched(world, "missing")) == expected


def test_masks_of_train_alone_are_answers(tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=120)
    pictures = [name for name in world.files if name.startswith("train_files/")]
    for name in pictures:
        world.files[name.replace("train_files/", "masks/train/")] = world.files[name]
    assert places(searched(world, "missing")) == []


def test_numbers_of_a_table_of_train_are_no_items_to_predict(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=450)
    rng = np.random.default_rng(4)
    numbers = [*range(1, len(world.train) + 1)], [1000 + 10 * row for row in range(len(world.test))]
    # Backwards, 1010 is 101, which is an item of train.
    world.train[world.key], world.test[world.key] = numbers
    world.answers[world.key] = world.sample[world.key] = numbers[1]
    fold = pd.DataFrame({world.key: numbers[0], "oof": rng.random(len(world.train)).round(4), "fold": 1})
    world.files["folds.csv"] = fold.to_csv(index=False).encode()
    assert searched(world, "gaps") == []


def test_a_table_of_further_items_is_not_one_of_their_branches(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=300)
    rng = np.random.default_rng(4)
    for table, count in ((world.train, 45), (world.test, 60)):
        table["branch"] = [f"br{number:02d}" for number in rng.integers(0, count, len(table))]
    features = world.train.drop(columns=[world.key, *world.targets])
    further = pd.concat([features.drop_duplicates("branch"), features.sample(40, random_state=1)])
    world.files["unlabelled.csv"] = further.to_csv(index=False).encode()
    assert searched(world, "gaps") == []


@pytest.mark.parametrize("is_pure", [True, False])
def test_the_few_items_to_predict_that_have_a_value_count_with_those_of_train(is_pure: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=150)
    [target] = world.targets
    answer = (np.arange(len(world.answers)) < 11).astype(int)
    known = (np.arange(len(world.train)) % 3 == 0).astype(int)
    world.answers[target], world.train[target] = answer, known
    for frame, classes, count in ((world.test, answer, 2), (world.train, known, 9)):
        shown = np.flatnonzero(classes == 1)[:count]
        if not is_pure:
            shown[: len(shown) // 2] = np.flatnonzero(classes == 0)[: len(shown) // 2]
        frame["giver"] = [f"user{row}" if row in shown else None for row in range(len(frame))]
    found = [one for one in searched(world, "columns") if "giver" in one.where]
    assert [one.severity for one in found] == ["leak"] * is_pure


@pytest.mark.parametrize("has_labels", [True, False])
def test_some_of_the_answers_are_no_input_that_the_others_lack(has_labels: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=300)
    [target] = world.targets
    part = world.test.assign(**{target: world.answers[target]})[[world.key, "f0", target]].iloc[:40]
    world.files = {"further.csv": (part if has_labels else part.drop(columns=target)).to_csv(index=False).encode()}
    lacking = [one.where for one in searched(world, "gaps")]
    assert lacking == ([] if has_labels else ["further.csv"])
