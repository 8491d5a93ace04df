"""The baseline agent, run as its users run it: a process that knows a folder of public data and nothing else."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import Ran

import mlebench.agents.baseline
from mlebench.agents.baseline.metrics import stated_metric
from mlebench.agents.baseline.resources import Budget
from mlebench.agents.baseline.task import Task, read_given, read_task
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.grade import grade_csv, validate_submission
from mlebench.grade.grading import score_file
from mlebench.results.records import hashes_below
from mlebench.results.result_line import TaskScore, parse_output

PACKAGE = Path(mlebench.agents.baseline.__file__).parent
VARIABLES = ("COMPETITION_ID", "DATA_DIR", "SUBMISSION_DIR", "CODE_DIR", "SEED", "TIME_LIMIT_SECS")
Prepared = Callable[[str], LocalCompetition]


def run_agent(
    data: Path | None, output: Path | None, command: tuple[str, ...] = ("-m", "mlebench.agents.baseline"), **more: str
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environment |= {"DATA_DIR": str(data)} if data else {}
    environment |= {"SUBMISSION_DIR": str(output)} if output else {}
    return subprocess.run(
        [sys.executable, *command], env=environment | more, capture_output=True, text=True, check=False
    )


def task_of(folder: Path) -> Task:
    """The task as the agent reads it, with plenty of time."""
    return read_task(read_given(folder, 0, Budget(time.monotonic(), 600, 1)))


def metrics(output: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((output / "metrics.json").read_text(encoding="utf-8"))
    return loaded


def write_small_task(folder: Path) -> Path:
    """A regression on two columns, sixty rows to learn from."""
    rng = np.random.default_rng(0)
    folder.mkdir()
    table = pd.DataFrame({"id": range(80), "x": rng.normal(size=80), "colour": rng.choice(["red", "blue"], 80)})
    table["y"] = 3 * table["x"] + (table["colour"] == "red") + rng.normal(scale=0.1, size=80)
    table[:60].to_csv(folder / "train.csv", index=False)
    table[60:].drop(columns="y").to_csv(folder / "test.csv", index=False)
    table[60:][["id"]].assign(y=0.0).to_csv(folder / "sample_submission.csv", index=False)
    (folder / "description.md").write_text("# Small\n\n## Metric\n\nMean absolute error (MAE).\n", encoding="utf-8")
    return folder


@pytest.fixture
def small_task(tmp_path: Path) -> Path:
    """The small task, for a test that may change it."""
    return write_small_task(tmp_path / "data")


@dataclass(frozen=True)
class Solved:
    """The small task, solved as the package does, and once more by the program that this left as its code."""

    folder: Path
    first: subprocess.CompletedProcess[str]
    second: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """What several tests look at, which one worker has: a model of even sixty rows takes seconds."""
    folder = tmp_path_factory.mktemp("solved")
    data = write_small_task(folder / "data")
    write_small_task(folder / "untouched")
    first = run_agent(data, folder / "out", CODE_DIR=str(folder / "code"), COMPETITION_ID="small", SEED="5")
    shutil.copytree(folder / "code" / "baseline", folder / "my_agent")
    second = run_agent(data, folder / "again", (str(folder / "my_agent"),), SEED="5")
    return Solved(folder, first, second)


together = pytest.mark.xdist_group("the baseline agent on a small task")


@pytest.mark.xdist_group("quickstart")
@pytest.mark.parametrize(
    ("competition_id", "metric", "at_least"),
    [
        ("practice-breast-cancer", "ROC AUC", 0.97),
        ("practice-diabetes", "RMSE", 65.0),
        ("practice-digits", "accuracy", 0.96),
        ("practice-wine", "log loss", 0.3),
    ],
)
def test_practice(competition_id: str, metric: str, at_least: float, quickstart: tuple[Path, Ran]) -> None:
    """The quickstart has had it work on all four."""
    folder = quickstart[0] / "mlebench-quickstart"
    competition = Registry(folder / "data").get_competition(competition_id)
    [run] = folder.glob(f"runs/*/{competition_id}_*")
    assert json.loads((run / "run.json").read_text(encoding="utf-8"))["status"] == "success"
    words = [line.split()[0].partition("=")[0] for line in (run / "agent.log").read_text(encoding="utf-8").splitlines()]
    assert words == ["Read", "Built", "Chose", "MLE_BENCH_LITE_RESULT"], "and no warning"
    assert (run / "code" / "baseline" / "__main__.py").is_file()
    output = run / "submission"
    assert sorted(path.name for path in output.iterdir()) == ["metrics.json", "report.md", "submission.csv"]

    report = grade_csv(output / "submission.csv", competition)
    assert report.valid_submission, report.refusal
    assert report.score is not None
    assert report.score <= at_least if report.is_lower_better else report.score >= at_least

    found = metrics(output)
    assert found["metric"] == metric
    assert found["direction"] == ("lower" if report.is_lower_better else "higher")
    assert found["fallback"] is None
    candidates = found["candidates"]
    assert len(candidates) == (4 if competition_id == "practice-digits" else 3), "pictures have one more"
    scores = {candidate["model"]: candidate["validation_score"] for candidate in candidates}
    sign = -1 if report.is_lower_better else 1
    best = max(candidates, key=lambda candidate: sign * float(candidate["validation_score"]))
    least = sign * best["validation_score"] - best["standard_error"]
    simplest = next(candidate for candidate in candidates if sign * candidate["validation_score"] >= least)
    assert found["chosen_model"] == simplest["model"]
    assert found["validation_score"] == simplest["validation_score"]
    assert found["validation_score"] == pytest.approx(report.score, rel=0.25)
    assert found["rows_train"] == len(pd.read_csv(competition.public_dir / "train.csv"))
    assert found["rows_test"] == len(pd.read_csv(competition.sample_submission))
    assert found["features"] > 0
    assert found["seed"] == 0
    assert found["seconds"] > 0
    assert {"python", "numpy", "pandas", "scikit-learn"} <= found["versions"].keys()

    text = (output / "report.md").read_text(encoding="utf-8")
    for word in ("## Task", "## Preprocessing", "## Model", "## Decisions", metric, found["chosen_model"], *scores):
        assert word in text


# One of some kinds: columns, pictures, pixels, tokens. `python -m benchmarks.baseline` has all 29.
@pytest.mark.parametrize(
    ("competition_id", "gain"),
    [
        ("spaceship-titanic", 0.15),
        ("aerial-cactus-identification", 0.15),
        ("denoising-dirty-documents", 0.2),
        ("text-normalization-challenge-english-language", 0.1),
    ],
)
def test_twins(competition_id: str, gain: float, prepared_twin: Prepared, tmp_path: Path) -> None:
    competition = prepared_twin(competition_id)
    finished = run_agent(competition.public_dir, tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert validate_submission(tmp_path / "submission.csv", competition) == (True, "Submission is valid.")
    gained = score_file(tmp_path / "submission.csv", competition) - score_file(
        competition.sample_submission, competition
    )
    assert (-gained if competition.declaration.better == "lower" else gained) > gain
    assert metrics(tmp_path)["fallback"] is None


@pytest.mark.parametrize(
    ("competition_id", "rows", "classes"),
    [
        ("dogs-vs-cats-redux-kernels-edition", 201, ("cat", "dog")),  # file names, unpacked and in an archive
        ("plant-seedlings-classification", 82, ()),  # folders
        ("the-icml-2013-whale-challenge-right-whale-redux", 50, ()),  # file names in an archive
        ("ml2021spring-hw2", 180, ()),  # arrays
        ("random-acts-of-pizza", 114, ()),  # JSON
        ("mlsp-2013-birds", 42, ()),  # lists of labels, and pairs to predict
    ],
)
def test_layouts(competition_id: str, rows: int, classes: tuple[str, ...], prepared_twin: Prepared) -> None:
    competition = prepared_twin(competition_id)
    task = task_of(competition.public_dir)
    assert len(task.train) == rows
    assert task.problems[0].classes == classes
    assert len(task.finished(task.sample)) == len(pd.read_csv(competition.sample_submission))
    answers = set(task.train[task.problems[0].target].unique())
    truth = pd.read_csv(competition.answers).iloc[:, -1].unique()
    assert classes or set(truth) <= answers, "the labels are those that the answers have"


@together
def test_same_seed_same_submission(solved: Solved) -> None:
    assert (solved.first.returncode, solved.second.returncode) == (0, 0)
    out, again = ((solved.folder / name / "submission.csv").read_bytes() for name in ("out", "again"))
    assert out == again
    first, second = metrics(solved.folder / "out"), metrics(solved.folder / "again")
    assert first["seed"] == second["seed"] == 5
    scores = [[each["validation_score"] for each in found["candidates"]] for found in (first, second)]
    assert scores[0] == scores[1], "also of those that were not chosen, which chance has a part in"


@together
def test_leaves_its_code_and_a_result_line(solved: Solved) -> None:
    assert {path.name: path.read_bytes() for path in (solved.folder / "code" / "baseline").iterdir()} == {
        path.name: path.read_bytes() for path in PACKAGE.glob("*.py")
    }
    parsed = parse_output([solved.first.stdout.encode()])
    assert parsed.result is not None, parsed.problem
    assert parsed.result.seed == parsed.result.replay.seed == 5
    out = solved.folder / "out"
    assert parsed.result.tasks == (TaskScore("small", "MAE", metrics(out)["validation_score"]),)
    assert {artifact.path: artifact.sha256 for artifact in parsed.result.artifacts} == hashes_below(out)
    assert parsed.result.replay.command == "python3 baseline"


@together
def test_runs_as_a_plain_script_from_a_copy(solved: Solved) -> None:
    """What it left is the whole program, whatever the name of its folder."""
    assert (solved.second.returncode, solved.second.stderr) == (0, "")
    found = metrics(solved.folder / "again")
    assert found["metric"] == "MAE"
    assert found["validation_score"] < 0.5
    submission = pd.read_csv(solved.folder / "again" / "submission.csv")
    assert submission["id"].tolist() == list(range(60, 80))
    assert submission["y"].std() > 1


def test_knows_nothing_of_mlebench() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "mlebench" for name in names), path.name
            assert not isinstance(node, ast.ImportFrom) or node.level <= 1, path.name


@together
def test_leaves_the_data_alone(solved: Solved) -> None:
    assert (solved.first.returncode, solved.first.stderr) == (0, "")
    data, untouched = (
        {path.name: path.read_bytes() for path in (solved.folder / name).iterdir()} for name in ("data", "untouched")
    )
    assert data == untouched
    for name in ("out", "again"):
        left = sorted(path.name for path in (solved.folder / name).iterdir())
        assert left == ["metrics.json", "report.md", "submission.csv"]


def test_without_time_the_same_answer_for_all_rows_has_to_do(small_task: Path, tmp_path: Path) -> None:
    finished = run_agent(small_task, tmp_path / "out", TIME_LIMIT_SECS="0.0001")
    assert finished.returncode == 0
    assert "the time limit is near" in metrics(tmp_path / "out")["fallback"]
    assert "Fell back: the submission has the same answer for every row" in finished.stderr
    submission = pd.read_csv(tmp_path / "out/submission.csv")
    assert submission["y"].unique() == pytest.approx([pd.read_csv(small_task / "train.csv")["y"].median()])


def test_names_without_features_get_the_shares_of_classes(small_task: Path, tmp_path: Path) -> None:
    (small_task / "test.csv").unlink()
    table = pd.DataFrame({"id": range(60), "kind": ["a", "a", "b"] * 20})
    table.to_csv(small_task / "train.csv", index=False)
    pd.DataFrame({"id": range(60, 80), "a": 0.0, "b": 0.0}).to_csv(small_task / "sample_submission.csv", index=False)
    (small_task / "description.md").write_text("## Metric\n\nLog loss.\n")
    assert run_agent(small_task, tmp_path / "out").returncode == 0
    assert "No features can be built" in metrics(tmp_path / "out")["fallback"]
    submission = pd.read_csv(tmp_path / "out/submission.csv")
    assert submission["a"].tolist() == pytest.approx([2 / 3] * 20)


def test_without_a_training_table_the_sample_has_to_do(small_task: Path, tmp_path: Path) -> None:
    (small_task / "train.csv").unlink()
    finished = run_agent(small_task, tmp_path / "out")
    assert finished.returncode == 0
    assert "Traceback" not in finished.stderr
    sample = (small_task / "sample_submission.csv").read_bytes()
    assert (tmp_path / "out/submission.csv").read_bytes() == sample
    assert "no training table" in metrics(tmp_path / "out")["fallback"]
    text = (tmp_path / "out/report.md").read_text(encoding="utf-8")
    assert "Fallback" in text
    assert "copy of the sample submission" in text
    assert "no training table" in text


@pytest.mark.parametrize("content", [b"", b"id,y\n", b"\x00\xff\xfe", b"id,x,colour,z\n1,2,red,3\n"])
def test_a_broken_training_table_is_no_traceback(content: bytes, small_task: Path, tmp_path: Path) -> None:
    (small_task / "train.csv").write_bytes(content)
    finished = run_agent(small_task, tmp_path / "out")
    assert finished.returncode == 0
    assert "Traceback" not in finished.stderr
    assert metrics(tmp_path / "out")["fallback"]


def test_an_empty_folder_gives_a_report_but_no_submission(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    finished = run_agent(tmp_path / "data", tmp_path / "out")
    assert finished.returncode == 1
    assert finished.stderr.count("\n") == 1
    assert "There is no submission" in (tmp_path / "out/report.md").read_text(encoding="utf-8")
    assert not (tmp_path / "out/submission.csv").exists()


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"SUBMISSION_DIR": "out"}, "DATA_DIR"),
        ({"DATA_DIR": "."}, "SUBMISSION_DIR"),
        ({"DATA_DIR": "nowhere", "SUBMISSION_DIR": "out"}, "nowhere"),
        ({"DATA_DIR": ".", "SUBMISSION_DIR": "out", "SEED": "one"}, "SEED"),
        ({"DATA_DIR": ".", "SUBMISSION_DIR": "out", "TIME_LIMIT_SECS": "-1"}, "TIME_LIMIT_SECS"),
    ],
)
def test_a_wrong_setting_is_one_sentence(
    settings: dict[str, str], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    finished = run_agent(None, None, ("-m", "mlebench.agents.baseline"), **settings)
    assert finished.returncode == 2
    assert word in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert not (tmp_path / "out" / "report.md").exists()


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Submissions are scored by the area under the ROC curve.", "ROC AUC"),
        ("Multi-class logarithmic loss, the mean of …", "log loss"),
        ("Root mean squared logarithmic error (RMSLE), unlike RMSE, …", "RMSLE"),
        ("Root mean squared error of the price.", "RMSE"),
        ("The quadratic weighted kappa of both ratings.", "quadratic kappa"),
        ("Accuracy: the share of right answers.", "accuracy"),
        ("The mean of the Dice coefficient.", None),
    ],
)
def test_finds_the_metric(sentence: str, name: str | None) -> None:
    text = f"# Title\n\nAccuracy matters to us, MAE less so.\n\n## Metric\n\n{sentence}\n\n## Submission\n\nF1, AUC."
    found = stated_metric(text)
    assert (found.name if found else None) == name


def test_reads_tables_in_archives_and_one_column_per_class(small_task: Path) -> None:
    table = pd.read_csv(small_task / "train.csv").assign(
        y=lambda rows: rows["y"].gt(0).map({True: "up", False: "down"})
    )
    (small_task / "train.csv").unlink()
    with zipfile.ZipFile(small_task / "train.csv.zip", "w") as archive:
        archive.writestr("train.csv", table.to_csv(index=False))
    sample = pd.read_csv(small_task / "sample_submission.csv")[["id"]].assign(up=0.3, down=0.3, level=0.4)
    sample.iloc[::-1].to_csv(small_task / "sample_submission.csv", index=False)
    (small_task / "description.md").unlink()
    task = task_of(small_task)
    assert task.train_file == "train.csv.zip"
    assert (task.metric.name, task.metric_is_stated) == ("log loss", False)
    (problem,) = task.problems
    assert (problem.target, problem.outputs, problem.classes) == ("y", ("up", "down", "level"), ("up", "down", "level"))
    assert task.test["id"].tolist() == list(range(79, 59, -1)), "the order of the sample submission"
