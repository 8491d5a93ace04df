"""Copying many small members of a zip archive to files, as fast as the file system makes files.

This module stands on the standard library alone and can be started as a script: a second process that takes its share
of the work is then there in a moment. (Threads do not help: with files this small they wait for each other.)
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

_HEADER, _LIKELY_EXTRA = 30, 64  # bytes before a member in a zip archive


class Job(NamedTuple):
    """Where a member is in the archive, what it should be, and where it goes."""

    offset: int
    name_length: int
    packed_size: int
    size: int
    deflated: bool
    crc: int
    target: str


def packed(read: Callable[[int, int], bytes], offset: int, name_length: int, size: int) -> bytes:
    """A member's bytes as they are in the archive; `read(length, offset)` reads from it.

    ValueError if there is no member at this place, EOFError if the archive ends too early.
    """
    # One read for the header and all that follows: its own extra field, of unknown size, is rarely a long one.
    data = read(_HEADER + name_length + _LIKELY_EXTRA + size, offset)
    if data[:4] != b"PK\x03\x04":
        raise ValueError("its header is not where the archive says")
    start = _HEADER + int.from_bytes(data[26:28], "little") + int.from_bytes(data[28:30], "little")
    if len(data) < start + size:
        data = read(start + size, offset)
    if len(data) < start + size:
        raise EOFError
    return data[start : start + size]


def inflated(content: bytes, size: int) -> bytes:
    """What deflated bytes unpack to, which must be `size` bytes: an archive that understates a size is refused.

    EOFError if they end too early, zlib.error if they are damaged or unpack to more.
    """
    decompressor = zlib.decompressobj(-zlib.MAX_WBITS)
    data = decompressor.decompress(content, size + 1)  # never 0, which stands for no limit
    if len(data) > size:
        raise zlib.error("it unpacks to more than the archive says")
    if not decompressor.eof and decompressor.decompress(decompressor.unconsumed_tail, 1):
        raise zlib.error("it unpacks to more than the archive says")
    if not decompressor.eof:
        raise EOFError
    return data


def copy(archive: str, jobs: Sequence[Job], progress: Callable[[int], None] | None = None) -> None:
    """Copy members to files; ValueError if one is damaged. `progress` is called for each."""
    descriptor = os.open(archive, os.O_RDONLY)

    def read(length: int, offset: int) -> bytes:
        return os.pread(descriptor, length, offset)

    try:
        for job in jobs:
            content = packed(read, job.offset, job.name_length, job.packed_size)
            if job.deflated:
                content = inflated(content, job.size)
            if len(content) != job.size or zlib.crc32(content) != job.crc:
                raise ValueError(job.target)
            write_small(job.target, content)
            if progress is not None:
                progress(1)
    except (zlib.error, EOFError) as error:
        raise ValueError(str(error)) from error
    finally:
        os.close(descriptor)


def write_small(path: str, content: bytes) -> None:
    """Write a new file with the fewest calls there can be."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
    finally:
        os.close(descriptor)


def copy_in_processes(
    archive: str, jobs: Sequence[Job], processes: int, progress: Callable[[int], None] | None = None
) -> None:
    """The same with the work shared among processes, this one included; ValueError or OSError if any fails.

    `progress` is called with how many are done, taking it that the others are as quick as this one.
    """
    share = -(-len(jobs) // processes)
    shares = [jobs[start : start + share] for start in range(0, len(jobs), share)]
    command = [sys.executable, "-I", "-S", __file__]
    helpers = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in shares[1:]]
    try:
        for helper, theirs in zip(helpers, shares[1:], strict=True):
            assert helper.stdin is not None
            # Plain tuples: the helper does not know this class by the same name.
            helper.stdin.write(pickle.dumps((archive, [tuple(job) for job in theirs])))
            helper.stdin.flush()  # and left open: when this process ends, however it does, its helpers notice
        copy(archive, shares[0], None if progress is None else lambda count: progress(count * len(shares)))
        failed = sum(helper.wait() != 0 for helper in helpers)
    finally:
        for helper in helpers:
            helper.kill()
            helper.communicate()
    if failed:
        raise ValueError("a helper process failed")


def _watch_parent() -> None:
    """End this process when its parent ends: the parent keeps our standard input open until then."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    path, given = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_watch_parent, daemon=True).start()
    copy(path, [Job(*job) for job in given])
