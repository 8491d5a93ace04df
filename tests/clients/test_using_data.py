"""Ways of using `mlebench.data`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from own import Own
from servers import KaggleServer
from small import SMALL

from mlebench import data, utils
from mlebench.competition.local import LocalCompetition
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.data.record import RECORD_NAME
from mlebench.data.verification import verify
from mlebench.files.unpacking import unpack
from mlebench.grade import grade_csv
from mlebench.grade.grading import score_file
from mlebench.registry import registry
from mlebench.twins import write_twin

TITANIC = "spaceship-titanic"


@pytest.fixture
def fresh(tmp_path: Path, mirror: Path) -> LocalCompetition:
    """A competition of which only the archive is there."""
    competition = registry.set_data_dir(tmp_path / "data").get_competition(TITANIC)
    competition.home.mkdir(parents=True)
    shutil.copy(mirror / f"{TITANIC}.zip", competition.archive)
    return competition


def below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_harness_prepares_with_every_argument(fresh: LocalCompetition) -> None:
    data.download_and_prepare_dataset(
        competition=fresh,
        keep_raw=True,
        overwrite_checksums=False,
        overwrite_leaderboard=False,
        skip_verification=True,
    )
    assert data.is_dataset_prepared(fresh)
    assert fresh.raw_dir.is_dir()


def test_a_harness_starts_the_container_first(fresh: LocalCompetition) -> None:
    """Its folders are mounted before anything is in them: the same folders must be filled, not replaced."""
    data.create_prepared_dir(fresh)
    mounted = [fresh.public_dir, fresh.private_dir]
    before = [folder.stat().st_ino for folder in mounted]
    inside = os.open(fresh.public_dir, os.O_RDONLY)  # what a container has in its hands
    try:
        data.download_and_prepare_dataset(fresh)
        assert [folder.stat().st_ino for folder in mounted] == before
        assert "train.csv" in os.listdir(inside)  # noqa: PTH208
    finally:
        os.close(inside)
    assert data.is_dataset_prepared(fresh)
    assert grade_csv(fresh.sample_submission, fresh).score == 0.375


def test_filled_folders_hold_the_same_as_new_ones(fresh: LocalCompetition, titanic: LocalCompetition) -> None:
    data.create_prepared_dir(fresh)
    prepare(fresh)
    assert below(fresh.prepared_dir) == below(titanic.prepared_dir)


@pytest.mark.parametrize("killed_after", range(8))
def test_a_harness_is_killed_while_folders_are_filled(
    killed_after: int, fresh: LocalCompetition, titanic: LocalCompetition, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        """Stands for the end of the process."""

    data.create_prepared_dir(fresh)
    inodes = [folder.stat().st_ino for folder in (fresh.public_dir, fresh.private_dir)]
    move, moved = shutil.move, 0

    def counted(source: Path, target: Path) -> Path:
        nonlocal moved
        moved += 1
        if moved > killed_after:
            raise KilledError
        return Path(move(source, target))

    with monkeypatch.context() as killed:
        killed.setattr(shutil, "move", counted)
        try:
            prepare(fresh)
        except KilledError:
            assert not data.is_dataset_prepared(fresh)
            assert not data.is_dataset_prepared(fresh, grading_only=True)
    prepare(fresh)
    assert below(fresh.prepared_dir) == below(titanic.prepared_dir)
    assert [folder.stat().st_ino for folder in (fresh.public_dir, fresh.private_dir)] == inodes


def test_a_harness_that_fills_folders_on_another_disk(
    fresh: LocalCompetition, titanic: LocalCompetition, monkeypatch: pytest.MonkeyPatch
) -> None:
    data.create_prepared_dir(fresh)
    rename = os.rename

    def across_devices(source: Path, target: Path, **options: int) -> None:
        if Path(target).parent in (fresh.public_dir, fresh.private_dir):
            raise OSError(18, "Invalid cross-device link")
        rename(source, target, **options)

    monkeypatch.setattr(os, "rename", across_devices)
    prepare(fresh)
    assert below(fresh.prepared_dir) == below(titanic.prepared_dir)


def test_a_grader_has_only_the_private_folder(titanic: LocalCompetition, tmp_path: Path) -> None:
    """As in a container that has the answers mounted and nothing else; a twin is still known as one."""
    shutil.copytree(titanic.private_dir, tmp_path / TITANIC / "prepared" / "private")
    alone = registry.set_data_dir(tmp_path).get_competition(TITANIC)
    assert data.is_dataset_prepared(alone, grading_only=True)
    assert not data.is_dataset_prepared(alone)
    report = grade_csv(titanic.answers, alone)
    assert (report.score, report.data) == (1.0, "twin (seed 0, scale 1)")
    assert not report.any_medal


@pytest.mark.parametrize("former", ["dataset.json", "private/dataset.json"])
def test_a_twin_whose_record_is_where_older_versions_put_it(
    former: str, titanic: LocalCompetition, tmp_path: Path
) -> None:
    shutil.copytree(titanic.prepared_dir, tmp_path / TITANIC / "prepared")
    old = registry.set_data_dir(tmp_path).get_competition(TITANIC)
    (old.prepared_dir / RECORD_NAME).rename(old.prepared_dir / former)
    assert grade_csv(titanic.answers, old).data == "twin (seed 0, scale 1)"
    assert verify(old, score_file).passed
    assert prepare(old).twin is not None
    assert not (old.prepared_dir / former).exists(), "it has its present name now"
    assert verify(old, score_file).passed


def published_checksums(folder: Path) -> dict[str, str]:
    """What the published benchmark takes the sums of: files right in a folder, by their endings."""
    found: dict[str, str] = {}
    for ext in ("csv", "json", "jsonl", "parquet", "bson"):
        for path in sorted(folder.glob(f"*.{ext}")):
            found[path.name] = hashlib.md5(path.read_bytes()).hexdigest()
    return found


def test_the_published_command_takes_over_our_folder(tmp_path: Path) -> None:
    """It compares the sums of the archive and of both folders with checksums.yaml, and raises when they differ."""
    own = Own(tmp_path, "my-contest")
    competition = own.load()
    write_twin(competition, competition.home)
    unpack(competition.archive, tmp_path / "raw")
    public, private = tmp_path / "theirs" / "public", tmp_path / "theirs" / "private"
    competition.prepare_fn(tmp_path / "raw", public, private)  # as the published command calls it
    archive = hashlib.md5(competition.archive.read_bytes()).hexdigest()
    known = {"zip": archive, "public": published_checksums(public), "private": published_checksums(private)}
    assert known["public"] and known["private"]
    (own.folder / "checksums.yaml").write_text(json.dumps(known))  # JSON is YAML

    data.download_and_prepare_dataset(competition)
    assert yaml.safe_load(competition.checksums.read_text()) == {
        "zip": archive,
        "public": published_checksums(competition.public_dir),
        "private": published_checksums(competition.private_dir),
    }
    assert data.generate_checksums(competition.private_dir) == known["private"]


def test_a_competition_has_a_file_with_the_name_of_old_records(tmp_path: Path) -> None:
    own = Own(tmp_path, "my-contest")
    write = "    private.write_csv("
    own.change("competition.py", write, f'    private.write_text("dataset.json", "{{}}")\n{write}')
    competition = own.prepared()
    assert (competition.private_dir / "dataset.json").read_text() == "{}"
    assert verify(competition, score_file).passed
    assert prepare(competition).twin is not None
    assert (competition.private_dir / "dataset.json").read_text() == "{}"


@pytest.mark.parametrize("competition_id", SMALL)
def test_the_published_sums_are_of_the_same_files(competition_id: str, mirror: Path, tmp_path: Path) -> None:
    """Real data cannot be here, but a twin has the files that the known sums are of, and no other."""
    competition = registry.set_data_dir(tmp_path).get_competition(competition_id)
    prepare(competition, PrepareOptions(mirror=str(mirror)))
    known = competition.known_checksums
    assert published_checksums(competition.public_dir).keys() == known.public.keys()
    assert published_checksums(competition.private_dir).keys() == known.private.keys()


def test_a_script_takes_checksums(tmp_path: Path) -> None:
    for name in ("a.csv", "b.json", "c.png", "d.jsonl"):
        (tmp_path / name).write_text(name)
    (tmp_path / "sub").mkdir()
    expected = {name: hashlib.md5(name.encode()).hexdigest() for name in ("a.csv", "b.json", "d.jsonl")}
    assert data.generate_checksums(tmp_path) == expected
    assert list(data.generate_checksums(tmp_path, exts=["png"])) == ["c.png"]
    assert list(data.generate_checksums(tmp_path, exclude=[tmp_path / "a.csv"])) == ["b.json", "d.jsonl"]
    assert data.get_checksum(tmp_path / "a.csv") == expected["a.csv"]


def test_a_script_wants_a_leaderboard_to_be_there(titanic: LocalCompetition) -> None:
    path = data.ensure_leaderboard_exists(titanic)
    assert path.is_file()
    assert len(data.get_leaderboard(titanic)) == 1967


def test_a_script_checks_a_preparation_before_it_calls_it(titanic: LocalCompetition) -> None:
    def other(raw: Path, private: Path, public: Path) -> None: ...

    assert data.is_valid_prepare_fn(titanic.prepare_fn)
    assert not data.is_valid_prepare_fn(other)
    assert not data.is_valid_prepare_fn("prepare")


def test_a_script_keeps_what_it_computes_of_a_file(tmp_path: Path) -> None:
    calls = []

    @data.file_cache
    def length(fpath: Path) -> int:
        """How long it is."""
        calls.append(fpath)
        return len(fpath.read_text())

    path = tmp_path / "a.txt"
    path.write_text("abc")
    assert (length(path), length(path), len(calls)) == (3, 3, 1)
    path.write_text("abcd")
    assert (length(path), len(calls)) == (4, 2)
    assert (length.__name__, length.__doc__) == ("length", "How long it is.")
    assert data.get_last_modified(path).timestamp() == pytest.approx(path.stat().st_mtime)
    with pytest.raises(NotImplementedError):
        data.file_cache(lambda one, two: None)  # type: ignore[arg-type, misc]


def test_a_script_silences_the_preparation() -> None:
    assert data.logger.name == "mlebench.data"


def test_a_script_catches_a_checksum_that_differs(fresh: LocalCompetition) -> None:
    """It catches ValueError, and looks for the word in the message."""
    with zipfile.ZipFile(fresh.archive, "w") as archive:
        archive.writestr("train.csv", "another archive, which is no twin\n")
    with pytest.raises(ValueError, match="checksum"):
        data.download_and_prepare_dataset(fresh)


@pytest.fixture
def kaggle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KaggleServer]:
    """A server that Kaggle's client takes for Kaggle."""
    home = tmp_path / "home"
    home.mkdir()
    with KaggleServer() as server:
        monkeypatch.delenv("KAGGLE_API_TOKEN", raising=False)
        for name, value in server.environment(home).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("urllib.request._opener", None)  # it remembers the proxy of an earlier test
        client = pytest.importorskip("kaggle.api.kaggle_api_extended", exc_type=ImportError).KaggleApi
        monkeypatch.setattr(client, "args", ["--local"])
        monkeypatch.setattr(client, "config", str(home / "kaggle.json"))
        yield server


def test_a_script_downloads_an_archive(kaggle: KaggleServer, tmp_path: Path) -> None:
    kaggle.archives[TITANIC] = b"the archive"
    path = data.download_dataset(TITANIC, tmp_path / "zips", quiet=True)
    assert (path, path.read_bytes()) == (tmp_path / "zips" / f"{TITANIC}.zip", b"the archive")
    kaggle.archives[TITANIC] = b"another"
    assert data.download_dataset(TITANIC, tmp_path / "zips").read_bytes() == b"the archive"
    assert data.download_dataset(TITANIC, tmp_path / "zips", force=True).read_bytes() == b"another"


def test_a_script_asks_for_kaggle_without_an_account(kaggle: KaggleServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KAGGLE_USERNAME", "KAGGLE_KEY"):
        monkeypatch.delenv(name)
    with pytest.raises(PermissionError, match="no valid credentials were found"):
        utils.authenticate_kaggle_api()


def test_a_script_asks_for_kaggle_with_a_wrong_key(kaggle: KaggleServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_KEY", "wrong")
    with pytest.raises(PermissionError, match="Signing in to Kaggle failed"):
        utils.authenticate_kaggle_api()


def test_a_script_signs_in_to_kaggle(kaggle: KaggleServer) -> None:
    assert utils.authenticate_kaggle_api().get_config_value("username") == kaggle.USER


def test_a_forced_preparation_of_full_folders_replaces_them(fresh: LocalCompetition, mirror: Path) -> None:
    prepare(fresh)
    before = fresh.public_dir.stat().st_ino
    prepare(fresh, PrepareOptions(force=True))
    assert fresh.public_dir.stat().st_ino != before, "whole or not at all needs a new folder"
