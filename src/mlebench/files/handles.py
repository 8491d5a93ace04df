"""The handles that a preparation works with: raw data to read from, public and private folders to fill.

The verbs own speed and safety, so that a competition says only what goes where.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PureWindowsPath
from threading import Lock
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

from mlebench.base import progress
from mlebench.base.processes import available_processes
from mlebench.base.wording import quote
from mlebench.errors import PreparationError
from mlebench.files import tables
from mlebench.files.archives import (
    SMALL_FILE,
    Source,
    ZipMember,
    ZipReader,
    open_source,
    open_table,
    read_source,
    repack_tar,
    reporting_damage,
    safe_path,
    source_size,
    tar_names,
    text_stream,
    unpack,
    write_7z,
    write_tar,
    write_zip,
)
from mlebench.files.bson import BsonFile, write_documents, write_split
from mlebench.files.csv_errors import csv_problem
from mlebench.files.csv_reader import read_lean_csv
from mlebench.files.json_lists import read_items
from mlebench.files.parquet import read_batches, write_batches
from mlebench.files.rows import Change, StoredRows
from mlebench.files.unzip import copy_in_processes

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_WORKERS = 4  # threads that wait for the disk, not for the processor
_MANY = 5000  # files that are worth starting a process for
_FEW = 64  # files that are placed with their bytes counted
_BACKSLASHES = os.sep == "\\"  # on Windows names have more ways to lead elsewhere
_LARGE_PIECE = 1 << 20  # bytes of a stream that are read at a time
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

    def read_csv(self, name: str, *, lean: bool = False, as_pandas_2: bool = False, **options: Any) -> pd.DataFrame:
        """Read a table; options are those of pandas.read_csv. A zip archive with one CSV file is read as such.

        `lean` is for large tables, which it reads in parallel and in a small part of the memory: whole numbers in the
        smallest type that holds them, and text in Arrow's form instead of Python objects. It takes no options. It is
        asked for and not chosen by size, so that a small twin takes the same path as the real data.

        `as_pandas_2` reads floats as pandas 2 does by default, where long ones may be off in the last digit, for the
        competitions whose published data shows it.
        """
        source = self[name]
        try:
            with reporting_damage(f"{self.label}/{name}"):
                if lean:
                    return read_lean_csv(lambda: open_table(source))
                with open_table(source) as stream:
                    if as_pandas_2:
                        return tables.read_csv_as_pandas_2(stream.read(), **options)
                    return tables.read_csv(stream, **options)
        except (ValueError, UnicodeError) as error:  # pandas' parser errors are ValueErrors
            raise PreparationError(f"{self.label}/{name} cannot be read as CSV: {csv_problem(error)}.") from error

    def read_json(self, name: str) -> Any:
        """The content of a JSON file."""
        try:
            return json.loads(self.read_bytes(name))
        except (ValueError, RecursionError) as error:
            place = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
            raise PreparationError(f"{self.label}/{name} cannot be read as JSON{place}.") from error

    def json_items(self, name: str) -> Iterator[Any]:
        """The items of a list in a JSON file, one by one as they are read: it may outgrow memory."""
        source = self[name]
        try:
            with reporting_damage(f"{self.label}/{name}"), open_source(source) as file:
                yield from read_items(file)
        except ValueError as error:
            raise PreparationError(f"{self.label}/{name} cannot be read as a JSON list: {error}.") from error

    def read_parquet(self, name: str) -> pd.DataFrame:
        """Read a Parquet table, text as plain objects."""
        import pandas as pd

        try:
            return tables.with_plain_strings(pd.read_parquet(io.BytesIO(self.read_bytes(name)), engine="pyarrow"))
        except (ValueError, OSError) as error:  # pyarrow's errors are of these kinds
            raise PreparationError(
                f"{self.label}/{name} cannot be read as Parquet.", hint="The archive may be damaged: download it again."
            ) from error

    def read_bytes(self, name: str) -> bytes:
        """The whole content of a file."""
        return read_source(self[name])

    def read_text(self, name: str) -> str:
        """The whole content of a UTF-8 text file, line ends as they are."""
        return self.read_bytes(name).decode("utf-8")

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a UTF-8 text file that outgrows memory, one at a time.

        Each ends in "\\n", however it ended in the file; the last one may lack an end.
        """
        try:
            with (
                reporting_damage(f"{self.label}/{name}"),
                open_source(self[name]) as stream,
                io.BufferedReader(cast("io.RawIOBase", stream), _LARGE_PIECE) as buffer,
            ):
                yield from io.TextIOWrapper(buffer, encoding="utf-8")
        except UnicodeError as error:
            raise PreparationError(f"{self.label}/{name} is not UTF-8 text.") from error

    def folder(self, name: str) -> Files:
        """The files of a folder below this one, by their names within it."""
        raise NotImplementedError

    def renamed(self, names: Mapping[str, str]) -> dict[str, Source]:
        """Files to place or to pack under new names: new name -> old name."""
        return {new: self[old] for new, old in names.items()}

    def numbered(self, names: Iterable[str], pattern: str, *, start: int = 0) -> dict[str, Source]:
        """Files to place or to pack under their number in a list: `pattern` has {} for it, e.g. "test/{:04}.jpg"."""
        return {pattern.format(number): self[name] for number, name in enumerate(names, start)}

    def below(self, folder: str) -> list[str]:
        """The names of all files at any depth below a folder such as "train/4711", sorted."""
        depth = folder.count("/") + 1
        return self._by_folder(depth).get(folder, [])

    def _by_folder(self, depth: int) -> dict[str, list[str]]:
        """All names by the folder they are in at a depth, found once: competitions ask for thousands of folders."""
        if depth not in self._folders:
            found: dict[str, list[str]] = {}
            for name in self._sorted_names:
                parts = name.split("/", depth)
                if len(parts) > depth:
                    found.setdefault("/".join(parts[:depth]), []).append(name)
            self._folders[depth] = found
        return self._folders[depth]

    @cached_property
    def _folders(self) -> dict[int, dict[str, list[str]]]:
        return {}

    @cached_property
    def _sorted_names(self) -> list[str]:
        return sorted(self._all_names())

    def _all_names(self) -> Iterable[str]:
        raise NotImplementedError


class Raw(Files):
    """The raw data of a competition, whether it is unpacked or still in its archive."""

    scratch: Path
    # Downloads what is at an address to a path; None where nothing may be downloaded.
    fetch: Callable[[str, Path], object] | None = None

    def path(self, name: str) -> Path:
        """The path of a file that must be there, for what needs a real file."""
        raise NotImplementedError

    def unpacked(self) -> Path:
        """A folder with all the raw data, for a preparation that works with paths."""
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

    def supplement(self, url: str) -> Files:
        """The inside of a zip archive that belongs to the raw data but is published elsewhere.

        It is read from the raw data where that has it, and downloaded where it does not.
        """
        name = url.rpartition("/")[2]
        if name in self:
            return self.archive(name)
        if self.fetch is None:
            raise PreparationError(
                f"The raw data lacks {name}.", hint=f"Download {url} and put it beside the raw files."
            )
        path = self.scratch / name
        self.fetch(url, path)
        return ArchiveFiles(ZipReader(path), f"{self.label}/{name}")

    def tar_names(self, name: str) -> list[str]:
        """The names of the files in a tar archive, compressed or not, in its order; nothing is unpacked."""
        with reporting_damage(f"{self.label}/{name}"):
            return tar_names(self[name])

    def parquet_batches(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """The rows of a Parquet table that outgrows memory, or some of its columns, about a million rows at a time."""
        try:
            yield from read_batches(self.path(name), columns)
        except (ValueError, OSError) as error:  # pyarrow's errors are of these kinds
            raise PreparationError(f"{self.label}/{name} cannot be read as Parquet: {error}") from error

    def tfrecord_texts(self, name: str, feature: str) -> list[str]:
        """The first value of a text feature of every record of a TFRecord file; pictures are skipped unread."""
        from mlebench.files.tfrecords import text_features

        return text_features(self.path(name), feature)

    def bson(self, name: str) -> BsonFile:
        """The documents of a BSON file of any size, read as a stream and not decoded."""
        return BsonFile(self[name], f"{self.label}/{name}")

    def stored_rows(self, name: str, *, keep: Sequence[str] = (), text: Collection[str] = ()) -> StoredRows:
        """The rows of a CSV file that outgrows memory, to be picked by position.

        The columns named in `keep` stay in memory too, as the table `kept`: what decides which rows to pick. The
        columns `text` are text, whatever they look like. A zip archive with one CSV file is read as such.
        """
        # An archive within the archive is unpacked to disk; it would have to be in memory to be read in place.
        source = self.path(name) if name.endswith(".zip") else self[name]
        try:
            return StoredRows(source, self.scratch, keep=keep, text=text)
        except (ValueError, UnicodeError) as error:
            raise PreparationError(f"{self.label}/{name} cannot be read as CSV: {csv_problem(error)}.") from error


class RawFolder(Raw):
    """Raw data in a folder."""

    def __init__(self, path: Path, label: str = "raw") -> None:
        self.root = self.scratch = path
        self.label = label

    def path(self, name: str) -> Path:
        """The path of a file or folder that must be there, below this one."""
        _check_inside([name])
        path = self.root / name
        if not path.exists():
            raise _lacking(name)
        return path

    def unpacked(self) -> Path:
        """The folder itself."""
        return self.root

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


class RawArchive(Raw):
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
                with progress.stage("unpack", member.name, total=member.info.file_size, unit="bytes") as stage:
                    member.copy_to(str(path), stage)
        return path

    def unpacked(self) -> Path:
        """A folder into which the archive is unpacked when it is first asked for."""
        folder = self.scratch / ".unpacked-raw"
        with self._lock:
            if not folder.is_dir():
                unpack(self._reader.path, folder)
        return folder

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


class Output:
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
        _check_inside([name])
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write_csv(self, name: str, frame: pd.DataFrame, **options: Any) -> None:
        """Write a table as CSV without its index; `….csv.zip` wraps it in an archive. Options are pandas' own."""
        tables.write_csv(self.path(name), frame, **options)

    def write_rows(
        self, name: str, rows: StoredRows, positions: NDArray[np.int64], *, change: Change | None = None
    ) -> None:
        """Write stored rows as CSV, those at these positions in this order.

        `change` is given them as tables, a part at a time, and returns what to write instead: the same rows with other
        columns.
        """
        path = self.path(name)
        with path.open("wb") as file:
            rows.write(file, positions, change, name=path.name)

    def text_stream(self, name: str) -> AbstractContextManager[TextIO]:
        """A UTF-8 text file to write piece by piece, for what outgrows memory; `….txt.zip` packs it into an archive."""
        return text_stream(self.path(name))

    def write_text(self, name: str, text: str) -> None:
        """Write a UTF-8 text file, line ends as they are."""
        self.write_bytes(name, text.encode("utf-8"))

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write a file."""
        self.path(name).write_bytes(content)

    def place(self, files: Mapping[str, Source]) -> None:
        """Put files, unchanged, where they belong: new name -> source. Linked where that is safe, else copied."""
        _check_inside(files)
        for folder in {name.rpartition("/")[0] for name in files}:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        # Text instead of paths here: making path objects would take longer than writing the small files.
        root = str(self.root)
        targets = [(f"{root}/{name}", source) for name, source in files.items()]
        by_bytes = len(targets) <= _FEW and all(isinstance(source, ZipMember) for source in files.values())
        what = targets[0][1].name if len(targets) == 1 else ""
        total = sum(map(source_size, files.values())) if by_bytes else len(targets)
        with progress.stage("place", what, total=total, unit="bytes" if by_bytes else "files") as stage:
            if self._copied_by_processes(targets, stage):
                return
            workers = 1 if self._is_small_work(targets) else _WORKERS
            _in_threads(lambda item: self._place_one(*item, stage, by_bytes), targets, workers)

    def _copied_by_processes(self, targets: list[tuple[str, Source]], stage: progress.Stage) -> bool:
        """Copy many small members of one zip archive in several processes, if that is what these files are."""
        if len(targets) < _MANY or not hasattr(os, "pread"):
            return False
        members = [(source, target) for target, source in targets if isinstance(source, ZipMember)]
        jobs = [job for source, target in members if (job := source.job(target)) is not None]
        if len(jobs) < len(targets) or len({source.reader for source, _ in members}) > 1:
            return False
        try:
            copy_in_processes(str(members[0][0].reader.path), jobs, available_processes(), stage.advance)
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

    def place_split(
        self,
        train: Iterable[Any],
        test: Iterable[Any],
        files: Files,
        pattern: str,
        *,
        to: tuple[str, str] | None = None,
    ) -> None:
        """Put one file per id where its part of the data is: train here, test there.

        Without `to`, files of the train part keep their names, and the word `train` in the name of a test file becomes
        `test`: "train/{}.jpg" and "test/{}.jpg". An id on both sides is an error.
        """
        for_train, for_test = to or (pattern, pattern.replace("train", "test", 1))
        train, test = list(train), list(test)
        _check_disjoint(train, test)
        self.place_each(train, files, pattern, to=for_train)
        self.place_each(test, files, pattern, to=for_test)

    def place_folders(self, ids: Iterable[Any], files: Files, pattern: str, *, to: str | None = None) -> None:
        """Put all files of one folder per id, at any depth: `pattern` and `to` are folder names with {} for the id.

        Without `to` the folders keep their names. A folder without files is an error: the raw data is incomplete.
        """
        to = to or pattern
        placed: dict[str, Source] = {}
        for each in ids:
            source, target = pattern.format(each), to.format(each)
            names = files.below(source)
            if not names:
                raise _lacking(f"{source}/")
            placed.update((target + name[len(source) :], files[name]) for name in names)
        self.place(placed)

    def split_folders(self, train: Iterable[Any], test: Iterable[Any], files: Files, pattern: str) -> None:
        """`place_folders` for both parts: folders of test ids go where `train` in their name becomes `test`."""
        train, test = list(train), list(test)
        _check_disjoint(train, test)
        self.place_folders(train, files, pattern)
        self.place_folders(test, files, pattern, to=pattern.replace("train", "test", 1))

    def place_folder(self, name: str, files: Files, *, below: str = "") -> None:
        """Put all files of a folder or archive (those below a prefix) under a new folder name, unchanged."""
        prefix = f"{below.rstrip('/')}/" if below else ""
        into = f"{name.rstrip('/')}/" if name else ""
        self.place({into + each[len(prefix) :]: files[each] for each in files.names(f"{prefix}*")})

    def write_parquet(self, name: str, frame: pd.DataFrame | Iterable[pd.DataFrame]) -> None:
        """Write a table as a Parquet file, without its index; a table that outgrows memory comes in parts."""
        import pandas as pd

        write_batches(self.path(name), [frame] if isinstance(frame, pd.DataFrame) else frame)

    def write_json(self, name: str, value: Any, **options: Any) -> None:
        """Write a JSON file with the layout of Python's json.dumps, whose options these are; no line end at the end."""
        with progress.stage("write", self.path(name).name):
            self.write_bytes(name, json.dumps(value, **options).encode("ascii"))

    def write_bson(self, name: str, documents: Iterable[bytes]) -> None:
        """Write a BSON file of these documents."""
        with progress.stage("write", self.path(name).name):
            write_documents(self.path(name), documents)
        self._advance(1)

    def split_bson(self, documents: BsonFile, in_test: NDArray[np.bool_], *, to: tuple[str, str], hide: str) -> None:
        """Write the documents of a BSON file into two, for train and for test, where they lose the element `hide`."""
        train, test = to
        with progress.stage("split", documents.label):
            write_split(documents, in_test, self.path(train), self.path(test), hide)
        self._advance(2)

    def write_tar(self, name: str, members: Mapping[str, Source | bytes]) -> None:
        """Build an uncompressed tar archive: member name -> source or content."""
        _check_inside(members)
        write_tar(self.path(name), members)
        self._advance(len(members))

    def repack_tar(self, source: Source, archives: Mapping[str, Mapping[str, str]]) -> None:
        """Build uncompressed tar archives from the members of another: archive name -> (new member -> old member).

        For archives that are too large to unpack first: the old one is read once, from front to back.
        """
        repack_tar(source, {self.path(name): members for name, members in archives.items()})
        self._advance(sum(map(len, archives.values())))

    def write_zip(self, name: str, members: Mapping[str, Source | bytes]) -> None:
        """Build a zip archive: member name -> source or content."""
        _check_inside(members)
        write_zip(self.path(name), members)
        self._advance(len(members))

    def write_7z(self, name: str, members: Mapping[str, Source | bytes]) -> None:
        """Build a 7z archive: member name -> source or content."""
        _check_inside(members)
        write_7z(self.path(name), members)
        self._advance(len(members))

    def _place_one(self, target: str, source: Source, stage: progress.Stage, by_bytes: bool) -> None:
        if isinstance(source, ZipMember):
            source.copy_to(target, stage if by_bytes else None)
        else:
            self._link_or_copy(source, target)
        if not by_bytes:
            stage.advance()
        self._advance(1)

    def _link_or_copy(self, source: Path, target: str) -> None:
        if self._link and not source.is_symlink():  # a link to a link would lead elsewhere from its new place
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


def _check_inside(names: Iterable[str]) -> None:
    """No name leads outside of its folder: names come from tables of the raw data, which anybody may have written."""
    for name in names:  # there may be a million of them
        if name[:1] == "/" or (".." in name and ".." in name.split("/")) or (_BACKSLASHES and _leads_outside(name)):
            raise PreparationError(
                f"The raw data names a file {quote(name)}, which would be outside the target folder."
            )


def _leads_outside(name: str) -> bool:
    path = PureWindowsPath(name)
    return bool(path.drive or path.root) or ".." in path.parts


def _check_disjoint(train: Iterable[Any], test: Iterable[Any]) -> None:
    both = set(train).intersection(test)
    if both:
        raise PreparationError(f"{min(map(str, both))} is in the train part and in the test part of the data.")


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
