"""Downloading large files over connections that break: resume, retry with growing pauses, check while streaming."""

from __future__ import annotations

import hashlib
import http.client
import random
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol

from mlebench.base import progress as reporting
from mlebench.base.wording import plain
from mlebench.errors import MlebenchError

_CHUNK = 1 << 20
_ATTEMPTS = 6  # in a row that do not get further
_ATTEMPTS_UNHEARD = 3  # of a server that has not answered at all: the address may be wrong
_TIMEOUT = 60.0
_LONGEST_WAIT = 300.0
BUSY = {408, 425, 429, 500, 502, 503, 504}

Progress = Callable[[int, int | None], None]


class DownloadError(MlebenchError):
    """A download that cannot succeed by trying again; `status` is the HTTP status, if there was one."""

    def __init__(self, sentence: str, *, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(sentence, hint=hint)
        self.status = status


class TryAgainError(Exception):
    """A download that may succeed after a pause, of at least `after` seconds if the server says so.

    `unheard` says that there was no server at all.
    """

    def __init__(self, reason: str, after: float = 0.0, *, unheard: bool = False) -> None:
        super().__init__(reason)
        self.after = after
        self.unheard = unheard


@dataclass(frozen=True)
class Stream:
    """The rest of a remote file: where it begins, how large the whole file is, and its bytes."""

    offset: int
    total: int | None
    chunks: Iterator[bytes]


class Remote(Protocol):
    """A file that can be read from an offset on."""

    @property
    def label(self) -> str:
        """What messages call it."""

    def open(self, offset: int) -> Stream:
        """The file from an offset; a stream that begins at 0 instead means that resuming is not possible."""


@dataclass(frozen=True)
class HttpRemote:
    """A file on a web server."""

    url: str

    @property
    def label(self) -> str:
        """The address without its query, which may hold secrets."""
        return self.url.split("?")[0]

    def open(self, offset: int) -> Stream:
        """Ask for the file from an offset on."""
        request = urllib.request.Request(self.url, headers={"Range": f"bytes={offset}-"} if offset else {})
        try:
            response = urllib.request.urlopen(request, timeout=_TIMEOUT)
        except urllib.error.HTTPError as error:
            if error.code == 416 and offset:
                if error.headers.get("Content-Range") == f"bytes */{offset}":
                    return Stream(offset, offset, iter(()))
                return self.open(0)  # what we have is no beginning of what the server has
            if error.code in BUSY:
                raise TryAgainError(f"the server answered {error.code}", retry_after(error.headers)) from error
            raise DownloadError(
                f"{self.label} cannot be downloaded: the server answered {error.code}.", status=error.code
            ) from error
        except http.client.InvalidURL as error:
            raise DownloadError(f"{self.label} is not an address: {error}.") from error
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            problem = getattr(error, "reason", error)
            unheard = isinstance(problem, ConnectionRefusedError | socket.gaierror)
            raise TryAgainError(_reason(problem), unheard=unheard) from error
        start, total = content_range(response.status, response.headers)
        return Stream(start, total, read_chunks(response))


def _reason(problem: Any) -> str:
    if isinstance(problem, ConnectionRefusedError):
        return "the server refuses the connection"
    if isinstance(problem, socket.gaierror):
        return "no server has this name"
    if isinstance(problem, TimeoutError):
        return "the server does not answer"
    return plain(getattr(problem, "strerror", None) or str(problem), 200)


def content_range(status: int, headers: Any) -> tuple[int, int | None]:
    """(where the body begins in the file, size of the file) of a response to a request for a range."""
    if status != 206:
        length = headers.get("Content-Length", "")
        return 0, int(length) if length.isdecimal() else None
    place = headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", place)
    if found is None:
        raise TryAgainError(f"the server sent a part of the file that it calls {place!r}")
    start, total = found.groups()
    return int(start), int(total) if total.isdecimal() else None


def retry_after(headers: Any) -> float:
    """How many seconds a busy server asks to wait, which it may say as a date; 0 if it does not."""
    value = headers.get("Retry-After", "")
    if value.isdecimal():
        return float(value)
    try:
        return parsedate_to_datetime(value).timestamp() - time.time()
    except ValueError:
        return 0.0


def read_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a stream; a connection that breaks is a reason to try again."""
    with stream:
        while True:
            try:
                chunk = stream.read(_CHUNK)
            except (OSError, http.client.HTTPException) as error:
                raise TryAgainError(f"the connection broke ({error})") from error
            if not chunk:
                return
            yield chunk


@dataclass(frozen=True)
class FileSystemRemote:
    """A file on anything that fsspec can open, such as s3:// or gs://."""

    url: str

    @property
    def label(self) -> str:
        """The address."""
        return self.url

    def open(self, offset: int) -> Stream:
        """Open the file and go to the offset."""
        try:
            import fsspec
        except ImportError as error:
            raise DownloadError(
                f"Reading {self.url} needs fsspec, which is not installed.",
                hint="Run: pip install 'mlebench[mirror]'",
            ) from error
        try:
            file = fsspec.open(self.url, "rb").open()
        except (ImportError, ValueError) as error:  # no such kind of address, or its part of fsspec is missing
            raise DownloadError(f"{self.url} cannot be read: {error}.") from error
        except FileNotFoundError as error:
            raise DownloadError(f"There is no file {self.url}.", status=404) from error
        except PermissionError as error:
            raise DownloadError(f"{self.url} may not be read: {error}.", status=403) from error
        except OSError as error:
            raise TryAgainError(str(error)) from error
        size = getattr(file, "size", None)
        start = offset if size is None or offset <= size else 0
        file.seek(start)
        return Stream(start, size, read_chunks(file))


def fetch(
    remote: Remote,
    target: Path,
    *,
    progress: Progress | None = None,
    before: Callable[[int], None] | None = None,
    pause: float = 1.0,
) -> str:
    """Download to a file, which appears when it is complete; returns its md5.

    What an earlier attempt left beside it is continued. `before` is called with the number of bytes that
    are still to come, before the first of them is read.
    """
    with reporting.stage("download", unit="bytes") as stage:

        def received(done: int, total: int | None) -> None:
            stage.reach(done, total)
            if progress is not None:
                progress(done, total)

        return _fetched(remote, target, received, before, pause)


def _fetched(
    remote: Remote, target: Path, progress: Progress, before: Callable[[int], None] | None, pause: float
) -> str:
    path = target.with_name(f"{target.name}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    with path.open("r+b") as file:
        partial = _Partial(file)
        furthest, failures, heard = partial.size, 0, False
        while True:
            try:
                _receive(remote, partial, progress, before)
                break
            except TryAgainError as problem:
                failures = 0 if partial.size > furthest else failures + 1
                furthest = max(furthest, partial.size)
                heard = heard or not problem.unheard
                if failures >= (_ATTEMPTS if heard else _ATTEMPTS_UNHEARD):
                    kept = f"The {partial.size:,} bytes that have arrived are kept. " if partial.size else ""
                    raise DownloadError(
                        f"{remote.label} cannot be downloaded: {problem}, {failures} times in a row.",
                        hint=f"{kept}Run the same command again to go on.",
                    ) from problem
                _wait(problem, failures if heard else failures - 1, pause)
    path.replace(target)
    return partial.digest.hexdigest()


class _Partial:
    """The beginning of a file on disk, and its running md5."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.keep(file.seek(0, 2))

    def keep(self, size: int) -> None:
        """Keep only the first `size` bytes."""
        self._file.truncate(size)
        self._file.seek(0)
        self.size, self.digest = 0, _md5()
        while chunk := self._file.read(_CHUNK):
            self._count(chunk)

    def append(self, chunk: bytes) -> None:
        """Write what comes next."""
        self._file.write(chunk)
        self._count(chunk)

    def _count(self, chunk: bytes) -> None:
        self.digest.update(chunk)
        self.size += len(chunk)


def _receive(remote: Remote, partial: _Partial, progress: Progress, before: Callable[[int], None] | None) -> None:
    """Get the rest of the file, or as much of it as one connection delivers before it breaks."""
    stream = remote.open(partial.size)
    if stream.offset > partial.size:
        raise TryAgainError("the server left a part of the file out")
    if stream.offset < partial.size:
        partial.keep(stream.offset)
    if before is not None and stream.total is not None:
        before(stream.total - partial.size)
    for chunk in stream.chunks:
        partial.append(chunk)
        progress(partial.size, stream.total)
    if stream.total is not None and partial.size < stream.total:
        raise TryAgainError("the connection was closed early")


def _wait(problem: TryAgainError, failures: int, pause: float) -> None:
    """Longer with each failure, never in step with others, and no shorter than the server asks for."""
    time.sleep(max(min(problem.after, _LONGEST_WAIT), pause * 2**failures * random.uniform(0.5, 1.0)))


def _md5() -> hashlib._Hash:
    return hashlib.md5(usedforsecurity=False)


def md5_of(path: Path) -> str:
    """The md5 of a file."""
    with (
        reporting.stage("verify", path.name, total=path.stat().st_size, unit="bytes") as stage,
        path.open("rb") as file,
    ):
        return hashlib.file_digest(reporting.counted(file, stage), _md5).hexdigest()  # type: ignore[arg-type]
