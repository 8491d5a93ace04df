"""Everything in public/, member by member: files, and what archives hold, also archives in archives.

Only regular files are read, never through a link, and never more than a bound; what an archive claims is not believed.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from mlebench.files.damage import UNREADABLE
from mlebench.files.regular import open_regular

MOST_ENTRIES = 400_000
MOST_READ = 512 << 20  # bytes of one file or member that are read
_KEPT = 8 << 20  # bytes of a member of a tar or 7z archive that are kept
_KEPT_IN_ALL = 384 << 20
_UNPACKED = 256 << 20  # bytes of what one packed file unpacks to
_DEEPEST = 6
_LONG_NAME = 64  # bytes from which what the header of a gzip file says is a text to be read
_PARTS = ("month", "day", "hour", "minute", "second")
# What goes wrong while somebody else's archive is read.
DAMAGED = (OSError, ValueError, LookupError, RuntimeError, EOFError, tarfile.TarError, lzma.LZMAError, *UNREADABLE)


@dataclass(frozen=True)
class Entry:
    """A file, or a member of an archive. `facts` are what its container says about it besides its content."""

    name: str  # the path below public/, through archives
    size: int
    order: int
    container: str
    facts: Mapping[str, str] = field(default_factory=dict)
    _read: Callable[[int], bytes] = field(default=lambda most: b"", repr=False)
    _open: Callable[[], IO[bytes]] | None = field(default=None, repr=False)

    @property
    def base(self) -> str:
        """The name without folders."""
        return self.name.rsplit("/", 1)[-1]

    @property
    def suffix(self) -> str:
        """The ending, in lower case."""
        return PurePosixPath(self.base).suffix.lower()

    def read(self, most: int = MOST_READ) -> bytes:
        """The first bytes of the content; an error of DAMAGED says that it cannot be read."""
        return self._read(most)

    def opened(self) -> IO[bytes]:
        """The content as a file that one can move about in: that on the disk, however large, or what is read of it."""
        return self._open() if self._open is not None else io.BytesIO(self.read(MOST_READ))


@dataclass
class _Budget:
    entries: int = MOST_ENTRIES
    kept: int = _KEPT_IN_ALL
    cut: list[str] = field(default_factory=list)  # members of which only the first bytes are kept, or none

    def keep(self, name: str, size: int, read: Callable[[int], bytes]) -> bytes:
        """The first bytes of a member, as many as may still be kept."""
        data = read(min(_KEPT, max(self.kept, 0))) if size else b""
        self.kept -= len(data)
        if len(data) < size:
            self.cut.append(name)
        return data


def entries_below(folder: Path, problems: list[str] | None = None) -> list[Entry]:
    """All regular files below a folder, and the members of archives among them, in the order of their names."""
    problems = [] if problems is None else problems
    budget = _Budget()
    found: list[Entry] = []
    for entry in _files(folder):
        found.append(entry)
        found.extend(_members(entry, budget, problems, 0))
        if len(found) >= MOST_ENTRIES:
            problems.append(f"only {MOST_ENTRIES:,} files are looked at")
            break
    for entry in [entry for entry in found if entry.size > MOST_READ and not entry.container]:
        if entry.name not in {inner.container for inner in found}:
            problems.append(f"only the first {MOST_READ >> 20} MB of {entry.name} are read")
    if budget.cut:
        problems.append(f"read in part or not at all: {len(budget.cut):,} members of archives, such as {budget.cut[0]}")
    return found


def _files(folder: Path) -> Iterator[Entry]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in list(folders):
            path = Path(place) / name
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink():  # is not followed; where it leads may tell something
                yield _bare(relative, -1, "", {"link": _target(path)})
            elif _is_empty(path):
                yield _bare(relative, -1, "", {"kind": "folder"})
        for order, name in enumerate(sorted(files)):
            path = Path(place) / name
            try:
                status = path.lstat()
            except OSError:
                continue
            relative = path.relative_to(folder).as_posix()
            if stat.S_ISLNK(status.st_mode):
                yield _bare(relative, order, "", {"link": _target(path)})
            if not stat.S_ISREG(status.st_mode):
                continue
            facts = {"mtime": str(int(status.st_mtime)), "mode": oct(status.st_mode & 0o777)}
            facts |= _parts_of_time(status.st_mtime)
            with contextlib.suppress(OSError, AttributeError):
                facts |= {
                    f"xattr {label}": os.getxattr(path, label).decode("utf-8", "replace")
                    for label in os.listxattr(path)
                    if label.startswith("user.")
                }
            yield Entry(relative, status.st_size, order, "", facts, _reader(path), _opener_of(path))


def _bare(name: str, order: int, container: str, facts: Mapping[str, str]) -> Entry:
    """Something without a content: an empty folder, or a link, which is never followed."""
    return Entry(name, 0, order, container, facts)


def _target(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _is_empty(path: Path) -> bool:
    try:
        return next(path.iterdir(), None) is None
    except OSError:
        return False


def _parts_of_time(moment: float) -> dict[str, str]:
    """A date in parts: each may have been set by itself."""
    try:
        parts = time.gmtime(moment)[1:6]
    except (OverflowError, ValueError, OSError):
        return {}
    return {f"{part} of mtime": str(value) for part, value in zip(_PARTS, parts, strict=True)}


def _reader(path: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with open_regular(path) as file:
            return file.read(most)

    return read


def _opener_of(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: open_regular(path)


def _members(entry: Entry, budget: _Budget, problems: list[str], depth: int) -> Iterator[Entry]:
    if depth >= _DEEPEST or entry.size == 0 or budget.entries <= 0:
        return
    try:
        head = entry.read(300)
        opener = _opener(head, entry)
        if opener is None:
            return
        for member in opener(entry, budget):
            budget.entries -= 1
            yield member
            yield from _members(member, budget, problems, depth + 1)
    except DAMAGED as error:
        problems.append(f"{entry.name} cannot be read ({type(error).__name__})")
    except Exception as error:  # py7zr has no common base of its errors
        problems.append(f"{entry.name} cannot be read ({type(error).__name__})")


def members_of(entry: Entry) -> list[Entry]:
    """The members of an archive that was found where none was expected; none where it is no archive."""
    return list(_members(entry, _Budget(entries=2000, kept=_KEPT * 4), [], 1))


def _opener(head: bytes, entry: Entry) -> Callable[[Entry, _Budget], Iterator[Entry]] | None:
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _zip_members
    if head[:6] == b"7z\xbc\xaf\x27\x1c":
        return _sevenzip_members
    if head[257:262] == b"ustar":
        return _tar_members
    if head[:2] == b"\x1f\x8b" or head[:3] == b"BZh" or head[:6] == b"\xfd7zXZ\x00" or head[:4] == b"\x28\xb5\x2f\xfd":
        return _packed_members
    if head[:2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
        return _deflated_members
    if entry.suffix == ".tar":
        return _tar_members
    return None


def _zip_members(entry: Entry, budget: _Budget) -> Iterator[Entry]:
    archive = zipfile.ZipFile(entry.opened())  # stays open: members are read when they are asked for
    if archive.comment:
        text = archive.comment
        yield Entry(f"{entry.name}/(comment)", len(text), -1, entry.name, {}, lambda most: text[:most])
    for order, info in enumerate(archive.infolist()):
        if info.is_dir() or len(info.filename) > 4096:
            continue
        facts = {
            "mtime": "".join(f"{part:02d}" for part in info.date_time),
            **{f"{part} of mtime": str(value) for part, value in zip(_PARTS, info.date_time[1:], strict=True)},
            "comment": info.comment.decode("utf-8", "replace"),
            "extra": info.extra.hex()[:200],
            "attributes": str(info.external_attr),
            "packed as": str(info.compress_type),
            "system": str(info.create_system),
            "packed size": str(info.compress_size),
        }
        name = f"{entry.name}/{info.filename}"
        if info.file_size > MOST_READ:
            budget.cut.append(name)
        yield Entry(name, info.file_size, order, entry.name, facts, _of_zip(archive, info))


def _of_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    from mlebench.files.zip_reader import bounded

    def read(most: int) -> bytes:
        with bounded(archive, info) as stream:
            return stream.read(min(most, MOST_READ))

    return read


def _tar_members(entry: Entry, budget: _Budget) -> Iterator[Entry]:
    with entry.opened() as file, tarfile.open(fileobj=file, mode="r:") as archive:
        for order, member in enumerate(archive):
            if member.issym() or member.islnk():
                yield _bare(f"{entry.name}/{member.name}", order, entry.name, {"link": member.linkname})
            if not member.isfile():
                continue
            facts = {
                "mtime": str(int(member.mtime)),
                "mode": oct(member.mode),
                "owner": f"{member.uid}:{member.gid}:{member.uname}:{member.gname}",
                **_parts_of_time(member.mtime),
                "headers": str(sorted(member.pax_headers.items()))[:400] if member.pax_headers else "",
            }
            name, stream = f"{entry.name}/{member.name}", archive.extractfile(member)
            kept = budget.keep(name, member.size, stream.read) if stream is not None else b""
            yield Entry(name, member.size, order, entry.name, facts, bytes_reader(kept))
            if order > MOST_ENTRIES:
                return


def bytes_reader(data: bytes) -> Callable[[int], bytes]:
    """The content of an entry that is in memory."""
    return lambda most: data[:most]


def _sevenzip_members(entry: Entry, budget: _Budget) -> Iterator[Entry]:
    try:
        import py7zr
    except ImportError as error:
        raise RuntimeError("py7zr is not installed") from error
    import tempfile

    with entry.opened() as file, py7zr.SevenZipFile(file) as archive:
        listed = [info for info in archive.list() if not info.is_directory]
        if sum(info.uncompressed or 0 for info in listed) > MOST_READ:
            raise RuntimeError("it unpacks to too much")
        with tempfile.TemporaryDirectory(prefix="mlebench-audit-") as folder:
            archive.extractall(folder)
            for order, info in enumerate(listed):
                path = Path(folder) / info.filename
                if ".." in Path(info.filename).parts or not path.is_file() or path.is_symlink():
                    continue
                facts = {"mtime": str(info.creationtime)}
                name, size = f"{entry.name}/{info.filename}", path.stat().st_size
                data = budget.keep(name, size, _reader(path))
                yield Entry(name, size, order, entry.name, facts, bytes_reader(data))


def _packed_members(entry: Entry, budget: _Budget) -> Iterator[Entry]:
    facts: dict[str, str] = {}

    def unpack(most: int) -> bytes:
        packed = entry.opened()
        head = packed.read(4)
        packed.seek(0)
        stream: Any
        if head[:2] == b"\x1f\x8b":
            stream = gzip.GzipFile(fileobj=packed)
        elif head[:3] == b"BZh":
            stream = bz2.BZ2File(packed)
        elif head[:3] == b"\xfd7z":
            stream = lzma.LZMAFile(packed)  # noqa: SIM115
        else:
            import pyarrow

            stream = pyarrow.input_stream(packed, compression="zstd")
        pieces, total = [], 0
        while total < most and (piece := stream.read(min(1 << 20, most - total))):
            pieces.append(piece)
            total += len(piece)
        packed.close()
        return b"".join(pieces)

    head = entry.read(512)
    for label, content in _gzip_header(entry.read(1 << 20) if head[:2] == b"\x1f\x8b" and head[3] & 28 else b""):
        facts[label] = content[:400].decode("latin-1")
        if len(content) > _LONG_NAME:
            yield Entry(f"{entry.name}/({label})", len(content), -1, entry.name, {}, bytes_reader(content))
    data = unpack(_UNPACKED)
    name = f"{entry.name}/{PurePosixPath(entry.base).stem}"
    if len(data) == _UNPACKED:
        budget.cut.append(name)
    yield Entry(name, len(data), 0, entry.name, facts, bytes_reader(data))


def _gzip_header(data: bytes) -> Iterator[tuple[str, bytes]]:
    """(what it is, the bytes) of what the header of a gzip file may have: a name, a comment, and anything else."""
    place = 10
    if len(data) > 12 and data[3] & 4:
        size = int.from_bytes(data[10:12], "little")
        yield "extra", data[12 : 12 + size]
        place = 12 + size
    for flag, label in ((8, "stored name"), (16, "comment")):
        if len(data) > place and data[3] & flag:
            content = data[place:].split(b"\0", 1)[0]
            yield label, content
            place += len(content) + 1


def _deflated_members(entry: Entry, budget: _Budget) -> Iterator[Entry]:
    """What zlib packed without a container; most files that begin alike are something else."""
    import zlib

    try:
        data = zlib.decompressobj().decompress(entry.read(MOST_READ), _UNPACKED)
    except zlib.error:
        return
    if data:
        yield Entry(f"{entry.name}/(unpacked)", len(data), 0, entry.name, {}, bytes_reader(data))
