"""The handles that a preparation works with: raw data to read from, public and private folders to fill.

The verbs own speed and safety, so that a competition says only what goes where.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from mlebench.data import tables
from mlebench.data.archives import (
    SMALL_FILE,
    Source,
    ZipMember,
    ZipReader,
    open_table,
    read_source,
    reporting_damage,
    safe_path,
    unpack,
    write_7z,
    write_zip,
)
from mlebench.data.csv_reader import read_lean_csv
from mlebench.data.rows import StoredRows
from mlebench.data.unzip import copy_in_processes
from mlebench.errors import PreparationError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_WORKERS = 4  # threads that wait for the disk, not for the processor
_MANY = 5000  # files that are worth starting a process for
_T = TypeVar("_T")


class Files:
    """Files that can be read by name: a folder, or the inside of an archive."""

    label: str

    def names(self, pattern: str = "*") -> list[str]:
        """The names of all files that match a pattern, sorted; `*` also matches `/`."""
        return [name for name in self._sorted_names if fnmatchcase(name, pattern)]

    def __getitem__(self, name: str) -> Source:
        """The file with this name, not yet read."""
        raise NotImplementedError

    def __contains__(self, name: str) -> bool:
        """Whether there is a file with this name."""
        raise NotImplementedError

    def read_csv(self, name: str, **options: Any) -> pd.DataFrame:
        """Read a table; options are those of pandas.read_csv. A zip archive with one CSV file is read as such."""
        source = self[name]
        try:
            with reporting_damage(f"{self.label}/{name}"), open_table(source) as stream:
                return tables.read_csv(stream, **options)
        except (ValueError, UnicodeError) as error:  # pandas' parser errors are ValueErrors
            raise PreparationError(f"{self.label}/{name} cannot be read as CSV: {error}") from error

    def read_lean_csv(self, name: str) -> pd.DataFrame:
        """Read a large table in little memory: small integer types, and text in Arrow's form instead of objects."""
        source = self[name]
        try:
            with reporting_damage(f"{self.label}/{name}"):
                return read_lean_csv(lambda: open_table(source))
        except (ValueError, UnicodeError) as error:
            raise PreparationError(f"{self.label}/{name} cannot be read as CSV: {error}") from error

    def read_bytes(self, name: str) -> bytes:
        """The whole content of a file."""
        return read_source(self[name])

    def read_text(self, name: str) -> str:
        """The whole content of a UTF-8 text file, line ends as they are."""
        return self.read_bytes(name).decode("utf-8")

    def folder(self, name: str) -> Files:
        """The files of a folder below this one, by their names within it."""
        raise NotImplementedError

    @cached_property
    def _sorted_names(self) -> list[str]:
        return sorted(self._all_names())

    def _all_names(self) -> Iterable[str]:
        raise NotImplementedError


class RawFiles(Files):
    """The raw data of a competition, whether it is unpacked or still in its archive."""

    scratch: Path

    def path(self, name: str) -> Path:
        """The path of a file that must be there, for what needs a real file."""
        raise NotImplementedError

    def archive(self, name: str) -> Files:
        """The inside of an archive: zip is read in place, 7z and tar are unpacked first."""
        path, label = self.path(name), f"{self.label}/{name}"
        if path.suffix == ".zip":
            return ArchiveFiles(ZipReader(path), label)
        unpacked = self.scratch / f".unpacked-{name.replace('/', '-')}"
        if not unpacked.is_dir():
            unpack(path, unpacked)
        return RawFolder(unpacked, label)

    def stored_rows(self, name: str) -> StoredRows:
        """The rows of a CSV file that outgrows memory, to be picked by position."""
        try:
            return StoredRows(self[name], self.scratch)
        except (ValueError, UnicodeError) as error:
            raise PreparationError(f"{self.label}/{name} cannot be read as CSV: {error}") from error


class RawFolder(RawFiles):
    """Raw data in a folder."""

    def __init__(self, path: Path, label: str = "raw") -> None:
        self.root = self.scratch = path
        self.label = label

    def path(self, name: str) -> Path:
        """The path of a file or folder that must be there."""
        path = self.root / name
        if not path.exists():
            raise _lacking(name)
        return path

    def __getitem__(self, name: str) -> Source:
        return self.path(name)

    def __contains__(self, name: str) -> bool:
        return (self.root / name).exists()

    def folder(self, name: str) -> RawFolder:
        """A folder below this one."""
        return RawFolder(self.path(name), f"{self.label}/{name}")

    def _all_names(self) -> Iterable[str]:
        for parent, folders, names in os.walk(self.root):
            folders[:] = [each for each in folders if not each.startswith(".unpacked-")]
            below = Path(parent).relative_to(self.root).as_posix()
            yield from names if below == "." else (f"{below}/{name}" for name in names)


class RawArchive(RawFiles):
    """Raw data read in place from its zip archive: what a preparation does not ask for is never unpacked.

    Files go from the archive straight to where they belong. Only what needs a real file, such as an archive within the
    archive, is put into the folder `scratch`.
    """

    def __init__(self, reader: ZipReader, scratch: Path) -> None:
        self._reader = reader
        self.scratch = scratch
        self.label = "raw"
        self._lock = Lock()

    def path(self, name: str) -> Path:
        """The path of a file, which is unpacked when it is first asked for."""
        member = self[name]
        assert isinstance(member, ZipMember)
        path = safe_path(self.scratch, name, self._reader.path.name)
        with self._lock:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                member.copy_to(str(path))
        return path

    def __getitem__(self, name: str) -> Source:
        if name not in self._reader:
            raise _lacking(name)
        return self._reader.member(name)

    def __contains__(self, name: str) -> bool:
        return name in self._reader or any(each.startswith(f"{name}/") for each in self._reader.names())

    def folder(self, name: str) -> Files:
        """A folder of the archive."""
        if name not in self:
            raise _lacking(name)
        return ArchiveFiles(self._reader, f"{self.label}/{name}", f"{name}/")

    def _all_names(self) -> Iterable[str]:
        return self._reader.names()


def _lacking(name: str) -> PreparationError:
    return PreparationError(
        f"The raw data lacks {name}.",
        hint="The archive may be incomplete or of another competition; download it again.",
    )


class ArchiveFiles(Files):
    """The files inside a zip archive, or inside one folder of it."""

    def __init__(self, reader: ZipReader, label: str, prefix: str = "") -> None:
        self._reader = reader
        self.label = label
        self._prefix = prefix

    def __getitem__(self, name: str) -> Source:
        return self._reader.member(self._prefix + name)

    def __contains__(self, name: str) -> bool:
        return self._prefix + name in self._reader

    def folder(self, name: str) -> ArchiveFiles:
        """A folder of the archive."""
        return ArchiveFiles(self._reader, f"{self.label}/{name}", f"{self._prefix}{name}/")

    def _all_names(self) -> Iterable[str]:
        names = self._reader.names()
        return (name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix))


class OutputFolder:
    """A folder that a preparation fills: public/ or private/.

    `link` says that files may be hard-linked instead of copied, which is safe when the raw folder is thrown away
    afterwards. `progress`, if given, is told how many files were placed.
    """

    def __init__(self, path: Path, *, link: bool = False, progress: Callable[[int], None] | None = None) -> None:
        self.root = path
        self._link = link
        self._progress = progress
        path.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        """The path of a file to write; the folders above it are made."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write_csv(self, name: str, frame: pd.DataFrame, **options: Any) -> None:
        """Write a table as CSV without its index; `….csv.zip` wraps it in an archive. Options are pandas' own."""
        tables.write_csv(self.path(name), frame, **options)

    def write_rows(self, name: str, rows: StoredRows, positions: NDArray[np.int64]) -> None:
        """Write stored rows as CSV, those at these positions in this order."""
        with self.path(name).open("wb") as file:
            rows.write(file, positions)

    def write_text(self, name: str, text: str) -> None:
        """Write a UTF-8 text file, line ends as they are."""
        self.write_bytes(name, text.encode("utf-8"))

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write a file."""
        self.path(name).write_bytes(content)

    def place(self, files: Mapping[str, Source]) -> None:
        """Put files, unchanged, where they belong: new name -> source. Linked where that is safe, else copied."""
        for folder in {name.rpartition("/")[0] for name in files}:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        # Text instead of paths here: making path objects would take longer than writing the small files.
        root = str(self.root)
        targets = [(f"{root}/{name}", source) for name, source in files.items()]
        if self._copied_by_processes(targets):
            return
        workers = 1 if self._is_small_work(targets) else _WORKERS
        _in_threads(lambda item: self._place_one(*item), targets, workers)

    def _copied_by_processes(self, targets: list[tuple[str, Source]]) -> bool:
        """Copy many small members of one zip archive in several processes, if that is what these files are."""
        if len(targets) < _MANY or not hasattr(os, "pread"):
            return False
        members = [(source, target) for target, source in targets if isinstance(source, ZipMember)]
        jobs = [job for source, target in members if (job := source.job(target)) is not None]
        if len(jobs) < len(targets) or len({source.reader for source, _ in members}) > 1:
            return False
        try:
            copy_in_processes(str(members[0][0].reader.path), jobs, os.cpu_count() or 1)
        except (ValueError, OSError):  # once more, one by one, which finds the file and says what is wrong with it
            return False
        self._advance(len(jobs))
        return True

    def _is_small_work(self, targets: list[tuple[str, Source]]) -> bool:
        """Whether each file takes so little that threads would only wait for each other."""
        if not targets:
            return True
        source = targets[len(targets) // 2][1]
        if isinstance(source, ZipMember):
            return source.info.file_size < SMALL_FILE
        return self._link or source.stat().st_size < SMALL_FILE

    def place_each(self, ids: Iterable[Any], files: Files, pattern: str, *, to: str | None = None) -> None:
        """Put one file per id: `pattern` and `to` are names with {} for the id, e.g. "train/{}.jpg".

        Without `to` the files keep their names.
        """
        to = to or pattern
        self.place({to.format(each): files[pattern.format(each)] for each in ids})

    def place_folder(self, name: str, files: Files, *, below: str = "") -> None:
        """Put all files of a folder or archive (those below a prefix) under a new folder name, unchanged."""
        prefix = f"{below.rstrip('/')}/" if below else ""
        into = f"{name.rstrip('/')}/" if name else ""
        self.place({into + each[len(prefix) :]: files[each] for each in files.names(f"{prefix}*")})

    def write_zip(self, name: str, members: Mapping[str, Source | bytes]) -> None:
        """Build a zip archive: member name -> source or content."""
        write_zip(self.path(name), members)
        self._advance(len(members))

    def write_7z(self, name: str, members: Mapping[str, Source | bytes]) -> None:
        """Build a 7z archive: member name -> source or content."""
        write_7z(self.path(name), members)
        self._advance(len(members))

    def _place_one(self, target: str, source: Source) -> None:
        if isinstance(source, ZipMember):
            source.copy_to(target)
        else:
            self._link_or_copy(source, target)
        self._advance(1)

    def _link_or_copy(self, source: Path, target: str) -> None:
        if self._link:
            try:
                os.link(source, target)
            except OSError:  # another file system, or one without links
                pass
            else:
                return
        try:
            shutil.copyfile(source, target)
        except FileNotFoundError as error:
            raise PreparationError(
                f"The raw data lacks {source.name}.", hint="The archive looks incomplete."
            ) from error

    def _advance(self, count: int) -> None:
        if self._progress is not None:
            self._progress(count)


def _in_threads(function: Callable[[_T], None], items: list[_T], workers: int) -> None:
    """Apply a function to all items in a few threads, a batch at a time to keep the bookkeeping small."""

    def run(batch: list[_T]) -> None:
        for item in batch:
            function(item)

    if workers == 1 or len(items) < 2 * workers:
        run(items)
        return
    size = max(1, len(items) // (workers * 8))
    batches = [items[start : start + size] for start in range(0, len(items), size)]
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(run, batches):
            pass
