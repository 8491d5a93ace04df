"""What a file is once its disguise is taken off: encoded as text, masked, packed inside another, in several layers.

Each layer is undone where the result is sensible: a known file, a readable text, or one with ids of the items.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import html
import io
import quopri
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote_plus

from mlebench.audit.carving import KNOWN, MEDIA, carved, unpacked_whole
from mlebench.audit.entries import DAMAGED, Entry, bytes_reader, members_of
from mlebench.audit.masks import Telling, unmasked, unrotated
from mlebench.audit.readers.text import decoded

LARGEST = 8 << 20  # bytes of a file that are looked at
_TABLES = (".csv", ".tsv", ".json", ".jsonl")
_TABLE = 1 << 20  # characters of these that are looked at
_DEEPEST = 4  # layers
_MOST_FORMS = 40  # of one file
_MOST_RUNS = 24
_LEAST = 64  # bytes that a run in a text stands for
_HEX = re.compile(r"(?:(?:0[xX]|\\[xX]|\\u00|%|=|&#[xX])?[0-9A-Fa-f]{2}[\s,;:\-]{0,3}){64,}")
_DECIMAL = re.compile(r"(?:(?:&#)?\d{1,3}(?:[\s,;]{1,3}|(?=&#)|$)){64,}")
_BITS = re.compile(r"(?:[01]{8}[\s,;]{0,2}){32,}")
_LINE_ENDS = re.compile(r"\\r?\\n|\\n")  # as a text inside of JSON has them
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-]{80,}={0,2}|(?:[A-Za-z0-9+/_\-]{40,}=?\r?\n){2,}[A-Za-z0-9+/_\-]*={0,2}")
_DUMP = re.compile(
    r"(?m)^(?:0x)?([0-9A-Fa-f]{4,})[: \t][ \t]*((?:[0-9A-Fa-f]{2,4}[ \t]+)*[0-9A-Fa-f]{2,4})(?:[ \t].*)?$"
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([ntr\"\\/]))")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}
_PICTURES = (b"\x89PNG", b"GIF8", b"BM", b"II*\0", b"MM\0*")


def revealed(entry: Entry, telling: Telling) -> list[Entry]:
    """The files that a file is in disguise or has in it, members of archives among them too."""
    try:
        data = entry.read(LARGEST)
    except DAMAGED:
        return []
    found: list[Entry] = []
    seen = {zlib.crc32(data)}
    waiting = [("", data, 0)]
    while waiting and len(found) < _MOST_FORMS:
        label, content, depth = waiting.pop(0)
        for what, form in _forms(content, entry.suffix if not depth else "", telling, depth):
            mark = zlib.crc32(form)
            if len(form) < 8 or mark in seen or len(found) >= _MOST_FORMS:
                continue
            seen.add(mark)
            name = f"{entry.name} ({label + ', ' if label else ''}{what})"
            inner = Entry(name, len(form), 0, entry.name, {}, bytes_reader(form))
            found += [inner, *members_of(inner)]
            if depth + 1 < _DEEPEST:
                waiting.append((f"{label + ', ' if label else ''}{what}", form, depth + 1))
    return found


def _forms(data: bytes, suffix: str, telling: Telling, depth: int) -> Iterator[tuple[str, bytes]]:
    text = decoded(data)
    with contextlib.suppress(ValueError, MemoryError):
        yield from unpacked_whole(data, suffix)
    if text is not None:
        yield from _of_text(text, telling, depth, is_table=suffix in _TABLES)
    elif not data.startswith(KNOWN) or data.startswith((b"%PDF-", b"\x89PNG", b"SQLite", b"\x89HDF")):
        for what, part in carved(data):
            if part.startswith(KNOWN) or telling.has(_readable(part)) or (sensible(part) and _has_runs(part)):
                yield what, part
    if data.startswith(_PICTURES) and not depth:
        yield from ((what, part) for what, part in _pixels(data) if telling.has(_readable(part)))
    if not data.startswith((*KNOWN, *MEDIA)) and data[128:132] != b"DICM" and (text is None or not telling.has(text)):
        yield from unmasked(data, telling)


def _readable(data: bytes) -> str:
    return decoded(data[: 1 << 17]) or data[: 1 << 17].decode("latin-1")


def _has_runs(data: bytes) -> bool:
    """Whether something encoded is in a text."""
    text = _readable(data)
    return any(pattern.search(text) for pattern in (_BASE64, _HEX))


def sensible(data: bytes) -> bool:
    """Whether bytes are a known file, or can be read as a text."""
    if data.startswith(KNOWN) or data[:1] == b"\x78" or data[:2] == b"\x80\x04":
        return True
    text = decoded(data[:4096])
    if text is None:
        return False
    return sum(character.isprintable() or character.isspace() for character in text) > 0.95 * len(text)


def _of_text(text: str, telling: Telling, depth: int, *, is_table: bool) -> Iterator[tuple[str, bytes]]:
    for what, part, share in _runs(text[:_TABLE] if is_table else text):
        # All of a file may be numbers; of a part it is not known where it begins, and the numbers of a table are many.
        is_whole = share > 0.5 and not is_table and (sensible(part) or (share > 0.9 and not depth))
        is_known = part.startswith(KNOWN) or _is_deflated(part)
        if is_known or is_whole or telling.has(_readable(part)) or (sensible(part) and _has_runs(part)):
            yield what, part
    if telling.has(text):
        return
    if re.search(r"(?m)^begin [0-7]{3} ", text):
        yield "decoded", _uu(text)
    for what, change in (
        ("entities", html.unescape),
        ("percent signs", unquote_plus),
        ("quoted-printable", lambda value: quopri.decodestring(value.encode()).decode("utf-8", "replace")),
        ("escapes", _unescaped),
    ):
        with contextlib.suppress(ValueError):
            changed = change(text)
            if changed != text and telling.has(changed):
                yield what, changed.encode()
                return
    yield from _of_whole("".join(text.split()))
    yield from ((what, changed.encode()) for what, changed in unrotated(text, telling))


def _is_deflated(data: bytes) -> bool:
    """Whether zlib packed it: that the first bytes say so may be chance, that they unpack is none."""
    if data[:1] != b"\x78":
        return False
    with contextlib.suppress(zlib.error):
        return len(zlib.decompressobj().decompress(data[:4096], 4096)) > 8
    return False


def _of_whole(compact: str) -> Iterator[tuple[str, bytes]]:
    """A text that is in one alphabet from its first to its last character."""
    if len(compact) < 32:
        return
    enclosed = compact.removeprefix("<~").removesuffix("~>")
    decoders: list[tuple[str, str, Callable[[str], bytes]]] = [
        (r"[A-Z2-7]+=*", compact.upper(), base64.b32decode),
        (r"[0-9A-V]+=*", compact.upper(), base64.b32hexdecode),
        (r"[!-u]+z*[!-uz]*", enclosed, base64.a85decode),
        (r"[0-9A-Za-z!#$%&()*+\-;<=>?@^_`{|}~]+", compact, base64.b85decode),
        (r"[A-Za-z0-9+/_\-]+=*", compact, _base64),
        (r"[A-Za-z0-9+/_\-]+=*", compact[::-1], _base64),
    ]
    for pattern, content, decode in decoders:
        if re.fullmatch(pattern, content):
            with contextlib.suppress(ValueError, binascii.Error):
                found = decode(content)
                if sensible(found):
                    yield "decoded", found


def _base64(text: str) -> bytes:
    plain = re.sub(r"\s", "", text).rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) % 4 == 1:
        raise ValueError("cut off")
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


def _runs(text: str) -> Iterable[tuple[str, bytes, float]]:
    """(what it is, the bytes, the share of the text) of parts that stand for bytes, the longest first."""
    found: list[tuple[str, bytes, float]] = []
    text = _LINE_ENDS.sub("\n", text)
    dumped = _dump(text)
    if dumped:
        found.append(("decoded dump", dumped, 0.0))
    for pattern, decode in ((_HEX, _hex), (_DECIMAL, _decimal), (_BITS, _bits), (_BASE64, _base64)):
        runs = sorted((match.group() for match in pattern.finditer(text)), key=len, reverse=True)
        for run in runs[:_MOST_RUNS]:
            with contextlib.suppress(ValueError, binascii.Error):
                part = decode(run)
                if len(part) >= _LEAST // 2:
                    found.append(("decoded", part, len(run) / len(text)))
    return found


def _hex(run: str) -> bytes:
    return bytes.fromhex("".join(re.findall(r"(?:0[xX]|\\[xX]|\\u00|%|=|&#[xX])?([0-9A-Fa-f]{2})", run)))


def _decimal(run: str) -> bytes:
    numbers = [int(number) for number in re.findall(r"\d+", run)]
    return bytes(numbers)  # a number above 255 is a ValueError


def _bits(run: str) -> bytes:
    digits = re.sub(r"[^01]", "", run)
    return int(digits, 2).to_bytes(len(digits) // 8, "big") if len(digits) < 1 << 24 else b""


def _dump(text: str) -> bytes | None:
    """A dump of bytes: lines with an address, numbers, and perhaps what they are as text."""
    lines = _DUMP.findall(text[: 4 << 20])
    if len(lines) < 4:
        return None
    groups = [re.split(r"\s+", numbers.strip()) for _, numbers in lines]
    try:
        if all(len(group) == 3 for line in groups[:20] for group in line):
            return bytes(int(group, 8) for line in groups for group in line)
        return bytes.fromhex("".join(group for line in groups for group in line[:16]))
    except ValueError:
        return None


def _unescaped(text: str) -> str:
    def sign(match: re.Match[str]) -> str:
        code = match.group(1) or match.group(2)
        return chr(int(code, 16)) if code else _SIGNS.get(match.group(3), match.group(3))

    return _ESCAPE.sub(sign, text)


def _uu(text: str) -> bytes:
    found = []
    for line in text.splitlines():
        with contextlib.suppress(binascii.Error):
            if not line.startswith(("begin ", "end")):
                found.append(binascii.a2b_uu(line))
    return b"".join(found)


def _pixels(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The pixels of a picture as bytes, and their lowest bits."""
    import numpy as np
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as picture:
            if picture.width * picture.height > 16_000_000:
                return
            for key, value in picture.info.items():
                content = value.encode() if isinstance(value, str) else value
                if isinstance(content, bytes) and len(content) >= 32:
                    yield f"metadata {key}", content
            pixels = np.asarray(picture)
    except (*DAMAGED, SyntaxError, TypeError):
        return
    if pixels.dtype != np.uint8 or pixels.size < 64:
        return
    yield "its pixels", pixels.tobytes().rstrip(b"\0")
    for order in ("big", "little") if pixels.size < 4_000_000 else ("big",):
        yield "the lowest bits of its pixels", np.packbits(pixels.ravel() & 1, bitorder=order).tobytes()
