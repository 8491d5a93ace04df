"""A column that follows from several answers and that only train has, in another file for the items to predict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import make
from test_values import searched

NAMES = ["seizure_vote", "other_vote", "spike_vote"]


@pytest.mark.parametrize("kind", ["in another file", "of other items", "given to all", "no answer"])
def test_the_opinion_of_most_tells_whose_votes_are_to_be_predicted(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=300)
    rng, [old] = np.random.default_rng(1), world.targets
    words = np.array(["Seizure", "Other", "Spike"])
    opinions = []
    for side in (world.train, world.answers):
        votes = rng.integers(0, 5, (len(side), 3)) + 8 * np.eye(3, dtype=int)[rng.integers(0, 3, len(side))]
        side[NAMES] = votes
        mixed = rng.permutation(votes) if kind == "no answer" else votes
        opinions.append(words[mixed.argmax(axis=1)])
    world.targets, world.files = NAMES, {}
    world.train = world.train.drop(columns=old).assign(consensus=opinions[0])
    world.answers = world.answers.drop(columns=old)
    world.sample = world.answers.assign(**dict.fromkeys(NAMES, 1))
    said = rng.permutation(opinions[1]) if kind == "of other items" else opinions[1]
    if kind == "given to all":
        world.test["consensus"] = said
    frame = pd.DataFrame({"name": world.answers[world.key], "consensus": said})
    world.files["old/full.csv"] = frame.sample(frac=1.0, random_state=1).to_csv(index=False).encode()
    found = searched(world, "withheld")
    assert [(one.severity, one.where) for one in found] == (
        [("leak", "old/full.csv: consensus")] if kind == "in another file" else []
    )
