"""Tables in texts: JSON, JSON lines, YAML, XML, NMEA, separated values, and words beside ids wherever they stand."""

from __future__ import annotations

import base64
import binascii
import contextlib
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from mlebench.audit.entries import Entry
from mlebench.audit.table import Table, rows_table, texts

_MOST_ROWS = 300_000
_MOST_CELLS = 3_000_000
_MOST_DEPTH = 12
_FIRST = 2  # records of a list in a record that are columns of it
_TOKEN = re.compile(r"[^\s,;|\"'\[\]{}()<>=]+")
_SEPARATORS = (",", "\t", ";", "|")


def decoded(data: bytes) -> str | None:
    """The text of some bytes; None if they are not text."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    sample = data[:4096]
    if b"\0" in sample:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        odd = sum(byte < 9 or 13 < byte < 32 for byte in sample)
        return data.decode("latin-1") if odd < 0.02 * len(sample) else None


def _json(entry: Entry, data: bytes) -> list[Table]:
    text = decoded(data)
    return [] if text is None else _of_json_text(entry.name, text)


def _of_json_text(where: str, text: str) -> list[Table]:
    try:
        value = json.loads(text)
    except ValueError:
        rows = [json.loads(line) for line in text.splitlines()[:_MOST_ROWS] if line.strip()]
        if not rows:
            return []
        value = rows
    return list(tables_of_value(where, value))


def tables_of_value(where: str, value: Any, path: str = "", depth: int = 0) -> Iterator[Table]:
    """The tables in a nested value: lists of records, records by id, lists side by side."""
    if depth > _MOST_DEPTH:
        return
    label = f"{where} ({path})" if path else where
    if isinstance(value, list):
        dicts = [item for item in value if isinstance(item, dict)]
        if dicts and len(dicts) >= 0.5 * len(value):
            rows = [dict(flat(item)) for item in dicts[:_MOST_ROWS]]
            if table := rows_table(label, rows):
                yield table
            for name in list(dicts[0])[:30]:
                inner = [item.get(name) for item in dicts]
                lists = [item for item in inner if isinstance(item, list) and item and isinstance(item[0], dict)]
                if lists:
                    merged = [below for item in lists for below in item][:_MOST_ROWS]
                    yield from tables_of_value(where, merged, f"{path}.{name}".strip("."), depth + 1)
        elif value and all(isinstance(item, list) for item in value):
            width = max(len(item) for item in value)
            if width <= 400:
                rows = [{f"[{place}]": _scalar(cell) for place, cell in enumerate(item)} for item in value[:_MOST_ROWS]]
                if table := rows_table(label, rows):
                    yield table
        elif value:
            yield Table(label, {"value": texts(_scalar(item) for item in value[:_MOST_ROWS])})
    elif isinstance(value, dict) and value:
        scalars = {name: below for name, below in value.items() if not isinstance(below, dict | list)}
        if len(scalars) >= 2:
            named = list(scalars)[:_MOST_ROWS]
            yield Table(label, {"(key)": texts(named), "(value)": texts(scalars[name] for name in named)})
        records = {name: below for name, below in value.items() if isinstance(below, dict)}
        named_lists = {name: below for name, below in value.items() if isinstance(below, list)}
        if len(records) >= 2:
            rows = [{"(key)": name, **dict(flat(below))} for name, below in list(records.items())[:_MOST_ROWS]]
            if len({name for row in rows for name in row}) <= 2000 and (table := rows_table(label, rows)):
                yield table
        lengths: dict[int, dict[str, Any]] = {}
        for name, below in named_lists.items():
            if below and not isinstance(below[0], dict | list):
                lengths.setdefault(len(below), {})[str(name)] = below
                members = texts(_scalar(item) for item in below[:_MOST_ROWS])
                yield Table(f"{where} ({path}.{name})".replace("(.", "("), {str(name): members})
        for side_by_side in lengths.values():
            if len(side_by_side) > 1:
                columns = {name: texts(_scalar(item) for item in below) for name, below in side_by_side.items()}
                yield Table(label, columns)
        if len(named_lists) >= 3:  # a list of values by id
            rows = [
                {
                    "(key)": name,
                    "value": " ".join(map(str, below[:200])),
                    **{f"[{place}]": _scalar(item) for place, item in enumerate(below[:20])},
                }
                for name, below in list(named_lists.items())[:_MOST_ROWS]
            ]
            if table := rows_table(label, rows):
                yield table
        for name, below in list(value.items())[:200]:
            if isinstance(below, dict) or (isinstance(below, list) and below and isinstance(below[0], dict | list)):
                yield from tables_of_value(where, below, f"{path}.{name}".strip("."), depth + 1)


def _scalar(value: Any) -> Any:
    return json.dumps(value)[:4096] if isinstance(value, dict | list) else value


def flat(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """(path, value) of what is in a record; short lists are values, too."""
    if isinstance(value, dict) and depth < 5:
        for name, below in list(value.items())[:300]:
            yield from flat(below, f"{path}.{name}" if path else str(name), depth + 1)
    elif isinstance(value, list):
        if len(value) <= 200 and all(not isinstance(item, dict | list) for item in value):
            yield path, " ".join(map(str, value))
        yield f"{path}.length", len(value)
        for place, below in enumerate(value[:_FIRST]):
            if isinstance(below, dict):
                yield from flat(below, f"{path}[{place}]", depth + 1)
    else:
        yield path, value


def _yaml(entry: Entry, data: bytes) -> list[Table]:
    import yaml

    text = decoded(data[: 4 << 20])
    if text is None or len(re.findall(r"(?m)(?<!\S)[&*]\w", text)) > 100:  # aliases may unfold without bound
        return []
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    value = yaml.load(text, Loader=loader)  # the safe loader, in C where it is built
    if not isinstance(value, dict | list):
        return []
    return list(tables_of_value(entry.name, value))


def _xml(entry: Entry, data: bytes) -> list[Table]:
    from xml.etree import ElementTree

    if b"<!ENTITY" in data[:65536]:
        return []
    root = ElementTree.fromstring(data)
    found: dict[str, list[dict[str, Any]]] = {}
    for element in root.iter():
        row: dict[str, Any] = dict(element.attrib)
        if element.text and element.text.strip():
            row["(text)"] = element.text.strip()
        counts: dict[str, int] = {}
        for child in list(element)[:100]:
            number = counts[child.tag] = counts.get(child.tag, 0) + 1
            tag = str(child.tag) if number == 1 else f"{child.tag} {number}"  # the cells of a row have one name
            row |= {f"{tag}.{name}": value for name, value in child.attrib.items()}
            if child.text and child.text.strip():
                row[tag] = child.text.strip()
        if row:
            found.setdefault(str(element.tag), []).append(row)
    tables = [rows_table(f"{entry.name} ({tag})", rows[:_MOST_ROWS]) for tag, rows in found.items()]
    # The cells of a document are far below its rows: their texts in their order.
    written = [text.strip() for text in root.itertext() if text.strip()]
    return [*(table for table in tables if table), *tables_of_tokens(entry.name, written[: _MOST_ROWS * 4])]


def _nmea(entry: Entry, data: bytes) -> list[Table]:
    rows = []
    for line in data.decode("latin-1").splitlines()[:_MOST_ROWS]:
        cells = line.split("*")[0].split(",")
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
    return [table] if table else []


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

    lines = [line for line in text[:65536].splitlines()[:40] if line.strip()]
    if len(text) > 65536 and len(lines) > 2:
        lines = lines[:-1]  # it may be cut off
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
    frame = frame.astype(object).where(frame.notna(), None)  # a short row lacks its last cells
    columns = {str(name): frame[name].to_numpy(dtype=object) for name in frame.columns[:2000]}
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
    text = text[: 64 << 20]
    found: list[Table] = []
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        with contextlib.suppress(ValueError, RecursionError):
            found += _of_json_text(where, stripped)
    if not found and "\n" in stripped:
        with contextlib.suppress(ValueError, csv.Error):
            found += _of_separated(where, stripped)
    lines = stripped.splitlines()
    if 2 < len(lines) <= _MOST_ROWS:
        found.append(Table(where, {"line": texts(lines)}))
        parts = [line.split() for line in lines]
        width = min(len(part) for part in parts)
        if 2 <= width <= 50:
            found.append(
                Table(where, {f"word {place + 1}": texts(part[place] for part in parts) for place in range(width)})
            )
    found += tables_of_tokens(where, _TOKEN.findall(stripped)[: _MOST_ROWS * 4])
    colons = re.findall(r"([\w.\-/]+)\s*[:=]+>?\s*\"?([^\s,;\"'}\])]+)", stripped[: 8 << 20])
    if len(colons) > 2:
        found.append(
            Table(where, {"(key)": texts(pair[0] for pair in colons), "(value)": texts(pair[1] for pair in colons)})
        )
    compact = "".join(stripped.split())
    if 8 <= len(compact) <= _MOST_ROWS and len(set(compact)) <= 40:
        found.append(Table(where, {"character": texts(compact)}))
    if re.fullmatch(r"[A-Za-z0-9+/=_\-]{24,}", compact or " ") and depth_ok(where):
        for decode in (base64.b64decode, binascii.unhexlify, base64.b32decode, base64.b85decode):
            try:
                inner = decode(compact)
            except (ValueError, binascii.Error):
                continue
            below = decoded(inner)
            if below and sum(character.isprintable() or character.isspace() for character in below) > 0.95 * len(below):
                found += tables_of_text(f"{where} (decoded)", below)
            else:
                bits = "".join(f"{byte:08b}" for byte in inner[: _MOST_ROWS // 8])
                found.append(Table(f"{where} (decoded)", {"byte": texts(inner[:_MOST_ROWS])}))
                found.append(Table(f"{where} (decoded)", {"bit": texts(bits)}))
    return found


def depth_ok(where: str) -> bool:
    """Whether a text has not been decoded too often already."""
    return where.count("(decoded)") < 3


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


def _looks_like_json(entry: Entry, data: bytes) -> bool:
    return data[:64].lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[")


_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"RIFF", b"GIF8", b"BM", b"fLaC", b"ID3", b"FORM")


def _is_other(entry: Entry, data: bytes) -> bool:
    """Whether words may be looked for: in what is neither a picture, nor a sound, nor packed."""
    packed = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
    return not data.startswith((*_PICTURES, *packed)) and data[128:132] != b"DICM"


READERS = [
    (_looks_like_json, _json),
    (lambda entry, data: entry.suffix == ".nmea" or data[:3] in (b"$GP", b"$GN"), _nmea),
    (lambda entry, data: data[:200].lstrip()[:1] == b"<" and b">" in data, _xml),
    (lambda entry, data: entry.suffix in (".yaml", ".yml") and len(data) < 4 << 20, _yaml),
    (lambda entry, data: entry.suffix in (".csv", ".tsv", ".tab", ".psv", ".data", ".dat", ".arff"), _separated),
    (_is_other, words_of),
]
