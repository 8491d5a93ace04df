"""Ways of using the files beside the package: descriptions, configurations, leaderboards, notebooks, splits."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pandas as pd
import pytest
import yaml
from command import Run
from installing import SOURCE, installed
from make_published_folders import written_files

import mlebench
import mlebench.registry
from mlebench import facts
from mlebench.compat.layout import write_layout
from mlebench.competition.local import LocalCompetition
from mlebench.grade_helpers import Grader
from mlebench.registry import Registry, registry
from mlebench.utils import import_fn, load_yaml

IDS = registry.list_competition_ids()
PACKAGE = Path(mlebench.__file__).parent / "competitions"
FILES = ["checksums.yaml", "config.yaml", "description.md", "kernels.txt", "leaderboard.csv"]


@pytest.fixture(scope="module", params=["beside the package", "registry", "layout"])
def competitions(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of competitions: found by the path of the package, as a registry names it, and as it is exported."""
    if request.param == "beside the package":
        return Path(mlebench.__file__).parent / "competitions"
    if request.param == "registry":
        return Registry(tmp_path_factory.mktemp("data")).get_competitions_dir()
    write_layout(registry, folder := tmp_path_factory.mktemp("layout"))
    return folder / "mlebench" / "competitions"


@pytest.mark.parametrize("competition_id", IDS)
def test_an_agent_reads_the_files_of_a_competition(competition_id: str, competitions: Path) -> None:
    folder = competitions / competition_id
    competition = registry.get_competition(competition_id)
    assert (folder / "description.md").read_text(encoding="utf-8") == competition.description
    config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    assert (config["id"], config["name"]) == (competition_id, competition.name)
    assert config["competition_type"] in ("simple", "code")
    assert isinstance(config["awards_medals"], bool)
    assert config["description"] == f"mlebench/competitions/{competition_id}/description.md"
    assert config["dataset"]["answers"].startswith(f"{competition_id}/prepared/private/")
    assert config["dataset"]["sample_submission"].startswith(f"{competition_id}/prepared/p")
    assert config["grader"]["name"] == competition.grader.name
    assert pd.read_csv(folder / "leaderboard.csv")["score"].notna().all()
    assert (folder / "kernels.txt").read_text().split() == facts.kernels(competition_id)
    assert load_yaml(folder / "checksums.yaml")["zip"]


@pytest.mark.parametrize("competition_id", IDS)
def test_the_files_of_the_package_follow_its_declarations(competition_id: str) -> None:
    for name, content in written_files(competition_id).items():
        path = PACKAGE / competition_id / name
        assert path.read_bytes() == content, "run: python scripts/make_published_folders.py"


@pytest.mark.once
def test_an_agent_reads_the_files_beside_an_installed_package(tmp_path: Path) -> None:
    """As five projects do, one of which takes the wrong direction for a metric where there is no leaderboard."""
    python = installed(tmp_path, str(SOURCE), no_deps=True)
    code = "import mlebench, pathlib; print(pathlib.Path(mlebench.__file__).parent / 'competitions')"
    done = subprocess.run([python, "-E", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    folder = Path(done.stdout.strip())
    assert folder != PACKAGE
    for competition_id in IDS:
        for name in FILES:
            assert (folder / competition_id / name).read_bytes() == (PACKAGE / competition_id / name).read_bytes()


def test_folders_with_published_names_declare_nothing() -> None:
    """The files beside the package are for others: a built-in competition is its declaration."""
    titanic = registry.get_competition("spaceship-titanic")
    code = registry.get_competition("AI4Code")  # its folder has both names
    assert titanic.declaration.folder == PACKAGE / "spaceship_titanic"
    assert code.declaration.own_leaderboard_path is None
    board = code.human_leaderboard()
    assert board is not None
    assert board.source == "published"
    assert len(registry.all_competitions()) == 82 + 4


def test_an_agent_reads_prizes(competitions: Path) -> None:
    assert load_yaml(competitions / "alaska2-image-steganalysis" / "config.yaml")["prizes"] == {
        1: 12000,
        2: 8000,
        3: 5000,
    }
    assert load_yaml(competitions / "spaceship-titanic" / "config.yaml")["prizes"] is None


def test_a_harness_imports_what_a_configuration_names(competitions: Path, titanic: LocalCompetition) -> None:
    config = load_yaml(competitions / "spaceship-titanic" / "config.yaml")
    answers = pd.read_csv(titanic.answers)
    assert Grader.from_dict(config["grader"])(answers, answers) == 1.0
    assert callable(import_fn(config["preparer"]))


def test_a_harness_reads_a_split(cache: Path) -> None:
    folder = mlebench.registry.get_splits_dir()
    assert folder == registry.get_splits_dir()
    sizes = {path.stem: len(path.read_text().splitlines()) for path in folder.iterdir()}
    assert sizes == {
        "all": 75, "dev": 7, "high": 15, "lite": 22, "low": 22, "medium": 38, "spaceship-titanic": 1, "split75": 75,
        "systemcard": 30,
    }  # fmt: skip
    assert (folder / "low.txt").read_text().splitlines() == registry.get_lite_competition_ids()


def as_if_downloaded(data_dir: Path) -> str:
    (data_dir / "AI4Code").mkdir(parents=True)
    (data_dir / "AI4Code" / "leaderboard.csv").write_text("score\n0.9\n0.8\n")
    return "score\n0.9\n0.8\n"


def test_the_files_are_written_once_and_kept_apart(cache: Path, tmp_path: Path) -> None:
    shipped = Registry(tmp_path).get_competitions_dir()
    assert shipped == PACKAGE
    board = as_if_downloaded(tmp_path)
    other = Registry(tmp_path).get_competitions_dir()
    assert other.is_relative_to(cache)
    assert (other / "AI4Code" / "leaderboard.csv").read_text() == board
    written = (other / "AI4Code" / "config.yaml").stat().st_mtime_ns
    assert Registry(tmp_path).get_competitions_dir() == other
    assert (other / "AI4Code" / "config.yaml").stat().st_mtime_ns == written


def test_a_cache_folder_that_cannot_be_written_to(tmp_path: Path, cache: Path) -> None:
    cache.write_text("a file is in the way")
    as_if_downloaded(tmp_path / "data")
    folder = Registry(tmp_path / "data").get_competitions_dir()
    assert (folder / "AI4Code" / "config.yaml").is_file()


def test_a_maintainer_exports_the_layout(run: Run, tmp_path: Path) -> None:
    ran = run("dev", "export-layout", "published")
    assert (ran.code, ran.out) == (0, "Wrote 82 competitions and their splits to published.\n")
    instructions = (tmp_path / "published" / "environment" / "instructions.txt").read_text()
    assert "/home/data/description.md" in instructions
    assert "MLE-bench" not in (tmp_path / "published" / "environment" / "instructions_obfuscated.txt").read_text()
    categories = pd.read_csv(tmp_path / "published" / "experiments" / "competition_categories.csv")
    assert list(categories.columns) == ["competition_id", "category"]
    assert categories["competition_id"].tolist() == IDS
    by_id = categories.set_index("competition_id")["category"]
    assert by_id["histopathologic-cancer-detection"] == "Image Regression"
    found = Registry(tmp_path / "data").with_competitions_dir(tmp_path / "published" / "mlebench" / "competitions")
    assert len(found.list_competition_ids()) == 82, "what is exported can be read back"
    assert found.get_competition("AI4Code").grader.name == "kendall-tau"
