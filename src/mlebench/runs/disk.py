"""Runs and a disk that is full: room for their records, and which of them filled it.

An agent without a disk limit can fill the disk that other runs write to. Records have room that was reserved before; of
the runs of this process the one that took most is ended, and the others go on.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

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


class DiskUser:
    """One run that writes to a disk."""

    def __init__(self, users: DiskUsers, run_id: str, folder: Path) -> None:
        self._users = users
        self.run_id, self.folder = run_id, folder
        self.disk = folder.stat().st_dev
        self.used, self.is_blamed = 0, False
        self.began = time.monotonic()
        self.free_before = _free_bytes(folder)

    def note(self, disk_bytes: int | None) -> None:
        """Note how much the run has written."""
        self.used = disk_bytes or 0

    def is_full(self) -> bool:
        """Whether there is next to no room for anybody."""
        found = os.statvfs(self.folder)
        no_files = found.f_files > 0 and found.f_favail < _LITTLE_FILES
        return found.f_bavail * found.f_frsize < _LITTLE_BYTES or no_files

    def blame(self) -> str | None:
        """The id of the run that has filled the disk, perhaps this one; it is ended. None if it was none of ours."""
        deadline = time.monotonic() + _BLAME_SECONDS
        while (filler := self._users.largest(self.disk)) is None:
            if time.monotonic() > deadline or not self.is_full():
                return None
            time.sleep(0.1)
        filler.is_blamed = True
        return filler.run_id

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
    """The runs that this process executes, by what they have written."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: dict[str, DiskUser] = {}

    @contextmanager
    def using(self, run_id: str, folder: Path) -> Iterator[DiskUser]:
        """Within this block a run writes to the disk that its folder is on."""
        user = DiskUser(self, run_id, folder)
        with self._lock:
            self._users[run_id] = user
        try:
            yield user
        finally:
            with self._lock:
                self._users.pop(run_id, None)

    def has(self, run_id: str) -> bool:
        """Whether a run is still at work."""
        with self._lock:
            return run_id in self._users

    def largest(self, disk: int) -> DiskUser | None:
        """The run that has written most to a disk, if our runs together have taken most of the room it had."""
        with self._lock:
            users = [user for user in self._users.values() if user.disk == disk]
        if not users:
            return None
        free_before = min(users, key=lambda user: user.began).free_before
        largest = max(users, key=lambda user: user.used)
        if 2 * sum(user.used for user in users) < free_before or largest.used < _LITTLE_BYTES:
            return None
        return largest


def _free_bytes(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


DISK_USERS = DiskUsers()
