"""What a text says besides what it is: how its lines end, and remarks that no program reads."""

from __future__ import annotations

import re

_LOOKED_AT = 1 << 18  # characters, or bytes
_MOST_REMARKS = 40
_LINE = re.compile(
    r"(?m)^[ \t]*(?:#|%|;|//|--|>|REMARK\b|COMMENT\b|HEADER\b|TITLE\b|COMPND\b|KEYWDS\b|\[\w+ (?=\"))[^\r\n]*"
)
_BLOCK = re.compile(r"<!--.*?-->|/\*.*?\*/", re.DOTALL)
_ENDS = re.compile(rb"\r\n|\n|\r")
_NAMES = {b"\r\n": "CRLF", b"\n": "LF", b"\r": "CR"}
_BLANKS = re.compile(rb"[ \t]+(?=[\r\n]|\Z)")
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def remarks(text: str) -> str:
    """The comments of a text, by the signs that most formats mark them with, tags of games and heads of sequences."""
    text = text[:_LOOKED_AT]
    found = [match.group() for form in (_LINE, _BLOCK) for match in form.finditer(text)][:_MOST_REMARKS]
    return "\n".join(" ".join(remark.split()) for remark in found)


def form_of_text(data: bytes) -> dict[str, str]:
    """How the lines of a text end, and how the text begins and ends: none of it is what the text says."""
    ends = {_NAMES[mark] for mark in _ENDS.findall(data[:_LOOKED_AT])}
    rest = data[len(data.rstrip()) :]
    return {
        "ends of lines": " and ".join(sorted(ends)) or "none",
        "end of the text": rest[-8:].hex() or "none",
        "byte order mark": str(data.startswith(_MARKS)),
        "blanks behind lines": str(_BLANKS.search(data[:_LOOKED_AT]) is not None),
    }
