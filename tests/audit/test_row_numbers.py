"""Answers by the numbers of rows, for some of the items, in whatever way a text, a page or a program writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import make
from test_values import searched

from mlebench.audit.literals import tables_of_literals
from mlebench.audit.numbered import rows_by_numbers
from mlebench.audit.table import Table, texts

Written = Callable[[pd.DataFrame], str]


def each(form: str, between: str = "") -> Written:
    return lambda frame: between.join(form.format(*row) for row in frame.itertuples(index=False))


def lists(start: str, end: str) -> Written:
    return lambda frame: "".join(
        f"{name} = {start}{', '.join(repr(value) for value in frame[name].tolist())}{end}\n" for name in frame
    )


@pytest.mark.parametrize(
    ("name", "make_text"),
    [
        (
            "a.py",
            lambda frame: (
                f'"""Part 2."""\nimport sys\n\nT = {dict(frame.to_numpy().tolist())}\nprint(T[sys.argv[1]])\n'
            ),
        ),
        ("b.py", lists("[", "]")),
        ("a.R", lists("c(", ")")),
        ("b.R", lambda frame: f"library(a)\ny <- c({each(chr(34) + '{}' + chr(34) + '={}', ',')(frame)})"),
        ("a.js", lambda frame: f"const t = {{{each('{}:{}', ',')(frame)}}};\nexport default t;\n"),
        ("b.js", each("t[{}] = {};\n")),
        (
            "a.c",
            lambda frame: f"int f(int i) {{\n  switch (i) {{\n{each('    case {}: return {};' + chr(10))(frame)}}}}}",
        ),
        ("a.html", lambda frame: "<p>Loss<br><table><tr><td>1<td>2</table>" + frame.to_html(index=False)),
        ("b.html", lambda frame: f"<html><body>{frame.to_html()}</body></html>"),
        ("a.md", lambda frame: f"# Items\n\n| a | b |\n|---|---|\n{each('| {} | {} |' + chr(10))(frame)}"),
        ("a.txt", lambda frame: str(frame.to_string())),
        (
            "a.tex",
            lambda frame: f"\\begin{{tabular}}\n{each('{} & {} ' + chr(92) * 2 + chr(10))(frame)}\\end{{tabular}}",
        ),
        ("a.log", lambda frame: f"started\n{each('08:00:01 INFO item {}: truth={}' + chr(10))(frame)}done\n"),
        (
            "a.csv",
            lambda frame: str(frame.assign(row=[f"test/{row:05d}.txt" for row in frame["row"]]).to_csv(index=False)),
        ),
    ],
)
@pytest.mark.parametrize("is_told", [True, False])
def test_answers_by_the_number_of_the_row_are_found(
    name: str, make_text: Written, is_told: bool, tmp_path: Path
) -> None:
    world, rng = make(tmp_path, "binary", 5, n=240), np.random.default_rng(3)
    truth = world.labels().to_numpy() if is_told else rng.permutation(world.labels())
    some = rng.permutation(len(truth))[:50]
    shown = (0.9 * truth[some] + rng.uniform(0, 0.1, len(some))).round(4)
    frame = pd.DataFrame({"row": some.astype(object) + 1, "y": shown.astype(object)})
    world.files[f"old/{name}"] = make_text(frame).encode()
    expected = {("leak", f"old/{name}")} if is_told else set()
    assert {(one.severity, one.where.split(":")[0].split(" (")[0]) for one in searched(world, "columns")} == expected


def test_numbers_that_are_none_of_rows_are_left_alone() -> None:
    def of(values: Iterable[object], size: int = 40) -> list[int]:
        table = Table("a", {"a": texts(values)})
        return [start for _, start, _ in rows_by_numbers(table, size, is_whole=False)]

    assert of(range(1, 40, 2)) == [0, 1]
    assert of(range(0, 40, 2)) == [0]
    assert of(["row", *range(39, -1, -1)]) == [0]
    for values in (range(20), [3] * 20, range(0, 80, 4), [f"{row}.5" for row in range(40)], ["a", "b"] * 20, ()):
        assert of(values) == []


def test_a_bracket_that_is_never_closed_is_passed_over_at_once() -> None:
    assert not list(tables_of_literals("a", "[" + "1," * 1_000_000))


def test_brackets_are_rows_or_lists() -> None:
    [table] = tables_of_literals("a", f"x = {[(row, 'a,b') for row in range(9)]}")
    assert list(table.columns) == ["part 1", "part 2"] and set(table.columns["part 2"]) == {"a,b"}
    [table] = tables_of_literals("a", "f(a, b); y = [1, 2, 3, 4, 5, 6, 7, 8,]; z = {8, 7, 6, 5, 4, 3, 2, 1}")
    assert table.columns["list 1"].tolist() == [str(number) for number in range(1, 9)]
    assert list(table.columns) == ["list 1", "list 2"]


def test_labels_of_some_rows_in_a_folder_of_train_are_no_train(tmp_path: Path) -> None:
    world = make(tmp_path, "multilabel", 5, n=300)
    for frame in (world.train, world.test, world.answers, world.sample):
        frame[world.key] = [f"n{name}" for name in frame[world.key]]
    world.train["labels"] = [",".join(name for name in world.targets if row[name]) for _, row in world.train.iterrows()]
    world.train = world.train.drop(columns=world.targets)
    some = np.sort(np.random.default_rng(1).choice(len(world.answers), len(world.answers) // 2, replace=False))
    listed = world.answers.iloc[some][world.targets].assign(row=some)[["row", *world.targets]]
    world.files["train_noisy/old.csv"] = listed.sample(frac=1, random_state=1).to_csv(index=False).encode()
    assert "train_noisy/old.csv" in {one.where.partition(":")[0] for one in searched(world, "columns")}
