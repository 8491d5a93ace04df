"""Labels that train lacks, has in another writing, or that only the sample submission has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make

from mlebench.audit.detectors import labels, weak
from mlebench.audit.finding import Found
from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task


def found_in(world: World) -> list[Found]:
    return [each for each in labels.detect(survey(read_task(world.write()))) if each.severity == "suspicious"]


def test_a_class_that_a_small_train_lacks(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    common = world.answers.species.mode()[0]
    world.train = world.train[world.train.species != common].head(90).reset_index(drop=True)
    [found] = found_in(world)
    assert found.where == "train.csv: species"
    assert repr(common) in found.evidence


def test_train_with_one_of_two_classes(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=300)
    world.train = world.train[world.train.target == 0].head(95).reset_index(drop=True)
    [found] = found_in(world)
    assert "1 of 2 labels among the answers are not in train" in found.evidence


def test_train_with_one_of_five_classes_that_the_answers_have_a_column_for(tmp_path: Path) -> None:
    world = make(tmp_path, "onehot", 3, n=300)
    features = world.train.drop(columns=world.targets)
    features["kind"] = [world.targets[place] for place in world.train[world.targets].to_numpy().argmax(axis=1)]
    world.train = features[features.kind == features.kind.mode()[0]].reset_index(drop=True)
    [found] = found_in(world)
    assert found.where == "train.csv: kind"
    assert "4 of 5 labels" in found.evidence


def test_classes_that_the_description_names_as_columns_of_the_submission(tmp_path: Path) -> None:
    world = make(tmp_path, "onehot", 3, n=300)
    common = world.train[world.targets].sum().idxmax()
    world.train = world.train[world.train[common] == 0].reset_index(drop=True)
    world.files["description.md"] = " ".join(f"`{name}`" for name in world.targets).encode()
    [found] = found_in(world)
    assert found.where == f"train.csv: {common}"
    assert repr(common) in found.evidence


@pytest.mark.parametrize(("names", "severity"), [("01234", "suspicious"), ("ABCDE", "note")])
def test_a_class_that_the_description_names_is_known_where_it_is_a_word(
    names: str, severity: str, tmp_path: Path
) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    called = dict(zip(sorted(world.train["species"].unique()), names, strict=False))
    for side in (world.train, world.answers, world.sample):
        side["species"] = side["species"].map(called)
    common = world.train["species"].mode()[0]
    world.train = world.train[world.train["species"] != common].reset_index(drop=True)
    world.files["description.md"] = " ".join(f"`{name}`" for name in called.values()).encode()
    [found] = list(labels.detect(survey(read_task(world.write()))))
    assert (found.severity, found.where) == (severity, "train.csv: species")


def test_the_table_with_the_named_labels_counts_though_another_has_more(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    more = world.train[[world.key, "species"]].rename(columns={"species": "kind"})
    world.files["records/train_more.csv"] = more.to_csv(index=False).encode()
    common = world.answers.species.mode()[0]
    world.train = world.train[world.train.species != common].reset_index(drop=True)
    [found] = found_in(world)
    assert repr(common) in found.evidence


def test_labels_of_more_items_without_features_hide_no_class_that_train_lacks(tmp_path: Path) -> None:
    world = make(tmp_path, "onehot", 3, n=300)
    features = world.train.drop(columns=world.targets)
    features["kind"] = [world.targets[place] for place in world.train[world.targets].to_numpy().argmax(axis=1)]
    listed = features[[world.key, "kind"]].rename(columns={world.key: "item", "kind": "label"})
    world.files["train_annotations.csv"] = listed.to_csv(index=False).encode()
    world.train = features[features.kind != features.kind.mode()[0]].reset_index(drop=True)
    [found] = found_in(world)
    assert "1 of 5 labels" in found.evidence


def test_what_tells_classes_apart_that_train_lacks_is_no_leak(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=600)
    common = world.answers.species.mode()[0]
    for frame, given in ((world.train, world.train.species), (world.test, world.labels())):
        draw = world.rng.integers(0, 4, len(frame))
        frame["mark"] = [
            f"m{kind}" if name != common else f"m{kind % 2}" for kind, name in zip(draw, given, strict=True)
        ]
    world.train = world.train[world.train.species != common].reset_index(drop=True)
    assert not list(weak.detect(survey(read_task(world.write()))))


@pytest.mark.parametrize(("drop", "is_found"), [("h7", True), ("h50", False)])
def test_of_many_classes_one_that_many_items_have(tmp_path: Path, drop: str, is_found: bool) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    # Class h7 is that of every tenth item, and all others have a few.
    for frame in (world.train, world.answers):
        frame["species"] = ["h7" if row % 10 == 0 else f"h{50 + row % 60}" for row in range(len(frame))]
    world.sample["species"] = "h51"
    world.train = world.train[world.train.species != drop].reset_index(drop=True)
    assert bool(found_in(world)) == is_found


def _upper(value: str) -> str:
    return value.upper()


def _blank(value: str) -> str:
    return value + " "


@pytest.mark.parametrize("change", [_upper, _blank, lambda value: value.replace("e", "3") + "s"])
@pytest.mark.parametrize("all_of_them", [True, False])
def test_labels_that_train_writes_otherwise(tmp_path: Path, change: object, all_of_them: bool) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    assert not found_in(world)
    common = world.answers.species.mode()[0]
    assert callable(change)
    world.train["species"] = [change(name) if all_of_them or name == common else name for name in world.train.species]
    [found] = found_in(world)
    assert found.where == "train.csv: species"


def test_a_column_of_the_sample_for_a_class_that_nobody_has(tmp_path: Path) -> None:
    world = make(tmp_path, "onehot", 3, n=400)
    assert not found_in(world)
    world.sample["oak"] = world.answers["oak"] = 0
    world.targets = [*world.targets, "oak"]
    [found] = found_in(world)
    assert found.where == "sample_submission.csv: oak"


def test_of_rare_classes_some_may_be_missing(tmp_path: Path) -> None:
    world = make(tmp_path, "onehot", 3, n=400)
    rng = np.random.default_rng(1)
    names = [f"c{number}" for number in range(80)]
    for frame in (world.train, world.answers):
        drawn = rng.integers(0, 78, len(frame))
        given = pd.DataFrame((drawn[:, None] == np.arange(80)).astype(int), columns=names)
        frame[names] = given
    world.train, world.answers = (frame.drop(columns=world.targets) for frame in (world.train, world.answers))
    world.sample = world.answers.copy()
    world.sample[names] = 1 / 80
    world.targets = names
    assert not found_in(world)


def test_an_answer_that_is_missing_is_no_label(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    world.answers.loc[world.answers.index % 3 == 0, "species"] = None
    assert not found_in(world)


def test_an_answer_of_several_words_is_no_class_where_most_are_different(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=300)
    for frame, often in ((world.train, "b c a"), (world.answers, "a b c")):
        frame["species"] = [often if row % 4 == 0 else f"box {row} {row * 7}" for row in range(len(frame))]
    world.sample["species"] = "box 1 1"
    assert not found_in(world)


@pytest.mark.parametrize(("by", "is_odd"), [(10, True), (0, False)])
def test_marks_of_another_scale_than_in_train(by: int, is_odd: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 3, n=400)
    [target] = world.targets
    rng = np.random.default_rng(1)
    world.train[target] = rng.integers(1, 6, len(world.train)) + by
    world.answers[target] = rng.integers(1, 6, len(world.answers))
    world.files = {}
    assert [found.kind for found in found_in(world)] == ["unseen_labels"] * is_odd


def test_numbers_that_each_side_has_its_own_of_are_no_marks(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 3, n=400)
    [target] = world.targets
    world.train[target] = np.arange(len(world.train)) // 10 + 1000  # such as houses, which are on one side
    world.answers[target] = np.arange(len(world.answers)) // 10
    world.files = {}
    assert not found_in(world)
