"""Ways of using the files beside the package: descriptions, configurations, leaderboards, notebooks, splits."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import yaml
from command import Run

import mlebench.registry
from mlebench import facts
from mlebench.competition.local import LocalCompetition
from mlebench.grade_helpers import Grader
from mlebench.registry import Registry, registry
from mlebench.utils import import_fn, load_yaml

IDS = registry.list_competition_ids()


@pytest.fixture(scope="module")
def competitions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of competitions, made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        return Registry(tmp_path_factory.mktemp("data")).get_competitions_dir()


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


def test_the_files_are_written_once_and_kept_apart(cache: Path, tmp_path: Path) -> None:
    first = Registry(tmp_path).get_competitions_dir()
    written = (first / "AI4Code" / "config.yaml").stat().st_mtime_ns
    assert Registry(tmp_path).get_competitions_dir() == first
    assert (first / "AI4Code" / "config.yaml").stat().st_mtime_ns == written
    (tmp_path / "AI4Code").mkdir()
    (tmp_path / "AI4Code" / "leaderboard.csv").write_text("score\n0.9\n0.8\n")  # as if it had been downloaded
    second = Registry(tmp_path).get_competitions_dir()
    assert second != first
    assert (second / "AI4Code" / "leaderboard.csv").read_text() == "score\n0.9\n0.8\n"
    assert first.is_relative_to(cache)


def test_a_cache_folder_that_cannot_be_written_to(tmp_path: Path, cache: Path) -> None:
    cache.write_text("a file is in the way")
    folder = Registry(tmp_path / "data").get_competitions_dir()
    assert (folder / "AI4Code" / "config.yaml").is_file()


def test_a_maintainer_exports_the_layout(run: Run, tmp_path: Path) -> None:
    ran = run("dev", "export-layout", "published")
    assert (ran.code, ran.out) == (0, "Wrote 82 competitions and their splits to published.\n")
    found = Registry(tmp_path / "data").with_competitions_dir(tmp_path / "published" / "mlebench" / "competitions")
    assert len(found.list_competition_ids()) == 82, "what is exported can be read back"
    assert found.get_competition("AI4Code").grader.name == "kendall-tau"
