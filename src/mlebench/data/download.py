"""Downloading large files over connections that break: resume, retry with growing pauses, check while streaming."""

from __future__ import annotations

import hashlib
import http.client
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from mlebench.errors import MlebenchError

_CHUNK = 1 << 20
_ATTEMPTS = 6  # in a row without a single new byte
_TIMEOUT = 60.0
BUSY = {408, 425, 429, 500, 502, 503, 504}

Progress = Callable[[int, int | None], None]


class DownloadError(MlebenchError):
    """A download that cannot succeed by trying again; `status` is the HTTP status, if there was one."""

    def __init__(self, sentence: str, *, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(sentence, hint=hint)
        self.status = status


class TryAgainError(Exception):
    """A download that may succeed after a pause, of at least `after` seconds if the server says so."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


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
            raise _http_problem(self.label, error.code, error.headers.get("Retry-After")) from error
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            raise TryAgainError(str(getattr(error, "reason", error))) from error
        start, total = content_range(response.status, response.headers)
        return Stream(start, total, read_chunks(response))


def content_range(status: int, headers: Any) -> tuple[int, int | None]:
    """(where the body begins in the file, size of the file) of a response to a request for a range."""
    length = headers.get("Content-Length")
    if status != 206:
        return 0, int(length) if length else None
    place = headers.get("Content-Range", "")  # bytes 100-199/200
    start, _, total = place.removeprefix("bytes ").replace("-", "/", 1).split("/")
    return int(start), int(total) if total.isdigit() else None


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


def _http_problem(label: str, status: int, retry_after: str | None) -> Exception:
    if status in BUSY:
        return TryAgainError(f"the server answered {status}", float(retry_after or 0))
    return DownloadError(f"{label} cannot be downloaded: the server answered {status}.", status=status)


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
        except ImportError as error:  # the part of fsspec for this kind of address
            raise DownloadError(f"{self.url} cannot be read: {error}.") from error
        except FileNotFoundError as error:
            raise DownloadError(f"There is no file {self.url}.", status=404) from error
        except PermissionError as error:
            raise DownloadError(f"{self.url} may not be read: {error}.", status=403) from error
        except (OSError, ValueError) as error:
            raise TryAgainError(str(error)) from error
        if offset:
            file.seek(offset)
        return Stream(offset, getattr(file, "size", None), read_chunks(file))


def fetch(
    remote: Remote,
    target: Path,
    *,
    progress: Progress | None = None,
    before: Callable[[int], None] | None = None,
    pause: float = 1.0,
) -> str:
    """Download to a file, which appears when it is complete; gives its md5.

    What an earlier attempt left beside it is continued. `before` is told how many bytes are still to come, before the
    first of them is read.
    """
    partial = target.with_name(f"{target.name}.partial")
    partial.parent.mkdir(parents=True, exist_ok=True)
    partial.touch()
    digest, failures = _md5_of(partial), 0
    with partial.open("r+b") as file:
        while True:
            received = 0
            offset = file.seek(0, 2)
            try:
                stream = remote.open(offset)
                if stream.offset != offset:
                    file.seek(stream.offset)
                    file.truncate()
                    digest = _md5_of(partial, stream.offset)
                    offset = stream.offset
                if before is not None and stream.total is not None:
                    before(stream.total - offset)
                for chunk in stream.chunks:
                    file.write(chunk)
                    digest.update(chunk)
                    received += len(chunk)
                    if progress is not None:
                        progress(offset + received, stream.total)
                if stream.total is None or offset + received >= stream.total:
                    break
                raise TryAgainError("the connection was closed early")
            except TryAgainError as problem:
                file.flush()
                failures = 0 if received else failures + 1
                if failures >= _ATTEMPTS:
                    raise DownloadError(
                        f"{remote.label} cannot be downloaded: {problem}, {failures} times in a row.",
                        hint="What has arrived is kept; run the same command again to go on.",
                    ) from problem
                _wait(problem, failures, pause)
            except DownloadError as problem:
                # 416: the partial file is no beginning of what the server has.
                if problem.status != 416 or offset == 0:
                    raise
                file.truncate(0)
                digest = hashlib.md5()
    partial.replace(target)
    return digest.hexdigest()


def _wait(problem: TryAgainError, failures: int, pause: float) -> None:
    """Longer with each failure, never in step with others, and no shorter than the server asks for."""
    time.sleep(max(min(problem.after, 300.0), pause * 2**failures * random.uniform(0.5, 1.0)))


def _md5_of(path: Path, size: int | None = None) -> hashlib._Hash:
    """The running md5 of (the beginning of) a file."""
    digest = hashlib.md5()
    left = path.stat().st_size if size is None else size
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(_CHUNK, left))):
            digest.update(chunk)
            left -= len(chunk)
    return digest


def md5_of(path: Path) -> str:
    """The md5 of a file."""
    return _md5_of(path).hexdigest()
