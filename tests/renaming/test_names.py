"""Which names change, what they become, and how a refusal says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlebench.errors import MlebenchError
from mlebench.renaming.choosing import choose_renaming
from mlebench.renaming.mapping import Renaming, load_renaming

TEXT = """\
# T

## Data

- `train_curated.csv`: a table
  - `id`, `PassengerId`: ids
  - `Kind`: `EAP` or `HPL`
  - `x_ray1` to `x_ray3`: measurements of `Kind`
  - `map`: a file
- `HuBMAP/<PassengerId>.png`: pictures
- `maps/berlin.png`: a map
- `records.tfrec`
  - `fvc`: inside a format that stays
- `more.json`
  - `fvc`, `glomerulus`: keys
- `randomPredictions.csv`: a sample
  - `PassengerId`: the items
  - `EAP`, `HPL`, `MWS`: the prediction

## Submission

```csv
PassengerId,EAP,HPL,MWS
Kind,0.1,0.2,0.7
```
"""


@pytest.fixture
def public(tmp_path: Path) -> Path:
    (tmp_path / "HuBMAP").mkdir()
    (tmp_path / "HuBMAP" / "1.png").touch()
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "berlin.png").touch()
    table = "id,PassengerId,Kind,x_ray1,x_ray2,x_ray3,map\n1,1,EAP,0,0,0,maps/berlin.png\n2,2,HPL,0,0,0,\n"
    (tmp_path / "train_curated.csv").write_text(table)
    (tmp_path / "more.json").write_text('{"fvc": "a", "glomerulus": 1}')
    (tmp_path / "randomPredictions.csv").write_text("PassengerId,EAP,HPL,MWS\n1,0,0,1\n")
    return tmp_path


@pytest.fixture
def renaming(public: Path) -> Renaming:
    return choose_renaming(TEXT, public, sample="randomPredictions.csv")


def test_values_formats_and_neutral_names_stay(renaming: Renaming) -> None:
    assert renaming.kept == {
        "EAP": "value", "HPL": "value", "MWS": "value", "berlin": "value", "maps": "value", "fvc": "format",
    }  # fmt: skip
    assert renaming.files.keys() == {"train_curated", "HuBMAP", "records", "more", "randomPredictions"}
    assert renaming.columns.keys() == {"PassengerId", "Kind", "x_ray1", "x_ray2", "x_ray3", "map", "glomerulus"}


def test_new_names_keep_neutral_words_and_counts(renaming: Renaming) -> None:
    assert renaming.path("randomPredictions.csv") == "sample_submission.csv"
    assert renaming.path("train_curated.csv").startswith("train_")
    assert renaming.path("HuBMAP/1.png").startswith("file_") and renaming.path("HuBMAP/1.png").endswith("/1.png")
    assert renaming.path("maps/berlin.png") == "maps/berlin.png"
    base = renaming.column("x_ray1").removesuffix("_1")
    assert [renaming.column(f"x_ray{number}") for number in (2, 3)] == [f"{base}_2", f"{base}_3"]
    assert renaming.column("PassengerId").startswith("id_")
    new = [*renaming.files.values(), *renaming.columns.values()]
    assert len(set(new)) == len(new)


def test_the_seed_decides(public: Path, renaming: Renaming) -> None:
    assert choose_renaming(TEXT, public, sample="randomPredictions.csv").sha256 == renaming.sha256
    other = choose_renaming(TEXT, public, sample="randomPredictions.csv", seed=1)
    assert other.columns.keys() == renaming.columns.keys()
    assert other.columns != renaming.columns


def test_the_description_names_what_is_shown(renaming: Renaming) -> None:
    text = renaming.description(TEXT)
    assert f"- `{renaming.path('train_curated.csv')}`: a table" in text
    assert f"`{renaming.column('x_ray1')}` to `{renaming.column('x_ray3')}`: measurements of" in text
    assert f"/<{renaming.column('PassengerId')}>.png`: pictures" in text
    assert f"{renaming.column('PassengerId')},EAP,HPL,MWS\nKind,0.1" in text, "rows of the example stay as they are"
    for name in ("train_curated", "PassengerId", "x_ray", "HuBMAP", "glomerulus", "randomPredictions"):
        assert name not in text


NAMES = Renaming({"labels_raw": "labels_1"}, {"fare": "column_1", "has_cactus": "column_2", "ETT - Low": "column_3"})


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("The column fare has 1 empty cell.", "The column column_1 has 1 empty cell."),
        ("The submission lacks the column fare; it has id, column_1.", "The submission lacks the column column_1; "
         "it has id, fare."),
        ("A fare is a price.", "A fare is a price."),
        ("A has_cactus must be 'fare', not 'fares'.", "A column_2 must be 'column_1', not 'fares'."),
        ("The columns id, fare and has_cactus of labels_raw", "The columns id, column_1 and column_2 of labels_1"),
        ("The column ETT - Low lacks 7.", "The column column_3 lacks 7."),
    ],
)  # fmt: skip
def test_refusals_name_what_the_agent_saw(sentence: str, shown: str) -> None:
    assert NAMES.message(sentence) == shown


def test_a_renaming_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "renaming.json"
    path.write_text(NAMES.to_json())
    assert load_renaming(path, NAMES.sha256) == NAMES
    with pytest.raises(MlebenchError, match="is not the one that the run was made with"):
        load_renaming(path, "0" * 64)


@pytest.mark.parametrize(
    "content",
    [
        "[]", "{", '{"files": {}, "columns": {}, "kept": {}}',
        '{"files": {}, "columns": {"a": 1}, "kept": {}, "seed": 0}',
        '{"files": {}, "columns": {"a": "c", "b": "c"}, "kept": {}, "seed": 0}',
        '{"files": {}, "columns": {"a": "b", "b": "a"}, "kept": {}, "seed": 0}',
    ],
)  # fmt: skip
def test_a_damaged_renaming_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "renaming.json"
    path.write_text(content)
    with pytest.raises(MlebenchError, match="is damaged"):
        load_renaming(path)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere.json")
    (tmp_path / "elsewhere.json").write_text(NAMES.to_json())
    with pytest.raises(MlebenchError, match="is damaged"):
        load_renaming(path)
    assert json.loads(NAMES.to_json())["columns"]["fare"] == "column_1"
