"""JSON lists that outgrow memory: read item by item."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Any

_CHUNK = 1 << 20
_BETWEEN = re.compile(r"[\s,]*")
_END_OF_ITEM = re.compile(r"\s*[,\]]")


def read_items(file: IO[bytes]) -> Iterator[Any]:
    """The items of a list in a UTF-8 JSON file; no more of the file is read than the items so far take."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    decoder = json.JSONDecoder()
    text = ""
    while not text.strip() and (chunk := file.read(_CHUNK)):
        text += decode(chunk)
    start = text.find("[") + 1
    if not start or text[: start - 1].strip():
        raise ValueError("it is not a list")
    while True:
        start = _skip(text, start)
        if text[start : start + 1] == "]":
            return
        try:
            item, end = decoder.raw_decode(text, start)
            # What reads as an item may go on in what is not read yet: 12 may be the beginning of 123 or of 12.5.
            is_whole = _END_OF_ITEM.match(text, end) is not None
        except json.JSONDecodeError:
            is_whole = False
        if is_whole:
            yield item
            start = end
        elif chunk := file.read(_CHUNK):
            text, start = text[start:] + decode(chunk), 0
        else:
            raise ValueError("it ends too early")


def _skip(text: str, start: int) -> int:
    found = _BETWEEN.match(text, start)
    return found.end() if found else start
