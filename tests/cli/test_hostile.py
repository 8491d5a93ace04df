"""Wrong folders, empty lists, odd archives and dead mirrors: one sentence each, soon, and a code that says so."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from command import Run
from waiting import wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.files.writing import write_atomically

TITANIC = "spaceship-titanic"


def test_a_competitions_folder_that_does_not_exist(run: Run) -> None:
    for arguments in (("list",), ("prepare", "-c", "practice-wine")):
        ran = run(*arguments, MLEBENCH_COMPETITIONS_DIR="nope")
        assert ran.code == 1
        assert ran.err.startswith("error: The competitions folder nope does not exist. Set MLEBENCH_COMPETITIONS_DIR ")


def test_empty_lists(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("# nothing here\n")
    for arguments in (
        ("prepare", "-l", "empty.txt"),
        ("status", "--split", "empty.txt"),
        ("verify", "-l", "empty.txt"),
    ):
        ran = run(*arguments)
        assert (ran.code, ran.err) == (1, "error: empty.txt names no competition. Write one id per line.\n")
    assert run("list", "--metric", "nonsense").code == 1
    assert run("list", "--split", "empty.txt").code == 1
    ran = run("grade", "--submission", "empty.txt", "--output-dir", "reports")
    assert ran.code == 1
    assert "empty.txt lists no submissions" in ran.err


@pytest.mark.parametrize("comment", [b"mlebench twin", b"mlebench twin seed=1 scale=x", b"mlebench twin a=b=c \x1b[0m"])
def test_a_twin_that_does_not_say_which(comment: bytes, run: Run, mirror: Path, tmp_path: Path) -> None:
    (tmp_path / "mirror").mkdir()
    path = Path(shutil.copy(mirror / f"{TITANIC}.zip", tmp_path / "mirror"))
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = comment
    ran = run("prepare", "-c", TITANIC, "--source", "mirror")
    assert ran.code == 1
    assert f"{TITANIC}.zip is marked as a twin, but does not say which" in ran.err
    assert "Unexpected" not in ran.err and "\x1b" not in ran.err


def test_a_mirror_that_refuses_connections(run: Run) -> None:
    with socket.socket() as taken:  # a port where nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        begin = time.monotonic()
        ran = run("prepare", "-c", TITANIC, "--source", address)
    assert time.monotonic() - begin < 60, "it takes minutes to try as long as with a server that is busy"
    assert ran.code == 1
    assert f"{address}/{TITANIC}.zip cannot be downloaded: the server refuses the connection" in ran.err


def test_no_escape_sequence_reaches_the_terminal(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    name = "\x1b[31mred\x1b[0m.csv"
    lines = titanic.sample_submission.read_text().splitlines()
    (tmp_path / name).write_text("\n".join([lines[0], "\x1b]0;owned\x07,True", *lines[2:]]))
    for command in ("grade-sample", "validate"):
        ran = run(command, name, titanic.id, "--data-dir", titanic.data_dir)
        assert ran.code == (1 if command == "validate" else 0)
        assert "\x1b" not in ran.out + ran.err
    (tmp_path / "list.jsonl").write_text(json.dumps({"competition_id": titanic.id, "submission_path": name}))
    ran = run("grade", "--submission", "list.jsonl", "--output-dir", "\x1b[31m", "--data-dir", titanic.data_dir)
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.skipif(os.name == "nt", reason="bytes in file names")
def test_a_name_that_is_no_text(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/\xff.csv"))
    shutil.copy(titanic.sample_submission, path)
    ran = run("grade-sample", path, titanic.id, "--data-dir", titanic.data_dir)
    assert ran.code == 0
    assert json.loads(ran.out)["score"] == 0.375


@pytest.mark.skipif(os.name == "nt", reason="bytes in file names")
def test_a_folder_whose_name_is_no_text(run: Run, tmp_path: Path) -> None:
    ran = run("new", "my-own", "--into", Path(os.fsdecode(bytes(tmp_path) + b"/\xff")))
    assert ran.code == 0
    assert "/\\udcff/my_own: competition.py" in ran.out


def test_a_text_that_the_terminal_cannot_show(run: Run) -> None:
    ran = run("info", "text-normalization-challenge-russian-language", PYTHONIOENCODING="latin-1")
    assert ran.code == 0
    assert "\\u0434" in ran.out  # a Cyrillic letter, spelled out


@pytest.mark.parametrize(
    "arguments",
    [
        ("prepare", "-c", "practice-wine", "--data-dir", ""),
        ("new", "my-own", "--into", ""),
        ("report", "group", "-o", ""),
        ("prepare", "-c", TITANIC, "--source", ""),
    ],
)
def test_an_empty_path_is_not_the_current_folder(arguments: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    ran = run(*arguments)
    assert ran.code in (1, 2)
    assert "empty" in ran.err
    assert not [each for each in tmp_path.iterdir() if each.name != "data"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("info", "lite"), "It is a split: `mlebench list --split lite` shows what is in it."),
        (("prepare", "--split", TITANIC), f"It is a competition: `-c {TITANIC}` chooses it alone."),
        (("list", "--split", os.devnull), "There is no split '/dev/null'."),
        (("prepare", "-c", TITANIC, "--source", "a.zip"), f"is a file. Give the folder that holds {TITANIC}.zip to"),
        (("twin", TITANIC, "a.zip/below"), "A part of this path is a file; give one that leads through folders."),
        (("new", "x" * 300), "Give a shorter path."),
    ],
)
def test_near_misses_are_told_what_to_type(arguments: tuple[str, ...], sentence: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.zip").touch()
    ran = run(*arguments)
    assert ran.code == 1
    assert sentence in ran.err


@pytest.mark.skipif(os.name == "nt", reason="closing a stream is a matter of the shell")
def test_streams_that_are_closed(tmp_path: Path) -> None:
    command = f"{sys.executable} -m mlebench"
    for line, code in ((f"{command} list --split practice >&-", 0), (f"{command} info nothing >&- 2>&-", 1)):
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_a_leaderboard_behind_a_password(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", "score\n1\n")
    data = bytearray((tmp_path / "a.zip").read_bytes())
    data[6] |= 1  # both headers of the member say that it is encrypted
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(data)
    ran = run("dev", "download-leaderboard", "-c", TITANIC, "--from", "a.zip")
    assert ran.code == 1
    assert "a.zip is not a leaderboard: File 'a.csv' is encrypted" in ran.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_file_does_not_take_the_place_of_a_pipe(tmp_path: Path) -> None:
    """As `--output /dev/stdout` asks for; a user who may replace /dev/null must not do so."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    write_atomically(pipe, "through the pipe")
    assert reader.communicate(timeout=30)[0] == "through the pipe"
    assert pipe.is_fifo()


def test_a_killed_preparation_leaves_nothing(tmp_path: Path) -> None:
    """Killed at any moment, it leaves no process; the next one leaves nothing but its result."""
    archive = tmp_path / "mirror" / "aerial-cactus-identification.zip"
    make = "from mlebench.registry import registry; from mlebench.twins import write_twin; from pathlib import Path; "
    make += "write_twin(registry.get_competition('aerial-cactus-identification'), Path('mirror'), scale=60)"
    subprocess.run([sys.executable, "-c", make], cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "mlebench", "prepare", "-c", archive.stem, "--source", "mirror"]
    environment = {**os.environ, "MLEBENCH_DATA_DIR": str(tmp_path / "data")}
    home = tmp_path / "data" / archive.stem
    for moment in (0.0, 0.1):
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
        while not begun(home) and process.poll() is None:
            time.sleep(0.005)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    assert "1 of 1 competition ready" in done.stderr
    assert [each.name for each in home.iterdir() if each.name.startswith(".building")] == []
    wait_for(lambda: not working_in(tmp_path), lambda: working_in(tmp_path))


def begun(home: Path) -> bool:
    """Whether a preparation has made its first file; it moves its folders while we look."""
    with contextlib.suppress(OSError):
        return any(home.glob(".building-*/prepared/public/*"))
    return False


def working_in(folder: Path) -> list[str]:
    """The processes whose current folder this is."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):  # it has ended, or it is somebody else's
            if each.readlink() == folder:
                found.append(each.parent.name)
    return found
