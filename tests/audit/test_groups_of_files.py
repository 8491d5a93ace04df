"""Groups that folders and tags of files name, and that are on both sides."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from clean_worlds import make, picture, zipped
from PIL.PngImagePlugin import PngInfo

from mlebench.audit.detectors import groups
from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task


@pytest.mark.parametrize("are_pure", [True, False])
@pytest.mark.parametrize("place", ["folder", "tag"])
def test_subjects_of_files_with_one_label_each_are_a_leak(tmp_path: Path, place: str, are_pure: bool) -> None:
    world = make(tmp_path, "pictures", 3, n=240)
    rng = np.random.default_rng(0)
    world.files.clear()
    for side, frame in (("train", world.train), ("test", world.answers)):
        members = {}
        for item, label in zip(frame[world.key], frame["target"], strict=True):
            subject = f"subject_{int(rng.integers(20)) + 20 * int(label if are_pure else rng.integers(2)):02d}"
            info = PngInfo()
            if place == "tag":
                info.add_text("Artist", subject.replace("_", " "))
            folder = f"images/{side}/{subject}" if place == "folder" else f"images/{side}"
            members[f"{folder}/{item}.png"] = picture(rng, 0.0, info)
        world.files[f"{side}.zip"] = zipped(members)
    found = [each for each in groups.detect(survey(read_task(world.write()))) if each.severity != "note"]
    assert [each.severity for each in found] == (["leak"] if are_pure else [])
    assert all(each.where.endswith("folder" if place == "folder" else "metadata Artist") for each in found)


@pytest.mark.parametrize("are_pure", [True, False])
@pytest.mark.parametrize("form", ["lists by name", "records with lists"])
def test_lists_of_the_members_of_groups_are_a_leak(tmp_path: Path, form: str, are_pure: bool) -> None:
    world = make(tmp_path, "multiclass", 3, n=240)
    rng = np.random.default_rng(0)
    kept = world.answers.groupby(world.targets[0]).head(3)[world.key]  # classes of a few items each
    world.test, world.answers, world.sample = (
        side[side[world.key].isin(kept)].reset_index(drop=True) for side in (world.test, world.answers, world.sample)
    )
    lists: dict[str, list[str]] = {}
    for frame in (world.train, world.answers):
        for item, label in zip(frame[world.key], frame[world.targets[0]], strict=True):
            group = f"{label}/{rng.integers(4)}" if are_pure else f"all/{rng.integers(20)}"
            lists.setdefault(group, []).append(f"{item}.png")
    named = {f"burst_{number}": sorted(members) for number, members in enumerate(lists.values())}
    records = [{"burst": name, "frames": members} for name, members in named.items()]
    world.files = {"encounters.json": json.dumps(named if form == "lists by name" else records).encode()}
    found = [each for each in groups.detect(survey(read_task(world.write()))) if each.severity != "note"]
    assert {(each.severity, each.where.partition(":")[0]) for each in found} == (
        {("leak", "encounters.json")} if are_pure else set()
    )
