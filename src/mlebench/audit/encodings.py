"""Answers written in another form: hashed, encoded, reversed, alone or together with the id."""

from __future__ import annotations

import base64
import binascii
import codecs
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable

from mlebench.audit.table import Texts

_ENCODED = re.compile(r"^(0x)?[0-9a-fA-F]{2,128}$|^[A-Za-z0-9+/_\-]{2,}={0,2}$")
_HEX = re.compile(r"^(0x)?[0-9a-f]{6,128}$")

_HASHES: dict[str, Callable[[bytes], str]] = {
    "MD5": lambda data: hashlib.md5(data).hexdigest(),
    "SHA-1": lambda data: hashlib.sha1(data).hexdigest(),
    "SHA-224": lambda data: hashlib.sha224(data).hexdigest(),
    "SHA-256": lambda data: hashlib.sha256(data).hexdigest(),
    "SHA-384": lambda data: hashlib.sha384(data).hexdigest(),
    "SHA-512": lambda data: hashlib.sha512(data).hexdigest(),
    "BLAKE2b": lambda data: hashlib.blake2b(data).hexdigest(),
    "BLAKE2s": lambda data: hashlib.blake2s(data).hexdigest(),
    "SHA3-256": lambda data: hashlib.sha3_256(data).hexdigest(),
    "CRC-32": lambda data: f"{zlib.crc32(data):08x}",
    "Adler-32": lambda data: f"{zlib.adler32(data):08x}",
}
_CODES: dict[str, Callable[[bytes], str]] = {
    "base64": lambda data: base64.b64encode(data).decode(),
    "base64 for addresses": lambda data: base64.urlsafe_b64encode(data).decode(),
    "base32": lambda data: base64.b32encode(data).decode(),
    "base85": lambda data: base64.b85encode(data).decode(),
    "hexadecimal": lambda data: data.hex(),
    "reversed": lambda data: data.decode("utf-8", "replace")[::-1],
    "ROT13": lambda data: codecs.encode(data.decode("utf-8", "replace"), "rot13"),
    "compressed": lambda data: base64.b64encode(zlib.compress(data)).decode(),
    "CRC-32 as number": lambda data: str(zlib.crc32(data)),
    "binary": lambda data: bin(int(data))[2:] if data.isdigit() else "",
}
_MOST = 4000  # rows that are tried


def writings(answer: str) -> list[str]:
    """The ways in which an answer may stand in a file."""
    found = [answer]
    try:
        number = float(answer)
    except ValueError:
        return [answer, answer.lower(), answer.upper()]
    if number.is_integer() and abs(number) < 1e15:
        found += [str(int(number)), f"{int(number)}.0"]
    found += [repr(number), f"{number:.6f}", f"{number:.4f}", f"{number:.2f}", f"{number:g}"]
    if answer in ("0", "1", "True", "False"):
        found += ["True", "true"] if number or answer == "True" else ["False", "false"]
    return list(dict.fromkeys(found))


def decoded_answers(values: Texts, answers: Texts, ids: Iterable[str | None]) -> tuple[str, list[str | None]] | None:
    """(the name of an encoding, what each value says in it) if one of the known encodings explains the values."""
    rows = [number for number, value in enumerate(values) if value and len(value) < 2000][:_MOST]
    if len(rows) < 3:
        return None
    looks = sum(bool(_ENCODED.match(str(values[row]).strip())) or len(str(values[row])) > 6 for row in rows)
    if looks < 0.5 * len(rows):
        return None
    distinct = list(dict.fromkeys(str(answers[row]) for row in rows))
    best: tuple[int, str, dict[str, str]] = (0, "", {})
    wanted = {_folded(str(values[row])) for row in rows}
    for name, encode in (_HASHES | _CODES).items():
        table: dict[str, str] = {}
        for answer in distinct[:_MOST]:
            for writing in writings(answer):
                code = _folded(encode(writing.encode()))
                if code:
                    table[code] = answer
                    if name in _HASHES:
                        for length in (8, 10, 12, 16):
                            table.setdefault(code[:length], answer)
        hits = len(wanted & table.keys())
        if hits and hits > best[0]:
            best = (hits, name, table)
    if best[0]:
        found = [best[2].get(_folded(str(value))) if value else None for value in values]
        if sum(value is not None for value in found) > 0.5 * len(rows):
            return best[1], found
    return _salted(values, answers, list(ids), rows, distinct)


def _folded(code: str) -> str:
    plain = code.strip()
    lowered = plain.lower()
    if _HEX.match(lowered):
        return lowered.removeprefix("0x")
    return plain.rstrip("=")


def _salted(
    values: Texts, answers: Texts, ids: list[str | None], rows: list[int], distinct: list[str]
) -> tuple[str, list[str | None]] | None:
    """Hashes and codes of the id together with the answer, where there are few answers to try."""
    if len(distinct) > 60:
        return None
    tried = rows[:40]
    joined: list[Callable[[str, str], str]] = [
        *(lambda key, value, mark=mark: f"{key}{mark}{value}" for mark in ("", "_", ":", "-", "|", ",", " ", "/")),
        *(lambda key, value, mark=mark: f"{value}{mark}{key}" for mark in ("", "_", ":", "-", "|", ",", " ", "/")),
    ]
    for name, encode in {**_HASHES, "base64": _CODES["base64"], "hexadecimal": _CODES["hexadecimal"]}.items():
        for join in joined:
            hits = 0
            for number, row in enumerate(tried):
                mine = [_folded(encode(join(str(ids[row]), w).encode())) for w in writings(str(answers[row]))]
                code = _folded(str(values[row]))
                hits += any(code == full or (len(code) >= 8 and full.startswith(code)) for full in mine)
                if number == 5 and not hits:
                    break
            if hits > 0.7 * len(tried):
                found: list[str | None] = [str(answer) for answer in answers]
                return f"{name} of id and answer", found
    return None


def looks_encoded(value: str) -> bool:
    """Whether a text may be base64 or hexadecimal."""
    return bool(_ENCODED.match(value.strip()))


def plainly(value: str) -> str | None:
    """What a text says in base64 or hexadecimal; None if it says nothing readable."""
    for decode in (base64.b64decode, binascii.unhexlify):
        try:
            text = decode(value).decode("utf-8")
        except (ValueError, binascii.Error):
            continue
        if text.isprintable():
            return text
    return None
