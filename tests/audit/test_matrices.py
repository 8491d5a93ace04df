"""Matrices of answers beside a list of ids, and lists with empty answers, in files of arrays."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make
from scipy.io import savemat
from test_reading_and_matching import entry_of
from test_values import searched

from mlebench.audit.readers import read_tables


def few_items(folder: Path) -> World:
    """A competition with a column per class and so few items that a code of one's own is no evidence."""
    world = make(folder, "onehot", 3, n=54)
    world.files = {}
    return world


@pytest.mark.parametrize("form", ["classes", "scores", "shuffled", "random"])
def test_a_matrix_has_the_columns_of_the_submission(form: str, tmp_path: Path) -> None:
    world, target = few_items(tmp_path), io.BytesIO()
    rng = np.random.default_rng(2)
    matrix = world.answers[world.targets].to_numpy(float)
    if form == "scores":
        matrix = 0.6 * matrix + rng.dirichlet(np.ones(matrix.shape[1]), len(matrix)) * 0.4
    if form == "shuffled":
        matrix = matrix[rng.permutation(len(matrix))]
    if form == "random":
        matrix = rng.dirichlet(np.ones(matrix.shape[1]), len(matrix))
    np.savez(target, ids=world.answers[world.key].to_numpy("U"), y=matrix)
    world.files["arrays.npz"] = target.getvalue()
    found = {one.where for one in searched(world, "columns") if one.severity == "leak" and "arrays" in one.where}
    assert ("arrays.npz" in {where.partition(":")[0] for where in found}) is (form in ("classes", "scores"))


def test_lists_and_a_matrix_of_one_length_are_one_table() -> None:
    target = io.BytesIO()
    np.savez(target, ids=np.array(["a", "b", "c"]), y=np.arange(6).reshape(3, 2), other=np.arange(4), box=np.eye(5))
    tables = read_tables(entry_of("arrays.npz", target.getvalue()))
    shapes = {tuple(table.columns): len(table) for table in tables}
    assert shapes[("ids", "y[0]", "y[1]")] == 3
    assert shapes[("other",)] == 4
    assert shapes[tuple(f"box[{column}]" for column in range(5))] == 5


def test_an_empty_text_of_matlab_keeps_its_row() -> None:
    target = io.BytesIO()
    masks = np.array(["1 4", "", "7 2"], dtype=object)
    savemat(target, {"names": np.array(["a", "b", "c"], dtype=object), "masks": masks})
    [table] = read_tables(entry_of("a.mat", target.getvalue()))
    assert table.columns["names"].tolist() == ["a", "b", "c"]
    assert table.columns["masks"].tolist() == ["1 4", None, "7 2"]
