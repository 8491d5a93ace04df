"""Tables in nested values: JSON, JSON lines, YAML, TOML, INI."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from mlebench.audit.entries import Entry
from mlebench.audit.joining import joined
from mlebench.audit.readers.text import decoded, tables_of_text, tables_of_tokens
from mlebench.audit.table import Table, rows_table, texts

_MOST_ROWS = 300_000
ORDER_OF_KEYS = "(order of keys)"  # of a record: where the same ones are written in another order
_MOST_DEPTH = 12
_MOST_NAMES = 2000  # of values in a record
_LONG, _MOST_TEXTS, _MOST_BELOW = 200, 40, 2000  # characters and number of texts that may be tables themselves
_FEWEST_GROUPS, _ONCE = 4, 0.95  # lists of members; of these, that are in one list alone
_FIELDS = 30  # of a record, one of which may be its name
_MOST_SETTINGS = 4 << 20
_HEADING = re.compile(rb"(?m)^\s*\[{1,2}[^\[\]\n]{1,200}\]{1,2}\s*$")
_SETTING = re.compile(rb"(?m)^\s*[^\s=:\[#;][^=:\n]{0,200}[=:]")
_FIRST = 2  # records of a list in a record that are columns of it


def _json(entry: Entry, data: bytes) -> list[Table]:
    text = decoded(data)
    return [] if text is None else tables_of_json(entry.name, text)


def tables_of_json(where: str, text: str) -> list[Table]:
    """The tables in a text of JSON, or of JSON lines."""
    try:
        value = json.loads(text)
    except ValueError:
        rows = [json.loads(line) for line in text.splitlines()[:_MOST_ROWS] if line.strip()]
        if not rows:
            return []
        value = rows
    found = list(tables_of_value(where, value))
    return [*found, *joined(found), *_tables_in_texts(where, value)]


def _tables_in_texts(where: str, value: Any) -> Iterator[Table]:
    """Tables in HTML or with lines in the texts of a value, as notebooks have them."""
    from mlebench.audit.readers.markup import tables_of_html

    for text in islice(_long_texts(value), _MOST_TEXTS):
        if "<td" in text:
            yield from tables_of_html(where, text)
        elif text.count("\n") > 3 or text[:1] in ("{", "["):
            yield from tables_of_text(where, text)


def _long_texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) >= _LONG:
            yield value
    elif depth <= _MOST_DEPTH and isinstance(value, dict | list):
        is_lines = isinstance(value, list) and len(value) > 3 and all(isinstance(item, str) for item in value)
        if is_lines and any(item.endswith("\n") for item in value):
            yield "".join(value)
            return
        for below in list(value.values() if isinstance(value, dict) else value)[:_MOST_BELOW]:
            if isinstance(below, str | dict | list):
                yield from _long_texts(below, depth + 1)


def tables_of_value(where: str, value: Any, path: str = "", depth: int = 0) -> Iterator[Table]:
    """The tables in a nested value: lists of records, records by id, lists side by side."""
    if depth > _MOST_DEPTH:
        return
    label = f"{where} ({path})" if path else where
    if isinstance(value, list):
        dicts = [item for item in value if isinstance(item, dict)]
        if dicts and len(dicts) >= 0.5 * len(value):
            rows = [dict(islice(flat(item), _MOST_NAMES)) for item in dicts[:_MOST_ROWS]]
            if len({tuple(item) for item in dicts[:_MOST_ROWS]}) > len({frozenset(item) for item in dicts}):
                rows = [row | {ORDER_OF_KEYS: " ".join(item)} for row, item in zip(rows, dicts, strict=False)]
            if table := rows_table(label, rows):
                yield table
            for name in list(dicts[0])[:30]:
                inner = [item.get(name) for item in dicts]
                lists = [item for item in inner if isinstance(item, list) and item and isinstance(item[0], dict)]
                lists_of_members = [_members(item.get(name)) for item in dicts]
                if any(lists_of_members) and (group := _name_of(dicts, name)):
                    yield from _memberships(
                        label, zip((str(item[group]) for item in dicts), lists_of_members, strict=True)
                    )
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
            if any(isinstance(item, str) for item in value[:10]):  # names and values in turns
                yield from tables_of_tokens(label, [str(item)[:200] for item in value[:_MOST_ROWS]])
    elif isinstance(value, dict) and value:
        scalars = {name: below for name, below in value.items() if not isinstance(below, dict | list)}
        if len(scalars) >= 2:
            named = list(scalars)[:_MOST_ROWS]
            yield Table(label, {"(key)": texts(named), "(value)": texts(scalars[name] for name in named)})
        records = {name: below for name, below in value.items() if isinstance(below, dict)}
        named_lists = {name: below for name, below in value.items() if isinstance(below, list)}
        if len(records) >= 2:
            rows = [
                {"(key)": name, **dict(islice(flat(below), _MOST_NAMES))}
                for name, below in list(records.items())[:_MOST_ROWS]
            ]
            if len({name for row in rows for name in row}) <= _MOST_NAMES and (table := rows_table(label, rows)):
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
        yield from _memberships(label, ((str(name), _members(below)) for name, below in named_lists.items()))
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


def _members(value: Any) -> list[Any]:
    """The members of a list of plain values; none of anything else."""
    are_plain = isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)
    return value[:_MOST_ROWS] if are_plain else []


def _name_of(records: list[dict[str, Any]], but: str) -> str | None:
    """The field that has another name for each record."""
    for field, first in list(records[0].items())[:_FIELDS]:
        if field == but or not isinstance(first, str | int):
            continue
        names = [item.get(field) for item in records]
        if all(isinstance(name, str | int) for name in names) and len(set(names)) == len(names):
            return field
    return None


def _memberships(label: str, groups: Iterable[tuple[str, list[Any]]]) -> Iterator[Table]:
    """The members of several lists, each with the name of its list, where hardly any is in two: they are groups."""
    named = [(name, members) for name, members in groups if members]
    rows = [(name, member) for name, members in named for member in members][:_MOST_ROWS]
    is_grouped = len(named) >= _FEWEST_GROUPS and len(rows) > len(named)
    if is_grouped and len({member for _, member in rows}) >= _ONCE * len(rows):
        yield Table(label, {"member": texts(member for _, member in rows), "group": texts(name for name, _ in rows)})


def _scalar(value: Any) -> Any:
    return json.dumps(value)[:4096] if isinstance(value, dict | list) else value


def flat(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """(path, value) of what is in a record; short lists are values, too."""
    if isinstance(value, dict) and depth < _MOST_DEPTH:
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


def _toml(entry: Entry, data: bytes) -> list[Table]:
    import tomllib

    return list(tables_of_value(entry.name, tomllib.loads(data.decode("utf-8-sig"))))


def _ini(entry: Entry, data: bytes) -> list[Table]:
    from configparser import RawConfigParser

    text = decoded(data)
    if text is None:
        return []
    parser = RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # names of items keep their capitals
    parser.read_string(text)
    return list(tables_of_value(entry.name, {name: dict(section) for name, section in parser.items() if section}))


def _has_settings(entry: Entry, data: bytes) -> bool:
    """Whether lines are those of TOML or INI: headings in brackets, and names with values."""
    return len(data) < _MOST_SETTINGS and len(_HEADING.findall(data)) > 0 and len(_SETTING.findall(data)) > 3


def _looks_like_json(entry: Entry, data: bytes) -> bool:
    return data[:64].lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[")


READERS = [
    (_looks_like_json, _json),
    (_has_settings, _toml),
    (_has_settings, _ini),
    (lambda entry, data: entry.suffix in (".yaml", ".yml") and len(data) < 4 << 20, _yaml),
]
