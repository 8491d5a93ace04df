"""Groups that folders and tags of files name, and that are on both sides."""

from __future__ import annotations

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
