"""Patients, sessions and cameras that a part of a name tells, and that are on both sides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture
from test_values import searched

FILES: dict[str, Callable[[str, str], str]] = {
    "in front": lambda group, item: f"{group}_{item}.png",
    "behind": lambda group, item: f"{item}-{group}.png",
    "in the middle": lambda group, item: f"cam{len(item) % 3}_{group}_{item}.png",
}
IDS: dict[str, Callable[[str, int], str]] = {
    "at the end": lambda group, number: f"img_{number:05d}_{group}",
    "without separators": lambda group, number: f"frame{number:05d}{group.replace('-', '')}",
    "of two parts": lambda group, number: f"{number:05d}_{group.replace('-', '_')}",
}


def with_groups(folder: Path, family: str, kind: str) -> tuple[World, list[list[str]]]:
    """Groups that decide the answer, that do not, or of which train has none."""
    world = make(folder, family, 3, n=260)
    rng = np.random.default_rng(0)
    world.files = {}
    found = []
    [target] = world.targets
    for side, frame in (("train", world.train), ("test", world.answers)):
        codes = pd.Categorical(frame[target]).codes if family != "regression" else rng.integers(0, 24, len(frame))
        if family == "regression" and kind != "of no label":
            frame[target] = np.random.default_rng(5).normal(50, 9, 24)[codes].round(3)
        groups = codes.astype(int) + (24 if family == "regression" else 2) * rng.integers(0, 18, len(frame))
        if kind == "of no label":
            groups = rng.integers(0, 36, len(frame))
        if kind == "on one side" and side == "test":
            groups = groups + 1000
        found.append([f"s{group % 5}-p{group:03d}" for group in groups])
    return world, found


def groups_told(world: World) -> list[tuple[str, str]]:
    return [(one.kind, one.severity) for one in searched(world, "named_groups")]


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("family", ["pictures", "regression"])
@pytest.mark.parametrize("kind", ["deciding", "of no label", "on one side"])
def test_groups_in_the_names_of_files_are_a_leak(form: str, family: str, kind: str, tmp_path: Path) -> None:
    world, groups = with_groups(tmp_path, family, kind)
    rng = np.random.default_rng(1)
    for side, frame, named in (("train", world.train, groups[0]), ("test", world.test, groups[1])):
        for item, group in zip(frame[world.key], named, strict=True):
            name = FILES[form](group.rpartition("-")[2], str(item))
            world.files[f"{side}_files/{name}"] = picture(rng, 0.0)
    assert groups_told(world) == [("groups", "leak")] * (kind == "deciding")


@pytest.mark.parametrize("form", IDS)
@pytest.mark.parametrize("kind", ["deciding", "of no label", "on one side"])
def test_groups_in_ids_are_a_leak_wherever_they_stand(form: str, kind: str, tmp_path: Path) -> None:
    world, groups = with_groups(tmp_path, "binary", kind)
    start = 0
    for frame, named in ((world.train, groups[0]), (world.test, groups[1])):
        numbers = np.random.default_rng(start).permutation(np.arange(start, start + len(frame)))
        ids: list[Any] = [IDS[form](group, number) for group, number in zip(named, numbers, strict=True)]
        frame[world.key] = ids
        start += 1000
    world.answers[world.key] = world.sample[world.key] = world.test[world.key].to_list()
    assert groups_told(world) == [("groups", "leak")] * (kind == "deciding")


@pytest.mark.parametrize("days_alike", [True, False])
def test_items_of_a_day_that_are_alike_are_none(days_alike: bool, tmp_path: Path) -> None:
    world, _ = with_groups(tmp_path, "regression", "of no label")
    [target] = world.targets
    rng = np.random.default_rng(2)
    level = rng.normal(50, 9, 40)
    for frame in (world.train, world.answers):
        days = rng.integers(0, 40, len(frame))
        if days_alike:
            frame[target] = (level[days] + rng.normal(0, 3, len(frame))).round(3)
        frame[world.key] = [f"{rng.integers(10**6)}_shop{day:02d}_x{rng.integers(10**6)}" for day in days]
    world.test[world.key] = world.sample[world.key] = world.answers[world.key].to_list()
    assert groups_told(world) == []
