"""Writing small files of our own: whole or not at all, as strict JSON, with times in one form."""

from __future__ import annotations

import json
import math
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def now() -> datetime:
    """The current time, in UTC."""
    return datetime.now(UTC)


def get_timestamp() -> str:
    """The current time in the form that file names use."""
    return now().strftime("%Y-%m-%dT%H-%M-%S-UTC")


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """Strict JSON: numbers that are not finite are written as the texts `inf`, `-inf` and `nan`."""
    text = json.dumps(_plain(value), indent=indent, default=str, ensure_ascii=False)
    # A file name may have bytes that are no text; what stands for them can be written only in JSON's own way.
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def to_flat_json(values: dict[str, Any]) -> str:
    """Strict JSON of an object with plain values, whose only braces are the first and the last character.

    Those in texts are written as escapes, which mean the same.

    >>> to_flat_json({"reason": "not {x}"})
    '{\\n  "reason": "not \\\\u007bx\\\\u007d"\\n}'
    """
    inside = to_json(values)[1:-1].replace("{", "\\u007b").replace("}", "\\u007d")
    return f"{{{inside}}}"


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def reserve(path: Path, size: int) -> Path:
    """Room for a text that `write_atomically` writes to a path later, even if others have filled the disk by then."""
    room = path.with_name(f".{path.name}.room")
    room.write_bytes(bytes(size))
    return room


def write_atomically(path: Path, text: str, *, room: Path | None = None) -> None:
    """Write a UTF-8 text file so that it appears whole or not at all; a device or a pipe gets the text as it is.

    `room` is what `reserve` has given; it is used up.
    """
    if path.exists() and not path.is_file():  # /dev/stdout: a file must not take its place
        path.write_text(text, encoding="utf-8", newline="")
        return
    # The name is of no other thread, process or machine.
    partial = room or path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        with partial.open("r+b" if room else "xb") as file:
            file.write(text.encode("utf-8"))
            file.truncate()
        partial.replace(path)
    except BaseException:  # a full disk, or Ctrl-C
        partial.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any, *, room: Path | None = None) -> None:
    """Write strict JSON so that the file appears whole or not at all; `room` is that of `write_atomically`."""
    write_atomically(path, to_json(value) + "\n", room=room)
