"""Tables in texts: separated values, fixed widths, NMEA, and words beside ids wherever they stand."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from mlebench.audit.entries import Entry
from mlebench.audit.literals import tables_of_literals
from mlebench.audit.quoting import irregular_columns
from mlebench.audit.table import LONGEST, Table, rows_table, texts

_MOST_ROWS = 300_000
_MOST_CELLS = 3_000_000
_LIST = 8  # lines
_PROSE = 3  # words in each line of a text
_BEGINNING = 1 << 16  # characters of a text, by which its form is told
_FIRST_ROWS = 40
TOKEN = re.compile(r"[^\s,;|\"'\[\]{}()<>=^~&\x00-\x1f]+")
_FIELD = re.compile(r"(?<!\S)([A-Za-z_][\w.\-]{0,40})=(.*?)(?=[\s,;]+[A-Za-z_][\w.\-]{0,40}=|$)")
_MOST_FIELDS = 60
_COLON = re.compile(r"""(?<![\w.\-/])["']?([\w.\-/]+)["']?\s*[:=]+>?\s*["']?([^\s,;"'}\])({\[<][^\s,;"'}\])<]*)""")
_MOST_SEARCHED = 8 << 20  # characters
_MOSTLY, _MOST_WORDS = 0.6, 50  # of the lines have as many words as most; of a line
_MOST_SENTENCES = 20  # kinds of them in a log
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
_SEPARATORS = (",", "\t", ";", "|", "^", "~", "\x01", "\x1f", "&")


def decoded(data: bytes) -> str | None:
    """The text of some bytes; None if they are not text."""
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return data.decode("utf-32", "replace")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    sample = data[:4096]
    if b"\0" in sample:
        return _wide(data, sample)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        odd = sum(byte < 9 or 13 < byte < 32 for byte in sample)
        return data.decode("latin-1") if odd < 0.02 * len(sample) else None


def _wide(data: bytes, sample: bytes) -> str | None:
    """Text of two or four bytes for each character, where it does not say so."""
    for coding, width, used in (("utf-16-le", 2, 0), ("utf-16-be", 2, 1), ("utf-32-le", 4, 0), ("utf-32-be", 4, 3)):
        high = [sample[place::width] for place in range(width) if place != used]
        plain = sample[used::width]
        if len(plain) >= 8 and not any(part.strip(b"\0") for part in high) and b"\0" not in plain and plain.isascii():
            odd = sum(byte < 9 or 13 < byte < 32 for byte in plain)
            return data.decode(coding, "replace") if odd < 0.02 * len(plain) else None
    return None


def _nmea(entry: Entry, data: bytes) -> list[Table]:
    rows = []
    sentences: dict[str, list[list[str]]] = {}
    for line in data.decode("latin-1").splitlines()[:_MOST_ROWS]:
        cells = line.split("*")[0].split(",")
        if cells[0].startswith("$") and (cells[0] in sentences or len(sentences) < _MOST_SENTENCES):
            sentences.setdefault(cells[0], []).append(cells)
        if cells[0].endswith("GGA") and len(cells) > 9 and cells[2] and cells[4]:
            rows.append(
                {
                    "time": cells[1],
                    "latitude": _degrees(cells[2], cells[3]),
                    "longitude": _degrees(cells[4], cells[5]),
                    "altitude": cells[9],
                }
            )
        elif cells[0].endswith("RMC") and len(cells) > 6 and cells[3] and cells[5]:
            rows.append(
                {"time": cells[1], "latitude": _degrees(cells[3], cells[4]), "longitude": _degrees(cells[5], cells[6])}
            )
    table = rows_table(entry.name, rows)
    return [*([table] if table else []), *(_of_sentences(entry.name, kind, found) for kind, found in sentences.items())]


def _of_sentences(where: str, kind: str, rows: list[list[str]]) -> Table:
    """The fields of all sentences of a kind, such as how many satellites are seen, by their numbers."""
    width = min(max(map(len, rows)), _MOST_WORDS)
    cells = (texts(row[place] if place < len(row) else None for row in rows) for place in range(1, width))
    return Table(where, {f"{kind[1:]} field {place}": values for place, values in enumerate(cells, 1)})


def _degrees(value: str, side: str) -> float:
    point = value.index(".")
    degrees = float(value[: point - 2]) + float(value[point - 2 :]) / 60
    return -degrees if side in "SW" else degrees


def _separated(entry: Entry, data: bytes) -> list[Table]:
    text = decoded(data)
    if text is None or "\n" not in text.strip():
        return []
    return _of_separated(entry.name, text)


def _of_separated(where: str, text: str) -> list[Table]:
    import pandas as pd

    lines = _first_rows(text)
    if len(lines) < 2:
        return []
    separator = max(_SEPARATORS, key=lambda mark: min(line.count(mark) for line in lines))
    if not min(line.count(separator) for line in lines):
        below = _below_preamble(text, lines)
        if below is not None:
            separator, text = below
        elif not any(mark in lines[0] for mark in _SEPARATORS):
            return []
        else:
            separator = max(_SEPARATORS, key=lambda mark: lines[0].count(mark))
    options: dict[str, Any] = {"sep": separator, "dtype": str, "keep_default_na": False, "na_filter": False}
    options |= {"nrows": _MOST_ROWS, "on_bad_lines": "skip", "index_col": False}
    try:
        frame = pd.read_csv(io.StringIO(text), **options)
    except (ValueError, csv.Error):
        frame = pd.read_csv(io.StringIO(text), **options, engine="python", quoting=csv.QUOTE_NONE)
    if len(frame.columns) * len(frame) > 40 * _MOST_CELLS:
        frame = frame.iloc[: 40 * _MOST_CELLS // len(frame.columns)]
    if len(text) > 500 * len(frame):  # long texts are compared as far as they are kept
        frame = frame.apply(lambda column: column.str.slice(0, LONGEST))
    frame = frame.astype(object).where(frame.notna(), None)  # a short row lacks its last cells
    columns = {str(name): frame[name].to_numpy(dtype=object) for name in frame.columns[:2000]}
    columns |= dict(irregular_columns(text, separator, list(map(str, frame.columns)), len(frame)))
    table = Table(where, columns, sampled=len(frame) >= _MOST_ROWS)
    # Without a header the first row is one of the data.
    headless = (
        pd.concat([pd.DataFrame([list(frame.columns)], columns=frame.columns), frame]) if len(frame) < 50_000 else frame
    )
    bare = {
        f"column {place + 1}": headless.iloc[:, place].to_numpy(dtype=object)
        for place in range(min(len(frame.columns), 50))
    }
    looks_bare = any(re.fullmatch(r"-?[\d.]+", str(name)) for name in frame.columns)
    return [table, Table(where, bare)] if looks_bare else [table]


def _first_rows(text: str) -> list[str]:
    """The first rows of a table, as they are written: a cell in quotation marks may go over several lines."""
    lines = text[:_BEGINNING].splitlines()
    if len(text) > _BEGINNING and len(lines) > 2:
        lines = lines[:-1]  # it may be cut off
    rows: list[str] = []
    open_row = ""
    for line in lines:
        open_row = f"{open_row}\n{line}" if open_row else line
        if open_row.count('"') % 2 == 0:
            rows.append(open_row)
            open_row = ""
    if open_row.count("\n") > len(lines) // 2:  # a mark that is never closed is none of a cell
        rows = lines
    return [row for row in rows[:_FIRST_ROWS] if row.strip()]


def _below_preamble(text: str, lines: list[str]) -> tuple[str, str] | None:
    """(separator, text) where a table begins below some lines that are none of it."""
    for mark in _SEPARATORS:
        last = max((number for number, line in enumerate(lines) if mark not in line), default=-1)
        if 0 <= last < len(lines) // 2 and len(lines) - last > 3:
            return mark, text[text.index(lines[last]) + len(lines[last]) :].lstrip("\r\n")
    return None


def words_of(entry: Entry, data: bytes) -> list[Table]:
    """What can be read of a file of no known form: its text, or the words in its bytes."""
    text = decoded(data)
    if text is None:
        strings = [found.decode("ascii") for found in re.findall(rb"[\x20-\x7e]{4,}", data[: 16 << 20])[:_MOST_ROWS]]
        wide = [
            found.decode("utf-16-le") for found in re.findall(rb"(?:[\x20-\x7e]\x00){4,}", data[: 16 << 20])[:10_000]
        ]
        text = "\n".join(strings + wide)
    return tables_of_text(entry.name, text)


def tables_of_text(where: str, text: str) -> list[Table]:
    """The tables in a text of any form."""
    text = text[: 64 << 20].replace("\\_", "_")  # as LaTeX and Markdown write it
    found: list[Table] = []
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        with contextlib.suppress(ValueError, RecursionError):
            from mlebench.audit.readers.nested import tables_of_json

            found += tables_of_json(where, stripped)
    if not found and "\n" in stripped:
        with contextlib.suppress(ValueError, csv.Error):
            found += _of_separated(where, stripped)
    lines = stripped.splitlines()
    for block in _blocks(lines):
        with contextlib.suppress(ValueError, csv.Error):
            found += _of_separated(where, "\n".join(block))
    if 2 < len(lines) <= _MOST_ROWS:
        found.append(Table(where, {"line": texts(lines)}))
        if len(lines) > _LIST and lines[0] not in lines[1:] and len(set(lines[1:])) < len(lines) - 1:
            found.append(Table(where, {lines[0][:80]: texts(lines[1:])}, keys=()))  # a list with a heading
        parts = [line.split() for line in lines]
        width = min(len(part) for part in parts)
        found += _in_words(where, parts, width)
        if width >= _PROSE:  # a text may have its label in front or behind it
            found += [
                Table(where, {"first word": texts(part[0] for part in parts), "behind it": texts(_behind(lines))}),
                Table(where, {"last word": texts(part[-1] for part in parts), "before it": texts(_before(lines))}),
            ]
    found += tables_of_tokens(where, TOKEN.findall(stripped)[: _MOST_ROWS * 4])
    colons = _COLON.findall(stripped[:_MOST_SEARCHED])
    if len(colons) > 2:
        found.append(
            Table(where, {"(key)": texts(pair[0] for pair in colons), "(value)": texts(pair[1] for pair in colons)})
        )
    found += _fields(where, lines)
    found += tables_of_literals(where, stripped[:_MOST_SEARCHED])
    compact = "".join(stripped.split())
    if 8 <= len(compact) <= _MOST_ROWS and len(set(compact)) <= 40:
        found.append(Table(where, {"character": texts(compact)}))
    invisible = _INVISIBLE.findall(text[: 8 << 20])
    if len(invisible) >= 12:
        found.append(Table(where, {"invisible character": texts(f"{ord(sign):x}" for sign in invisible)}, keys=()))
    return found


def _blocks(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Tables within a text: lines below one another that a sign parts into so many cells each, among others."""
    for mark in _SEPARATORS:
        counts = [line.count(mark) for line in lines]
        start = 0
        for stop in range(1, len(lines) + 1):
            if stop < len(lines) and counts[stop] == counts[start]:
                continue
            if counts[start] and _LIST <= stop - start < len(lines) - 1:
                yield lines[start:stop]
            start = stop


def _in_words(where: str, parts: Sequence[Sequence[str]], width: int) -> Iterator[Table]:
    """Lines as rows of so many words as all of them have, and as most of them have: others are around a table."""
    usual, count = Counter(map(len, parts)).most_common(1)[0]
    for wide in dict.fromkeys((width, usual if count >= _MOSTLY * len(parts) else width)):
        if 2 <= wide <= _MOST_WORDS:
            rows = parts if wide == width else [part for part in parts if len(part) == wide]
            yield Table(where, {f"word {place + 1}": texts(row[place] for row in rows) for place in range(wide)})


def _fields(where: str, lines: Sequence[str]) -> list[Table]:
    """Lines with names and values, such as those of a log; a value goes on up to the next name, blanks and all."""
    rows = [
        {name: value.strip("\"' ,;") for name, value in _FIELD.findall(line[:LONGEST])}
        for line in lines[:_MOST_ROWS]
        if line.count("=") > 1
    ]
    table = rows_table(where, rows) if len(rows) >= _LIST else None
    return [] if table is None or len(table.columns) > _MOST_FIELDS else [table]


def _behind(lines: Sequence[str]) -> Iterator[str]:
    return (line.split(maxsplit=1)[1] for line in lines)


def _before(lines: Sequence[str]) -> Iterator[str]:
    return (line.rsplit(maxsplit=1)[0] for line in lines)


def tables_of_tokens(where: str, tokens: Sequence[str]) -> list[Table]:
    """Words in their order: each with the ones that follow it, and those that are numbers alone."""
    if len(tokens) < 6:
        return []
    column = texts(tokens)
    after = {
        "word": column[:-4],
        "next word": column[1:-3],
        "word after next": column[2:-2],
        "third word": column[3:-1],
        "fourth word": column[4:],
    }
    tables = [Table(f"{where}", after, keys=("word",))]
    before = {"word": column[2:], "word before": column[1:-1], "two words before": column[:-2]}
    tables.append(Table(where, before, keys=("word",)))
    numbers = [token for token in tokens if re.fullmatch(r"-?\d+(\.\d+)?([eE]-?\d+)?", token)]
    if len(numbers) >= 6:
        tables.append(Table(where, {"number": texts(numbers)}))
    return tables


_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"RIFF", b"GIF8", b"BM", b"fLaC", b"ID3", b"FORM")


def _is_other(entry: Entry, data: bytes) -> bool:
    """Whether words may be looked for: in what is neither a picture, nor a sound, nor packed."""
    packed = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
    return not data.startswith((*_PICTURES, *packed)) and data[128:132] != b"DICM"


READERS = [
    (lambda entry, data: entry.suffix == ".nmea" or data[:3] in (b"$GP", b"$GN"), _nmea),
    (lambda entry, data: entry.suffix in (".csv", ".tsv", ".tab", ".psv", ".data", ".dat", ".arff"), _separated),
    (_is_other, words_of),
]
