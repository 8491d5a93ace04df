"""The handle on a folder that a preparation fills: public/ or private/.

The verbs own speed and safety, so that a competition says only what goes where.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from mlebench.base import progress
from mlebench.base.processes import available_processes
from mlebench.errors import PreparationError
from mlebench.files import tables
from mlebench.files.bson import BsonFile, write_documents, write_split
from mlebench.files.damage import lacking
from mlebench.files.packing import repack_tar, text_stream, write_7z, write_tar, write_zip
from mlebench.files.parquet import write_batches
from mlebench.files.raw_files import Files
from mlebench.files.rows import Change, StoredRows
from mlebench.files.safe_names import check_inside
from mlebench.files.source import SMALL_FILE, Content, Source, as_source
from mlebench.files.unzip import copy_in_processes

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_WORKERS = 4  # threads that wait for the disk, not for the processor
_MANY = 5000  # files that are worth starting a process for
_FEW = 64  # files that are placed with their bytes counted
_T = TypeVar("_T")


class Output:
    """A folder that a preparation fills: public/ or private/.

    `link` says that files may be hard-linked instead of copied, which is safe when the raw folder is thrown away
    afterwards. `progress`, if given, is called with the number of files that were placed.
    """

    def __init__(self, path: Path, *, link: bool = False, progress: Callable[[int], None] | None = None) -> None:
        self.root = path
        self._link = link
        self._progress = progress
        self._left_out: tuple[str, ...] = ()
        path.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        """The path of a file to write; the folders above it are made."""
        check_inside([name])
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    @contextmanager
    def leaving_out(self, patterns: Iterable[str]) -> Iterator[None]:
        """Within this block, do without the files whose names match one of these patterns; `*` also matches `/`."""
        self._left_out = tuple(patterns)
        try:
            yield
        finally:
            left_out, self._left_out = self._left_out, ()
        # Files that are placed were never made; what was written piece by piece goes now.
        for path in sorted(self.root.rglob("*"), reverse=True):
            if path.is_file() and _matches(path.relative_to(self.root).as_posix(), left_out):
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()

    def write_csv(
        self, name: str, frame: pd.DataFrame, *, rows: NDArray[np.bool_] | None = None, **options: Any
    ) -> None:
        """Write a table as CSV without its index; `….csv.zip` wraps it in an archive. Options are pandas' own.

        `rows` is a mask of the rows to write, where these are not all: of a large table they are picked a part at a
        time, so that it is not in memory twice.
        """
        tables.write_csv(self.path(name), frame, rows=rows, **options)

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

    def place(self, files: Mapping[str, Source | Path]) -> None:
        """Put files, unchanged, where they belong: new name -> source. Linked where that is safe, else copied."""
        check_inside(files)
        if self._left_out:
            files = {name: source for name, source in files.items() if not _matches(name, self._left_out)}
        for folder in {name.rpartition("/")[0] for name in files}:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        # Text instead of paths here: making path objects would take longer than writing the small files.
        root = str(self.root)
        targets = [(f"{root}/{name}", as_source(source)) for name, source in files.items()]
        by_bytes = len(targets) <= _FEW and all(source.archive is not None for _, source in targets)
        what = targets[0][1].name if len(targets) == 1 else ""
        total = sum(source.size for _, source in targets) if by_bytes else len(targets)
        with progress.stage("place", what, total=total, unit="bytes" if by_bytes else "files") as stage:
            if self._copied_by_processes(targets, stage):
                return
            workers = 1 if self._is_small_work(targets) else _WORKERS
            _in_threads(lambda item: self._place_one(*item, stage, by_bytes), targets, workers)

    def _copied_by_processes(self, targets: list[tuple[str, Source]], stage: progress.Stage) -> bool:
        """Copy many small members of one zip archive in several processes, if that is what these files are."""
        if len(targets) < _MANY or not hasattr(os, "pread"):
            return False
        jobs = [job for target, source in targets if (job := source.job(target)) is not None]
        if len(jobs) < len(targets) or len({source.archive for _, source in targets}) > 1:
            return False
        try:
            copy_in_processes(str(targets[0][1].archive), jobs, available_processes(), stage.advance)
        except (ValueError, OSError):  # once more, one by one, which finds the file and says what is wrong with it
            return False
        self._advance(len(jobs))
        return True

    def _is_small_work(self, targets: list[tuple[str, Source]]) -> bool:
        """Whether each file takes so little that threads would only wait for each other."""
        if not targets:
            return True
        source = targets[len(targets) // 2][1]
        return (self._link and source.archive is None) or source.size < SMALL_FILE

    def place_each(self, ids: Iterable[Any], files: Files, pattern: str, *, to: str | None = None) -> None:
        """Put one file per id: `pattern` and `to` are names with {} for the id, e.g. "train/{}.jpg".

        Without `to` the files keep their names.
        """
        to = to or pattern
        self.place({to.format(file_id): files[pattern.format(file_id)] for file_id in ids})

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
        for folder_id in ids:
            source, target = pattern.format(folder_id), to.format(folder_id)
            names = files.below(source)
            if not names:
                raise lacking(f"{source}/")
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
        self.place({into + file[len(prefix) :]: files[file] for file in files.names(f"{prefix}*")})

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

    def write_tfrecord(self, name: str, source: Path, *, without: Iterable[str]) -> None:
        """Write the records of a TFRecord file without some of their features."""
        from mlebench.files.tfrecord_writer import copy_without

        with progress.stage("write", self.path(name).name):
            copy_without(source, self.path(name), list(without))
        self._advance(1)

    def write_tar(self, name: str, members: Mapping[str, Content]) -> None:
        """Build an uncompressed tar archive: member name -> source or content."""
        check_inside(members)
        write_tar(self.path(name), members)
        self._advance(len(members))

    def repack_tar(
        self, source: Source | Path, archives: Mapping[str, Mapping[str, str]], *, compress: bool = False
    ) -> None:
        """Build tar archives from the members of another: archive name -> (new member -> old member).

        For archives that are too large to unpack first: the old one is read once, from front to back.
        """
        repack_tar(source, {self.path(name): members for name, members in archives.items()}, compress=compress)
        self._advance(sum(map(len, archives.values())))

    def write_zip(self, name: str, members: Mapping[str, Content]) -> None:
        """Build a zip archive: member name -> source or content."""
        check_inside(members)
        write_zip(self.path(name), members)
        self._advance(len(members))

    def write_7z(self, name: str, members: Mapping[str, Content]) -> None:
        """Build a 7z archive: member name -> source or content."""
        check_inside(members)
        write_7z(self.path(name), members)
        self._advance(len(members))

    def _place_one(self, target: str, source: Source, stage: progress.Stage, by_bytes: bool) -> None:
        source.copy_to(target, stage if by_bytes else None, link=self._link)
        if not by_bytes:
            stage.advance()
        self._advance(1)

    def _advance(self, count: int) -> None:
        if self._progress is not None:
            self._progress(count)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


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
