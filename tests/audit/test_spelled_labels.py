"""Names of labels in folders, tags and lists, where the submission has a column for each label."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from clean_worlds import make, picture
from PIL.PngImagePlugin import PngInfo
from test_values import searched


@pytest.mark.parametrize("is_planted", [True, False])
@pytest.mark.parametrize("form", ["folder", "tag", "list"])
def test_labels_that_are_spelled_out_are_a_leak(form: str, is_planted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "multilabel", 3, n=240)
    rng = np.random.default_rng(1)
    names = ["wind", "rain", "dog_bark", "bell", "door", "voice"]
    world.files, world.targets = {}, names
    world.train, world.answers = (
        side[[name for name in side if not str(name).startswith("tag_")]].copy()
        for side in (world.train, world.answers)
    )
    for side in (world.train, world.answers):
        first = rng.integers(0, 6, len(side))
        for place, name in enumerate(names):
            side[name] = ((first == place) | (rng.random(len(side)) < 0.05)).astype(int)
    world.test, world.answers = world.test.head(24), world.answers.head(24)
    world.sample = world.answers.assign(**dict.fromkeys(names, 0.5))
    labels = [[name for name in names if row[name]] for row in world.answers.to_dict("records")]
    said = labels if is_planted else [labels[place] for place in rng.permutation(len(labels))]
    items = [str(name) for name in world.answers[world.key]]
    if form == "folder":
        lines = [
            f"{item}.wav\traw/{each[0]}/{n:04d}.wav" for n, (item, each) in enumerate(zip(items, said, strict=True))
        ]
        world.files["renamed.tsv"] = "\n".join(["new\told", *lines]).encode()
    elif form == "list":
        world.files["renamed.json"] = json.dumps(
            [{"file": item, "old": ", ".join(each)} for item, each in zip(items, said, strict=True)]
        ).encode()
    else:
        for item, each in zip(items, said, strict=True):
            info = PngInfo()
            info.add_text("Keywords", each[-1])
            world.files[f"renamed/{item}.png"] = picture(rng, 0.0, info)
    found = searched(world, "spelled_labels")
    assert {(one.severity, one.where.startswith("renamed")) for one in found} == (
        {("leak", True)} if is_planted else set()
    )
