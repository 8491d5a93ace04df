"""`mlebench check`: a sound competition passes, and planted mistakes are found where they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from own import Own

from mlebench.checking.checker import check
from mlebench.checking.declaration_problems import declaration_problems, leaderboard_problems
from mlebench.checking.described import Description, content_problems, example_problems, shape_problems
from mlebench.checking.example_submissions import Examples, answers_score_best, broken_refused, examples_graded
from mlebench.checking.leaks import leak_problems
from mlebench.competition.checks import Judgement, Problem
from mlebench.errors import MlebenchError


@pytest.fixture
def own(tmp_path: Path) -> Own:
    return Own(tmp_path, "my-contest")


def places(problems: list[Problem]) -> list[tuple[str, int | None]]:
    return [(each.file.name if each.file else "", each.line) for each in problems]


def checked(folder: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """The exit code of `mlebench check --json`, and what failed, by name."""
    ran = run_command("check", "my-contest", "--competitions-dir", "mine", "--json", *arguments, cwd=folder)
    found = json.loads(ran.out)
    assert found["passed"] == (ran.code == 0)
    return ran.code, {each["check"]: each for each in found["checks"]}


def test_the_skeleton_passes_and_the_data_folder_is_left_alone(own: Own, tmp_path: Path) -> None:
    code, found = checked(tmp_path)
    assert code == 0, found
    assert {each["result"] for each in found.values()} == {"passed", "not applicable"}
    assert found["the leaderboard fits the metric"]["result"] == "not applicable"
    assert "scale 4" in found["time and memory grow with the data"]["note"]
    assert not (tmp_path / "data").exists()


def test_planted_mistakes_are_all_found_with_their_places(own: Own, tmp_path: Path) -> None:
    column = own.change("description.md", "- `x1` to `x3`: measurements", "- `x1` to `x4`: measurements")
    file = own.change("description.md", "- `sample_submission.csv`:", "- `samples.csv`:")
    shuffled = own.change(
        "competition.py",
        'public.write_csv("train.csv", train)',
        'public.write_csv("train.csv", train.sample(frac=1))',
    )
    graded = own.change(
        "competition.py",
        'truth, predicted = aligned(submission, answers, on="id", target="target")',
        'truth, predicted = answers["target"], submission["target"]',
    )
    code, found = checked(tmp_path)
    assert code == 1
    failed = {name: each["problems"] for name, each in found.items() if each["result"] == "failed"}
    described = failed.pop("the description names what there is")
    assert (str(own.folder / "description.md"), column) in [(each["file"], each["line"]) for each in described]
    assert [each["line"] for each in described if "samples.csv" in each["what"]] == [file]
    random = failed.pop("preparing again gives the same bytes")
    assert [(each["what"], each["line"]) for each in random] == [
        ("public/train.csv differs when the data is prepared again.", shuffled)
    ]
    refused = failed.pop("incomplete submissions are refused")
    assert {"KeyError: 'target'" in each["what"] and each["line"] == graded for each in refused} == {True, False}
    assert any("without the column id is accepted" in each["what"] for each in refused)
    examples = failed.pop("examples are scored or refused")
    assert any("Grading the example missing_row fails with IndexError" in each["what"] for each in examples)
    assert not failed


def test_raw_data_in_place_is_what_is_checked(own: Own, tmp_path: Path) -> None:
    competition = own.prepared()
    before = sorted(path.stat().st_mtime_ns for path in competition.home.rglob("*"))
    (own.folder / "twin.py").unlink()
    code, found = checked(tmp_path)
    assert code == 0, found
    assert found["the data can be prepared"]["note"] == f"from {competition.archive}"
    assert found["time and memory grow with the data"]["result"] == "not applicable"
    assert sorted(path.stat().st_mtime_ns for path in competition.home.rglob("*")) == before
    competition.archive.unlink()
    code, found = checked(tmp_path)
    assert code == 1
    assert "Put the archive at" in found["the data can be prepared"]["problems"][0]["advice"]


def test_a_preparation_that_fails_is_shown_with_its_line(own: Own, tmp_path: Path) -> None:
    line = own.change("competition.py", 'columns="target"', 'columns="tarjet"')
    ran = run_command("check", "my-contest", "--competitions-dir", "mine", cwd=tmp_path)
    assert ran.code == 1
    assert "failed          the data can be prepared (from its twin)" in ran.out
    assert f"mine/my_contest/competition.py, line {line}:\n      The preparation of my-contest failed" in ran.out
    assert "not applicable  wrong values are refused (the preparation fails)" in ran.out
    assert "my-contest: 2 passed, 1 failed, 13 not applicable." in ran.out


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("# My contest", "My contest", "does not begin with a title"),
        ("## Metric\n", "## Scoring\n", "has no part Metric"),
        ("```", "", "shows no example"),
    ],
)
def test_the_shape_of_a_description(own: Own, old: str, new: str, sentence: str) -> None:
    own.change("description.md", old, new)
    found = list(shape_problems(Description(own.folder / "description.md")))
    assert any(sentence in each.what for each in found)


def test_an_example_with_another_column(own: Own) -> None:
    line = own.change("description.md", "id,target\n7", "id,probability\n7")
    competition = own.prepared()
    found = list(example_problems(Description(own.folder / "description.md"), competition.sample_submission))
    assert places(found) == [("description.md", line)]
    assert "probability" in found[0].what


def test_lines_are_those_of_the_file_in_every_edition(own: Own) -> None:
    own.change(
        "description.md",
        "- `test.csv`:",
        "<!-- edition v2 -->\n- `more.csv`: more\n<!-- every edition -->\n- `tset.csv`:",
    )
    competition = own.prepared()
    path = own.folder / "description.md"
    expected = path.read_text().splitlines().index("- `tset.csv`: the examples to predict") + 1
    found = content_problems(Description(path), competition.public_dir)
    assert ("description.md", expected) in places([each for each in found if "tset.csv" in each.what])
    assert not any("more.csv" in each.what for each in found)


def graded(own: Own, check: Callable[[Examples], Judgement]) -> Judgement:
    competition = own.prepared()
    return check(Examples(competition, competition.data_dir / "examples"))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'on="id"',
            'on="Id"',
            "GraderError: The grader asks for the column Id, which the answers do not have",
        ),
        (
            "    return roc_auc",
            "    _ = roc_auc",
            "the grader returned NoneType, where a score is a number.",
        ),
    ],
)
def test_a_grader_that_fails_is_placed(own: Own, old: str, new: str, sentence: str) -> None:
    changed = own.change("competition.py", old, new)
    decorated = own.change("competition.py", "@competition.grade", "@competition.grade")
    [problem] = next(each for each in check(own.load()) if each.result == "failed").judgement.problems
    assert sentence in problem.what
    assert "competition.py" not in problem.what, "the place is said once"
    assert places([problem]) == [("competition.py", changed if "on=" in old else decorated)]


def test_a_swapped_direction_is_found(own: Own) -> None:
    own.change("competition.py", "import Competition,", "import OwnMetric, Competition,")
    line = own.change(
        "competition.py", 'metric="area under the ROC curve",', 'metric=OwnMetric("AUC"), better="lower",'
    )
    found = graded(own, answers_score_best)
    assert found.result == "failed"
    assert places(list(found.problems))[0] == ("competition.py", line)
    assert "With the sample submission the score is 0.5, with the answers themselves 1, but lower is better." in [
        each.what for each in found.problems
    ]


def test_a_grader_that_accepts_anything_is_found(own: Own) -> None:
    line = own.change("competition.py", "@competition.grade", "@competition.grade")
    own.change("competition.py", "return roc_auc(truth, probabilities(predicted))", "return 1.0")
    competition = own.prepared()
    examples = Examples(competition, competition.data_dir / "examples")
    assert "Every submission scores 1, right or wrong." in [each.what for each in answers_score_best(examples).problems]
    assert broken_refused(examples, "incomplete").result == "passed", "aligned does that"
    words = broken_refused(examples, "values").problems
    assert places(list(words)) == [("competition.py", line)] * 2


def test_a_twin_whose_examples_fail_is_found(own: Own) -> None:
    competition = own.prepared()
    line = own.change("twin.py", '"private/test.csv"', '"private/tset.csv"')
    found = examples_graded(Examples(competition, competition.data_dir / "examples"))
    assert places(list(found.problems)) == [("twin.py", line)]
    assert "tset.csv" in found.problems[0].what


def test_answers_in_public_are_found(own: Own) -> None:
    line = own.change("competition.py", 'test.drop(columns="target")', 'test.rename(columns={"target": "hint"})')
    competition = own.prepared()
    found = list(leak_problems(competition))
    assert places(found) == [("competition.py", line)]
    assert "public/test.csv: hint gives the answers away. The column hint has the answers for target" in found[0].what
    assert "A submission made from it alone scores 1, the sample 0.5." in found[0].what


def test_declarations_that_contradict_themselves(own: Own) -> None:
    own.change("competition.py", 'category="Tabular"', 'category="Tables"')
    line = own.change("competition.py", 'metric="area under the ROC curve",', 'metric="accuracy", better="lower",')
    found = list(declaration_problems(own.load().declaration))
    assert [each.what.split()[0] for each in found] == ["There", "The"]
    assert found[1].line == line


def test_a_metric_that_only_a_comment_excuses(own: Own) -> None:
    own.change("competition.py", 'metric="area under the ROC curve"', 'metric="AUC"')
    assert "OwnMetric" in (own.folder / "competition.py").read_text()
    with pytest.raises(
        MlebenchError, match=r"competition\.py:\d+: There is no metric 'AUC'\. Did you mean 'area under"
    ):
        own.load()


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('[[issue]]\nkind = "leak"\nwhat =\n', 3, "is not a list of known issues"),
        ('[[isue]]\nkind = "leak"\nwhat = "x"\n', None, "there is 'isue', where only tables [[issue]] belong"),
        ('[[issue]]\nkind = "leak"\n', None, "has no text under the key 'what'"),
    ],
)
def test_known_issues_that_cannot_be_read(own: Own, text: str, line: int | None, sentence: str) -> None:
    (own.folder / "known_issues.toml").write_text(text)
    found = list(declaration_problems(own.load().declaration))
    assert places(found) == [("known_issues.toml", line)]
    assert sentence in found[0].what


def test_an_id_that_cannot_name_a_folder(own: Own) -> None:
    line = own.change("competition.py", "competition = Competition(", "competition = Competition(")
    declared = replace(own.load().declaration, id="../my contest")
    assert places(list(declaration_problems(declared))) == [("competition.py", line)]


def test_a_description_that_is_no_text(own: Own) -> None:
    (own.folder / "description.md").write_bytes(b"# My contest \xff")
    competition = own.load()
    assert not Description(own.folder / "description.md").is_text
    with pytest.raises(MlebenchError, match="is not text in UTF-8"):
        _ = competition.description


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("def make(raw: Path, seed: int, scale: int)", "def make(raw: Path, seed: int)", "takes 2 positional"),
        ("n = 200 * scale", "n = 200 // 0", "ZeroDivisionError"),
    ],
)
def test_a_twin_that_fails_is_placed(own: Own, old: str, new: str, sentence: str) -> None:
    line = own.change("twin.py", old, new)
    failed = next(each for each in check(own.load()) if each.result == "failed")
    assert places(list(failed.judgement.problems)) == [("twin.py", line)]
    [finding] = failed.findings
    assert (finding.subject, finding.code, finding.severity) == ("my-contest", "data_prepared", "error")
    assert sentence in finding.message
    assert "twin.py" not in finding.message, "the place is said once"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("score\n0.5\n0.7\n0.9\n", "begins with 0.5 and ends with 0.9, but higher is better"),
        ("score\n0.9\nnan\n", "not a number"),
        ("score\n", "no scores"),
        ("score\nfirst\n", "not a leaderboard"),
    ],
)
def test_leaderboards_that_do_not_fit(own: Own, text: str, sentence: str) -> None:
    (own.folder / "leaderboard.csv").write_text(text)
    assert any(sentence in each.what for each in leaderboard_problems(own.load()))
    (own.folder / "leaderboard.csv").write_text("score\n0.9\n0.7\n0.5\n")
    assert not list(leaderboard_problems(own.load()))
