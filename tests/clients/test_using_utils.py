"""Ways of using `mlebench.utils`."""

from __future__ import annotations

import logging
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from mlebench import utils
from mlebench.grade import grade_csv
from mlebench.registry import registry


def test_a_run_script_prints_in_purple() -> None:
    assert utils.purple("done") == "\033[1;35mdone\033[0m"


def test_a_run_script_makes_a_folder_per_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runs = utils.get_runs_dir()
    assert runs.is_absolute()
    made = [
        utils.create_run_dir("spaceship-titanic", "dummy", "my-group"),
        utils.create_run_dir(competition_id="spaceship-titanic", agent_id="dummy"),
        utils.create_run_dir(),
    ]
    assert [folder.parent for folder in made] == [runs / "my-group", runs, runs]
    assert all(folder.is_dir() for folder in made)
    assert made[0].name.startswith("spaceship-titanic_")
    assert "_spaceship-titanic_dummy_" in made[1].name


def test_a_run_script_names_runs() -> None:
    names = {utils.generate_run_id("titanic", "dummy", run_group="group") for _ in range(100)}
    assert len(names) == 100
    assert utils.generate_run_id("titanic", "dummy").split("_")[1:3] == ["titanic", "dummy"]


def test_a_program_shows_what_it_logs() -> None:
    code = "from mlebench.utils import get_logger; get_logger('mine').info('prepared'); get_logger('mine').debug('no')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.rstrip().endswith("prepared")
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_a_program_logs_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    for _ in range(2):  # a second time adds no second handler
        logger = utils.get_logger("clients.file", level=logging.INFO, filename=path)
    logger.info("prepared %s", "titanic")
    assert path.read_text().splitlines()[0].endswith("prepared titanic")
    assert len(path.read_text().splitlines()) == 1


def test_a_preparation_unpacks_into_a_folder_with_files(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "train.csv").write_text("kept")
    with zipfile.ZipFile(tmp_path / "raw" / "images.zip", "w") as archive:
        archive.writestr("images/a.png", "a")
        archive.writestr("labels.csv", "id\n")
    utils.extract(tmp_path / "raw" / "images.zip", tmp_path / "raw")
    found = sorted(path.relative_to(tmp_path / "raw").as_posix() for path in (tmp_path / "raw").rglob("*.*"))
    assert found == ["images.zip", "images/a.png", "labels.csv", "train.csv"]


def test_a_preparation_unpacks_archives_in_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        archive.writestr("a.csv", "a")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(tmp_path / "inner.zip", "inner.zip")
    utils.extract(tmp_path / "outer.zip", tmp_path / "raw", recursive=True)
    assert (tmp_path / "raw" / "inner" / "a.csv").read_text() == "a"


def test_a_preparation_packs_a_folder(tmp_path: Path) -> None:
    (tmp_path / "train" / "sub").mkdir(parents=True)
    (tmp_path / "train" / "a.jpg").write_bytes(b"a")
    (tmp_path / "train" / "sub" / "b.jpg").write_bytes(b"b")
    utils.compress(tmp_path / "train", tmp_path / "train.zip")
    assert sorted(zipfile.ZipFile(tmp_path / "train.zip").namelist()) == ["a.jpg", "sub/b.jpg"]
    with pytest.raises(FileExistsError):
        utils.compress(tmp_path / "train", tmp_path / "train.zip")
    utils.compress(tmp_path / "train", tmp_path / "train.zip", exist_ok=True)
    assert utils.is_compressed(tmp_path / "train.zip")
    assert not utils.is_compressed(tmp_path / "train.csv")


def test_a_preparation_asks_whether_a_folder_is_empty(tmp_path: Path) -> None:
    assert utils.is_empty(tmp_path)
    (tmp_path / "file").touch()
    assert not utils.is_empty(tmp_path)


def test_a_script_reads_its_settings(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("agent: {id: dummy, hours: 24}\n")
    assert utils.load_yaml(tmp_path / "config.yaml") == {"agent": {"id": "dummy", "hours": 24}}


def test_a_script_imports_a_function_by_its_name() -> None:
    assert utils.import_fn("os.path:join")("a", "b") == str(Path("a", "b"))
    with pytest.raises(ValueError, match=r"package\.module:function"):
        utils.import_fn("os.path.join")


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("1", True), ("", False), ("false", False)])
def test_a_test_suite_asks_whether_it_runs_in_ci(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_ACTIONS", value)
    assert utils.in_ci() is expected


def test_a_grader_reads_an_empty_submission(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    table = utils.read_csv(tmp_path / "empty.csv")
    assert isinstance(table, pd.DataFrame)
    assert table.empty
    assert list(table.columns) == []


def test_a_grader_reads_tables_with_exact_floats_and_plain_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,value\nx,0.1234567890123456789\ny,\n")
    table = utils.read_csv(tmp_path / "a.csv")
    assert table["value"].tolist()[0] == 0.1234567890123456789
    assert table["id"].dtype == object


def test_a_script_reads_lists_of_submissions(tmp_path: Path) -> None:
    (tmp_path / "list.jsonl").write_text('{"a": 1}\n// {"a": 2}\n# {"a": 3}\n{"a": 4}\n')
    assert utils.read_jsonl(str(tmp_path / "list.jsonl"), skip_commented_out_lines=True) == [{"a": 1}, {"a": 4}]


def test_a_script_loads_answers_of_both_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    (tmp_path / "a.jsonl").write_text('{"id": 1}\n')
    assert utils.load_answers(tmp_path / "a.csv")["id"].tolist() == [1]
    assert utils.load_answers(tmp_path / "a.jsonl") == [{"id": 1}]


def test_a_script_stamps_its_files() -> None:
    assert utils.get_timestamp().endswith("-UTC")
    assert ":" not in utils.get_timestamp()


def test_a_script_finds_files_beside_the_package(cache: Path) -> None:
    split = utils.get_repo_dir() / "experiments" / "splits" / "low.txt"
    assert len(split.read_text().split()) == 22
    assert (utils.get_module_dir() / "competitions" / "spaceship-titanic" / "description.md").is_file()
    assert "/home/submission/submission.csv" in (utils.get_repo_dir() / "environment" / "instructions.txt").read_text()


def test_a_script_names_the_arguments_of_the_published_functions(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    (tmp_path / "a.jsonl").write_text('{"id": 1}\n')
    assert utils.load_answers(path_to_answers=tmp_path / "a.csv")["id"].tolist() == [1]
    assert utils.read_jsonl(file_path=str(tmp_path / "a.jsonl")) == [{"id": 1}]
    assert utils.read_csv(filepath_or_buffer=tmp_path / "a.csv")["id"].tolist() == [1]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "a.csv", "a.csv")
    utils.extract(compressed=tmp_path / "a.zip", dst=tmp_path / "out", recursive=False, already_extracted=set())
    assert (tmp_path / "out" / "a.csv").is_file()


def test_a_script_shows_how_checksums_differ() -> None:
    known, found = {"zip": "a", "public": {"train.csv": "b"}}, {"zip": "a", "public": {"train.csv": "c"}}
    shown = utils.get_diff(known, found, fromfile="known", tofile="found")
    assert shown.splitlines()[:2] == ["--- known", "+++ found"]
    assert '-    "train.csv": "b"\n' in shown
    assert '+    "train.csv": "c"\n' in shown
    assert utils.get_diff(known, known) == ""


def test_a_script_finds_the_file_of_a_function(tmp_path: Path) -> None:
    prepare = registry.get_competition("spaceship-titanic").prepare_fn
    path = utils.get_path_to_callable(prepare)
    assert path == Path("mlebench/competitions/spaceship_titanic/competition.py")
    assert utils.get_path_to_callable(grade_csv) == Path("mlebench/grade/grading.py")
    assert utils.get_path_to_callable(test_a_script_shows_how_checksums_differ) == Path(__file__)
