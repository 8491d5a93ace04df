"""Leaks in values, orders, groups and copies that no single strong column gives away, and honest data beside them.

Each kind runs through the search that is made for it; `python -m benchmarks.audit.strangers` runs all kinds in twins.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from numpy.typing import NDArray
from PIL import Image
from value_leaks import HONEST_VALUES, VALUES, world_changed

from mlebench.audit.column_values import Values
from mlebench.audit.detectors import detectors
from mlebench.audit.evidence import Evidence, dependence, same_dependence, serial_dependence
from mlebench.audit.finding import Found
from mlebench.audit.judging import judge_dependence
from mlebench.audit.likeness import alike, nearest, of_picture, of_sound, seen_again, sharing
from mlebench.audit.strength import association
from mlebench.audit.survey import survey
from mlebench.audit.table import texts
from mlebench.audit.targets import read_task
from mlebench.audit.transforms import derived

SEARCHES = ("weak", "together", "carried", "aggregates", "groups", "duplicates", "rows_elsewhere", "ranges", "marks")


def searched(world: World, *names: str) -> list[Found]:
    surveyed = survey(read_task(world.write()))
    return [found for name in names for found in detectors()[name](surveyed) if found.severity != "note"]


@pytest.mark.parametrize(
    ("kind", "family", "search"),
    [
        ("parity_in_three_of_four", "multiclass", "weak"),
        ("flag_of_one_class", "multiclass", "weak"),
        ("order_of_words_in_a_list", "binary", "weak"),
        ("values_that_train_lacks", "binary", "weak"),
        ("rows_take_turns", "multiclass", "weak"),
        ("gaps_of_two_columns_together", "binary", "together"),
        ("ratio_of_two_columns", "regression", "together"),
        ("two_columns_are_equal", "binary", "together"),
        ("next_value_in_the_row_before", "regression", "carried"),
        ("lag_that_train_carries", "binary", "carried"),
        ("mean_answer_of_the_group_with_train", "binary", "aggregates"),
        ("rank_within_the_group", "regression", "aggregates"),
        ("groups_of_one_answer", "multiclass", "groups"),
        ("groups_of_near_numbers", "regression", "groups"),
        ("test_in_train_with_columns_blanked", "binary", "duplicates"),
        ("test_in_train_rounded", "regression", "duplicates"),
        ("dates_by_class", "multiclass", "ranges"),
        ("days_to_the_event", "binary", "ranges"),
        ("blank_at_the_end", "texts", "marks"),
    ],
)
def test_a_leak_in_values_is_found(kind: str, family: str, search: str, tmp_path: Path) -> None:
    world = make(tmp_path, family, 5, n=500)
    world_changed(world, VALUES[kind])
    assert "leak" in {found.severity for found in searched(world, search)}


@pytest.mark.parametrize(
    "kind", ["strong_feature", "relation_that_grows", "mean_of_the_group_from_train", "past_value", "sizes_that_add_up"]
)
def test_honest_values_raise_no_alarm(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 6, "repeated", n=400)
    world_changed(world, HONEST_VALUES[kind])
    found = [(one.kind, one.severity) for one in searched(world, *SEARCHES)]
    assert set(found) <= {("duplicates", "suspicious")}, "rows that repeat on both sides, with their labels"


def test_rows_of_test_with_labels_are_found_in_a_table_without_ids(tmp_path: Path) -> None:
    world = make(tmp_path, "texts", 5, n=300)
    there = pd.DataFrame({"phrase": world.test["text"], "kind": list(world.labels())})
    world.files["notes/old.csv"] = there.sample(frac=1, random_state=2).to_csv(index=False).encode()
    [found] = searched(world, "rows_elsewhere")
    assert (found.kind, found.severity, found.where) == ("answers_in_public", "leak", "notes/old.csv: kind")


def _cut(text: str) -> str:
    return text[: max(42, len(text) // 2)]


@pytest.mark.parametrize("write", [lambda text: text.upper().replace(" ", ", ") + "!", _cut])
@pytest.mark.parametrize("is_told", [True, False])
def test_texts_are_seen_again_in_other_punctuation_or_cut_off(
    write: Callable[[str], str], is_told: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, "texts", 5, n=300)
    kinds = list(world.labels()) if is_told else world.rng.permutation(list(world.labels()))
    there = pd.DataFrame({"phrase": [write(text) for text in world.test["text"]], "kind": kinds})
    world.files["notes/old.csv"] = there.sample(frac=1, random_state=2).to_csv(index=False).encode()
    assert [found.where for found in searched(world, "rows_elsewhere")] == ["notes/old.csv: kind"] * is_told


@pytest.mark.parametrize("is_told", [True, False])
def test_hashes_of_ids_with_answers_are_found_however_many_answers_there_are(is_told: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=900)
    given = world.labels() if is_told else world.rng.permutation(world.labels())
    assert len(set(given)) > 200
    pairs = zip(world.test[world.key], given, strict=True)
    world.test["check"] = [hashlib.md5(f"{item},{value}".encode()).hexdigest() for item, value in pairs]
    leaks = [found.where for found in searched(world, "columns") if found.severity == "leak"]
    assert leaks == ["test.csv: check"] * is_told


def test_a_copy_of_train_without_ids_is_no_leak_where_rows_repeat(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, "repeated", n=300)
    world.files["copy.csv"] = world.train.drop(columns=world.key).to_csv(index=False).encode()
    assert searched(world, "rows_elsewhere") == []


@pytest.mark.parametrize(
    ("test", "train", "is_foreign", "severity"),
    [
        (Evidence(12.0, 200), Evidence(0.3, 400), False, "leak"),
        (Evidence(12.0, 200), Evidence(8.0, 400), False, None),  # train has some of it
        (Evidence(12.0, 200), Evidence(0.3, 40), False, None),  # train is too small to have shown it
        (Evidence(7.0, 200), Evidence(0.3, 400), False, None),  # chance
        (Evidence(400.0, 20_000), Evidence(0.75, 300), False, None),  # few rows of train may show less by chance
        (Evidence(12.0, 200), None, False, None),  # a table of its own may be honest
        (Evidence(12.0, 200), None, True, "leak"),
    ],
)
def test_a_dependence_is_a_leak_where_train_could_have_it_and_has_not(
    test: Evidence, train: Evidence | None, is_foreign: bool, severity: str | None
) -> None:
    assert judge_dependence(test, train, 2, is_foreign=is_foreign) == severity


def test_evidence_from_some_rows_of_train_counts_as_that_of_some() -> None:
    rng = np.random.default_rng(3)

    def side(n: int) -> tuple[Values, NDArray[np.float64]]:
        """A weak and honest dependence: one class has more values of an odd length."""
        classes = rng.integers(0, 2, n)
        return Values(texts(["x" * (2 + (rng.random() < 0.42 + 0.16 * one)) for one in classes])), classes.astype(float)

    (test, y), (train, known) = side(3_900), side(60_000)
    found = dependence(test, y, 2)
    assert found is not None
    assert found.digits > 9
    in_train = same_dependence(train, found, known, 2)
    assert in_train.count <= 60_000
    assert judge_dependence(found, in_train, 2, is_foreign=False) is None
    hidden = dataclasses.replace(found, what="its length modulo 2")
    assert same_dependence(train, hidden, known, 2).count == 4_000
    assert judge_dependence(hidden, same_dependence(train, hidden, known, 2), 2, is_foreign=False) is None


def test_evidence_grows_with_the_rows_however_many_there_are() -> None:
    classes = np.arange(40_000) % 3
    groups = np.where(np.random.default_rng(0).random(len(classes)) < 0.5, classes, 0)
    few, many = (association(groups[:n], classes[:n].astype(float), 3) for n in (400, 40_000))
    assert 80 * few < many < 120 * few


def test_parts_of_dates_and_ways_of_writing_are_properties() -> None:
    dates = dict(derived(texts(["2021-01-04", "2021-01-05", "2021-01-12"]), 2))
    assert dates["its day of the week"].tolist() == [0, 1, 1]
    assert dates["its number 3 modulo 2"].tolist() == [0, 1, 0]
    moments = dict(derived(texts([1_600_000_020, 1_600_000_081, 1_600_000_143]), 2))
    assert moments["its second"].tolist() == [0, 1, 3]
    words = dict(derived(texts(["abCd x", "abcd y ", "1.50"]), 2))
    assert words["the case of its character 3"].tolist() == [True, False, False]
    assert words["its number of blanks at the end"].tolist() == [0, 1, 0]
    assert words["its pattern"].tolist() == ["a a", "a a ", "9.9"]


def picture(pixels: NDArray[np.float64], form: str = "PNG", turn: int = 0, cut: int = 0) -> bytes:
    drawn = Image.fromarray(pixels.astype(np.uint8)).resize((64, 48), Image.Resampling.BILINEAR)
    if cut:
        drawn = drawn.crop((cut, cut, 64 - cut, 48 - cut))
    target = io.BytesIO()
    drawn.rotate(turn, expand=True).save(target, form)
    return target.getvalue()


def sound(samples: NDArray[np.float64]) -> bytes:
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(samples.astype("<i2").tobytes())
    return target.getvalue()


def test_pictures_and_sounds_are_seen_again_however_they_are_changed() -> None:
    rng = np.random.default_rng(0)
    drawings = rng.uniform(0, 255, (30, 6, 8))
    tones = [
        9000 * np.sin(np.arange(3000) * rng.uniform(0.05, 2, 5)[:, None]).mean(axis=0) + rng.normal(size=3000) * 50
        for _ in range(30)
    ]
    items = np.arange(30)
    changed = [
        picture(drawing, "JPEG", turn=90 * (number % 4), cut=2 if number % 2 else 0)
        for number, drawing in enumerate(drawings[:12])
    ]
    strangers = [picture(rng.uniform(0, 255, (6, 8))) for _ in range(18)]
    pairs = seen_again([picture(drawing) for drawing in drawings], [*changed, *strangers], items, items, of_picture)
    assert pairs is not None
    assert (pairs.test, pairs.within) == ({number: [number] for number in range(12)}, 0)
    shifted = [sound(0.4 * np.roll(tone, 700)) for tone in tones]
    pairs = seen_again([sound(tone) for tone in tones], shifted, items, items, of_sound)
    assert pairs is not None
    assert len(pairs.test) > 25
    assert all(found == [item] for item, found in pairs.test.items())


def test_rows_and_texts_are_near_where_nothing_else_is() -> None:
    rng = np.random.default_rng(0)
    right, items = rng.normal(size=(200, 5)), np.arange(200)
    left = np.vstack([right[:50] + rng.normal(size=(50, 5)) * 0.03, rng.normal(size=(100, 5))])
    pairs = nearest(left, right, items[:150], items)
    assert pairs is not None
    assert sum(pairs.test.get(row) == [row] for row in range(50)) > 45
    assert len(pairs.test) + pairs.within < 70
    cells = [[f"{value:.4f}" for value in row] for row in right]
    some = [[value if rng.random() > 0.2 else "" for value in row] for row in cells[:50]]
    shared = sharing(some, cells, items[:50], items)
    assert shared is not None
    assert (len(shared.test) > 40, shared.within) == (True, 0)
    words = np.array([f"word{number}" for number in range(400)])
    lines = [" ".join(rng.choice(words, 7)) for _ in range(60)]
    changed = [" ".join(["other", *line.split()[1:]]) for line in lines[:20]]
    near = alike(changed, lines, items[:20], items[:60])
    assert (len(near.test), near.within) == (20, 0)


def test_one_large_number_does_not_hide_a_dependence() -> None:
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 8, 800)
    numbers = groups + rng.normal(size=800)
    numbers[7] = 1e6
    assert association(groups, numbers, 0) > 50


def test_rare_classes_that_stand_together_are_in_no_order_of_chance() -> None:
    labels = np.repeat(np.arange(6.0), [51, 1, 2, 4, 3, 3])
    places = np.arange(len(labels), dtype=float)
    sorted_rows = serial_dependence(places, labels, 6)
    mixed_rows = serial_dependence(places, np.random.default_rng(0).permutation(labels), 6)
    assert sorted_rows is not None
    assert mixed_rows is not None
    assert sorted_rows.digits > 12
    assert mixed_rows.digits < 3


@pytest.mark.parametrize("is_exact", [True, False])
def test_numbers_of_classes_on_another_scale(is_exact: bool, tmp_path: Path) -> None:
    """Of so many classes that most have one item to predict or two."""
    world = make(tmp_path, "multiclass", 7, n=45)
    rng, [target] = np.random.default_rng(5), world.targets
    world.files = {}
    numbers = rng.permutation(30_000)[:9]
    for side, answers in ((world.train, world.train), (world.test, world.answers)):
        answers[target] = rng.choice(numbers, len(answers))
        shown = answers[target] if is_exact else np.array([numbers.tolist().index(one) for one in answers[target]]) % 4
        side["collector"] = 7 * shown + 260
    world.sample[target] = numbers[0]
    world.train = world.train[[*world.test.columns, target]]
    found = {(one.where, one.kind) for one in searched(world, "columns") if one.severity == "leak"}
    assert found == ({("test.csv: collector", "answers_in_public")} if is_exact else set())


@pytest.mark.parametrize("is_planted", [True, False])
def test_numbers_of_classes_in_the_order_of_the_alphabet(is_planted: bool, tmp_path: Path) -> None:
    """Hardly any class has two of the items that a table has, so that only the order of its numbers tells."""
    world = make(tmp_path, "multiclass", 7, n=600)
    rng = np.random.default_rng(1)
    names = [f"{first}{second}_{number}" for first in "abcdefgh" for second in "rstuv" for number in range(3)]
    for side in (world.train, world.answers, world.sample):
        side["species"] = rng.choice(names, len(side))
    some = world.answers.sample(50, random_state=2)
    numbers = [names.index(name) for name in some["species"]]
    table = pd.DataFrame({"who": some[world.key], "gt": numbers if is_planted else rng.permutation(numbers)})
    world.files["old/index.tsv"] = table.to_csv(index=False, sep="\t").encode()
    found = [one for one in searched(world, "columns") if one.where == "old/index.tsv: gt"]
    assert [one.severity for one in found] == (["leak"] if is_planted else [])
