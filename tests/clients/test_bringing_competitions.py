"""Competitions of other projects: folders in the published form, and the helpers that their modules import."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import Run

from mlebench.competition.local import LocalCompetition
from mlebench.competitions import utils
from mlebench.data import is_dataset_prepared
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.errors import InvalidSubmissionError, MlebenchError
from mlebench.grade import grade_csv, validate_submission
from mlebench.metrics import dice_coefficient, mean_average_precision_at_k
from mlebench.registry import Registry

CONFIG = """
id: {id}
name: Towers of Babel
competition_type: simple
awards_medals: false
prizes: null
description: mlebench/competitions/{id}/description.md

dataset:
  answers: {id}/prepared/private/answers.csv
  sample_submission: {id}/prepared/public/sample_submission.csv

grader:
  name: root-mean-squared-error
  grade_fn: {grade_fn}

preparer: {preparer}
"""
PREPARE = """
from pathlib import Path
import pandas as pd
from mlebench.utils import extract, get_logger, is_empty, read_csv
from .columns import TARGET

logger = get_logger(__name__)

def prepare(raw: Path, public: Path, private: Path):
    extract(raw / "data.zip", raw)
    towers = read_csv(raw / "towers.csv")
    train, test = towers[:30], towers[30:]
    train.to_csv(public / "train.csv", index=False)
    test.drop(columns=[TARGET]).to_csv(public / "test.csv", index=False)
    test[["id"]].assign(**{TARGET: 0.0}).to_csv(public / "sample_submission.csv", index=False)
    test.to_csv(private / "answers.csv", index=False)
    assert not is_empty(private)
"""
GRADE = """
import numpy as np
import pandas as pd
from mlebench.grade_helpers import InvalidSubmissionError
from .columns import TARGET

def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    if TARGET not in submission.columns:
        raise InvalidSubmissionError(f"Submission must have a column {TARGET}")
    both = answers.merge(submission, on="id", suffixes=("", "_predicted"))
    if len(both) != len(answers):
        raise InvalidSubmissionError("Submission must have the ids of the test set")
    return float(np.sqrt(((both[TARGET] - both[TARGET + "_predicted"]) ** 2).mean()))
"""


def write_folder(
    parent: Path, competition_id: str, *, grade_fn: str | None = None, preparer: str | None = None
) -> Path:
    """A competition as another project would write it, with a leaderboard whose best score is the lowest."""
    folder = parent / competition_id
    folder.mkdir(parents=True)
    package = f"mlebench.competitions.{competition_id}"
    config = CONFIG.format(
        id=competition_id,
        grade_fn=grade_fn or f"{package}.grade:grade",
        preparer=preparer or f"{package}.prepare:prepare",
    )
    files = {
        "config.yaml": config,
        "prepare.py": PREPARE,
        "grade.py": GRADE,
        "columns.py": 'TARGET = "height"\n',
        "description.md": "# Towers of Babel\n\nHow high is it?\n",
        "leaderboard.csv": "score\n" + "".join(f"{1 + i / 100}\n" for i in range(120)),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def write_archive(folder: Path, competition_id: str) -> None:
    """The raw archive, with an archive in it."""
    folder.mkdir(parents=True, exist_ok=True)
    towers = pd.DataFrame({"id": range(40), "steps": range(100, 140), "height": np.linspace(1, 5, 40)})
    with zipfile.ZipFile(folder / "data.zip", "w") as inner:
        inner.writestr("towers.csv", towers.to_csv(index=False))
    with zipfile.ZipFile(folder / f"{competition_id}.zip", "w") as archive:
        archive.write(folder / "data.zip", "data.zip")


@pytest.fixture
def towers(tmp_path: Path) -> LocalCompetition:
    """Such a competition, not yet prepared."""
    write_folder(tmp_path / "theirs", "towers-of-babel")
    write_archive(tmp_path / "mirror", "towers-of-babel")
    return Registry(tmp_path / "data", (tmp_path / "theirs",)).get_competition("towers-of-babel")


@pytest.mark.parametrize("keep_raw", [False, True])
def test_a_project_brings_a_competition(towers: LocalCompetition, keep_raw: bool, tmp_path: Path) -> None:
    assert (towers.name, towers.grader.name) == ("Towers of Babel", "root-mean-squared-error")
    prepare(towers, PrepareOptions(mirror=str(tmp_path / "mirror"), keep_raw=keep_raw))
    assert is_dataset_prepared(towers)
    assert towers.answers == tmp_path / "data" / "towers-of-babel" / "prepared" / "private" / "answers.csv"
    report = grade_csv(towers.answers, towers)
    assert (report.score, report.gold_medal, report.is_lower_better) == (0.0, True, True)
    heights = pd.read_csv(towers.answers)["height"]
    assert grade_csv(towers.sample_submission, towers).raw_score == pytest.approx(float((heights**2).mean() ** 0.5))
    (tmp_path / "bad.csv").write_text("id\n1\n")
    assert validate_submission(tmp_path / "bad.csv", towers) == (False, "Submission must have a column height")


def test_a_project_prepares_with_its_own_script(towers: LocalCompetition, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mirror" / "towers-of-babel.zip") as archive:
        archive.extractall(tmp_path / "raw")
    towers.prepare_fn(tmp_path / "raw", tmp_path / "public", tmp_path / "private")
    assert len(pd.read_csv(tmp_path / "private" / "answers.csv")) == 10


def test_a_project_uses_the_command_on_its_competition(towers: LocalCompetition, run: Run) -> None:
    own = ["--competitions-dir", "theirs"]
    assert run("prepare", "-c", towers.id, "--source", "mirror", *own).code == 0
    assert '"score": 0.0,' in run("grade-sample", towers.answers, towers.id, *own).out
    assert towers.id in run("list", *own).out
    assert "root-mean-squared-error" in run("info", towers.id, *own).out
    assert run("verify", "-c", towers.id, *own).code == 0


@pytest.mark.parametrize(
    ("grade_fn", "preparer"),
    [
        ("grade:grade", "prepare:prepare"),
        ("their_package.competitions.towers.grade:grade", "their_package.competitions.towers.prepare:prepare"),
    ],
)
def test_a_project_names_its_functions_in_its_own_way(grade_fn: str, preparer: str, tmp_path: Path) -> None:
    write_folder(tmp_path / "theirs", "towers", grade_fn=grade_fn, preparer=preparer)
    write_archive(tmp_path / "mirror", "towers")
    competition = Registry(tmp_path / "data", (tmp_path / "theirs",)).get_competition("towers")
    prepare(competition, PrepareOptions(mirror=str(tmp_path / "mirror")))
    assert grade_csv(competition.answers, competition).score == 0.0


def test_a_project_has_its_competitions_in_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then its modules are imported under their own names, and may import from the package."""
    folder = write_folder(
        tmp_path / "their_library" / "competitions", "towers", grade_fn="their_library.competitions.towers.grade:grade"
    )
    (folder / "grade.py").write_text("from ...common import best\ndef grade(submission, answers):\n    return best()\n")
    (tmp_path / "their_library" / "common.py").write_text("def best():\n    return 42.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    competition = Registry(tmp_path / "data", (folder.parent,)).get_competition("towers")
    assert competition.grader.raw_score(pd.DataFrame(), pd.DataFrame()) == 42.0


def test_a_project_replaces_a_competition(tmp_path: Path) -> None:
    write_folder(tmp_path / "theirs", "spaceship-titanic")
    found = Registry(tmp_path / "data", (tmp_path / "theirs",))
    assert found.get_competition("spaceship-titanic").name == "Towers of Babel"
    assert len(found.list_competition_ids()) == 82


def test_two_projects_have_a_competition_of_the_same_name(tmp_path: Path) -> None:
    scores = []
    for number in (1, 2):
        folder = write_folder(tmp_path / f"theirs-{number}", "towers")
        (folder / "grade.py").write_text(f"def grade(submission, answers):\n    return {number}\n")
        competition = Registry(tmp_path / "data", (folder.parent,)).get_competition("towers")
        scores.append(competition.grader.raw_score(pd.DataFrame(), pd.DataFrame()))
    assert scores == [1.0, 2.0]


def test_a_project_sends_its_competition_to_another_process(towers: LocalCompetition) -> None:
    assert pickle.loads(pickle.dumps(towers)) == towers


def test_a_project_has_hundreds_of_competitions_and_some_are_broken(tmp_path: Path) -> None:
    """To list them no module is imported, and a broken one is named when it is asked for."""
    for number in range(50):
        folder = write_folder(tmp_path / "theirs", f"towers-{number}")
        (folder / "grade.py").write_text("import a_library_that_is_not_installed\n")
    broken = {
        "no-answers": ("dataset:\n  sample_submission: a/b.csv\n", "has no answers"),
        "no-dataset": ("", "has no dataset"),
        "a-list": ("dataset: [1, 2]\n", "does not describe a competition"),
    }
    for name, (text, _) in broken.items():
        folder = tmp_path / "theirs" / name
        folder.mkdir()
        (folder / "config.yaml").write_text(f"id: {name}\ngrader: {{name: a, grade_fn: b}}\npreparer: c\n{text}")
    (tmp_path / "theirs" / "settings").mkdir()
    (tmp_path / "theirs" / "settings" / "config.yaml").write_text("agent: dummy\n")  # not a competition at all
    found = Registry(tmp_path / "data", (tmp_path / "theirs",))
    assert len(found.list_competition_ids()) == 82 + 50
    for name, (_, sentence) in broken.items():
        with pytest.raises(MlebenchError, match=sentence):
            found.get_competition(name)
    with pytest.raises(MlebenchError, match=r"cannot be imported: No module named 'a_library_that_is_not_installed'"):
        found.get_competition("towers-7").grader.raw_score(pd.DataFrame(), pd.DataFrame())


def test_a_project_keeps_the_checksums_of_its_data(towers: LocalCompetition, tmp_path: Path) -> None:
    (towers.declaration.folder / "checksums.yaml").write_text(f"zip: {'f' * 32}\npublic:\nprivate: {{}}\n")
    with pytest.raises(MlebenchError, match=f"is known to have {'f' * 32}"):
        prepare(towers, PrepareOptions(mirror=str(tmp_path / "mirror")))


def test_a_project_prepares_what_the_kit_would_not_let_pass(towers: LocalCompetition, tmp_path: Path) -> None:
    """Nothing is asked of it that the published benchmark does not ask."""
    path = towers.declaration.folder / "prepare.py"
    path.write_text(PREPARE.replace("train, test = towers[:30], towers[30:]", "train, test = towers, towers[30:]"))
    prepare(towers, PrepareOptions(mirror=str(tmp_path / "mirror")))
    assert is_dataset_prepared(towers)


# Helpers that such modules import.


def test_a_fork_prepares_the_inputs_of_an_area_under_the_curve() -> None:
    answers = pd.DataFrame({"id": ["c", "a", "b"], "target": [1, 0, 1], "more": 0})
    submission = pd.DataFrame({"target": [0.1, 0.2, 0.9], "id": ["a", "b", "c"]})
    found = utils.prepare_for_auroc_metric(submission=submission, answers=answers, id_col="id", target_col="target")
    assert {name: values.tolist() for name, values in found.items()} == {
        "y_true": [0, 1, 1],
        "y_score": [0.1, 0.2, 0.9],
    }
    for broken in (
        submission.assign(target=2.0),
        submission.assign(target="x"),
        submission.assign(id=["a", "b", "x"]),
        submission.assign(id=["a", "a", "b"]),
        submission.drop(columns="target"),
        submission.head(2),
    ):
        with pytest.raises(InvalidSubmissionError):
            utils.prepare_for_auroc_metric(broken, answers, id_col="id", target_col="target")


def test_a_fork_grades_ids_that_repeat() -> None:
    answers = pd.DataFrame({"text": ["a", "a", "b"], "insult": [0, 1, 1]})
    found = utils.prepare_for_auroc_metric(answers, answers, id_col="text", target_col="insult")
    assert found["y_true"].tolist() == found["y_score"].tolist()


def test_a_fork_prepares_the_inputs_of_an_accuracy() -> None:
    answers = pd.DataFrame({"id": [3, 1, 2], "label": ["z", "x", "y"]})
    submission = pd.DataFrame({"id": [1, 2, 3], "label": ["x", "x", "z"]})
    found = utils.prepare_for_accuracy_metric(
        submission=submission, answers=answers, target_column="label", id_column="id"
    )
    assert (found["y_true"] == found["y_pred"]).tolist() == [True, False, True]
    with pytest.raises(InvalidSubmissionError):
        utils.prepare_for_accuracy_metric(submission.assign(id=[1, 2, 4]), answers, "label", "id")


def test_a_fork_makes_one_column_per_class() -> None:
    labels = pd.DataFrame({"id": [7, 8], "breed": ["pug", "husky"]}, index=[5, 3])
    table = utils.df_to_one_hot(labels, id_column="id", target_column="breed", classes=["husky", "pug"])
    assert table.to_csv(index=False) == "id,husky,pug\n7,0,1\n8,1,0\n"


def test_a_fork_prepares_the_inputs_of_a_log_loss() -> None:
    answers = pd.DataFrame({"id": [1, 2], "a": [1, 0], "b": [0, 1]})
    submission = pd.DataFrame({"b": [2.0, 0.0], "id": [2, 1], "a": [0.0, 3.0], "more": 0})
    plain = utils.one_hot_dfs_to_log_loss_inputs(submission, answers, id_column="id", apply_softmax=False)
    assert plain["y_pred"].tolist() == [[3.0, 0.0], [0.0, 2.0]]
    assert plain["y_true"].tolist() == [[1, 0], [0, 1]]
    soft = utils.one_hot_dfs_to_log_loss_inputs(submission, answers)
    assert np.allclose(soft["y_pred"].sum(axis=1), 1)
    assert soft["y_pred"][0, 0] == pytest.approx(np.exp(3) / (np.exp(3) + 1))


def test_a_fork_codes_masks() -> None:
    mask = np.zeros((3, 4), dtype=np.uint8)
    mask[1:, 0] = 1
    mask[0, 1] = 1
    assert utils.rle_encode(mask) == [2, 3]
    code = " ".join(map(str, utils.rle_encode(mask)))
    assert utils.rle_decode(code, height=3, width=4).astype(int).tolist() == mask.tolist()
    assert utils.rle_encode(np.zeros((2, 2))) == []
    first, second = utils.rles_to_masks(["1 2", ""], [2, 3], [2, 3])
    assert (first.sum(), second.shape) == (2, (3, 3))
    with pytest.raises(InvalidSubmissionError):
        utils.rle_decode("5 1 1 1", 3, 3)


def test_a_fork_compares_masks() -> None:
    masks = np.array([[1, 1], [0, 0]]), np.array([[1, 0], [0, 1]])
    assert dice_coefficient(*masks) == 0.5
    empty = np.zeros((2, 2))
    assert np.isnan(dice_coefficient(empty, empty))
    assert dice_coefficient(empty, empty, both_empty_value=1.0) == 1.0
    assert dice_coefficient(empty, masks[0], np.nan) == 0.0


def test_a_fork_scores_ranked_lists() -> None:
    assert mean_average_precision_at_k(actual=[{"a"}, {"b"}], predicted=[["a"], ["x", "b"]], k=5) == 0.75


def test_a_fork_reads_names_from_tensorflow_records(prepared_twin: Callable[[str], LocalCompetition]) -> None:
    melanoma = prepared_twin("siim-isic-melanoma-classification")
    (file, *_) = sorted((melanoma.raw_dir / "tfrecords").glob("train*.tfrec"))
    names = utils.get_ids_from_tf_records(file)
    assert names
    assert all(name.startswith("ISIC_") for name in names)


def test_a_fork_logs() -> None:
    assert utils.get_logger("fork").name == "fork"
