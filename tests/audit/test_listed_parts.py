"""Lists of the parts that a whole has, where ids are made of whole and part and each of them is to be predicted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import make
from test_values import searched


@pytest.mark.parametrize("said", ["the answers", "half of them", "others", "all"])
@pytest.mark.parametrize("form", ["numbers", "words"])
def test_lists_of_the_parts_of_wholes_are_a_leak(form: str, said: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=200)
    rng, [target] = np.random.default_rng(1), world.targets
    wholes = rng.permutation(90)[:12] + 3
    has = rng.random((12, 15)) < 0.12
    names = [
        (whole * 100 + part if form == "numbers" else f"scan{whole}_{part}") for whole in wholes for part in range(15)
    ]
    world.answers = pd.DataFrame({world.key: names, target: has.ravel().astype(int)})
    world.test = world.answers[[world.key]].copy()
    world.sample = world.answers.assign(**{target: 0})
    shown = {
        "the answers": has,
        "half of them": has & (rng.random(has.shape) < 0.5),
        "others": rng.permutation(has.ravel()).reshape(has.shape),
        "all": np.ones_like(has),
    }[said]
    lines = [
        ",".join([str(whole) if form == "numbers" else f"scan{whole}", *map(str, np.flatnonzero(row))])
        for whole, row in zip(wholes, shown, strict=True)
    ]
    world.files = {"old/labels.txt": "\n".join(["rec_id,[labels]", *lines]).encode()}
    found = searched(world, "listed_parts")
    assert [(one.severity, one.where) for one in found] == (
        [("leak", "old/labels.txt: line")] if said == "the answers" else []
    )
