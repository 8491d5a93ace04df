"""Downloads: whatever the connection does, the bytes are right or the error is clear."""

from __future__ import annotations

import hashlib
import random
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import Answer, FileServer
from waiting import wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data import download
from mlebench.data.download import DownloadError, FileSystemRemote, HttpRemote, fetch, md5_of, retry_after
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.data.prepare_events import Event
from mlebench.errors import MlebenchError, PreparationError
from mlebench.files.space import DiskFullError
from mlebench.twins import write_twin

CONTENT = random.Random(0).randbytes(100_000)
MD5 = hashlib.md5(CONTENT).hexdigest()
CUTS = Answer(cut=30_000)


@pytest.fixture(scope="module")
def server() -> Iterator[FileServer]:
    with FileServer() as server:
        yield server


@pytest.fixture
def path(server: FileServer) -> str:
    """The path of a file on the server, of which nothing is known yet."""
    path = f"/{uuid.uuid4().hex}.zip"
    server.files[path] = CONTENT
    return path


@pytest.fixture
def get(server: FileServer, path: str, tmp_path: Path) -> Callable[[], str]:
    """A function that downloads the file to target.zip, where it must be right, and gives its md5."""

    def call() -> str:
        md5 = fetch(HttpRemote(server.url + path), tmp_path / "target.zip", pause=0.001)
        assert hashlib.md5((tmp_path / "target.zip").read_bytes()).hexdigest() == md5
        assert not (tmp_path / "target.zip.partial").exists()
        return md5

    return call


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long a download has paused, without doing so."""
    waits: list[float] = []
    monkeypatch.setattr(download, "time", SimpleNamespace(sleep=waits.append, time=time.time))
    return waits


def test_a_good_connection(server: FileServer, path: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    announced: list[int] = []
    target = tmp_path / "new" / "folder" / "target.zip"
    md5 = fetch(
        HttpRemote(server.url + path),
        target,
        progress=lambda done, total: seen.append((done, total)),
        before=announced.append,
    )
    assert (md5, target.read_bytes()) == (MD5, CONTENT)
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert announced == [len(CONTENT)]
    assert list(target.parent.iterdir()) == [target]


def test_cuts_are_resumed(server: FileServer, path: str, get: Callable[[], str]) -> None:
    server.answers[path].extend([CUTS, CUTS, CUTS])
    assert get() == MD5
    assert server.offsets(path) == [0, 30_000, 60_000, 90_000]


@given(cuts=st.lists(st.integers(0, 70_000), max_size=5), whole=st.lists(st.booleans(), min_size=5, max_size=5))
def test_any_sequence_of_cuts(
    cuts: list[int], whole: list[bool], server: FileServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = f"/{uuid.uuid4().hex}.zip"
    server.files[path] = CONTENT
    server.answers[path].extend(Answer(cut=cut, whole=each) for cut, each in zip(cuts, whole, strict=False))
    target = tmp_path_factory.mktemp("cuts") / "target.zip"
    assert fetch(HttpRemote(server.url + path), target, pause=0) == MD5
    assert target.read_bytes() == CONTENT


def test_what_an_earlier_process_left_is_continued(server: FileServer, path: str, tmp_path: Path) -> None:
    """The process is killed while the server is silent."""
    server.answers[path].extend([CUTS, Answer(stall=600)])
    code = (
        "from mlebench.data.download import HttpRemote, fetch; from pathlib import Path; "
        f"fetch(HttpRemote({server.url + path!r}), Path('target.zip'), pause=0.001)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    wait_for(lambda: len(server.offsets(path)) == 2 or process.poll() is not None)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "target.zip").exists()
    kept = (tmp_path / "target.zip.partial").stat().st_size
    # What the process had not yet handed to the system is lost, and nothing else.
    assert fetch(HttpRemote(server.url + path), tmp_path / "target.zip") == MD5
    assert server.offsets(path) == [0, 30_000, kept]


def test_a_partial_file_is_continued(server: FileServer, path: str, get: Callable[[], str], tmp_path: Path) -> None:
    (tmp_path / "target.zip.partial").write_bytes(CONTENT[:70_000])
    assert get() == MD5
    assert server.offsets(path) == [70_000]


def test_a_complete_partial_file_is_not_downloaded_again(
    server: FileServer, path: str, get: Callable[[], str], tmp_path: Path
) -> None:
    (tmp_path / "target.zip.partial").write_bytes(CONTENT)
    assert get() == MD5
    assert server.offsets(path) == [len(CONTENT)]


def test_a_partial_file_that_is_too_long_is_given_up(
    server: FileServer, path: str, get: Callable[[], str], tmp_path: Path
) -> None:
    (tmp_path / "target.zip.partial").write_bytes(CONTENT + b"more")
    assert get() == MD5
    assert server.offsets(path) == [len(CONTENT) + 4, 0]


def test_a_server_without_ranges(server: FileServer, path: str, get: Callable[[], str]) -> None:
    server.answers[path].extend([Answer(cut=50_000, whole=True)] * 2)
    server.always[path] = Answer(whole=True)
    assert get() == MD5


def test_a_server_without_ranges_that_always_cuts_is_given_up(
    server: FileServer, path: str, get: Callable[[], str], waits: list[float]
) -> None:
    server.always[path] = Answer(cut=50_000, whole=True)
    with pytest.raises(DownloadError, match="closed early, 6 times in a row"):
        get()


@pytest.mark.parametrize("place", ["bytes 10-20", "bytes */100000", "99", ""])
def test_a_range_that_makes_no_sense(
    place: str, server: FileServer, path: str, get: Callable[[], str], tmp_path: Path
) -> None:
    (tmp_path / "target.zip.partial").write_bytes(CONTENT[:10])
    server.answers[path].append(Answer(headers={"Content-Range": place}))
    assert get() == MD5


def test_another_range_than_asked_for(server: FileServer, path: str, get: Callable[[], str], tmp_path: Path) -> None:
    (tmp_path / "target.zip.partial").write_bytes(CONTENT[:10])
    server.answers[path].append(Answer(headers={"Content-Range": "bytes 20-99999/100000"}))
    assert get() == MD5
    (tmp_path / "target.zip.partial").write_bytes(CONTENT[:30_000])
    earlier = {"Content-Range": "bytes 20000-99999/100000"}
    server.answers[path].append(Answer(headers=earlier, content=bytes(30_000) + CONTENT[20_000:]))
    assert get() == MD5
    assert server.offsets(path) == [10, 10, 30_000]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(status: int, server: FileServer, path: str, get: Callable[[], str]) -> None:
    server.answers[path].extend([Answer(status=status)] * 3)
    assert get() == MD5


def test_hanging_up_is_a_reason_to_ask_again(server: FileServer, path: str, get: Callable[[], str]) -> None:
    server.answers[path].extend([Answer(hang_up=True)] * 3)
    assert get() == MD5


def test_silence_is_a_reason_to_ask_again(
    server: FileServer, path: str, get: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_TIMEOUT", 1.0)
    server.answers[path].append(Answer(stall=600))
    assert get() == MD5


def test_pauses_grow(server: FileServer, path: str, waits: list[float], tmp_path: Path) -> None:
    server.answers[path].extend([Answer(status=500)] * 5)
    fetch(HttpRemote(server.url + path), tmp_path / "target.zip", pause=1.0)
    assert all(2**number / 2 <= wait <= 2**number for number, wait in enumerate(waits, 1))


def test_retry_after_is_honoured_within_bounds(
    server: FileServer, path: str, get: Callable[[], str], waits: list[float]
) -> None:
    soon = formatdate(time.time() + 250, usegmt=True)
    for value in ("7", "999999", soon, "yesterday", formatdate(0, usegmt=True)):
        server.answers[path].append(Answer(status=429, headers={"Retry-After": value}))
    assert get() == MD5
    assert waits[:2] == [7, 300]
    assert 100 < waits[2] <= 250
    assert max(waits[3:]) < 1


def test_retry_after_of_a_server_that_says_nothing() -> None:
    assert retry_after({}) == 0


def test_a_server_that_stays_busy_is_given_up(
    server: FileServer, path: str, get: Callable[[], str], waits: list[float], tmp_path: Path
) -> None:
    server.answers[path].append(CUTS)
    server.always[path] = Answer(status=503)
    with pytest.raises(DownloadError) as caught:
        get()
    assert str(caught.value) == (
        f"{server.url}{path} cannot be downloaded: the server answered 503, 6 times in a row. "
        "The 30,000 bytes that have arrived are kept. Run the same command again to go on."
    )
    assert (tmp_path / "target.zip.partial").read_bytes() == CONTENT[:30_000]
    assert len(waits) == 6
    del server.always[path]
    assert get() == MD5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_refusal_is_final(status: int, server: FileServer, path: str, get: Callable[[], str]) -> None:
    server.always[path] = Answer(status=status)
    with pytest.raises(DownloadError, match=f"the server answered {status}") as caught:
        get()
    assert caught.value.status == status
    assert len(server.offsets(path)) == 1


def test_secrets_in_an_address_are_not_shown(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(DownloadError) as caught:
        fetch(HttpRemote(f"{server.url}/none.zip?signature=secret"), tmp_path / "target.zip")
    assert "secret" not in str(caught.value)


def test_nobody_listens(tmp_path: Path, waits: list[float]) -> None:
    with socket.socket() as taken:  # a port where nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/a.zip"
        with pytest.raises(DownloadError, match="the server refuses the connection, 3 times in a row"):
            fetch(HttpRemote(address), tmp_path / "target.zip")
    assert sum(waits) < 5


def test_what_is_no_address(tmp_path: Path, waits: list[float]) -> None:
    with pytest.raises(DownloadError, match="is not an address"):
        fetch(HttpRemote("http://127.0.0.1:port/a.zip"), tmp_path / "target.zip")
    assert not waits


def test_a_length_that_is_too_long(server: FileServer, path: str, get: Callable[[], str], waits: list[float]) -> None:
    """When asked for what should follow, the server says how long the file is."""
    server.always[path] = Answer(claim=500)
    assert get() == MD5


def test_a_length_that_is_too_long_without_an_end(
    server: FileServer, path: str, get: Callable[[], str], waits: list[float]
) -> None:
    server.always[path] = Answer(claim=500, whole=True)
    with pytest.raises(DownloadError, match="6 times in a row"):
        get()


def test_a_length_that_is_too_short(server: FileServer, path: str, get: Callable[[], str]) -> None:
    """Nothing but the md5 can tell."""
    server.always[path] = Answer(claim=-500)
    assert get() == hashlib.md5(CONTENT[:-500]).hexdigest()


def test_a_full_disk_is_noticed_before_the_first_byte(server: FileServer, path: str, tmp_path: Path) -> None:
    def before(size: int) -> None:
        raise DiskFullError(f"{size} bytes")

    with pytest.raises(DiskFullError, match="100000 bytes"):
        fetch(HttpRemote(server.url + path), tmp_path / "target.zip", before=before)
    assert (tmp_path / "target.zip.partial").stat().st_size == 0


def test_md5_of(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    assert md5_of(tmp_path / "a") == MD5


@pytest.fixture
def twin(tmp_path: Path) -> bytes:
    """A synthetic archive."""
    competition = Registry(tmp_path).get_competition("spaceship-titanic")
    return write_twin(competition, tmp_path / "twins").read_bytes()


@pytest.fixture
def titanic(tmp_path: Path) -> LocalCompetition:
    """A competition of which there is nothing yet."""
    return Registry(tmp_path / "data").get_competition("spaceship-titanic")


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    """A file system in memory, empty."""
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


def test_fsspec(memory: fsspec.AbstractFileSystem, tmp_path: Path) -> None:
    memory.pipe("/mirror/a.zip", CONTENT)
    (tmp_path / "a.zip").write_bytes(CONTENT)
    for number, url in enumerate(["memory://mirror/a.zip", (tmp_path / "a.zip").as_uri()]):
        target = tmp_path / f"{number}.zip"
        for kept in (b"", CONTENT[:40_000], CONTENT, CONTENT + b"more"):
            target.with_name(f"{number}.zip.partial").write_bytes(kept)
            announced: list[int] = []
            assert fetch(FileSystemRemote(url), target, before=announced.append) == MD5
            assert target.read_bytes() == CONTENT
            assert announced == [len(CONTENT) - len(kept) if len(kept) <= len(CONTENT) else len(CONTENT)]


def test_fsspec_refusals(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"There is no file memory://none/a\.zip"):
        fetch(FileSystemRemote("memory://none/a.zip"), tmp_path / "a.zip")
    with pytest.raises(DownloadError, match="Protocol not known: strange"):
        fetch(FileSystemRemote("strange://none/a.zip"), tmp_path / "a.zip")


def test_fsspec_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(DownloadError, match=r"pip install 'mlebench\[mirror\]'"):
        fetch(FileSystemRemote("s3://bucket/a.zip"), tmp_path / "a.zip")


def test_http_mirror(server: FileServer, twin: bytes, titanic: LocalCompetition) -> None:
    """A twin is no real archive, so nothing is known about its md5, and it is accepted."""
    server.files["/mirror/spaceship-titanic.zip"] = twin
    server.answers["/mirror/spaceship-titanic.zip"].append(Answer(cut=1000))
    events: list[Event] = []
    record = prepare(titanic, PrepareOptions(mirror=f"{server.url}/mirror/"), notify=events.append)
    assert record.data == "twin (seed 0, scale 1)"
    assert record.archive_md5 == hashlib.md5(twin).hexdigest()
    assert titanic.archive.read_bytes() == twin
    assert [event.stage for event in events if event.stage != "download"] == ["prepare", "done"]
    downloads = [event for event in events if event.stage == "download"]
    assert downloads[-1] == Event(titanic.id, "download", len(twin), len(twin))


def test_fsspec_mirror(memory: fsspec.AbstractFileSystem, twin: bytes, titanic: LocalCompetition) -> None:
    memory.pipe("/mirror/spaceship-titanic.zip", twin)
    assert prepare(titanic, PrepareOptions(mirror="memory://mirror")).source == "mirror"
    assert titanic.answers.is_file()


def test_wrong_bytes_are_rejected(server: FileServer, twin: bytes, titanic: LocalCompetition) -> None:
    real = twin[: -len("mlebench twin seed=0 scale=1")]
    real = real[:-2] + b"\0\0"  # a zip archive without a comment is taken for the real one
    server.files["/wrong/spaceship-titanic.zip"] = real
    options = PrepareOptions(mirror=f"{server.url}/wrong")
    with pytest.raises(PreparationError, match=r"has the checksum .*, but .* is known to have") as caught:
        prepare(titanic, options)
    assert "--skip-verification" in str(caught.value)
    assert not titanic.archive.exists()
    assert titanic.archive.with_name("spaceship-titanic.zip.rejected").read_bytes() == real
    assert not titanic.prepared_dir.exists()
    assert prepare(titanic, PrepareOptions(mirror=options.mirror, check=False)).verified is None


def test_what_is_no_archive_is_rejected(server: FileServer, titanic: LocalCompetition) -> None:
    server.files["/page/spaceship-titanic.zip"] = b"<html>Please sign in</html>"
    with pytest.raises(PreparationError, match="not a complete zip archive"):
        prepare(titanic, PrepareOptions(mirror=f"{server.url}/page"))
    assert not titanic.archive.exists()


def test_a_mirror_that_refuses(server: FileServer, titanic: LocalCompetition) -> None:
    server.always["/closed/spaceship-titanic.zip"] = Answer(status=403)
    with pytest.raises(DownloadError, match=r"closed/spaceship-titanic.zip cannot be downloaded: .* 403"):
        prepare(titanic, PrepareOptions(mirror=f"{server.url}/closed"))


def test_a_mirror_that_does_not_exist(titanic: LocalCompetition, tmp_path: Path) -> None:
    with pytest.raises(MlebenchError, match=r"The mirror .*/none does not exist"):
        prepare(titanic, PrepareOptions(mirror=str(tmp_path / "none")))
