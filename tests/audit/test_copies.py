"""Copies on both sides, copies under other names, items of train that are named, and samples that nobody asked for."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import make
from numpy.typing import NDArray
from test_answers_elsewhere import as_csv
from test_values import searched

from mlebench.audit.column_values import Relation
from mlebench.audit.column_verdicts import by_presence
from mlebench.audit.likeness import of_array, of_dicom, of_table, seen_again
from mlebench.audit.matching import Aligned
from mlebench.audit.predicting import predicted_values
from mlebench.audit.relations import relation
from mlebench.audit.strength import Strength
from mlebench.audit.table import texts
from mlebench.audit.targets import Target, read_task
from mlebench.competition.local import LocalCompetition


def test_rows_that_repeat_with_their_labels_are_suspicious_and_no_leak(tmp_path: Path) -> None:
    found = searched(make(tmp_path, "regression", 5, "repeated", n=400), "duplicates")
    assert {(one.kind, one.severity) for one in found} == {("duplicates", "suspicious")}


def test_coarse_rows_that_are_equal_by_chance_are_not(tmp_path: Path) -> None:
    world, rng = make(tmp_path, "binary", 5, n=600), np.random.default_rng(1)
    labels = {"train": world.train["target"].to_numpy(), "test": np.asarray(world.labels())}
    for name in ("train", "test"):
        table = getattr(world, name)[[world.key]].copy()
        table["size"] = np.where(rng.random(len(table)) < 0.97, labels[name], 1 - labels[name])  # and so is the answer
        table["colour"] = rng.choice(["red", "blue"], len(table))
        setattr(world, name, table.assign(target=labels[name]) if name == "train" else table)
    assert searched(world, "duplicates") == []


def _dicom(pixels: NDArray[np.int16]) -> bytes:
    def number(element: int, value: int) -> bytes:
        return struct.pack("<HH2sHH", 0x0028, element, b"US", 2, value)

    rows, columns = pixels.shape
    body = pixels.astype("<i2").tobytes()
    facts = number(0x10, rows) + number(0x11, columns) + number(0x100, 16)
    return b"\0" * 128 + b"DICM" + facts + struct.pack("<HH2sHI", 0x7FE0, 0x10, b"OW", 0, len(body)) + body


def _npy(values: NDArray[np.float64]) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


@pytest.mark.parametrize(
    ("written", "views"),
    [
        (lambda values: _dicom((values * 1000).astype(np.int16)), of_dicom),
        (_npy, of_array),
        (lambda values: as_csv(pd.DataFrame(values.reshape(-1, 4)).round(3)), of_table),
    ],
    ids=["DICOM", "arrays", "tables"],
)
def test_files_of_numbers_with_a_little_noise_are_seen_again(
    written: Callable[[NDArray[np.float64]], bytes], views: Callable[[bytes], list[NDArray[np.float64]]]
) -> None:
    rng = np.random.default_rng(2)
    train = [rng.normal(size=(20, 20)) for _ in range(40)]
    test = [*(3 * item + rng.normal(0, 0.01, (20, 20)) for item in train[:10]), *rng.normal(size=(10, 20, 20))]
    pairs = seen_again(
        [written(item) for item in test], [written(item) for item in train], np.arange(20), np.arange(40), views
    )
    assert pairs is not None
    assert pairs.test == {number: [number] for number in range(10)}
    assert pairs.within == 0


def test_a_label_beside_a_copy_of_a_file_under_another_name_is_found(tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=150)
    labels = dict(zip(world.test[world.key].astype(str), world.labels(), strict=True))
    rows = []
    with zipfile.ZipFile(io.BytesIO(world.files["test.zip"])) as archive:
        for number, name in enumerate(archive.namelist()):
            world.files[f"more/x{number:04d}.png"] = archive.read(name)
            rows.append((f"x{number:04d}.png", labels[Path(name).stem]))
    assert searched(world, "columns") == []
    world.files["more/list.csv"] = as_csv(pd.DataFrame(rows, columns=["file", "kind"]).sample(frac=1, random_state=1))
    assert {(found.where, found.severity) for found in searched(world, "columns")} == {("more/list.csv: kind", "leak")}


def test_items_of_train_that_are_named_tell_by_their_labels(tmp_path: Path) -> None:
    world, rng = make(tmp_path, "multiclass", 5, n=300), np.random.default_rng(3)
    same = [rng.choice(world.train[world.key][world.train[world.targets[0]] == label]) for label in world.labels()]
    others = rng.choice(world.train[world.key], len(world.test))
    pairs = pd.DataFrame({"query": world.test[world.key], "match": others})
    world.files["old/pairs.csv"] = as_csv(pairs)
    assert searched(world, "referred") == []
    world.files["old/pairs.csv"] = as_csv(pairs.assign(match=same))
    [found] = searched(world, "referred")
    assert (found.kind, found.severity, found.where) == ("answers_in_public", "leak", "old/pairs.csv: match")


@pytest.mark.parametrize("form", ["a column that nobody asks for", "the number of decimals"])
def test_a_sample_tells_in_ways_that_reading_it_loses(form: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=300)
    truth = world.answers.set_index(world.key)["target"].loc[world.sample[world.key]].to_numpy()
    if form == "the number of decimals":
        world.sample = world.sample.assign(target=np.where(truth == 1, "0.50", "0.5"))
    else:
        world.sample = world.sample.assign(usage=np.where(truth == 1, 0.3, 0.7))
    assert {(found.kind, found.severity) for found in searched(world, "sample")} == {("sample_hint", "leak")}


def test_an_id_of_several_columns_is_known_in_one(prepared_twin: Callable[[str], LocalCompetition]) -> None:
    task = read_task(prepared_twin("uw-madison-gi-tract-image-segmentation"))
    first = task.sample.iloc[int(task.rows[0])]
    assert task.test.names[f"{first['id']}_{first['class']}"] == (0,)


def test_answers_that_are_empty_can_be_predicted() -> None:
    rng = np.random.default_rng(5)
    target = Target("kind", "kind", texts([None, "a", "b", "c"] * 30))
    codes = np.tile([0.0, 1.0, 2.0, 3.0], 30)
    found = relation(texts((codes + rng.normal(0, 0.05, 120)).round(3)), target, texts(range(120)))
    values = predicted_values(texts(codes), found, target)
    assert values is not None
    assert set(values) <= {None, "a", "b", "c"}


def test_a_column_of_no_items_is_no_failure() -> None:
    nothing = Aligned("x.csv", "x", texts([]), np.array([], dtype=np.int64), "id")
    assert by_presence(nothing, Target("kind", "kind", texts([]))).power == 0


def test_a_number_that_stands_for_a_class_gives_the_most_common_answer_of_its_items() -> None:
    labels = ["a"] * 30 + ["b", "b", "d", "d", "d", "c"]
    months = texts(["1"] * 30 + ["7"] * 6)
    target = Target("kind", "kind", texts(labels))
    found = Relation(Strength(0.99, 20.0, "order"), "plain", "rises or falls with the answers", months)
    spoken = predicted_values(months, found, target)
    assert spoken is not None
    assert list(spoken) == ["a"] * 30 + ["d"] * 6


@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_sample_in_the_order_of_numbers_is_no_chance(is_sorted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=120)
    [target] = world.targets
    shuffled = world.answers.sample(frac=1.0, random_state=1)
    order = shuffled.sort_values(target) if is_sorted else shuffled
    world.sample = world.sample.set_index(world.key).loc[order[world.key]].reset_index()
    found = {(found.where, found.severity) for found in searched(world, "sample")}
    assert found == ({("sample_submission.csv: (order of rows)", "leak")} if is_sorted else set())


def test_a_sample_tells_one_answer_in_the_column_of_another(tmp_path: Path) -> None:
    world = make(tmp_path, "multilabel", 5, n=300)
    first, second = world.targets[:2]
    truth = world.answers.set_index(world.key)[first].loc[world.sample[world.key]].to_numpy()
    world.sample[second] = np.random.default_rng(0).permutation(np.where(truth == 1, 0.3, 0.25))
    assert searched(world, "sample") == []
    world.sample[second] = np.where(truth == 1, 0.3, 0.25)
    found = {(found.where, found.severity) for found in searched(world, "sample")}
    assert (f"sample_submission.csv: {second}", "leak") in found
