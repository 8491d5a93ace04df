"""Answers by row number, in submissions that are nearly right, and at the end of histories and logs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched

from mlebench.audit.entries import Entry, bytes_reader
from mlebench.audit.readers import read_tables
from mlebench.audit.relations import relation
from mlebench.audit.table import texts
from mlebench.audit.targets import Target


def as_csv(frame: pd.DataFrame) -> bytes:
    return bytes(frame.to_csv(index=False), "utf-8")


@pytest.mark.parametrize("start", [0, 1])
def test_answers_by_the_number_of_the_row_are_found_in_any_order(start: int, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 5, n=200)
    numbered = pd.DataFrame({"row": np.arange(len(world.test)) + start, "kind": list(world.labels())})
    world.files["old/meta.csv"] = as_csv(numbered.sample(frac=1, random_state=1))
    [found] = searched(world, "columns")
    assert (found.kind, found.severity, found.where) == ("answers_in_public", "leak", "old/meta.csv: kind")


@pytest.mark.parametrize("form", ["probabilities", "a part of the rows"])
def test_a_submission_that_is_nearly_right_is_found(form: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=300)
    rng, truth = np.random.default_rng(1), world.answers["target"].to_numpy(dtype=float)
    near = np.round(np.abs(truth - rng.beta(1, 6, len(truth))), 3)
    wrong = rng.random(len(truth)) < 0.1
    near[wrong] = rng.permutation(near)[wrong]
    values = near if form == "probabilities" else np.where(rng.random(len(truth)) < 0.7, truth, 0.5)
    world.files["team.csv"] = as_csv(world.answers.assign(target=values))
    assert {(found.where, found.severity) for found in searched(world, "columns")} == {("team.csv: target", "leak")}


def with_histories(world: World, *, to_the_end: bool) -> pd.DataFrame:
    """The purchases of all users, in which those to predict come last or are not."""
    rng = np.random.default_rng(4)
    log = []
    for side, labels in ((world.train, world.train["tags"]), (world.test, world.answers["tags"])):
        for user, tags in zip(side[world.key], labels, strict=True):
            before = [(user, item, day) for item, day in zip(rng.choice(40, 8), rng.integers(1, 90, 8), strict=True)]
            log += [*before, *((user, item, 100) for item in (tags.split() if to_the_end else ()))]
    return pd.DataFrame(log, columns=["user", "item", "day"]).sample(frac=1, random_state=1)


def test_a_log_that_goes_on_past_its_day_is_found(tmp_path: Path) -> None:
    world = make(tmp_path, "lists", 5, n=240)
    world.files["log.csv"] = as_csv(with_histories(world, to_the_end=False))
    assert searched(world, "lists") == []
    world.files["log.csv"] = as_csv(with_histories(world, to_the_end=True))
    [found] = searched(world, "lists")
    assert (found.severity, found.where) == ("leak", "log.csv: item in the order of day")
    assert len(found.predictions[0].rows) == len(world.test)


def test_a_history_that_ends_with_the_answer_is_found(tmp_path: Path) -> None:
    world = make(tmp_path, "lists", 5, n=240)
    rng = np.random.default_rng(4)
    world.train["history"] = [" ".join(map(str, rng.choice(40, 9))) for _ in range(len(world.train))]
    own = [" ".join(map(str, rng.choice(40, 6))) for _ in range(len(world.test))]
    world.test["history"] = own
    assert searched(world, "lists") == []
    world.test["history"] = [f"{one} {tags}" for one, tags in zip(own, world.labels(), strict=True)]
    [found] = searched(world, "lists")
    assert (found.severity, found.where) == ("leak", "test.csv: history")


def test_annotations_with_numbers_of_their_own_are_found_by_the_names_of_files(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 6, n=120)
    for side in (world.train, world.test, world.answers, world.sample):
        side.insert(0, "id", [f"pic{name}" for name in side.pop(world.key)])
    world.key = "id"
    order = np.random.default_rng(1).permutation(len(world.test))
    pictures = [{"id": int(number), "file_name": f"{world.test['id'][number]}.png"} for number in order]
    classes = pd.factorize(np.array(list(world.labels())))[0]
    notes = [{"id": place, "image_id": int(n), "category_id": int(classes[n]) + 1} for place, n in enumerate(order)]
    world.files["coco.json"] = json.dumps({"images": pictures, "annotations": notes}).encode()
    assert ("coco.json (annotations): category_id", "leak") in {
        (found.where, found.severity) for found in searched(world, "columns")
    }


def test_the_class_with_the_largest_score_is_an_answer(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 5, n=200)
    names = sorted(set(world.labels()))
    scores = np.random.default_rng(1).normal(size=(len(world.test), len(names)))
    scores[np.arange(len(scores)), [names.index(name) for name in world.labels()]] += 4
    target = io.BytesIO()
    np.save(target, scores.astype(np.float32))
    world.files["out.npy"] = target.getvalue()
    [found] = searched(world, "scores")
    assert (found.severity, found.where) == ("leak", "out.npy: the column with the largest value")
    target = io.BytesIO()
    np.save(target, np.random.default_rng(2).normal(size=scores.shape))
    world.files["out.npy"] = target.getvalue()
    assert searched(world, "scores") == []


@pytest.mark.parametrize("answers_went_in", [True, False])
def test_means_of_groups_in_a_table_of_their_own_are_unrolled(answers_went_in: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=450)
    rng = np.random.default_rng(1)
    for side in (world.train, world.test):
        side["ward"] = rng.integers(0, 25, len(side))
    shown = world.test.merge(world.answers, on=world.key) if answers_went_in else world.train
    means = shown.groupby("ward")["price"].mean().round(4).rename("level").reset_index()
    world.files["wards.csv"] = as_csv(means)
    found = [(one.where, one.severity) for one in searched(world, "aggregates")]
    assert found == ([("wards.csv: level", "leak")] if answers_went_in else [])


def test_means_of_two_days_are_unrolled(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=300)
    size = len(world.test)
    days = pd.Series(pd.date_range("2022-01-01", periods=(size + 1) // 2).repeat(2)[:size])
    world.test["shop"], world.test["day"] = np.arange(size) % 2, days.dt.strftime("%Y-%m-%d")
    whole = world.test.assign(price=world.answers["price"], period=days.dt.day_of_year // 2)
    rows = whole.groupby(["shop", "period"]).agg(since=("day", "min"), level=("price", "mean")).round(3).reset_index()
    world.files["totals.csv"] = as_csv(rows.drop(columns="period"))
    assert [one.where for one in searched(world, "aggregates")] == ["totals.csv: level"]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_dump_of_a_database_has_rows_with_blanks_and_quotes_in_them(at_once: bool) -> None:
    rows = ["('a1','red ''oak'', (old)',3)", "('b2', 'elm; ash', NULL)", "('c3','fir',5)"]
    insert = "INSERT INTO `items` (id, kind, n) VALUES "
    dump = insert + ",\n".join(rows) + ";" if at_once else "\n".join(f"{insert}{row};" for row in rows)
    data = f"-- a dump\nCREATE TABLE items (id text);\n{dump}\nINSERT INTO other VALUES (1);\n".encode()
    table = next(iter(read_tables(Entry("x.sql", len(data), 0, "", {}, bytes_reader(data)))))
    assert [list(column) for column in table.columns.values()] == [
        ["a1", "b2", "c3"],
        ["red 'oak', (old)", "elm; ash", "fir"],
        ["3", "NULL", "5"],
    ]


@pytest.mark.parametrize("form", ["thumbs.zip/{}", "/{}/", "{}"])
@pytest.mark.parametrize("is_shuffled", [False, True])
def test_answers_as_names_of_files_have_them(form: str, is_shuffled: bool) -> None:
    rng = np.random.default_rng(3)
    answers = texts(f"InChI=1S/C{row}H{row * 2}/c1-{row}(7)-1" for row in rng.permutation(30))
    order = rng.permutation(30) if is_shuffled else np.arange(30)
    values = texts(form.format(answers[row].replace("/", "_").replace("(", "-")).strip("/") for row in order)
    found = relation(values, Target("name", "name", answers), texts(range(30)))
    assert (found.power > 0.9) is not is_shuffled
    if not is_shuffled:
        assert found.spoken is not None
        assert found.spoken.tolist() == answers.tolist()
