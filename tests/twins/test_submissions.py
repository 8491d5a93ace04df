"""Example submissions from a declaration: what is usual, what is declared, what is special, and mistakes in it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from own import Own

from mlebench.errors import MlebenchError
from mlebench.twins import write_submissions
from mlebench.twins.kit.submissions import VARIANTS, Cell, Submissions, Text, Usual, at

USUAL = {
    "perfect", "noisy", "sample", "shuffled", "missing_row", "extra_row", "duplicate_id", "unknown_id", "wrong_column",
    "nan", "empty",
}  # fmt: skip


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """Prepared data with text ids and one column of numbers."""
    for name in ("public", "private"):
        (tmp_path / name).mkdir()
    answers = pd.DataFrame({"image": [f"i{n}" for n in range(20)], "height": np.arange(20) / 10, "site": 1})
    answers.to_csv(tmp_path / "private" / "test.csv", index=False)
    answers[["image", "height"]].assign(height=0.5).to_csv(tmp_path / "public" / "sample_submission.csv", index=False)
    return tmp_path


def made(submissions: Submissions, prepared: Path, seed: int = 0) -> dict[str, pd.DataFrame]:
    """The examples as they are read from their files; the empty one is left out."""
    tables = {}
    for example in submissions(prepared, seed):
        assert example.name not in tables
        example.write(prepared / "example.csv")
        text = (prepared / "example.csv").read_text(encoding="utf-8")
        tables[example.name] = pd.read_csv(io.StringIO(text)) if text else pd.DataFrame()
    return tables


def test_the_usual_submissions_need_no_declaration(prepared: Path) -> None:
    tables = made(Submissions(), prepared)
    assert tables.keys() == USUAL
    perfect, noisy = tables["perfect"], tables["noisy"]
    assert list(perfect.columns) == ["image", "height"]
    assert sorted(noisy["height"]) == sorted(perfect["height"])
    assert 0 < (noisy["height"] != perfect["height"]).sum() < 10
    assert sorted(tables["shuffled"]["image"]) == sorted(perfect["image"])
    assert (tables["sample"]["height"] == 0.5).all()
    assert len(tables["missing_row"]) == 19
    assert len(tables["extra_row"]) == 21
    assert tables["duplicate_id"]["image"].nunique() == 19
    assert tables["unknown_id"]["image"][0] not in set(perfect["image"])
    assert "height" not in tables["wrong_column"]
    assert tables["nan"]["height"].isna().sum() == 1
    assert tables["empty"].empty


def test_the_seed_decides(prepared: Path) -> None:
    first, again, other = (made(Submissions(), prepared, seed)["noisy"] for seed in (0, 0, 1))
    assert first.equals(again)
    assert not first.equals(other)


def test_what_is_declared(prepared: Path) -> None:
    submissions = Submissions(
        guess=lambda case: case.truth + case.rng.normal(size=case.n),
        usual=Usual("noisy", unknown="i99", twice=None, no_id=None, wrong_column="size", extra={"note": "x"}),
        cells={"text": "tall", "last": Cell(-1, row=-1), **at(3, "image", blank_id=None, of="perfect")},
        constants={"flat": 7},
        each={"doubled": lambda height: 2 * height},
        variants=["ties", "header_only"],
        special=lambda case: {
            "halved": case.truth / 2,
            "other_site": {"height": 0.1, "site": 2},
            "first_row": case.answers.head(1),
            "quoted": Text('"image","height"\n"i0","1"\n'),
            "nan": Cell(None, row=4),
        },
    )
    tables = made(submissions, prepared)
    assert tables.keys() - USUAL == {
        "text", "last", "blank_id", "flat", "doubled", "ties", "header_only", "halved", "other_site", "first_row",
        "quoted", "no_id", "extra_column",
    }  # fmt: skip
    assert "duplicate_id" not in tables
    perfect, noisy = tables["perfect"], tables["noisy"]
    assert tables["text"]["height"][0] == "tall"
    assert tables["last"]["height"].iloc[-1] == -1
    assert tables["last"]["height"][:-1].equals(noisy["height"][:-1])
    assert np.flatnonzero(tables["blank_id"]["image"].isna()).tolist() == [3]
    assert (tables["flat"]["height"] == 7).all()
    assert np.allclose(tables["doubled"]["height"], 2 * perfect["height"])
    assert np.allclose(tables["halved"]["height"], perfect["height"] / 2)
    assert tables["ties"].equals(noisy.round(1))
    assert tables["header_only"].empty
    assert list(tables["header_only"].columns) == ["image", "height"]
    assert (tables["other_site"]["site"] == 2).all()
    assert tables["quoted"].shape == (1, 2)
    assert list(tables["no_id"].columns) == ["height"]
    assert list(tables["extra_column"].columns) == ["image", "height", "note"]
    assert tables["unknown_id"]["image"][0] == "i99"
    assert "size" in tables["wrong_column"]
    # What is special takes the place of the usual example of that name.
    assert np.flatnonzero(tables["nan"]["height"].isna()).tolist() == [4]


def test_several_targets(prepared: Path) -> None:
    path = prepared / "public" / "sample_submission.csv"
    pd.read_csv(path).assign(site=0).to_csv(path, index=False)
    submissions = Submissions(
        guess=lambda case: case.truth * 0.5,
        each={"more": lambda value: value + 1},
        constants={"zero": 0},
        variants=["ties"],
        special=lambda case: {"array": np.ones((case.n, 2)), "column": {"site": 3}},
    )
    tables = made(submissions, prepared)
    for name in ("noisy", "more", "zero", "ties", "array", "column"):
        assert list(tables[name].columns) == ["image", "height", "site"], name
    assert np.allclose(tables["more"]["site"], 2)
    assert np.allclose(tables["array"][["height", "site"]], 1)
    assert (tables["column"]["site"] == 3).all()


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_variant_can_be_made(variant: str, prepared: Path) -> None:
    path = prepared / "private" / "test.csv"
    table = pd.read_csv(path)
    if variant in {"upper_case", "lower_case"}:
        table["height"] = "Tall"
    if variant in {"float_ids", "float_id"}:
        table["image"] = range(20)
    table.to_csv(path, index=False)
    assert variant in made(Submissions(variants=[variant]), prepared)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"answers": "private/tset.csv"}, "There is no private/tset.csv in the prepared data"),
        ({"sample": "public/smaple.csv"}, "There is no public/smaple.csv"),
        ({"id": "picture"}, "The answers have no column 'picture'"),
        ({"variants": ["tise"]}, "There is no variant 'tise'"),
    ],
)
def test_a_mistake_in_a_declaration_is_placed(arguments: dict[str, Any], sentence: str, prepared: Path) -> None:
    with pytest.raises(MlebenchError) as caught:
        list(Submissions(**arguments)(prepared, 0))
    assert sentence in str(caught.value)
    assert f"{Path(__file__).name}, line " in caught.value.sentence
    assert caught.value.hint


def test_two_samples_are_asked_about(prepared: Path) -> None:
    (prepared / "public" / "sample_of_words.csv").write_text("word\n")
    with pytest.raises(MlebenchError, match=r"Which file is the sample submission\?") as caught:
        list(Submissions()(prepared, 0))
    assert "public/sample_of_words.csv, public/sample_submission.csv" in str(caught.value)
    assert made(Submissions(sample="public/sample_submission.csv"), prepared).keys() == USUAL


FUNCTION = '''
from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example


def submissions(prepared, seed):
    """Good and broken submissions for the prepared data."""
    answers = examples.table(prepared, "private/test.csv")
    yield Example("perfect", answers, "the answers themselves")
    yield from examples.usual_mistakes(answers, on="id", target="target", unknown=-1, new_target="label")
'''


def test_a_function_may_be_written_instead(tmp_path: Path) -> None:
    own = Own(tmp_path, "my-contest")
    competition = own.prepared()
    twin = own.folder / "twin.py"
    twin.write_text(twin.read_text().partition("submissions = ")[0] + FUNCTION)
    names = [path.stem for path in write_submissions(competition, tmp_path / "examples")]
    assert names == ["perfect", "missing_row", "extra_row", "unknown_id", "wrong_column", "nan", "empty"]


def test_an_error_in_a_declared_function_names_the_line(tmp_path: Path) -> None:
    own = Own(tmp_path, "my-contest")
    competition = own.prepared()
    line = own.change("twin.py", "Submissions(answers", "Submissions(guess=lambda case: case.nothing, answers")
    with pytest.raises(MlebenchError, match=f"has no attribute 'nothing' .*twin.py, line {line}"):
        write_submissions(competition, tmp_path / "examples")
