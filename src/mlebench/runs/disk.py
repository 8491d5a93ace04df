"""Runs and a disk that is full: room for their records, and which of them filled it.

An agent without a disk limit can fill the disk that other runs write to. Records have room that was reserved before; of
the runs that are executed here the one that took most is ended, and the others go on.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, NamedTuple

from mlebench.errors import is_disk_full
from mlebench.files.writing import to_json
from mlebench.results.names import RUN_FILE
from mlebench.results.records import RunRecord

ROOM_PREFIX = f".{RUN_FILE}.room"  # of the files in a run's folder that keep room for its records
ROOM_BYTES = 1 << 13  # of a record that lists few files
# A record is written when a run is about to start, has started, has ended, and is planned again.
_ROOMS = 4
_PLANNED_ROOMS = 2  # enough for a run that cannot be started
_LITTLE_BYTES, _LITTLE_FILES = 1 << 18, 8  # a disk with less is full
_PATIENCE = 180.0  # seconds for a run that filled the disk to end
_BLAME_SECONDS = 3.0  # what a run has written is measured now and then


def reserve_records(folder: Path) -> None:
    """Reserve room for the records of a run that is planned; its folder is made."""
    folder.mkdir(parents=True, exist_ok=True)
    _reserve(folder, _PLANNED_ROOMS, ROOM_BYTES)


def release_records(folder: Path) -> None:
    """Give back what was reserved for the records of a run and not used."""
    for room in _rooms(folder):
        room.unlink(missing_ok=True)


def _rooms(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{ROOM_PREFIX}*"))


def _reserve(folder: Path, count: int, size: int) -> None:
    """Have so many files of at least this size, whose blocks are there."""
    for number in range(count):
        room = folder / f"{ROOM_PREFIX}{number}"
        descriptor = os.open(room, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if os.fstat(descriptor).st_size < size:
                _allocate(descriptor, size)
        except BaseException:
            room.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)


def _allocate(descriptor: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.pwrite(descriptor, bytes(size), 0)


class RecordRoom:
    """Writes the records of one run into room that was reserved for them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with suppress(OSError):  # what planning has reserved will do
            _reserve(folder, _ROOMS, ROOM_BYTES)

    def save(self, record: RunRecord) -> None:
        """Write the record; on a full disk without the list of outputs if it does not fit with it."""
        if record.status == "running":  # what it lists of the agent is in the next one too
            size = len(to_json(record.to_dict()))
            if 2 * size > ROOM_BYTES:
                _reserve(self._folder, _ROOMS, 2 * size)
        try:
            self._save(record)
        except OSError as error:
            if not is_disk_full(error):
                raise
            kept = {name: sha256 for name, sha256 in record.outputs.items() if name.startswith("submission/")}
            left_out = record.outputs_not_listed + len(record.outputs) - len(kept)
            self._save(replace(record, outputs=kept, outputs_not_listed=left_out, inputs={}))

    def _save(self, record: RunRecord) -> None:
        rooms = _rooms(self._folder)
        record.save(self._folder, room=rooms[0] if rooms else None)

    def release(self) -> None:
        """Give back what was not used."""
        release_records(self._folder)


class _Entry(NamedTuple):
    """What a table of disk users says of one run; `blamed` is the id of the run that was to blame in this place."""

    run: bytes
    disk: int
    used: int
    began: float
    free_before: int
    blamed: bytes


_ENTRY = struct.Struct("=36s4xQQdQ36s4x")  # the fields of an entry
_ID_BYTES, _USED_AT, _BLAMED_AT = 36, 48, 72  # of an id, and where `used` and `blamed` are
_OWN_PLACES, _SHARED_PLACES = 1024, 64  # runs at a time of a process: alone, and among those that share a table


class DiskUser:
    """One run that writes to a disk; other runs see its entry in a table, also those of other processes."""

    def __init__(self, users: DiskUsers, place: memoryview, run_id: str, folder: Path) -> None:
        self._users, self._place = users, place
        self._id = _id_bytes(run_id)
        self.run_id, self.folder = run_id, folder
        self.disk = folder.stat().st_dev
        _ENTRY.pack_into(place, 0, self._id, self.disk, 0, time.monotonic(), _free_bytes(folder), b"")

    def close(self) -> None:
        """The run does not write any more."""
        self._place[:] = bytes(_ENTRY.size)

    @property
    def is_blamed(self) -> bool:
        """Whether a run has found that this one filled the disk."""
        return _Entry(*_ENTRY.unpack_from(self._place)).blamed == self._id

    def note(self, disk_bytes: int | None) -> None:
        """Note how much the run has written."""
        struct.pack_into("=Q", self._place, _USED_AT, disk_bytes or 0)

    def is_full(self) -> bool:
        """Whether there is next to no room for anybody."""
        found = os.statvfs(self.folder)
        no_files = found.f_files > 0 and found.f_favail < _LITTLE_FILES
        return found.f_bavail * found.f_frsize < _LITTLE_BYTES or no_files

    def blame(self) -> str | None:
        """The id of the run that has filled the disk, perhaps this one; it is ended. None if it was none of ours."""
        deadline = time.monotonic() + _BLAME_SECONDS
        while (filler := self._users.blame_largest(self.disk)) is None:
            if time.monotonic() > deadline or not self.is_full():
                return None
            time.sleep(0.1)
        return filler

    def has_room_again(self, should_stop: Callable[[], bool]) -> bool:
        """Wait until the run that filled the disk has ended; whether there is room then."""
        if not self.is_full():
            return True
        filler = self.blame()
        if filler is None or filler == self.run_id:
            return not self.is_full()
        deadline = time.monotonic() + _PATIENCE
        while self._users.has(filler) and time.monotonic() < deadline and not should_stop():
            time.sleep(0.05)
        return not self.is_full()


class DiskUsers:
    """The runs that are executed now, by what they have written: those of this process, or of all that share a table.

    A table is memory with places of one size. Each process has places of its own, which only it gives to runs; what is
    written there by others is the id of the run that they blame, so a later run in the same place is not meant.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._take(mmap.mmap(-1, _OWN_PLACES * _ENTRY.size), range(_OWN_PLACES))

    def join(self, descriptor: int, number: int) -> None:
        """Share a table with other processes from now on, as the one with this number."""
        first = number * _SHARED_PLACES
        self._take(mmap.mmap(descriptor, 0), range(first, first + _SHARED_PLACES))

    def _take(self, table: mmap.mmap, own: range) -> None:
        memory = memoryview(table)
        size = _ENTRY.size
        self._places = [memory[start : start + size] for start in range(0, len(memory), size)]
        self._unused = [self._places[number] for number in own]

    @contextmanager
    def using(self, run_id: str, folder: Path) -> Iterator[DiskUser]:
        """Within this block a run writes to the disk that its folder is on."""
        with self._lock:
            place = self._unused.pop() if self._unused else memoryview(bytearray(_ENTRY.size))
            user = DiskUser(self, place, run_id, folder)
        try:
            yield user
        finally:
            with self._lock:
                user.close()
                self._unused.append(place)

    def _entries(self) -> list[tuple[_Entry, memoryview]]:
        found = ((_Entry(*_ENTRY.unpack_from(place)), place) for place in self._places)
        return [(entry, place) for entry, place in found if entry.run.strip(b"\0")]

    def has(self, run_id: str) -> bool:
        """Whether a run is still executed."""
        return any(entry.run == _id_bytes(run_id) for entry, _ in self._entries())

    def blame_largest(self, disk: int) -> str | None:
        """Blame the run that has written most to a disk, if all together have taken most of the room it had; its id."""
        users = [(entry, place) for entry, place in self._entries() if entry.disk == disk]
        if not users:
            return None
        free_before = min((entry for entry, _ in users), key=lambda entry: entry.began).free_before
        largest, place = max(users, key=lambda user: user[0].used)
        if 2 * sum(entry.used for entry, _ in users) < free_before or largest.used < _LITTLE_BYTES:
            return None
        place[_BLAMED_AT : _BLAMED_AT + _ID_BYTES] = largest.run
        return largest.run.rstrip(b"\0").decode()


def _id_bytes(run_id: str) -> bytes:
    return run_id.encode()[:_ID_BYTES].ljust(_ID_BYTES, b"\0")


def shared_table(processes: int) -> IO[bytes]:
    """A table that so many processes can join; whoever makes it hands its descriptor on."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(bytes(processes * _SHARED_PLACES * _ENTRY.size))  # all of it, since a disk may be full later
    file.flush()
    return file


def clear_places(table: IO[bytes], number: int) -> None:
    """Remove the runs of a process that is gone from a table."""
    size = _SHARED_PLACES * _ENTRY.size
    os.pwrite(table.fileno(), bytes(size), number * size)


def _free_bytes(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


DISK_USERS = DiskUsers()
