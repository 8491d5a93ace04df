"""Copies of items to predict: in folders named by their classes, and in train beside answers that are not scored."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
from clean_worlds import make
from PIL import Image
from test_values import searched

from mlebench.audit.detectors import columns, duplicates
from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task


def _picture(rng: np.random.Generator) -> bytes:
    data = io.BytesIO()
    Image.fromarray(rng.integers(0, 255, (8, 8, 3), dtype=np.uint8)).save(data, "PNG")
    return data.getvalue()


def test_a_folder_is_called_like_one_of_many_classes_that_are_numbers(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=180)
    for frame in (world.train, world.answers):
        frame["species"] = [int(number) for number in world.rng.integers(0, 40, len(frame)) * 311 + 17]
    world.sample["species"] = 17
    for name in world.train[world.key]:
        world.files[f"train_images/{world.rng.integers(4)}/{name}.png"] = _picture(world.rng)
    for name, label in zip(world.answers[world.key], world.answers.species, strict=True):
        world.files[f"test_images/{name}.png"] = world.files[f"shown/{label}/{name}.png"] = _picture(world.rng)
    found = list(columns.detect(survey(read_task(world.write()))))
    assert [each.where for each in found if each.severity == "leak"] == ["shown/*.png: folder"]


def test_rows_of_test_in_train_where_many_answers_are_not_scored(tmp_path: Path) -> None:
    world = make(tmp_path, "multilabel", 3, n=600)
    rows = np.flatnonzero(world.rng.random(len(world.test)) < 0.3)
    copied = world.test.iloc[rows].merge(world.answers, on=world.key)
    copied[world.key] = [f"other_{number}" for number in range(len(copied))]
    for name in world.targets:
        world.answers[name] = world.answers[name].where(world.rng.random(len(world.answers)) < 0.6, -1)
    world.train = pd.concat([world.train, copied], ignore_index=True)
    found = list(duplicates.detect(survey(read_task(world.write()))))
    assert any(each.severity == "leak" and "equal rows" in each.evidence for each in found)


def test_thumbnails_whose_names_end_in_one_of_many_classes(tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=200)
    names = [f"old_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    for frame in (world.train, world.answers):
        frame[world.targets[0]] = [
            names[int(number)] for number in np.random.default_rng(1).integers(0, 26, len(frame))
        ]
    world.sample[world.targets[0]] = names[0]
    for name, label in zip(world.answers[world.key], world.answers[world.targets[0]], strict=True):
        world.files[f"preview/{name}__{label}.png"] = f"{name} as a thumbnail".encode()
    found = {one.where for one in searched(world, "columns") if one.severity == "leak"}
    assert "preview/*.png: name beside the id" in found


def test_equal_files_of_text_that_share_lists_as_answers_are_a_leak(tmp_path: Path) -> None:
    world = make(tmp_path, "lists", 5, n=200)
    contents = [f'{{"cells": "{number * 7919} {number * 104729}"}}' for number in range(len(world.train))]
    for name, content in zip(world.train[world.key], contents, strict=True):
        world.files[f"train/{name}.json"] = content.encode()
    for row, name in enumerate(world.answers[world.key]):
        world.files[f"test/{name}.json"] = contents[row].encode()
    assert not searched(world, "duplicate_files")
    world.answers["tags"] = world.train["tags"].to_numpy()[: len(world.answers)]
    [found] = searched(world, "duplicate_files")
    assert (found.kind, found.severity) == ("duplicates", "leak")
