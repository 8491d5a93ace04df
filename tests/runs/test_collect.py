"""What an agent leaves is collected without following links, without blocking, within bounds."""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE

from mlebench.files.hostile import discard
from mlebench.files.writing import to_json
from mlebench.runs.collect import Bounds, Collected, collect

SECRET = "the,answers\n1,gold\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An agent's home with an honest submission, beside answers that it must not get at."""
    (tmp_path / "answers.csv").write_text(SECRET)
    folder = tmp_path / "home"
    for name in ("submission", "code", "logs", "agent"):
        (folder / name).mkdir(parents=True)
    (folder / "submission" / "submission.csv").write_text("id,y\n1,2\n")
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    assert not any(path.is_symlink() for path in folder.rglob("*"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def quickly(home: Path, into: Path, bounds: Bounds | None = None) -> Collected:
    """Collect, and fail instead of hanging."""
    results: list[Collected] = []
    thread = threading.Thread(target=lambda: results.append(collect(home, into, bounds=bounds)), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert results, "collecting hangs"
    return results[0]


def test_collects_what_is_there(home: Path, tmp_path: Path) -> None:
    (home / "submission" / "metrics.json").write_text("{}")
    (home / "code" / "deep" / "er").mkdir(parents=True)
    (home / "code" / "deep" / "er" / "solve.py").write_text("print(1)")
    (home / "logs" / "run.log").write_bytes(b"\xff\xfe")
    (home / "agent" / "large.bin").write_text("not collected")
    collected = collect(home, tmp_path / "run")
    assert everything(tmp_path / "run") == {
        "submission/submission.csv": b"id,y\n1,2\n",
        "submission/metrics.json": b"{}",
        "code/deep/er/solve.py": b"print(1)",
        "logs/run.log": b"\xff\xfe",
    }
    assert collected.submission == tmp_path / "run" / "submission" / "submission.csv"
    assert collected.submission_sha256 == hashlib.sha256(b"id,y\n1,2\n").hexdigest()
    assert (collected.problem, collected.left_behind) == (None, [])
    assert collected.files == 4
    assert collected.bytes == sum(map(len, everything(tmp_path / "run").values()))


def test_a_snapshot_takes_the_submission_only(home: Path, tmp_path: Path) -> None:
    (home / "logs" / "run.log").write_text("much")
    (home / "submission" / "model.bin").write_text("more")
    collected = collect(home, tmp_path / "snapshot", submission_only=True)
    assert everything(tmp_path / "snapshot") == {"submission/submission.csv": b"id,y\n1,2\n"}
    assert collected.submission is not None


def test_a_later_collection_replaces_the_earlier_one(home: Path, tmp_path: Path) -> None:
    (home / "code" / "old.py").write_text("old")
    collect(home, tmp_path / "run")
    (home / "code" / "old.py").unlink()
    (home / "submission" / "submission.csv").unlink()
    collected = collect(home, tmp_path / "run")
    assert everything(tmp_path / "run") == {}
    assert collected.submission is None
    assert collected.problem == "There is no submission.csv in the folder submission."


def as_device(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can make a device")
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero, which never ends
    except PermissionError:
        pytest.skip("this system lets nobody make a device")


def as_socket(path: Path) -> None:
    short = Path(tempfile.mkdtemp()) / "s"  # the path of a socket has at most 107 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(short))
    shutil.move(short, path)


def as_sparse_file(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


TRICKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to the answers": (lambda path: path.symlink_to("../../answers.csv"), "a symbolic link"),
    "an absolute link": (lambda path: path.symlink_to(path.parents[2] / "answers.csv"), "a symbolic link"),
    "a link to a host file": (lambda path: path.symlink_to("/etc/passwd"), "a symbolic link"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "a symbolic link"),
    "a link to itself": (lambda path: path.symlink_to(path), "a symbolic link"),
    "a link to a device": (lambda path: path.symlink_to("/dev/zero"), "a symbolic link"),
    "a pipe": (os.mkfifo, "a named pipe"),
    "a folder": (Path.mkdir, "a folder"),
    "a device": (as_device, "a device"),
    "a socket": (as_socket, "a socket"),
    "a sparse file": (as_sparse_file, "larger than the 4,294,967,296 bytes"),
}


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("place", ["submission/submission.csv", "submission/other.csv", "code/x.py", "logs/a/b/c"])
def test_only_regular_files_are_read(trick: str, place: str, home: Path, tmp_path: Path) -> None:
    make, kind = TRICKS[trick]
    path = home / place
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    collected = quickly(home, tmp_path / "run")
    kept = everything(tmp_path / "run")
    assert place not in kept
    assert SECRET.encode() not in kept.values()
    if trick == "a folder" and place != "submission/submission.csv":
        return
    assert [(each.path, each.reason.startswith(kind)) for each in collected.left_behind] == [(place, True)]
    if place == "submission/submission.csv":
        assert collected.submission is None
        assert collected.problem is not None
        assert collected.problem.startswith(f"submission.csv is {kind}")
    else:
        assert kept["submission/submission.csv"] == b"id,y\n1,2\n"
        assert collected.submission is not None


@pytest.mark.parametrize("part", ["submission", "code", "logs"])
def test_a_linked_folder_is_not_entered(part: str, home: Path, tmp_path: Path) -> None:
    shutil.rmtree(home / part)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "submission.csv").write_text(SECRET)
    (home / part).symlink_to(tmp_path / "elsewhere")
    collected = collect(home, tmp_path / "run")
    assert SECRET.encode() not in everything(tmp_path / "run").values()
    assert [each.path for each in collected.left_behind] == [part]
    assert (collected.submission is None) == (part == "submission")
    if part == "submission":
        assert collected.problem == "The folder submission is a symbolic link."


@pytest.mark.parametrize("what", ["removed", "a file"])
def test_a_folder_that_is_no_folder(what: str, home: Path, tmp_path: Path) -> None:
    shutil.rmtree(home / "submission")
    if what == "a file":
        (home / "submission").write_text("id,y\n")
    collected = collect(home, tmp_path / "run")
    assert collected.submission is None
    assert collected.problem == f"The folder submission is {'missing' if what == 'removed' else what}."


def test_no_home_at_all(tmp_path: Path) -> None:
    collected = collect(tmp_path / "nowhere", tmp_path / "run")
    assert collected.submission is None
    assert [each.reason for each in collected.left_behind] == ["missing"]


def test_what_is_swapped_meanwhile_is_never_followed(home: Path, tmp_path: Path) -> None:
    """An agent that still runs exchanges the file for a link and a pipe, again and again."""
    code = (
        "import os, sys\n"
        "name = sys.argv[1]\n"
        "while True:\n"
        "    with open(name + '.a', 'w') as file: file.write('id,y\\n1,2\\n')\n"
        "    os.replace(name + '.a', name)\n"
        "    os.symlink(sys.argv[2], name + '.b'); os.replace(name + '.b', name)\n"
        "    os.mkfifo(name + '.c'); os.replace(name + '.c', name)\n"
        "    os.rename(os.path.dirname(name), os.path.dirname(name) + '.x')\n"
        "    os.symlink(os.path.dirname(sys.argv[2]), os.path.dirname(name))\n"
        "    os.unlink(os.path.dirname(name)); os.rename(os.path.dirname(name) + '.x', os.path.dirname(name))\n"
    )
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "submission.csv").write_text(SECRET)
    names = [str(home / "submission" / "submission.csv"), str(tmp_path / "private" / "submission.csv")]
    agent = subprocess.Popen([sys.executable, "-c", code, *names])
    outcomes: set[bool] = set()
    try:
        end, latest = time.monotonic() + 4, time.monotonic() + PATIENCE
        while time.monotonic() < end or (outcomes != {True, False} and time.monotonic() < latest):
            collected = quickly(home, tmp_path / "run")
            outcomes.add(collected.submission is None)
            assert SECRET.encode() not in everything(tmp_path / "run").values()
        assert agent.poll() is None, "the agent went on all the time"
    finally:
        agent.kill()
        agent.wait()
    assert outcomes == {True, False}, "both the file and what it was exchanged for were met"


def test_bounds(home: Path, tmp_path: Path) -> None:
    for number in range(300):
        (home / "logs" / f"{number:03}.log").write_text("0123456789")
    collected = collect(home, tmp_path / "run", bounds=Bounds(entries=50))
    assert collected.files == 50
    assert collected.submission is not None
    assert collected.left_behind[-1].reason == "more than 50 files and folders in all"
    collected = collect(home, tmp_path / "run", bounds=Bounds(total_bytes=109))
    assert collected.files == 11
    assert collected.bytes == 109
    assert collected.left_behind_count == 290
    assert len(collected.left_behind) == 100
    collected = collect(home, tmp_path / "run", bounds=Bounds(file_bytes=9))
    assert everything(tmp_path / "run") == {"submission/submission.csv": b"id,y\n1,2\n"}


def test_a_flood_in_the_submission_folder_does_not_cost_the_submission(home: Path, tmp_path: Path) -> None:
    for number in range(300):
        (home / "submission" / f"{number}.csv").write_text("x")
    assert collect(home, tmp_path / "run", bounds=Bounds(entries=3)).submission is not None


def test_a_file_that_grows_while_it_is_read(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read = home / "submission" / "submission.csv", os.read

    def growing(descriptor: int, count: int) -> bytes:
        with path.open("ab") as file:
            file.write(b"x" * 1000)
        return read(descriptor, 100)

    monkeypatch.setattr(os, "read", growing)
    collected = quickly(home, tmp_path / "run", Bounds(file_bytes=5000))
    assert collected.submission is None
    assert everything(tmp_path / "run") == {}


def test_names_of_all_sorts(home: Path, tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\x1b[31m\n.log")
    (home / "logs" / odd).write_bytes(b"kept")
    (home / "logs" / f"{odd}2").symlink_to("/etc/passwd")
    collected = collect(home, tmp_path / "run")
    assert [path.read_bytes() for path in (tmp_path / "run" / "logs").iterdir()] == [b"kept"]
    (left,) = collected.left_behind
    assert left.path == "logs/\\xff\\x1b[31m\\n.log2"
    json.loads(to_json(left.path)).encode("utf-8")


def nested(folder: Path, depth: int) -> None:
    """Folders in folders, far deeper than a path can be long."""
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=descriptor)
        deeper = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = deeper
    os.close(descriptor)


def test_a_file_takes_no_more_room_than_it_took(home: Path, tmp_path: Path) -> None:
    with (home / "code" / "sparse").open("wb") as file:
        file.write(b"begin")
        file.truncate(64 << 20)
        file.seek(32 << 20)
        file.write(b"middle")
    collected = collect(home, tmp_path / "run")
    copy = tmp_path / "run" / "code" / "sparse"
    assert copy.read_bytes() == (home / "code" / "sparse").read_bytes()
    assert copy.stat().st_blocks * 512 < 8 << 20
    assert collected.bytes >= 64 << 20


def test_a_path_that_no_program_takes(home: Path, tmp_path: Path) -> None:
    folder = home / "logs"
    for _ in range(6):
        folder /= "x" * 250
        folder.mkdir()
    (folder / "file").write_text("x")
    collected = collect(home, tmp_path / "run")
    assert [each.reason for each in collected.left_behind] == ["at a path of more than 1,024 bytes"]
    assert max(len(str(path.relative_to(tmp_path / "run"))) for path in (tmp_path / "run").rglob("*")) <= 1024


def test_depth(home: Path, tmp_path: Path) -> None:
    nested(home / "code", 2500)
    collected = collect(home, tmp_path / "run")
    assert collected.submission is not None
    assert [each.reason for each in collected.left_behind] == ["more than 32 folders deep"]
    discard(home)
    assert not home.exists()


def test_discard_follows_no_link(home: Path, tmp_path: Path) -> None:
    (home / "logs" / "out").symlink_to(tmp_path)
    (home / "link").symlink_to(tmp_path)
    os.mkfifo(home / "pipe")
    discard(home)
    assert not home.exists()
    assert (tmp_path / "answers.csv").read_text() == SECRET
    (tmp_path / "linked").symlink_to(tmp_path)
    discard(tmp_path / "linked")
    discard(tmp_path / "linked")
    assert (tmp_path / "answers.csv").exists()


@pytest.fixture
def somebody() -> Iterator[Path]:
    """A folder of a user who is not root, for whom permissions mean something."""
    folder = Path(tempfile.mkdtemp())
    if os.getuid() == 0:
        os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)
    yield folder
    shutil.rmtree(folder)


def test_folders_and_files_without_permissions(somebody: Path) -> None:
    code = """
import os, pwd, sys
from pathlib import Path
import mlebench.runs.collect as module
if os.getuid() == 0:
    os.setuid(pwd.getpwnam("nobody").pw_uid)
base = Path(sys.argv[1])
home = base / "home"
for name in ("submission", "code/inner", "logs"):
    (home / name).mkdir(parents=True)
(home / "submission" / "submission.csv").write_text("id,y\\n1,2\\n")
(home / "code" / "inner" / "x.py").write_text("pass")
outside = base / "outside.txt"
outside.write_text("mine")
outside.chmod(0)
os.link(outside, home / "logs" / "hard.txt")
for path in ("submission/submission.csv", "code/inner", "code", "submission", "logs", "."):
    (home / path).chmod(0)
try:
    os.listdir(home)
except PermissionError:
    print("locked")
collected = module.collect(home, base / "run")
print(collected.submission.read_text().split(), (base / "run/code/inner/x.py").read_text())
print([(each.path, each.reason) for each in collected.left_behind], outside.stat().st_mode & 0o777)
(home / "code" / "inner").chmod(0)
(home / "code").chmod(0)
home.chmod(0)
module.discard(home)
print(home.exists())
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(somebody)], capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.stdout.splitlines() == [
        "locked",
        "['id,y', '1,2'] pass",
        "[('logs/hard.txt', 'not readable (Permission denied)')] 0",
        "False",
    ], done.stderr
