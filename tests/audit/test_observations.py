"""What counts as an observation, and what train says about test: patients, tracks, ids and lists of many kinds."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_answers_elsewhere import as_csv
from test_defects import with_sides
from test_values import searched

from mlebench.audit.column_values import Relation, Values
from mlebench.audit.honesty import transferred
from mlebench.audit.judging import judge
from mlebench.audit.readers.text import tables_of_text
from mlebench.audit.relations import relation
from mlebench.audit.strength import Strength, by_groups
from mlebench.audit.table import as_numbers, texts
from mlebench.audit.targets import Target, agree_on_kind


def patients(world: World, visits: int = 8) -> World:
    """Visits of patients, each with one diagnosis, and other patients in test than in train."""
    rng = np.random.default_rng(7)
    count = 100
    sick = rng.integers(0, 2, count)
    traits = rng.normal(size=(count, 3)) + 0.3 * sick[:, None]
    rows = pd.DataFrame(
        {
            world.key: rng.permutation(count * visits) + 1000,
            "patient": np.repeat(rng.permutation(count) + 200, visits),
            "age": np.repeat(rng.integers(20, 90, count), visits),
            **{
                f"f{n}": np.round(np.repeat(traits[:, n], visits) + rng.normal(0, 0.3, count * visits), 3)
                for n in range(3)
            },
            world.targets[0]: np.repeat(sick, visits),
        }
    )
    return with_sides(world, rows, np.repeat(rng.random(count) < 0.25, visits))


@pytest.mark.parametrize("name", ["columns", "weak", "joint", "together"])
def test_visits_of_a_patient_are_one_observation(name: str, tmp_path: Path) -> None:
    assert [found for found in searched(patients(make(tmp_path, "binary", 5)), name) if found.severity != "note"] == []


def test_a_column_that_knows_in_test_is_found_among_patients(tmp_path: Path) -> None:
    world = patients(make(tmp_path, "binary", 5))
    rng = np.random.default_rng(1)
    world.train["risk"] = rng.random(len(world.train)).round(4)
    truth = world.answers[world.targets[0]].to_numpy(dtype=float)
    world.test["risk"] = (0.8 * truth + 0.2 * rng.random(len(truth))).round(4)
    assert "test.csv: risk" in {found.where for found in searched(world, "columns") if found.severity == "leak"}


def test_ids_that_were_given_class_by_class_are_found(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=300)
    [target] = world.targets
    whole = pd.concat([world.train[target], world.answers[target]])
    places = whole.rank(method="first").astype(int).to_numpy()
    named = [f"row_{place:05x}z" for place in places]
    world.train[world.key] = named[: len(world.train)]
    for side in (world.test, world.answers, world.sample):
        side[world.key] = named[len(world.train) :]
    assert ("the ids: number in the id", "leak") in {
        (found.where, found.severity) for found in searched(world, "columns")
    }


def test_only_what_train_says_about_test_is_known() -> None:
    rng = np.random.default_rng(2)
    labels = np.repeat(rng.integers(0, 2, 20), 6)
    drives, others = np.repeat([f"a{n}" for n in range(20)], 6), np.repeat([f"b{n}" for n in range(20)], 6)
    cameras = np.where(labels == 1, "canon", "nikon")
    target = Target("label", "label", texts(labels))
    for values, known, expected in ((drives, others, 0.0), (cameras, cameras, 1.0)):
        view = Values(texts(values))
        found = relation(view, target, texts(range(len(labels))))
        assert found.power > 0.95
        assert transferred(view, Values(texts(known)), found, target, target) == pytest.approx(expected)


def test_a_table_with_a_column_for_each_shop_has_the_answers(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    [target] = world.targets
    rng = np.random.default_rng(3)
    days = [str(day.date()) for day in pd.date_range("2021-03-01", periods=60)]
    rows = [(10 * number + shop, day, f"shop{shop}") for number, day in enumerate(days) for shop in range(5)]
    whole = pd.DataFrame(rows, columns=[world.key, "date", "shop"])
    whole[target] = rng.normal(100, 20, len(whole)).round(2)
    world = with_sides(world, whole, (whole["date"] > days[44]).to_numpy())
    later = world.test.assign(units=world.answers[target])
    assert searched(world, "rows_elsewhere") == []
    world.files["export.csv"] = as_csv(later.pivot(index="date", columns="shop", values="units").reset_index())
    [found] = searched(world, "rows_elsewhere")
    assert (found.kind, found.severity, found.where) == ("answers_in_public", "leak", "export.csv: its cells")


def test_some_answers_in_a_sample_that_says_the_same_of_all_others(tmp_path: Path) -> None:
    world = make(tmp_path, "multilabel", 5, n=400)
    world.sample[world.targets] = 0
    assert searched(world, "sample") == []
    rng = np.random.default_rng(1)
    for target in world.targets:  # too few in each column to be seen there
        positives = np.flatnonzero(world.answers[target].to_numpy() == 1)
        world.sample.loc[rng.choice(positives, 9, replace=False), target] = 1
    assert {(found.kind, found.severity) for found in searched(world, "sample")} == {("sample_hint", "leak")}


@pytest.mark.parametrize("form", ["a list with a heading", "base64 in JSON"])
def test_answers_in_small_files_of_odd_forms(form: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=200)
    [target] = world.targets
    if form == "base64 in JSON":
        content = base64.encodebytes(as_csv(world.answers)).decode()  # with line ends, as mail has them
        world.files["export.json"] = json.dumps({"name": "labels.csv", "content": content}).encode()
    else:
        words = world.answers[target].map({0: "no", 1: "yes"})
        world.files["old/labels.txt"] = "\n".join([target, *words]).encode()
    assert {found.severity for found in searched(world, "columns")} == {"leak"}


@pytest.mark.parametrize(
    "written", ["2017:03:0{} 10:00:00", "0{}/03/2017 10:00", "2017.03.0{}", "2017-03-0{}T10:00:00"]
)
def test_dates_are_numbers_however_they_are_written(written: str) -> None:
    numbers = as_numbers(texts(written.format(day) for day in range(1, 9)))
    assert numbers is not None
    assert np.allclose(np.diff(numbers), np.diff(numbers)[0])
    assert np.diff(numbers)[0] > 0


def test_a_word_of_any_length_is_read_once() -> None:
    assert tables_of_text("long.txt", f"{'a' * 1_000_000}\nid: 1\nother: 2\nthird = 3")


def test_a_quantity_in_steps_is_no_patient(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=240)
    rng = np.random.default_rng(4)
    [target] = world.targets
    for side, answers in ((world.train, world.train[target]), (world.test, world.answers[target])):
        noisy = answers.to_numpy(dtype=float) + rng.normal(0, 0.1 * answers.std(), len(answers))
        side["share"] = pd.qcut(noisy, len(answers) // 3, labels=False) / 256
        side["level"] = rng.integers(0, 2, len(side))
    assert not searched(world, "columns")
    truth = world.answers[target].to_numpy(dtype=float)
    world.test["level"] = (truth > np.median(truth)).astype(int)
    assert "test.csv: level" in {found.where for found in searched(world, "columns") if found.severity == "leak"}


@pytest.mark.parametrize(("positives", "is_found"), [(4, True), (1, False)])
def test_a_code_of_few_items_is_found_where_it_cannot_be_chance(positives: int, is_found: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=90)
    world.answers[world.targets[0]] = [int(row % 7 == 3 and row < 7 * positives) for row in range(len(world.answers))]
    pairs = zip(world.answers[world.key], world.answers[world.targets[0]], strict=True)
    world.files["extra/fold.txt"] = "".join(f"{name} {4 - flag}\n" for name, flag in pairs).encode()
    assert ("leak" in {found.severity for found in searched(world, "columns")}) == is_found


def _of_many_classes(folder: Path) -> World:
    """Items of forty classes, of which most have one item or two."""
    world = make(folder, "multiclass", 5, n=180)
    for frame in (world.train, world.answers):
        frame["species"] = [f"h{int(number)}" for number in world.rng.integers(0, 40, len(frame))]
    world.sample["species"] = "h1"
    return world


def test_numbers_of_many_classes_with_few_items_each_are_found(tmp_path: Path) -> None:
    world = _of_many_classes(tmp_path / "code")
    names: list[str] = sorted(set(world.answers.species))
    numbers = {names[place]: 3 + number for number, place in enumerate(world.rng.permutation(len(names)))}
    keys, given = [str(name) for name in world.answers[world.key]], [numbers[name] for name in world.answers.species]
    world.files["old/list.json"] = json.dumps({"key": keys, "v": given}).encode()
    assert "old/list.json: v" in {found.where for found in searched(world, "columns") if found.severity == "leak"}
    world = _of_many_classes(tmp_path / "chance")
    world.files["old/list.json"] = json.dumps({"key": keys, "v": world.rng.permutation(given).tolist()}).encode()
    assert searched(world, "columns") == []


def test_a_flag_that_parts_a_small_test_by_chance_is_judged_by_what_it_is_in_train() -> None:
    code, weak = (Relation(Strength(power, digits, "groups"), "code", "") for power, digits in ((1.0, 4.4), (0.8, 60)))
    judged = {"has_train": True, "is_artifact": False, "same_name": False}
    assert judge(code, 30, weak, 270, **judged) is None
    assert judge(code, 30, None, 0, **judged) == "leak"


def test_fractions_that_hardly_repeat_are_measured_however_few_items_there_are() -> None:
    latitudes = 37.4 + np.arange(24) * 0.0013

    def n_classes(values: np.ndarray[Any, Any]) -> int:
        return Target("y", "y", texts(values)).n_classes

    assert n_classes(latitudes) == 0
    assert n_classes(np.tile([0.5, 1.0, 1.5, 2.0], 6)) == 4
    assert n_classes(np.arange(24)) == 24  # numbers of classes


def test_both_sides_are_numbers_or_both_are_classes() -> None:
    fares = np.random.default_rng(3).integers(5, 60, 3000) / 2
    few, many = (Target("fare", "fare", texts(part.tolist())) for part in (fares[:40], fares))
    assert (few.n_classes, many.n_classes) == (0, 55)
    agree_on_kind(few, many)
    assert (few.n_classes, many.n_classes) == (0, 0)
    assert many.part(np.arange(2000)).n_classes == 0
    species = np.random.default_rng(4).integers(0, 60, 3000)
    few, many = (Target("species", "species", texts(part.tolist())) for part in (species[:60], species))
    agree_on_kind(few, many)
    assert few.n_classes == len(few.classes)
    assert many.n_classes == 60
    assert few.part(np.arange(40)).n_classes == len(set(species[:40].tolist()))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_group_with_as_many_rows_of_each_class_tells_nothing_of_half_of_them(more: int) -> None:
    codes = np.repeat([0, 1, 2], [100, 100, 80])
    y = np.concatenate([np.zeros(100), np.ones(100), np.zeros(40 + more), np.ones(40 - more)])
    assert by_groups(codes, y, 2).power == pytest.approx(1 - 40 / 140, abs=0.02)
