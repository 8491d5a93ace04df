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
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 text file so that it appears whole or not at all; a device or a pipe gets the text as it is."""
    if path.exists() and not path.is_file():  # /dev/stdout: a file must not take its place
        path.write_text(text, encoding="utf-8", newline="")
        return
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")  # of no other thread, process or machine
    try:
        partial.write_text(text, encoding="utf-8", newline="")
        partial.replace(path)
    except BaseException:  # a full disk, or Ctrl-C
        partial.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write strict JSON so that the file appears whole or not at all."""
    write_whole(path, to_json(value) + "\n")
