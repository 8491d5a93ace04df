"""The prepare pipeline: whole or not at all, whatever happens to it."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from covered import WHOLE
from own import Own
from small import SMALL
from waiting import wait_for

from mlebench import facts
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data import is_dataset_prepared
from mlebench.data.kaggle import MissingCredentialsError
from mlebench.data.on_disk import status_of
from mlebench.data.prepare import PrepareOptions, download_and_prepare_dataset, prepare
from mlebench.data.prepare_events import Event
from mlebench.data.prepare_many import default_workers, prepare_many
from mlebench.data.raw_archives import _without_account
from mlebench.data.record import DatasetRecord
from mlebench.data.verification import verify
from mlebench.errors import MlebenchError, NotPreparedError, PreparationError
from mlebench.facts import Checksums
from mlebench.files import damage
from mlebench.files.space import DiskFullError, size_of
from mlebench.grade.grading import score_file
from mlebench.twins import write_twin

Sums = dict[str, str]


def sums_below(folder: Path) -> Sums:
    """The md5 of every file below a folder, except for the record, which holds the time."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "dataset.record")
    return {path.relative_to(folder).as_posix(): hashlib.md5(path.read_bytes()).hexdigest() for path in files}


def left_over(folder: Path) -> list[Path]:
    """What an unfinished preparation leaves."""
    return [*folder.rglob(".building-*"), *folder.rglob("*.partial")]


@pytest.fixture(scope="session")
def expected(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sums]:
    """What undisturbed preparations of the small competitions make."""
    registry = Registry(tmp_path_factory.mktemp("expected"))
    for each in SMALL:
        prepare(registry.get_competition(each), PrepareOptions(mirror=str(mirror)))
    return {each: sums_below(registry.get_competition(each).prepared_dir) for each in SMALL}


@pytest.fixture
def from_mirror(mirror: Path) -> PrepareOptions:
    return PrepareOptions(mirror=str(mirror))


@pytest.fixture
def titanic(tmp_path: Path) -> LocalCompetition:
    """A competition of which there is nothing yet."""
    return Registry(tmp_path / "data").get_competition("spaceship-titanic")


def write_competition(parent: Path, competition_id: str, preparation: str) -> None:
    """A competition of a user's own, with one line of preparation."""
    folder = parent / competition_id
    folder.mkdir(parents=True)
    (folder / "description.md").write_text("# Mine\n")
    (folder / "competition.py").write_text(
        "import os\n"
        "from mlebench.competition.declaration import Competition\n"
        f"competition = Competition(id={competition_id!r}, name='Mine', category='Tabular', metric='accuracy')\n"
        "competition.raw_data(lambda folder: None)\n"
        "competition.grade(lambda submission, answers: 0.0)\n"
        "@competition.prepare\n"
        "def prepare(raw, public, private):\n"
        f"    {preparation}\n"
    )


# Killed, interrupted, twice at once.


def test_killed_at_any_moment(mirror: Path, expected: dict[str, Sums], tmp_path: Path) -> None:
    data = tmp_path / "data"
    chosen = [argument for each in SMALL for argument in ("-c", each)]
    command = [sys.executable, "-m", "mlebench", "prepare", *chosen, "--source", str(mirror), "--json"]
    command += ["--workers", "2", "--data-dir", str(data)]
    moments = random.Random(0)
    times = 6 if WHOLE else 4
    for number in range(times):
        whole = {each for each in SMALL if (data / each / "prepared").exists()}
        force = ["--force"] if number >= times // 2 else []
        process = subprocess.Popen([*command, *force], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moments.uniform(0, 1.2))
        process.kill()
        process.stdout.read()  # until the processes that it had started have ended too
        process.wait()
        for each in SMALL:
            prepared = data / each / "prepared"
            if each in whole and not prepared.exists():  # killed between two renames; the next run puts it back
                (prepared,) = (data / each).glob(".building-old-prepared-*")
            if prepared.exists():
                assert sums_below(prepared) == expected[each]
                assert DatasetRecord.load(prepared)
    subprocess.run(command, check=True, capture_output=True)
    assert {each: sums_below(data / each / "prepared") for each in SMALL} == expected
    assert not left_over(data)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_command_leaves_nothing_half_built(number: int, tmp_path: Path) -> None:
    """Its processes are killed in the middle of their work."""
    for competition_id in ("one", "two"):
        write_competition(
            tmp_path / "mine", competition_id, "public.write_text('a', 'a'); import time; time.sleep(600)"
        )
    command = [sys.executable, "-m", "mlebench", "prepare", "-c", "one", "-c", "two", "--workers", "2"]
    command += ["--competitions-dir", str(tmp_path / "mine"), "--data-dir", str(tmp_path / "data")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: len(list((tmp_path / "data").glob("*/.building-*/prepared/public/a"))) == 2)
    process.send_signal(number)
    assert process.wait(timeout=60) == 128 + number
    assert not left_over(tmp_path / "data")


def test_practice_competitions_do_not_ignore_a_missing_mirror(tmp_path: Path) -> None:
    competition = Registry(tmp_path / "data").get_competition("practice-wine")
    with pytest.raises(MlebenchError, match=r"The mirror .*nowhere does not exist"):
        prepare(competition, PrepareOptions(mirror=str(tmp_path / "nowhere")))


def test_without_an_account_there_are_twins(titanic: LocalCompetition, tmp_path: Path) -> None:
    error = MissingCredentialsError("Kaggle asks for an account.", hint="Create one.")
    built_in = str(_without_account(titanic, None, error))
    assert built_in.startswith("Kaggle asks for an account. Create one. Synthetic data needs no account: ")
    assert "mlebench twin spaceship-titanic DIR, then prepare with --source DIR." in built_in
    own = str(_without_account(Own(tmp_path, "my-contest").load(), None, error))
    assert own == (
        "There is no archive of my-contest. Kaggle asks for an account. Give the folder that holds my-contest.zip, "
        "which mlebench twin my-contest DIR makes, with --source."
    )


class KilledError(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("before", range(1, 5))
def test_killed_before_a_rename(
    before: int, titanic: LocalCompetition, mirror: Path, expected: dict[str, Sums], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--force with --keep-raw moves two old folders away and two new ones into place; nothing is cleaned up."""
    options = PrepareOptions(mirror=str(mirror), keep_raw=True, force=True)
    prepare(titanic, options)
    rename, renames = Path.rename, 0

    def counted(path: Path, target: Path) -> Path:
        nonlocal renames
        renames += 1
        if renames == before + 1:  # the first is that of the unpacked archive
            raise KilledError
        return rename(path, target)

    with monkeypatch.context() as killed, pytest.raises(KilledError):
        killed.setattr(Path, "rename", counted)
        killed.setattr(shutil, "rmtree", lambda *arguments, **keywords: None)
        prepare(titanic, options)
    assert left_over(titanic.home)
    prepare(titanic, PrepareOptions(mirror=str(mirror), keep_raw=True))
    assert not left_over(titanic.home)
    assert sums_below(titanic.prepared_dir) == expected[titanic.id]
    assert "train.csv" in sums_below(titanic.raw_dir)


def test_failing_with_force_keeps_what_is_there(
    titanic: LocalCompetition, mirror: Path, expected: dict[str, Sums], tmp_path: Path
) -> None:
    prepare(titanic, PrepareOptions(mirror=str(mirror)))
    (tmp_path / "wrong").mkdir()
    shutil.copy(mirror / "leaf-classification.zip", tmp_path / "wrong" / "spaceship-titanic.zip")
    with pytest.raises(PreparationError, match=r"sample_submission\.csv|HomePlanet|The raw data"):
        prepare(titanic, PrepareOptions(mirror=str(tmp_path / "wrong"), force=True))
    assert sums_below(titanic.prepared_dir) == expected[titanic.id]
    assert not left_over(titanic.home)


def test_two_runs_at_once(mirror: Path, expected: dict[str, Sums], tmp_path: Path) -> None:
    chosen = [argument for each in SMALL for argument in ("-c", each)]
    command = [sys.executable, "-m", "mlebench", "prepare", *chosen, "--source", str(mirror)]
    command += ["--data-dir", str(tmp_path)]
    runs = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate(timeout=300)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    for each in SMALL:
        assert sorted(text.count(f"{each} prepared from") for text in said) == [0, 1]
    assert {each: sums_below(tmp_path / each / "prepared") for each in SMALL} == expected
    assert not left_over(tmp_path)


def test_a_process_that_dies_takes_no_other_along(tmp_path: Path) -> None:
    fine = "public.write_text('sample_submission.csv', 'a\\n1\\n'); "
    write_competition(tmp_path / "mine", "deadly", "os.kill(os.getpid(), 9)")
    for name in ("fine-1", "fine-2", "fine-3"):
        write_competition(tmp_path / "mine", name, f"{fine}private.write_text('test.csv', 'a\\n2\\n')")
    registry = Registry(tmp_path / "data", (tmp_path / "mine",))
    events: list[Event] = []
    ids = ["deadly", "fine-1", "fine-2", "fine-3"]
    outcomes = prepare_many(registry, ids, PrepareOptions(), workers=2, notify=events.append)
    assert [outcome.competition_id for outcome in outcomes] == ids
    assert [bool(outcome.problem) for outcome in outcomes] == [True, False, False, False]
    assert (
        outcomes[0].problem == "Its process was ended by SIGKILL, as happens when memory runs out; try fewer --workers."
    )
    ended = {event.competition_id: event.stage for event in events}
    assert ended == {"deadly": "failed", "fine-1": "done", "fine-2": "done", "fine-3": "done"}


def test_workers() -> None:
    assert 1 <= default_workers() <= (os.cpu_count() or 1)


# What is prepared, and what is not.


def test_prepare(titanic: LocalCompetition, from_mirror: PrepareOptions, expected: dict[str, Sums]) -> None:
    events: list[Event] = []
    record = prepare(titanic, from_mirror, notify=events.append)
    assert sums_below(titanic.prepared_dir) == expected[titanic.id]
    own = (titanic.private_dir / "dataset.record").stat().st_size
    assert (record.files, record.bytes) == (5, size_of(titanic.prepared_dir)[1] - own)
    assert (record.source, record.verified, record.archive_md5) == ("mirror", None, None)
    assert DatasetRecord.load(titanic.prepared_dir) == record
    assert sorted(path.name for path in titanic.home.iterdir()) == [".lock", "prepared"]
    assert [event.stage for event in events] == ["prepare", "done"]


def test_dates_of_files_tell_nothing(tmp_path: Path) -> None:
    competition = Registry(tmp_path / "data").get_competition("tensorflow-speech-recognition-challenge")
    write_twin(competition, tmp_path / "twins")
    prepare(competition, PrepareOptions(mirror=str(tmp_path / "twins")))
    public = [competition.public_dir, *competition.public_dir.rglob("*")]
    assert len(public) > 20
    assert len({path.lstat().st_mtime_ns for path in public}) == 1


def test_what_is_prepared_is_left_alone(titanic: LocalCompetition, from_mirror: PrepareOptions) -> None:
    record = prepare(titanic, from_mirror)
    (titanic.home / ".lock").unlink()
    events: list[Event] = []
    assert prepare(titanic, notify=events.append) == record
    assert events == [
        Event(titanic.id, "present", message="twin (seed 0, scale 1)", edition="v1", differs_from_v1=False)
    ]
    assert not (titanic.home / ".lock").exists(), "nothing is written, for the folder may be read-only"


def test_what_something_else_prepared_is_left_alone(titanic: LocalCompetition, from_mirror: PrepareOptions) -> None:
    prepare(titanic, from_mirror)
    (titanic.private_dir / "dataset.record").unlink()
    assert prepare(titanic).source == "elsewhere"


@pytest.mark.parametrize("text", ["{", "[]", '{"competition_id": "a", "source": "b", "wings": 2}'])
def test_a_damaged_record(text: str, titanic: LocalCompetition, mirror: Path) -> None:
    prepare(titanic, PrepareOptions(mirror=str(mirror)))
    (titanic.private_dir / "dataset.record").write_text(text)
    with pytest.raises(MlebenchError, match=r"dataset\.record is damaged .* with --force"):
        prepare(titanic, PrepareOptions(mirror=str(mirror)))
    assert prepare(titanic, PrepareOptions(mirror=str(mirror), force=True)).twin


@pytest.mark.parametrize("lost", ["public", "public/sample_submission.csv", "private/test.csv"])
def test_half_of_it_is_not_prepared(lost: str, titanic: LocalCompetition, from_mirror: PrepareOptions) -> None:
    prepare(titanic, from_mirror)
    path = titanic.prepared_dir / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert not is_dataset_prepared(titanic)
    assert not status_of(titanic).prepared
    prepare(titanic, from_mirror)
    assert is_dataset_prepared(titanic)


def test_keep_raw(titanic: LocalCompetition, mirror: Path, expected: dict[str, Sums]) -> None:
    prepare(titanic, PrepareOptions(mirror=str(mirror), keep_raw=True))
    with zipfile.ZipFile(mirror / "spaceship-titanic.zip") as archive:
        raw = {name: hashlib.md5(archive.read(name)).hexdigest() for name in archive.namelist()}
    assert sums_below(titanic.raw_dir) == raw
    assert sums_below(titanic.prepared_dir) == expected[titanic.id]


def test_drop_in_function(titanic: LocalCompetition, mirror: Path) -> None:
    titanic.home.mkdir(parents=True)
    shutil.copy(mirror / "spaceship-titanic.zip", titanic.archive)
    download_and_prepare_dataset(titanic)
    assert is_dataset_prepared(titanic)
    assert titanic.raw_dir.is_dir()


def test_an_error_in_a_preparation_is_placed(tmp_path: Path) -> None:
    write_competition(tmp_path / "mine", "faulty", "{}['label']")
    write_competition(tmp_path / "mine", "lazy", "pass")
    registry = Registry(tmp_path / "data", (tmp_path / "mine",))
    faulty, lazy = prepare_many(registry, ["faulty", "lazy"], PrepareOptions(), workers=1)
    path = tmp_path / "mine" / "faulty" / "competition.py"
    assert str(faulty.problem).startswith(f"The preparation of faulty failed with KeyError: 'label' ({path}, line 8).")
    assert lazy.problem == "The preparation of lazy did not write public/sample_submission.csv."


# Disks that are full.


def test_too_little_space(
    titanic: LocalCompetition, from_mirror: PrepareOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(
        DiskFullError,
        match=r"Preparing spaceship-titanic needs .* and leaves 268 MB free, but only 1,000 bytes are free",
    ):
        prepare(titanic, from_mirror)
    assert [path.name for path in titanic.home.iterdir()] == [".lock"]


@pytest.mark.parametrize("competition_id", SMALL)
def test_a_disk_that_is_full(competition_id: str, mirror: Path, tmp_path: Path) -> None:
    """A disk of 30 kB, mounted where nobody else sees it; that there is too little space is noticed too late."""
    may_mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(tmp_path)]
    if not shutil.which("unshare") or subprocess.run(may_mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let us mount a small disk")
    (tmp_path / "data").mkdir()
    code = (
        "import sys, mlebench.files.space as space; space._RESERVE = -(1 << 60); "
        f"sys.argv = ['mlebench', 'prepare', '-c', {competition_id!r}, '--source', {str(mirror)!r}]; "
        "from mlebench.cli import main; main()"
    )
    script = 'mount -t tmpfs -o size=30k none data; "$0" -c "$1"; echo "exit code $?"; find data'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, sys.executable, code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MLEBENCH_DATA_DIR": "data"},
        check=True,
    )
    assert f"{competition_id}: The disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    left = ["exit code 1", "data", f"data/{competition_id}", f"data/{competition_id}/.lock"]
    assert done.stdout.splitlines() == left


def test_size_while_files_are_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").write_bytes(b"123")
    monkeypatch.setattr(os, "walk", lambda folder: iter([(str(folder), [], ["there", "gone"])]))
    assert size_of(tmp_path) == (1, 3)


# Archives that are not what they should be.


@pytest.mark.parametrize("keep_raw", [False, True])
@pytest.mark.parametrize("size", [0, 100, 3000])
def test_a_truncated_archive(size: int, keep_raw: bool, titanic: LocalCompetition, mirror: Path) -> None:
    titanic.home.mkdir(parents=True)
    titanic.archive.write_bytes((mirror / "spaceship-titanic.zip").read_bytes()[:size])
    with pytest.raises(PreparationError, match=r"not a complete zip archive\. Delete it and download it again"):
        prepare(titanic, PrepareOptions(keep_raw=keep_raw))
    assert not titanic.prepared_dir.exists()
    assert not left_over(titanic.home)


@pytest.mark.parametrize("keep_raw", [False, True])
def test_a_damaged_archive(keep_raw: bool, titanic: LocalCompetition, mirror: Path) -> None:
    data = bytearray((mirror / "spaceship-titanic.zip").read_bytes())
    data[2000:2100] = bytes(100)
    titanic.home.mkdir(parents=True)
    titanic.archive.write_bytes(data)
    with pytest.raises(PreparationError, match="cannot be read"):
        prepare(titanic, PrepareOptions(keep_raw=keep_raw))
    assert not titanic.prepared_dir.exists()


@pytest.mark.parametrize("wanted", SMALL)
@pytest.mark.parametrize("given", SMALL)
def test_the_archive_of_another_competition(given: str, wanted: str, mirror: Path, tmp_path: Path) -> None:
    competition = Registry(tmp_path).get_competition(wanted)
    competition.home.mkdir()
    shutil.copy(mirror / f"{given}.zip", competition.archive)
    if given == wanted:
        assert prepare(competition).twin
        return
    with pytest.raises(PreparationError):
        prepare(competition)
    assert not competition.prepared_dir.exists()


@pytest.mark.parametrize("keep_raw", [False, True])
def test_a_path_that_leads_outside(keep_raw: bool, titanic: LocalCompetition, mirror: Path, tmp_path: Path) -> None:
    titanic.home.mkdir(parents=True)
    shutil.copy(mirror / "spaceship-titanic.zip", titanic.archive)
    with zipfile.ZipFile(titanic.archive, "a") as archive:
        archive.writestr("../../../../outside.txt", "out")
    if keep_raw:
        with pytest.raises(PreparationError, match="outside the target folder"):
            prepare(titanic, PrepareOptions(keep_raw=True))
        assert not left_over(titanic.home)
    else:  # it is never unpacked
        prepare(titanic)
    assert not list(tmp_path.rglob("outside.txt"))


@pytest.mark.parametrize("keep_raw", [False, True])
def test_a_bomb(keep_raw: bool, titanic: LocalCompetition, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage, "BOMB_FLOOR", 1 << 20)
    titanic.home.mkdir(parents=True)
    with zipfile.ZipFile(titanic.archive, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("train.csv", bytes(2 << 20))
    with pytest.raises(PreparationError, match="it is refused as an archive bomb"):
        prepare(titanic, PrepareOptions(keep_raw=keep_raw, check=False))


# Known sums.


@pytest.fixture
def real(titanic: LocalCompetition, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Checksums]:
    """The twin passes for the real data; gives a function that makes other sums the known ones."""
    titanic.home.mkdir(parents=True)
    shutil.copy(mirror / "spaceship-titanic.zip", titanic.archive)
    with zipfile.ZipFile(titanic.archive, "a") as archive:
        archive.comment = b""
    prepare(titanic, PrepareOptions(check=False))
    known = Checksums(
        hashlib.md5(titanic.archive.read_bytes()).hexdigest(),
        sums_below(titanic.public_dir),
        sums_below(titanic.private_dir),
    )
    shutil.rmtree(titanic.prepared_dir)
    score = 0.375

    def know(**changes: str) -> Checksums:
        nonlocal known, score
        known = Checksums(
            changes.get("archive", known.archive or ""),
            known.public | {"train.csv": changes.get("train", known.public["train.csv"])},
            known.private | {"test.csv": changes.get("answers", known.private["test.csv"])},
        )
        score = float(changes.get("score", score))
        return known

    monkeypatch.setattr(facts, "checksums", lambda competition_id: known)
    monkeypatch.setattr(facts, "sample_submission_score", lambda competition_id: score)
    return know


def test_known_sums(titanic: LocalCompetition, real: Callable[..., Checksums]) -> None:
    record = prepare(titanic)
    assert (record.verified, record.is_real, record.archive_md5) == (True, True, real().archive)
    result = verify(titanic, score_file)
    assert (result.passed, result.checked_files, result.sample_score) == (True, 5, 0.375)


def test_a_file_with_another_sum(titanic: LocalCompetition, real: Callable[..., Checksums]) -> None:
    right = real().private["test.csv"]
    real(answers="0" * 32)
    for _ in range(2):  # the second time something is in the way
        with pytest.raises(PreparationError) as caught:
            prepare(titanic)
        assert f"private/test.csv has md5 {right}, not md5 {'0' * 32}." in str(caught.value)
        assert not titanic.prepared_dir.exists()
        assert (titanic.home / "prepared.rejected" / "private" / "test.csv").is_file()
        assert titanic.archive.is_file()
        assert not left_over(titanic.home)
    assert prepare(titanic, PrepareOptions(check=False)).verified is None


def test_an_archive_with_another_sum(titanic: LocalCompetition, real: Callable[..., Checksums]) -> None:
    real(archive="0" * 32)
    with pytest.raises(PreparationError, match=f"is known to have {'0' * 32}"):
        prepare(titanic)
    assert titanic.archive.is_file(), "it is the user's own"
    assert prepare(titanic, PrepareOptions(check=False)).verified is None


def test_verify_sees_what_has_changed(titanic: LocalCompetition, real: Callable[..., Checksums]) -> None:
    prepare(titanic)
    train = titanic.public_dir / "train.csv"
    content = train.read_bytes()
    train.write_bytes(content.replace(b"True", b"true", 1))  # the size stays the same
    result = verify(titanic, score_file)
    assert not result.passed
    assert [str(each).split(" has ")[0] for each in result.differences] == ["public/train.csv"]
    assert status_of(titanic).verified is False
    train.unlink()
    result = verify(titanic, score_file)
    assert [str(each).split(" has ")[0] for each in result.differences] == ["public/train.csv is missing", "prepared"]
    train.write_bytes(content)
    assert verify(titanic, score_file).passed
    assert status_of(titanic).verified is True
    real(score="0.5")
    (difference,) = verify(titanic, score_file).differences
    assert str(difference) == "sample submission has the score 0.375, not the score 0.5"


def test_verify_of_a_twin(titanic: LocalCompetition, from_mirror: PrepareOptions) -> None:
    """No sums are known, but the record says how much there was."""
    with pytest.raises(NotPreparedError, match="spaceship-titanic is not prepared"):
        verify(titanic, score_file)
    prepare(titanic, from_mirror)
    assert verify(titanic, score_file).passed
    with (titanic.public_dir / "train.csv").open("a") as file:
        file.write("more")
    (difference,) = verify(titanic, score_file).differences
    assert str(difference).startswith("prepared has 5 files with")
    titanic.answers.unlink()
    amount, score = verify(titanic, score_file).differences
    assert str(amount).startswith("prepared has 4 files with")
    assert str(score).startswith("sample submission has")
