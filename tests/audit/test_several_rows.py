"""Tables with several rows of each item, whose rows give the answer together, by one of them, or by their order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched

from mlebench.audit.relations import relation
from mlebench.audit.table import texts
from mlebench.audit.targets import Target


def parts_of(world: World, side: str, kind: str, *, honest: bool = False) -> pd.DataFrame:
    """Rows of the items of a side, two to six of each; their shares add up to the answer, or the largest is it."""
    rng = np.random.default_rng(7)
    [target] = world.targets
    known = world.train if side == "train" else world.answers
    labels = known.set_index(world.key)[target].sample(frac=1, random_state=3)
    rows = []
    for name, answer in labels.items():
        count = int(rng.integers(2, 7))
        shares = rng.normal(size=count)
        if not honest and kind == "sum":
            shares += (answer - shares.sum()) / count
        elif not honest and kind == "largest":
            shares = answer - np.append(0, rng.random(count - 1))
            rng.shuffle(shares)
        rows += [(name, number, round(share, 5)) for number, share in enumerate(shares)]
    return pd.DataFrame(rows, columns=[world.key, "part", "share"])


@pytest.mark.parametrize("kind", ["sum", "largest"])
@pytest.mark.parametrize("honest", [False, True])
def test_rows_that_make_up_the_answer_on_both_sides_are_a_leak(kind: str, honest: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=200)
    for side in ("train", "test"):
        table = parts_of(world, side, kind, honest=honest)
        world.files[f"{side}_parts.csv"] = table.to_csv(index=False).encode()
    found = [(one.severity, one.where) for one in searched(world, "columns")]
    assert found == ([] if honest else [("leak", f"test_parts.csv: share ({kind})")])


@pytest.mark.parametrize("in_order", [False, True])
def test_items_in_the_order_of_the_answers_in_a_table_of_parts_are_a_leak(in_order: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=200)
    for side in ("train", "test"):
        table = parts_of(world, side, "", honest=True)
        if in_order and side == "test":
            answers = table[world.key].map(world.answers.set_index(world.key)[world.targets[0]])
            table = table.loc[answers.sort_values(kind="stable").index]
        world.files[f"{side}_parts.csv"] = table.to_csv(index=False).encode()
    found = [(one.severity, one.where) for one in searched(world, "columns")]
    assert found == ([("leak", "test_parts.csv: (order of rows)")] if in_order else [])


@pytest.mark.parametrize(
    ("change", "form"), [("last digit", "equal"), ("another unit", "equal"), ("noise", "neighbours")]
)
def test_numbers_are_the_answers_but_for_their_last_digit_or_unit(change: str, form: str) -> None:
    rng = np.random.default_rng(1)
    answers = rng.normal(20, 5, 200).round(3)
    shown = {
        "last digit": answers + rng.uniform(-5e-4, 5e-4, 200),
        "another unit": (1.8 * answers + 32).round(3),
        "noise": answers + rng.normal(0, 0.02, 200),
    }[change]
    found = relation(texts(shown), Target("y", "y", texts(answers)), texts(range(200)))
    assert found.strength.form == form
