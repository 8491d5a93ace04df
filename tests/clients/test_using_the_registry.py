"""Ways of using `mlebench.registry`."""

from __future__ import annotations

import copy
import dataclasses
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

import mlebench
import mlebench.registry
from mlebench import facts
from mlebench.competition.local import LocalCompetition
from mlebench.grade import grade_csv
from mlebench.grade_helpers import Grader
from mlebench.registry import Competition, Registry, registry

IDS = registry.list_competition_ids()


def test_a_harness_lists_competitions_in_the_published_order() -> None:
    assert sorted(facts.published_ids()) == IDS
    assert IDS[:3] == ["3d-object-detection-for-autonomous-vehicles", "AI4Code", "aerial-cactus-identification"]
    assert len(IDS) == 82


def test_a_harness_takes_the_lite_competitions() -> None:
    assert registry.get_lite_competition_ids() == registry.split("low")
    assert len(registry.get_lite_competition_ids()) == 22


def test_a_harness_takes_the_split_of_a_system_card() -> None:
    ids = registry.split("systemcard")
    assert len(ids) == len(set(ids)) == 30
    assert set(ids) <= set(registry.split("split75"))


def test_a_harness_makes_a_registry_of_its_own(tmp_path: Path) -> None:
    assert Registry(tmp_path).get_data_dir() == tmp_path
    assert Registry(data_dir=tmp_path).get_competition("AI4Code").raw_dir == tmp_path / "AI4Code" / "raw"
    assert registry.get_data_dir() == mlebench.registry.DEFAULT_DATA_DIR


def test_a_harness_changes_its_working_folder_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    relative = registry.set_data_dir(Path("data"))
    assert relative.get_data_dir() == (tmp_path / "data").resolve()
    assert relative.get_competition("AI4Code").answers.is_absolute()
    assert registry.get_data_dir() != relative.get_data_dir(), "a registry is never changed"


def test_a_harness_checks_the_type_of_a_competition(titanic: LocalCompetition) -> None:
    assert isinstance(titanic, Competition)
    assert isinstance(titanic, mlebench.registry.Competition)


def test_a_harness_keeps_competitions_in_sets_and_as_keys() -> None:
    same = [registry.get_competition("spaceship-titanic") for _ in range(2)]
    assert len(set(same)) == 1
    assert same[0] == same[1]
    assert {same[0]: "done"}[same[1]] == "done"
    assert same[0] != registry.get_competition("AI4Code")


def test_a_harness_copies_a_competition_with_other_answers(titanic: LocalCompetition, tmp_path: Path) -> None:
    """As those do that hold out a part of the answers for an agent's own checks."""
    held_out = pd.read_csv(titanic.answers).head(20)
    held_out.to_csv(tmp_path / "answers.csv", index=False)
    other = dataclasses.replace(titanic, answers=tmp_path / "answers.csv")
    assert isinstance(other, Competition)
    assert other != titanic
    assert pickle.loads(pickle.dumps(dataclasses.replace(titanic, private_dir=tmp_path))).private_dir == tmp_path
    assert other.name == titanic.name
    held_out.to_csv(tmp_path / "submission.csv", index=False)
    assert grade_csv(tmp_path / "submission.csv", other).score == 1.0
    assert not grade_csv(tmp_path / "submission.csv", titanic).valid_submission


def test_a_harness_makes_a_competition_from_its_values(titanic: LocalCompetition, tmp_path: Path) -> None:
    """All fields of the published class, by name, and nothing else."""
    names = [
        "id", "name", "description", "grader", "answers", "gold_submission", "sample_submission", "competition_type",
        "prepare_fn", "raw_dir", "private_dir", "public_dir", "checksums", "leaderboard",
    ]  # fmt: skip
    other = Competition(**{name: getattr(titanic, name) for name in names})
    with pytest.raises(TypeError, match="description is missing"):
        Competition(id="a", name="b")
    assert other.home == titanic.home
    report = grade_csv(titanic.sample_submission, other)
    assert (report.score, report.any_medal, report.is_lower_better) == (0.375, False, False)
    other.prepare_fn(titanic.raw_dir, tmp_path / "public", tmp_path / "private")
    assert (tmp_path / "private" / "test.csv").read_bytes() == titanic.answers.read_bytes()


def test_a_harness_makes_a_competition_from_a_configuration(titanic: LocalCompetition) -> None:
    values = {
        "id": titanic.id,
        "name": titanic.name,
        "description": titanic.description,
        "competition_type": "simple",
        "grader": {"name": "accuracy", "grade_fn": "mlebench.competitions.spaceship-titanic.grade:grade"},
        "preparer": "mlebench.competitions.spaceship-titanic.prepare:prepare",
        "answers": titanic.answers,
        "gold_submission": titanic.answers,
        "sample_submission": titanic.sample_submission,
        "raw_dir": titanic.raw_dir,
        "private_dir": titanic.private_dir,
        "public_dir": titanic.public_dir,
        "checksums": titanic.checksums,
        "leaderboard": titanic.leaderboard,
    }
    assert grade_csv(titanic.sample_submission, Competition.from_dict(values)).score == 0.375


def grade_sample(competition: Competition) -> float | None:
    return grade_csv(competition.sample_submission, competition).score


def test_a_harness_sends_competitions_to_other_processes(titanic: LocalCompetition, tmp_path: Path) -> None:
    changed = dataclasses.replace(titanic, answers=tmp_path / "answers.csv")
    for competition in (titanic, changed):
        assert pickle.loads(pickle.dumps(competition)) == competition
        assert copy.deepcopy(competition) == competition
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(grade_sample, [titanic]) == [0.375]


@pytest.mark.parametrize("competition_id", IDS)
def test_a_harness_reads_what_the_published_registry_says(competition_id: str, tmp_path: Path) -> None:
    """Name of the metric, kind of competition, paths and checksums of every competition."""
    competition = Registry(tmp_path).get_competition(competition_id)
    published = facts.published_config(competition_id)
    assert published is not None
    prepared = tmp_path / competition_id / "prepared"
    assert competition.grader.name == published.metric
    assert competition.competition_type == published.competition_type
    assert competition.answers == prepared / published.answers
    assert competition.sample_submission == prepared / published.sample_submission
    assert competition.gold_submission == prepared / (published.gold_submission or published.answers)
    assert competition.leaderboard.is_file()
    assert callable(competition.prepare_fn)
    sums = yaml.safe_load(competition.checksums.read_text())
    assert sums["zip"] == competition.known_checksums.archive
    assert sums["public"] == competition.known_checksums.public


def test_a_reader_finds_the_metric_in_our_own_words(titanic: LocalCompetition) -> None:
    birds = registry.get_competition("mlsp-2013-birds")
    assert (birds.grader.name, birds.metric) == ("auc-roc", "area under the ROC curve")


def test_a_harness_makes_a_grader_from_a_configuration(titanic: LocalCompetition) -> None:
    grader = Grader.from_dict({"name": "accuracy", "grade_fn": "mlebench.competitions.spaceship-titanic.grade:grade"})
    answers = pd.read_csv(titanic.answers)
    assert grader.name == "accuracy"
    assert grader(answers, answers) == 1.0
    assert grader == titanic.grader


def test_a_harness_imports_the_modules_of_a_competition(titanic: LocalCompetition, tmp_path: Path) -> None:
    """The module names of the published package, in a process that imports nothing else of ours first."""
    code = (
        "import importlib, sys, mlebench.registry\n"
        "from pathlib import Path\n"
        "prepare = importlib.import_module('mlebench.competitions.spaceship-titanic.prepare').prepare\n"
        "grade = importlib.import_module('mlebench.competitions.AI4Code.grade').grade\n"
        "prepare(*map(Path, sys.argv[1:]))\n"
    )
    folders = [titanic.raw_dir, tmp_path / "public", tmp_path / "private"]
    subprocess.run([sys.executable, "-c", code, *map(str, folders)], check=True)
    assert (tmp_path / "private" / "test.csv").read_bytes() == titanic.answers.read_bytes()
    with pytest.raises(ModuleNotFoundError):
        __import__("mlebench.competitions.no-such-competition.grade")


def test_a_program_that_only_lists_starts_quickly() -> None:
    code = "import sys, mlebench.registry; assert not {'pandas', 'numpy', 'yaml', 'sklearn'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)


def write_towers(folder: Path) -> Path:
    """A competition in the published form, as a project writes it where it thinks that competitions are."""
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(
        "id: towers\nname: Towers\ncompetition_type: simple\ndescription: mlebench/competitions/towers/description.md\n"
        "dataset:\n  answers: towers/prepared/private/test.csv\n"
        "  sample_submission: towers/prepared/public/sample_submission.csv\n"
        "grader:\n  name: accuracy\n  grade_fn: mlebench.competitions.towers.grade:grade\n"
        "preparer: mlebench.competitions.towers.prepare:prepare\n"
    )
    (folder / "grade.py").write_text("def grade(submission, answers):\n    return 0.25\n")
    (folder / "prepare.py").write_text("def prepare(raw, public, private):\n    pass\n")
    (folder / "description.md").write_text("# Towers\n")
    return folder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, since projects write into it."""
    source = Path(mlebench.__file__).parent
    return Path(shutil.copytree(source, tmp_path / "site" / "mlebench", ignore=shutil.ignore_patterns("__pycache__")))


def test_a_project_writes_a_competition_into_the_folder_of_competitions(package: Path, tmp_path: Path) -> None:
    """In the same process, and found by the next one too; the built-in ones stay as they are."""
    write_towers(tmp_path / "towers")
    find = (
        "from mlebench.registry import registry\n"
        "towers = registry.get_competition('towers')\n"
        "assert 'towers' in registry.list_competition_ids() and len(registry.list_competition_ids()) == 83\n"
        "assert towers.grader.raw_score(__import__('pandas').DataFrame(), None) == 0.25\n"
        "assert towers.description == '# Towers\\n'\n"
    )
    write = (
        "import shutil, sys\n"
        "from mlebench.registry import registry\n"
        "assert len(registry.list_competition_ids()) == 82\n"
        "shutil.copytree(sys.argv[1], registry.get_competitions_dir() / 'towers')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "MLEBENCH_DATA_DIR": str(tmp_path / "data")}
    for code in (write + find, find):
        command = [sys.executable, "-c", code, str(tmp_path / "towers")]
        subprocess.run(command, check=True, env=environment, cwd=tmp_path)
    assert (package / "competitions" / "towers" / "config.yaml").is_file()


def test_a_project_that_has_competitions_already_writes_one_more(cache: Path, tmp_path: Path) -> None:
    """Then the folder of competitions is one that has its own ones too."""
    write_towers(tmp_path / "own" / "towers")
    found = Registry(tmp_path / "data").with_competitions_dir(tmp_path / "own")
    written = write_towers(found.get_competitions_dir() / "bridges")
    (written / "config.yaml").write_text((written / "config.yaml").read_text().replace("towers", "bridges"))
    assert written.is_relative_to(cache)
    assert found.get_competition("bridges").id == "bridges"
    assert {"towers", "bridges"} < set(found.list_competition_ids())


class RegistryOfAFork(Registry):
    """As forks of the published package write it: with folders of their own."""

    def __init__(self, data_dir: Path, home: Path) -> None:
        super().__init__(data_dir)
        self.fork_home = home

    def get_competitions_dir(self) -> Path:
        return Path(self.fork_home, "competitions")

    def get_splits_dir(self) -> Path:
        return Path(self.fork_home, "splits")


def test_a_fork_names_its_own_folders(tmp_path: Path) -> None:
    write_towers(tmp_path / "competitions" / "towers")
    (tmp_path / "splits").mkdir()
    (tmp_path / "splits" / "low.txt").write_text("towers\nAI4Code\n")
    fork = RegistryOfAFork(tmp_path / "data", tmp_path)
    assert fork.list_competition_ids() == ["towers"]
    assert fork.get_lite_competition_ids() == ["towers", "AI4Code"]
    towers = fork.set_data_dir(tmp_path / "other").get_competition("towers")
    assert towers.answers == tmp_path / "other" / "towers" / "prepared" / "private" / "test.csv"
    assert towers.grader.raw_score(pd.DataFrame(), None) == 0.25
    write_towers(tmp_path / "competitions" / "castles")
    assert fork.list_competition_ids() == ["castles", "towers"], "folders are looked for anew each time"


def test_a_fork_patches_the_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_towers(tmp_path / "towers")
    monkeypatch.setattr(Registry, "get_competitions_dir", lambda self: tmp_path)
    assert registry.list_competition_ids() == ["towers"]
    assert registry.get_competition("towers").name == "Towers"


def test_a_harness_makes_a_competition_from_a_configuration_that_lacks_something() -> None:
    with pytest.raises(ValueError, match="has no grader"):
        Competition.from_dict({"id": "towers", "name": "Towers"})
