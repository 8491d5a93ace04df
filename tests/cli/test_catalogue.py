"""`mlebench`, `list`, `info` and `completion`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from command import Run

from mlebench import __version__


def test_version(run: Run) -> None:
    assert run("--version").out.strip() == f"mlebench, version {__version__}"


def test_help_imports_no_heavy_library() -> None:
    code = "import sys; from mlebench.cli import cli; cli.main(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage:" in done.stdout
    assert not {"pandas", "sklearn", "numpy", "scipy", "pyarrow"} & set(done.stdout.split())


def test_list_imports_no_pandas() -> None:
    code = "import sys; from mlebench.cli import cli; cli.main(['list'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pandas", "sklearn", "scipy"} & set(done.stdout.split())


@pytest.mark.parametrize(
    ("split", "count"),
    [
        ("low", 22),
        ("lite", 22),
        ("medium", 38),
        ("high", 15),
        ("all", 75),
        ("split75", 75),
        ("dev", 7),
        ("practice", 4),
    ],
)
def test_splits(run: Run, split: str, count: int) -> None:
    assert len(json.loads(run("list", "--split", split, "--json").out)) == count


def test_list_filters(run: Run) -> None:
    found = json.loads(run("list", "--category", "image", "--metric", "roc", "--split", "low", "--json").out)
    assert "aerial-cactus-identification" in [each["id"] for each in found]
    assert all("Image" in each["category"] and "ROC" in each["metric"] for each in found)


@pytest.mark.parametrize(
    ("short", "words"),
    [("auc", "area under the ROC curve"), ("RMSE", "root mean squared error"), ("MAE", "mean absolute error"),
     ("qwk", "quadratic weighted kappa"), ("logloss", "log loss"), ("roc-auc", "area under the ROC curve"),
     ("f1-score", "F1")],
)  # fmt: skip
def test_list_knows_what_metrics_are_called(run: Run, short: str, words: str) -> None:
    found = [each["metric"] for each in json.loads(run("list", "--metric", short, "--json").out)]
    every = [each["metric"] for each in json.loads(run("list", "--json").out)]
    assert words in " ".join(every)
    assert {metric for metric in every if words in metric} <= set(found)


def test_list_of_a_metric_that_no_competition_has(run: Run) -> None:
    ran = run("list", "--metric", "acurracy")
    assert ran.code == 1
    assert "Metrics that are called so or nearly so: accuracy" in ran.err


def test_info_tells_what_v2_does_or_why_it_does_nothing(run: Run) -> None:
    shown = run("info", "siim-isic-melanoma-classification").out
    assert " Edition v2: Leaves out the TFRecord files." in shown
    assert " No repair: Nearly equal images have no mark" in shown
    facts = json.loads(run("info", "siim-isic-melanoma-classification", "--json").out)
    assert [issue["v2_exists"] for issue in facts["known_issues"]] == [True, True, None]
    assert [bool(issue["reason"]) for issue in facts["known_issues"]] == [False, False, True]


def test_info_of_an_edition(run: Run) -> None:
    pizza = json.loads(run("info", "random-acts-of-pizza", "--edition", "v2", "--json").out)
    assert (pizza["edition"], pizza["differs_from_v1"], pizza["group"]) == ("v2", True, None)
    assert (pizza["gold"], pizza["no_medal_code"]) == (None, "humans_had_leak")
    assert pizza["checksums"]["public"] == {}
    assert "v2, which differs from v1" in run("info", "random-acts-of-pizza", "--edition", "v2").out
    assert "v2, the same as v1" in run("info", "spaceship-titanic", "--edition", "v2").out
    toxic = json.loads(run("info", "jigsaw-toxic-comment-classification-challenge", "--json").out)
    assert toxic["medal_caveat"] == "crowded"


def test_list_of_an_edition(run: Run) -> None:
    low = json.loads(run("list", "--split", "low", "--edition", "v2", "--json").out)
    assert len(low) == 21
    assert "random-acts-of-pizza" not in [competition["id"] for competition in low]
    differing = sum(competition["differs_from_v1"] for competition in low)
    assert (
        f"21 competitions, of which {differing} differ from v1." in run("list", "--split", "low", "--edition", "v2").out
    )
    assert len(json.loads(run("list", "--split", "low", "--json").out)) == 22


def test_list_of_a_file(run: Run, tmp_path: object) -> None:
    from pathlib import Path

    (Path(str(tmp_path)) / "mine.txt").write_text("# mine\nspaceship-titanic\n\nAI4Code # a comment\n")
    ran = run("list", "--split", "mine.txt")
    assert "spaceship-titanic" in ran.out
    assert "2 competitions" in ran.out


def test_list_of_an_unknown_split(run: Run) -> None:
    ran = run("list", "--split", "tiny")
    assert ran.code == 1
    assert "no split 'tiny'" in ran.err


def test_info(run: Run) -> None:
    out = run("info", "aerial-cactus-identification").out
    for fact in (
        "area under the ROC curve",
        "1221",
        "72018554bfbb009f2145f56121380078",
        "## Submission",
        "known issues",
    ):
        assert fact in out


def test_info_as_json(run: Run) -> None:
    facts = json.loads(run("info", "spaceship-titanic", "--json").out)
    assert facts["teams"] == 1967
    assert facts["better"] == "higher"
    assert len(facts["score_quantiles"]) == 101
    assert facts["checksums"]["private"] == {"test.csv": "1cb99c65efecaba968128577722a83ef"}


def test_info_says_where_only_thresholds_are_known(run: Run) -> None:
    out = run("info", "tensorflow-speech-recognition-challenge").out
    assert "thresholds only; percentiles end at the median" in out


def test_info_obfuscated(run: Run) -> None:
    out = run("info", "spaceship-titanic", "--obfuscated").out
    assert "## Background" not in out
    assert "## Task" in out


def test_unknown_id_suggests_the_nearest(run: Run) -> None:
    ran = run("info", "spaceship-titanik")
    assert ran.code == 1
    assert ran.err == "error: There is no competition 'spaceship-titanik'. Did you mean spaceship-titanic?\n"


def test_part_of_an_id_is_a_hint_too(run: Run) -> None:
    assert "aerial-cactus-identification" in run("info", "cactus").err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Run, shell: str) -> None:
    assert "_MLEBENCH_COMPLETE" in run("completion", shell).out


def test_completion_of_ids(run: Run) -> None:
    ran = run(_MLEBENCH_COMPLETE="bash_complete", COMP_WORDS="mlebench info space", COMP_CWORD="2")
    assert "spaceship-titanic" in ran.out
