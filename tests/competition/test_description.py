"""The shape of descriptions, and what is derived from them."""

from __future__ import annotations

import pytest

from mlebench.competition.description import SECTIONS, Named, named_files, obfuscated, sections

TEXT = """\
# Spaceship Titanic

## Background

Kaggle asked, in 2022.

## Task

Predict for Spaceship Titanic.

It has `columns`.

## Data

Some words first, about `nothing`.

- `train.csv`: one row per passenger; see `test.csv`
  - `PassengerId`: the id
  - `x1` to `x3`, `y`: measurements
  - `b08` to `b11`: bands
  - `Ratio: a/b`: a ratio
* `train/<id>.jpg` and `test/<id>.jpg`: pictures
- `masks/`
- not a file

## Metric

### Formula

The share, as in spaceship titanic.

## Submission

```
id,label
```
"""


def test_sections() -> None:
    parts = sections(TEXT)
    assert tuple(parts) == SECTIONS
    assert parts["Task"] == "Predict for Spaceship Titanic.\n\nIt has `columns`."
    assert parts["Metric"].startswith("### Formula"), "a smaller heading belongs to its part"
    assert sections("no headings") == {}


def test_obfuscated() -> None:
    text = obfuscated(TEXT, "Spaceship Titanic", "spaceship-titanic", "")
    assert text.startswith("# Task description\n\n## Task\n\nPredict for the competition.")
    assert text.endswith("```\nid,label\n```\n")
    assert tuple(sections(text)) == SECTIONS[1:]
    for word in ("Kaggle", "2022", "Spaceship", "spaceship"):
        assert word not in text


def test_longer_names_are_struck_out_first() -> None:
    text = obfuscated("## Task\n\nThe Whale Challenge of A.B (A+B)\n", "Whale", "Whale Challenge", "A.B", "(A+B)")
    assert text == "# Task description\n\n## Task\n\nThe the competition of the competition the competition\n"


def test_named_files() -> None:
    files = named_files(TEXT)
    assert [each.name for each in files] == ["train.csv", "train/<id>.jpg", "test/<id>.jpg", "masks/"]
    assert sorted(files[0].columns) == sorted(
        ["PassengerId", "x1", "x2", "x3", "y", "b08", "b09", "b10", "b11", "Ratio: a/b"]
    )
    assert all(each.columns == [] for each in files[1:])
    assert named_files("# No data part") == []


def test_ranges() -> None:
    files = named_files("## Data\n\n- `a.csv`\n  - `x9` to `x11`\n  - `q_0` to `q_1`, `z1` to `a2`\n")
    assert sorted(files[0].columns) == ["a2", "q_0", "q_1", "x10", "x11", "x9", "z1"]


@pytest.mark.parametrize(
    ("name", "matching", "others"),
    [
        ("train.csv", ["train.csv"], ["train_csv", "a/train.csv", "train.csv.zip"]),
        ("train/<id>.jpg", ["train/1.jpg", "train/a b.jpg"], ["train/.jpg", "train/a/b.jpg", "train/1.jpeg"]),
        ("<split>/<id>_*.npy", ["test/1_a.npy"], ["test/1.npy", "1_a.npy"]),
        ("masks/", ["masks/1.png", "masks/a/b.png"], ["masks", "other/masks/1.png"]),
        ("data (1)/[a].txt", ["data (1)/[a].txt"], ["data 1/a.txt"]),
    ],
)
def test_patterns(name: str, matching: list[str], others: list[str]) -> None:
    pattern = Named(name).pattern
    assert all(pattern.fullmatch(path) for path in matching)
    assert not any(pattern.fullmatch(path) for path in others)
