"""Values that one class of many has exactly, in tests that are small, and honest values of one class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make

from mlebench.audit.detectors import one_class, together, weak
from mlebench.audit.finding import Found
from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task


def found_in(world: World) -> list[Found]:
    return list(one_class.detect(survey(read_task(world.write()))))


def small(folder: Path, family: str = "multiclass", seed: int = 3) -> tuple[World, str]:
    world = make(folder, family, seed, n=180)
    return world, str(world.labels().value_counts().index[1])


def in_train_at_random(world: World, values: list[str]) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    return world.rng.choice(values, len(world.train))


def test_a_value_of_one_class_is_found_where_train_has_it_at_random(tmp_path: Path) -> None:
    world, name = small(tmp_path)
    world.test["source"] = np.where(world.labels() == name, "b", "a")
    world.train["source"] = in_train_at_random(world, ["a", "b"])
    [found] = found_in(world)
    assert (found.severity, found.where) == ("leak", "test.csv: source")


def test_a_column_of_a_table_beside_is_found(tmp_path: Path) -> None:
    world, name = small(tmp_path)
    table = world.test[[world.key]].assign(area=np.where(world.labels() == name, "S7", "S2"))
    world.files["notes/areas.csv"] = table.to_csv(index=False).encode()
    assert [found.where for found in found_in(world)] == ["notes/areas.csv: area"]


def test_dates_of_files_are_found(tmp_path: Path) -> None:
    world, name = small(tmp_path, "sounds", 5)
    mine = set(world.test[world.key][(world.labels() == name).to_numpy()].astype(str))
    for file in world.files:
        world.times[file] = 1.6e9 if Path(file).stem in mine else 1.7e9 + float(world.rng.integers(0, 9))
    assert [found.severity for found in found_in(world)] == ["leak"]


def test_a_class_that_train_lacks_is_found_where_train_has_all_dates_and_other_classes_one(tmp_path: Path) -> None:
    world, name = small(tmp_path, "sounds", 5)
    world.train = world.train[world.train["species"] != name].reset_index(drop=True)
    mine = set(world.test[world.key][(world.labels() == name).to_numpy()].astype(str))
    for file in world.files:
        is_late = Path(file).stem in mine if file.startswith("test") else world.rng.random() < 0.5
        world.times[file] = 1.6e9 if is_late else 1.7e9
    assert [found.severity for found in found_in(world)] == ["leak"]


def test_numbers_from_a_limit_on_are_found(tmp_path: Path) -> None:
    world, name = small(tmp_path)
    chosen = (world.labels() == name).to_numpy()
    world.test["load"] = np.round(world.rng.random(len(chosen)) + 2 * chosen, 3)
    world.train["load"] = np.round(3 * world.rng.random(len(world.train)), 3)
    assert [found.where for found in found_in(world)] == ["test.csv: load"]


@pytest.mark.parametrize("kind", ["feature", "places", "nearly", "many_places_beside", "train_lacks_it"])
def test_honest_values_of_one_class_raise_no_alarm(kind: str, tmp_path: Path) -> None:
    world, name = small(tmp_path)
    mine, theirs = (world.labels() == name).to_numpy(), (world.train["species"] == name).to_numpy()
    if kind == "feature":
        world.test["form"], world.train["form"] = np.where(mine, "x", "y"), np.where(theirs, "x", "y")
    elif kind == "places":  # each has one class, and test has other places than train
        world.test["place"] = world.labels().to_numpy() + "-1"
        world.train["place"] = world.train["species"] + "-2"
    elif kind == "nearly":
        noisy = np.where(world.rng.random(len(mine)) < 0.1, ~mine, mine)
        world.test["form"] = np.where(noisy, "x", "y")
        world.train["form"] = in_train_at_random(world, ["x", "y"])
    elif kind == "many_places_beside":
        table = world.test[[world.key]].assign(place=[f"P{row}" for row in range(len(mine))])
        table.loc[mine, "place"] = "P0"
        world.files["places.csv"] = table.to_csv(index=False).encode()
    else:
        world.train = world.train[~theirs]
        world.test["form"], world.train["form"] = np.where(mine, "x", "y"), "y"
    assert found_in(world) == []


def test_two_columns_are_compared_though_many_flags_stand_before_them(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=600)
    name = str(world.labels().value_counts().index[0])
    for side in (world.test, world.train):
        kinds = world.rng.integers(0, 40, len(side))
        for number in range(40):
            side[f"kind_{number}"] = (kinds == number).astype(int)
    first = world.rng.integers(0, 40, len(world.test))
    world.test["left"] = first
    world.test["right"] = np.where(world.labels() == name, first, (first + 1) % 40)
    known = world.rng.integers(0, 40, len(world.train))
    world.train["left"] = known
    world.train["right"] = np.where(world.rng.random(len(known)) < 0.3, known, (known + 1) % 40)
    where = [found.where for found in together.detect(survey(read_task(world.write())))]
    assert where == ["test.csv: left and right"]


def test_a_form_that_tells_is_found_though_train_lacks_another_class(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=450)
    names = [str(name) for name in world.labels().value_counts().index]
    world.train = world.train[world.train["species"] != names[0]].reset_index(drop=True)
    shape = [f"{'-' if name in names[1:3] else '+'}{world.rng.integers(10, 99)}" for name in world.labels()]
    world.test["shape"] = shape
    world.train["shape"] = [f"{world.rng.choice(['-', '+'])}{world.rng.integers(10, 99)}" for _ in world.train.index]
    where = [found.where for found in weak.detect(survey(read_task(world.write())))]
    assert where == ["test.csv: shape"]
