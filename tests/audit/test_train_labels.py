"""Labels of train that have another name or another form than the answers, so that test can be compared with train."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched

from mlebench.audit import train_items
from mlebench.audit.entries import Entry
from mlebench.audit.readers import read_tables
from mlebench.audit.survey import Survey, survey
from mlebench.audit.table import Table, texts
from mlebench.audit.targets import Target, read_task
from mlebench.audit.train_labels import listed, words_in_names


def surveyed(world: World, train: pd.DataFrame) -> Survey:
    world.train = train
    return survey(read_task(world.write()))


@pytest.mark.parametrize("family", ["binary", "regression", "multiclass"])
@pytest.mark.parametrize("name", ["label", "is_it"])
def test_labels_of_another_name_are_those_that_test_lacks(family: str, name: str, tmp_path: Path) -> None:
    world = make(tmp_path, family, 3, n=200)
    [target] = world.targets
    truth = list(texts(world.train[target]))
    found = surveyed(world, world.train.rename(columns={target: name})).train
    assert found is not None
    assert found.targets[0].name == target
    assert list(found.targets[0].values) == truth


def test_a_column_with_other_values_than_the_answers_is_no_label(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=200)
    [target] = world.targets
    other = world.train.drop(columns=target).assign(label=[f"s{row % 7}" for row in range(len(world.train))])
    assert surveyed(world, other).train is None


def test_the_first_column_is_the_labels_though_some_ids_stand_twice(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=200)
    [target] = world.targets
    known = world.train[[world.key, target]].rename(columns={world.key: "file", target: "kind"})
    known = known.assign(place=[f"{row % 9}/{row % 5}" for row in range(len(known))])[["kind", "place", "file"]]
    found = surveyed(world, pd.concat([known, known[:10]], ignore_index=True)).train
    assert found is not None
    assert list(found.ids[:-10]) == list(texts(known["file"]))
    assert list(found.targets[0].values[:-10]) == list(texts(known["kind"]))


def test_lists_of_labels_say_for_each_whether_an_item_has_it() -> None:
    tags = ["rust scab", "healthy", "scab", "rust", "", "healthy"]
    table = Table("train.csv", {"image": texts(f"i{row}" for row in range(6)), "tags": texts(tags)})
    asked = ["healthy", "rust", "scab"]
    targets = [Target(name, name, texts(["0", "1"] * 3)) for name in asked]
    found = listed(table, targets, asked)
    assert {name: "".join(values) for name, values in found.items()} == {
        "healthy": "010001",
        "rust": "100100",
        "scab": "101000",
    }
    assert not listed(Table("test.csv", dict(table.columns)), targets, asked)


def test_columns_of_parts_are_labels_of_ids_that_name_whole_and_part(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=240)
    [target] = world.targets
    whole = [f"s{row // 2}_{'ab'[row % 2]}" for row in range(len(world.answers))]
    for frame in (world.answers, world.sample, world.test):
        frame[world.key] = whole[: len(frame)]
    parts = world.train[target].to_numpy()[: len(world.train) // 2 * 2].reshape(-1, 2)
    train = pd.DataFrame({"study": [f"t{row}" for row in range(len(parts))], "a": parts[:, 0], "b": parts[:, 1]})
    found = surveyed(world, train).train
    assert found is not None
    assert list(found.ids[:4]) == ["t0_a", "t0_b", "t1_a", "t1_b"]
    assert list(found.targets[0].values) == list(texts(parts.ravel()))


def test_words_in_names_of_files_are_classes_in_their_order() -> None:
    target = Target("label", "label", texts(["0", "1"] * 10))
    names = [f"train/{'dog' if row % 3 else 'cat'}.{row}.jpg" for row in range(30)]
    entries = [Entry(name, 10, order, "") for order, name in enumerate(names)]
    found = words_in_names(target, entries)
    assert len(found) == 30
    assert found["cat.0"] == "0"
    assert found["dog.1"] == "1"
    assert not words_in_names(target, [Entry(f"test/{each.base}", 10, each.order, "") for each in entries])


@pytest.mark.parametrize("mark", ["", '"'])
def test_a_cell_over_several_lines_is_no_header(mark: str) -> None:
    rows = ['1,"so it is,\nin two lines",0.5', "2,plain,0.7", '3,"in three\nlines\n, or so",0.1', f"4,a {mark}sign,0.2"]
    text = "id,text,score\n" + "\n".join(rows * 12) + "\n"
    entry = Entry("train.csv", len(text), 0, "", _read=lambda most: text.encode()[:most])
    table = next(read_tables(entry))
    assert list(table.columns) == ["id", "text", "score"]
    assert table.columns["text"][0] == "so it is,\nin two lines"


def test_files_of_items_of_train_that_are_not_looked_at_are_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make(tmp_path, "pictures", 2, n=200)
    assert not world.in_archive
    of_test = [name for name in world.files if name.startswith("test_files/")]
    for place, name in enumerate([name for name in world.files if name.startswith("train_files/")]):
        world.files[name] = world.files[of_test[place % len(of_test)]]  # pictures of both sides are the same
    monkeypatch.setattr(train_items, "MOST_ITEMS", 60)
    found = survey(read_task(world.write()))
    assert found.train is not None
    assert found.train.size == 60
    assert not any("train" in file.entry.name for file in found.test_files)


def test_a_unique_date_before_the_ids_is_not_taken_for_them(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=200)
    dates = pd.date_range("2019-03-01", periods=len(world.train)).strftime("%d/%m/%Y")
    known = world.train.rename(columns={world.key: "sample"})
    known.insert(0, "measured", dates)
    found = surveyed(world, known).train
    assert found is not None
    assert list(found.ids) == list(texts(known["sample"]))


@pytest.mark.parametrize("is_planted", [True, False])
def test_rows_of_train_may_name_items_to_predict_and_their_answers(is_planted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 7, n=600)
    rng, [target] = np.random.default_rng(1), world.targets
    numbers = rng.permutation(4000)[: len(world.train) + len(world.test)] + 70000
    for side, ids in ((world.train, numbers[: len(world.train)] - 60000), (world.test, numbers[len(world.train) :])):
        side[world.key] = ids
    world.answers[world.key] = world.sample[world.key] = world.test[world.key]
    places = rng.permutation(len(world.train))[: len(world.answers)]
    said = world.answers[target].to_numpy()
    before, outcome = np.full(len(world.train), "", dtype=object), np.full(len(world.train), "", dtype=object)
    before[places] = world.answers[world.key].astype(str)
    outcome[places] = (said if is_planted else rng.permutation(said)).astype(str)
    world.train["last_case"], world.train["last_outcome"] = before, outcome
    found = [one for one in searched(world, "columns") if one.severity == "leak"]
    assert [one.where for one in found] == (["train.csv: last_outcome"] if is_planted else [])


def test_numbers_of_the_size_of_ids_are_no_ids(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 7, n=600)
    rng = np.random.default_rng(1)
    numbers = rng.permutation(700)[: len(world.train) + len(world.test)]
    world.train[world.key], world.test[world.key] = numbers[: len(world.train)], numbers[len(world.train) :]
    world.answers[world.key] = world.sample[world.key] = world.test[world.key]
    world.train["visits"] = rng.permutation(700)[: len(world.train)]
    matched = surveyed(world, world.train).matched_test
    assert not any(one.table.where == "train.csv" for one in matched)
