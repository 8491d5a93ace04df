"""The handle on raw data that a preparation reads from: a folder, an archive, or the inside of one.

The verbs own speed and safety, so that a competition says only what goes where.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from mlebench.base import progress
from mlebench.errors import PreparationError
from mlebench.files import tables
from mlebench.files.bson import BsonFile
from mlebench.files.csv_errors import csv_problem
from mlebench.files.csv_reader import read_lean_csv
from mlebench.files.damage import lacking, reporting_damage
from mlebench.files.json_lists import read_items
from mlebench.files.parquet import read_batches
from mlebench.files.rows import StoredRows
from mlebench.files.safe_names import check_inside, safe_path
from mlebench.files.source import Source, StoredFile
from mlebench.files.streams import open_source, open_table, read_source
from mlebench.files.unpacking import tar_names, unpack
from mlebench.files.zip_reader import ZipReader

if TYPE_CHECKING:
    import pandas as pd

_LARGE_PIECE = 1 << 20  # bytes of a stream that are read at a time


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

    def read_csv(
        self,
        name: str,
        *,
        lean: bool = False,
        in_pieces: bool = False,
        as_pandas_2: bool = False,
        text: Collection[str] = (),
        **options: Any,
    ) -> pd.DataFrame:
        """Read a table; options are those of pandas.read_csv. A zip archive with one CSV file is read as such.

        `lean` is for large tables, which it reads in parallel and in a small part of the memory: whole numbers in the
        smallest type that holds them, and text in Arrow's form instead of Python objects. It takes no options. It is
        asked for and not chosen by size, so that a small twin takes the same path as the real data.

        With `in_pieces` the texts of a lean column are not copied together into one piece. That is quicker where rows
        are only masked, as by `write_csv` and `rows_where`, and slower where they are taken in some order.

        `as_pandas_2` reads floats as pandas 2 does by default, where long ones may be off in the last digit, for the
        competitions whose published data shows it.

        `text` are columns of text, whatever is in them: words such as NA are no missing values there. They are not
        read in the lean way.
        """
        lean = lean and not text
        source = self._large_table(name) if lean else self[name]
        try:
            with reporting_damage(f"{self.label}/{name}"):
                if lean:
                    return read_lean_csv(lambda: open_table(source), in_pieces=in_pieces)
                with open_table(source) as stream:
                    if as_pandas_2:
                        return tables.read_csv_as_pandas_2(stream.read(), **options)
                    return tables.read_csv(stream, text=text, **options)
        except (ValueError, UnicodeError) as error:  # pandas' parser errors are ValueErrors
            raise PreparationError(f"{self.label}/{name} cannot be read as CSV: {csv_problem(error)}.") from error

    def _large_table(self, name: str) -> Source:
        """A table that is read from its beginning more than once."""
        return self[name]

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

    def digests(self, names: Iterable[str]) -> list[str]:
        """A digest of the content of each file, by which equal files are found."""
        import hashlib

        return [hashlib.md5(self.read_bytes(name), usedforsecurity=False).hexdigest() for name in names]

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
        from mlebench.files.tfrecord_reader import text_features

        return text_features(self.path(name), feature)

    def bson(self, name: str) -> BsonFile:
        """The documents of a BSON file of any size, read as a stream and not decoded."""
        return BsonFile(self[name], f"{self.label}/{name}")

    def _large_table(self, name: str) -> Source:
        # An archive within the archive is unpacked to disk; it would have to be in memory to be read in place.
        return StoredFile(self.path(name)) if name.endswith(".zip") else self[name]

    def stored_rows(self, name: str, *, keep: Sequence[str] = (), text: Collection[str] = ()) -> StoredRows:
        """The rows of a CSV file that outgrows memory, to be picked by position.

        It is also the fast way to split a table of whole numbers: what is as it will be written is not parsed.
        The columns named in `keep` stay in memory too, as the table `kept`: what decides which rows to pick. The
        columns `text` are text, whatever they look like. A zip archive with one CSV file is read as such.
        """
        try:
            return StoredRows(self._large_table(name), self.scratch, keep=keep, text=text)
        except (ValueError, UnicodeError) as error:
            raise PreparationError(f"{self.label}/{name} cannot be read as CSV: {csv_problem(error)}.") from error


class RawFolder(Raw):
    """Raw data in a folder."""

    def __init__(self, path: Path, label: str = "raw") -> None:
        self.root = self.scratch = path
        self.label = label

    def path(self, name: str) -> Path:
        """The path of a file or folder that must be there, below this one."""
        check_inside([name])
        path = self.root / name
        if not path.exists():
            raise lacking(name)
        return path

    def unpacked(self) -> Path:
        """The folder itself."""
        return self.root

    def __getitem__(self, name: str) -> Source:
        return StoredFile(self.path(name))

    def __contains__(self, name: str) -> bool:
        return (self.root / name).exists()

    def folder(self, name: str) -> RawFolder:
        """A folder below this one."""
        return RawFolder(self.path(name), f"{self.label}/{name}")

    def _all_names(self) -> Iterable[str]:
        for parent, folders, names in os.walk(self.root):
            folders[:] = [folder for folder in folders if not folder.startswith(".unpacked-")]
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
        path = safe_path(self.scratch, name, self._reader.path.name)
        with self._lock:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                with progress.stage("unpack", member.name, total=member.size, unit="bytes") as stage:
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
            raise lacking(name)
        return self._reader.member(name)

    def __contains__(self, name: str) -> bool:
        return name in self._reader or any(member.startswith(f"{name}/") for member in self._reader.names())

    def folder(self, name: str) -> Files:
        """A folder of the archive."""
        if name not in self:
            raise lacking(name)
        return ArchiveFiles(self._reader, f"{self.label}/{name}", f"{name}/")

    def _all_names(self) -> Iterable[str]:
        return self._reader.names()


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
