"""Answers written in another form: hashed, encoded, reversed, alone or together with the id."""

from __future__ import annotations

import base64
import codecs
import hashlib
import re
import zlib
from collections.abc import Callable

from mlebench.audit.table import Texts

_HEX = re.compile(r"^(0x)?[0-9a-f]{6,128}$")

HASHES: dict[str, Callable[[bytes], str]] = {
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


_OF_IDS = ("MD5", "SHA-1", "SHA-256")  # hashes that stand for names
_FURTHER = ("SHA-224", "SHA-512", "BLAKE2b", "BLAKE2s", "CRC-32")
_WRITTEN = ("base64", "base64 for addresses", "base32", "hexadecimal", "reversed", "ROT13", "CRC-32 as number")
_CUT = (8, 10, 12, 16)  # characters of a hash that may stand for all of it


def names_in_other_forms(name: str, *, all_forms: bool) -> list[str]:
    """A name as the usual hashes write it; with all forms also as others do, cut short, encoded and reversed."""
    data = name.encode("utf-8", "replace")
    found = [HASHES[kind](data) for kind in _OF_IDS]
    if all_forms:
        found += [digest[:length] for digest in list(found) for length in _CUT]
        found += [HASHES[kind](data) for kind in _FURTHER]
        found += [code for kind in _WRITTEN if len(code := _CODES[kind](data)) >= 4 and code != name]
        found += [code.rstrip("=") for code in found if code.endswith("=")]
        bare = "".join(character for character in name.lower() if character.isalnum())
        found += [bare] if len(bare) >= 4 and bare != name.lower() else []
    return found


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


class Encodings:
    """The answers of a target in all known encodings, made once."""

    def __init__(self, answers: Texts) -> None:
        self._answers = answers
        self._distinct = list(dict.fromkeys(str(answer) for answer in answers[:_MOST] if answer is not None))
        self._tables: dict[str, dict[str, str]] | None = None

    def _made(self) -> dict[str, dict[str, str]]:
        if self._tables is None:
            self._tables = {}
            for name, encode in (HASHES | _CODES).items():
                table = self._tables[name] = {}
                for answer in self._distinct:
                    for writing in writings(answer):
                        code = _folded(encode(writing.encode()))
                        if len(code) < 2 or code == _folded(writing):
                            continue
                        table[code] = answer
                        for length in (8, 10, 12, 16) if name in HASHES else ():
                            table.setdefault(code[:length], answer)
        return self._tables

    def decoded(self, values: Texts, ids: Texts) -> tuple[str, list[str | None]] | None:
        """(the name of an encoding, what each value says in it) if one of the known encodings explains the values."""
        rows = [number for number, value in enumerate(values) if value and 2 < len(value) < 3000][:_MOST]
        if len(rows) < 3 or sum(map(_may_be_code, (str(values[row]) for row in rows[:50]))) < 0.5 * min(len(rows), 50):
            return None
        folded = [_folded(str(values[row])) for row in rows]
        wanted = set(folded)
        best: tuple[int, str] = (0, "")
        for name, table in self._made().items():
            hits = sum(code in table for code in wanted)
            if hits > best[0]:
                best = (hits, name)
        if best[0]:
            table = self._made()[best[1]]
            found = [table.get(_folded(str(value))) if value else None for value in values]
            if sum(value is not None for value in found) > 0.5 * len(rows):
                return best[1], found
        return self._salted(values, ids, rows)

    def _salted(self, values: Texts, ids: Texts, rows: list[int]) -> tuple[str, list[str | None]] | None:
        """Hashes and codes of the id together with the answer."""
        if len({values[row] for row in rows}) < 0.9 * len(rows):
            return None
        tried = rows[:40]
        for name, encode in {**HASHES, "base64": _CODES["base64"], "hexadecimal": _CODES["hexadecimal"]}.items():
            for join in _JOINS:
                hits = 0
                for number, row in enumerate(tried):
                    mine = [
                        _folded(encode(join(str(ids[row]), text).encode()))
                        for text in writings(str(self._answers[row]))
                    ]
                    code = _folded(str(values[row]))
                    hits += any(code == full or (len(code) >= 8 and full.startswith(code)) for full in mine)
                    if number == 3 and not hits:
                        break
                if hits > 0.7 * len(tried):
                    found: list[str | None] = [str(answer) for answer in self._answers]
                    return f"{name} of id and answer", found
        return None


MARKS = ("", "_", ":", "-", "|", ",", " ", "/")


def _joined(mark: str, *, id_first: bool) -> Callable[[str, str], str]:
    return lambda key, value: f"{key}{mark}{value}" if id_first else f"{value}{mark}{key}"


_JOINS = [_joined(mark, id_first=id_first) for mark in MARKS for id_first in (True, False)]


def _may_be_code(value: str) -> bool:
    """Whether a value is one word that is not a plain short number."""
    plain = value.strip()
    if " " in plain:
        return False
    return not plain.replace(".", "", 1).replace("-", "", 1).isdecimal() or len(plain) >= 8 or set(plain) <= {"0", "1"}


def _folded(code: str) -> str:
    plain = code.strip()
    lowered = plain.lower()
    if _HEX.match(lowered):
        return lowered.removeprefix("0x")
    return plain.rstrip("=")
