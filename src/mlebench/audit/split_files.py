"""Files that were cut into pieces: put together again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mlebench.audit.carving import KNOWN
from mlebench.audit.entries import DAMAGED, Entry, bytes_reader, members_of

_MOST_PIECES = 60
_LARGEST = 64 << 20
_PIECE = re.compile(r"(?i)^(.*?)(\d+|(?<=x)[a-z]{2}|(?<=[.\-_])[a-z]{1,2})(\.[a-z0-9]{1,4})?$")


def split_files(entries: Iterable[Entry]) -> list[Entry]:
    """The files that pieces make, and their members; pieces that are whole by themselves are none."""
    groups: dict[tuple[str, str], list[tuple[str, Entry]]] = {}
    for entry in entries:
        folder, _, base = entry.name.rpartition("/")
        match = _PIECE.match(base)
        if match and entry.size:
            groups.setdefault((f"{folder}/{match.group(1)}", match.group(3) or ""), []).append((match.group(2), entry))
    found = []
    for (start, ending), pieces in groups.items():
        if 2 <= len(pieces) <= _MOST_PIECES and sum(entry.size for _, entry in pieces) <= _LARGEST:
            pieces.sort(key=lambda piece: (len(piece[0]), piece[0]))
            whole = _joined([entry for _, entry in pieces])
            if whole is not None:
                entry = Entry(f"{start.lstrip('/')}*{ending}", len(whole), -1, "", {}, bytes_reader(whole))
                found += [entry, *members_of(entry)]
    return found


def _joined(pieces: Sequence[Entry]) -> bytes | None:
    try:
        parts = [piece.read(_LARGEST) for piece in pieces]
    except DAMAGED:
        return None
    first = parts[0]
    is_packed = first.startswith(KNOWN) and not any(part.startswith(KNOWN) for part in parts[1:])
    is_cut = b"\0" not in first[:4096] and first[-1:] not in (b"\n", b"}", b"]", b">")
    return b"".join(parts) if is_packed or is_cut else None
