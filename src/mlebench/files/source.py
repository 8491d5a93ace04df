"""Content that is somewhere, and is read only when it is asked for: a file, a member of an archive, or bytes in memory.

Whoever reads a source need not know which of these it is.
"""

from __future__ import annotations

import io
import os
import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from mlebench.base import progress
from mlebench.errors import PreparationError
from mlebench.files.unzip import Job, write_small

CHUNK = 1 << 20
SMALL_FILE = 64 << 10
LARGE_FILE = 8 * CHUNK  # read a piece at a time; what is smaller is read in one go, which is quicker


class Compressed(NamedTuple):
    """Content as a zip archive holds it: the bytes, how they are compressed, and what they unpack to."""

    data: bytes
    method: int
    crc: int
    size: int


class Source(ABC):
    """Content that can be read, wherever it is."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The file name without folders."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many bytes it has."""

    @property
    def label(self) -> str:
        """What a message calls it."""
        return self.name

    @property
    def archive(self) -> Path | None:
        """The zip archive that it is a member of, if it is."""
        return None

    @abstractmethod
    def open(self) -> BinaryIO:
        """A stream of the content."""

    @abstractmethod
    def read(self) -> bytes:
        """The whole content."""

    @abstractmethod
    def copy_to(self, path: str, stage: progress.Stage | None = None, *, link: bool = False) -> None:
        """Write the content to a new file; its bytes are progress of a stage, if one is given.

        With `link` the new file may be a hard link.
        """

    def compressed(self) -> Compressed | None:
        """The content still compressed, where it is a member of a zip archive."""
        return None

    def job(self, target: str) -> Job | None:
        """What it takes to copy it among many small members of one zip archive; None if it is none."""
        return None


@dataclass(frozen=True)
class StoredFile(Source):
    """A regular file."""

    path: Path

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        """The file name without folders."""
        return self.path.name

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.path.stat().st_size

    def open(self) -> BinaryIO:
        """A stream of the content."""
        return self.path.open("rb")

    def read(self) -> bytes:
        """The whole content."""
        return self.path.read_bytes()

    def copy_to(self, path: str, stage: progress.Stage | None = None, *, link: bool = False) -> None:
        """Write the content to a new file, or make that a hard link where it may be one."""
        if not (link and self._linked(path)):
            try:
                shutil.copyfile(self.path, path)
            except FileNotFoundError as error:
                raise PreparationError(
                    f"The raw data lacks {self.name}.", hint="The archive looks incomplete."
                ) from error
        if stage is not None:
            stage.advance(self.size)

    def _linked(self, path: str) -> bool:
        if self.path.is_symlink():  # a link to a link would lead elsewhere from its new place
            return False
        try:
            os.link(self.path, path)
        except OSError:  # another file system, or one without links
            return False
        return True


@dataclass(frozen=True)
class InMemory(Source):
    """Bytes that are in memory already."""

    content: bytes

    @property
    def name(self) -> str:
        """Bytes have no name."""
        return ""

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.content)

    def open(self) -> BinaryIO:
        """A stream of the content."""
        return io.BytesIO(self.content)

    def read(self) -> bytes:
        """The content."""
        return self.content

    def copy_to(self, path: str, stage: progress.Stage | None = None, *, link: bool = False) -> None:
        """Write the content to a new file."""
        write_small(path, self.content)
        if stage is not None:
            stage.advance(self.size)


# What the verbs of a handle take for a source.
Content: TypeAlias = Source | Path | bytes


def as_source(content: Content) -> Source:
    """The source that a path or bytes stand for; a source is one already."""
    if isinstance(content, Source):
        return content
    return InMemory(content) if isinstance(content, bytes) else StoredFile(Path(content))
