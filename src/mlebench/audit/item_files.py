"""Files that belong to one item each, as tables: a row per item, with what name, size, date, place and content say."""

from __future__ import annotations

import re
import zlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlebench.audit.contents import facts_of
from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.table import Table, rows_table
from mlebench.audit.targets import plain_key
from mlebench.base import progress

_FEWEST = 12  # files that tell which number in their names is that of the item
_PIECE = re.compile(r"[_\-. ]")
_MOST_PIECES = 16  # of a name that are tried together
_MANY_NAMES, _MOST_OF_A_KIND = 4, 0.7  # forms of names, and the share of the items that one of them may have
_LIKE_AN_ID = 4  # characters of a folder that is rather an item than a class
MOST_READ = 400  # files of items per kind and side whose content is looked into
_MOST_COPIES, _LARGEST_COPY = 5000, 8 << 20  # files that are compared byte for byte
_SIDES = re.compile(r"(?i)(test|train(ing)?|val(id(ation)?)?)")


def slot_of(where: str) -> str:
    """A file's name with test and train as one."""
    return _SIDES.sub("~", where)


@dataclass(frozen=True)
class ItemFile:
    """A file, the item it belongs to, and its slot: what files of the same kind have in common."""

    entry: Entry
    key: str
    slot: str


def side_of(name: str) -> str | None:
    """Whether a path says that it is for training or for testing."""
    lowered = name.lower()
    test, train = "test" in lowered, "train" in lowered
    return None if test == train else "test" if test else "train"


def item_files(entries: Iterable[Entry], names: Mapping[str, Any], others: Container[str], side: str) -> list[ItemFile]:
    """The files whose name, or whose folder, is that of an item; where both sides have the name the path decides."""
    found = []
    entries = list(entries)
    places = _places(entries, names)
    for entry in entries:
        if entry.base == "(comment)":
            continue
        place = places.get((entry.name.rpartition("/")[0], entry.suffix))
        key = _key(entry.name, names) if place is None else plain_key(_PIECE.split(entry.base)[place])
        if key is None:
            continue
        told = side_of(entry.name)
        if told is not None and told != side and (key in others or side == "train"):
            continue
        if told == "train" and side == "test" and not others:
            continue
        found.append(ItemFile(entry, key, _slot(entry, key)))
    return _of_one_kind(found)


def _of_one_kind(files: list[ItemFile]) -> list[ItemFile]:
    """Files with one slot for names that take turns: where no item has two of many, they are no kinds of files.

    Such are the copies of pictures that are called like the item and its class.
    """
    kinds: dict[str, dict[str, list[ItemFile]]] = {}
    for file in files:
        parts = file.entry.name.split("/")
        kind = slot_of(f"{parts[0] if len(parts) > 1 else ''}/*{file.entry.suffix}")
        kinds.setdefault(kind, {}).setdefault(file.slot, []).append(file)
    one: dict[int, str] = {}
    for kind, slots in kinds.items():
        owned = [{file.key for file in members} for members in slots.values()]
        everything = set().union(*owned)
        if (
            len(slots) >= _MANY_NAMES
            and sum(map(len, owned)) == len(everything)
            and max(map(len, owned)) < _MOST_OF_A_KIND * len(everything)
        ):
            one |= {id(file): kind for members in slots.values() for file in members}
    return [ItemFile(file.entry, file.key, one.get(id(file), file.slot)) for file in files]


def _places(entries: Iterable[Entry], names: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """In folders whose files have several numbers in their names, which of them is that of the item."""
    folders: dict[tuple[str, str], list[list[str]]] = {}
    for entry in entries:
        pieces = _PIECE.split(entry.base)
        if sum(piece.isdecimal() for piece in pieces) > 1:
            folders.setdefault((entry.name.rpartition("/")[0], entry.suffix), []).append(pieces)
    found = {}
    for folder, files in folders.items():
        if len(files) < _FEWEST or plain_key(folder[0]) in names or len({len(pieces) for pieces in files}) > 1:
            continue
        fits = []
        for place in range(len(files[0])):
            keys = [plain_key(pieces[place]) for pieces in files]
            if len(set(keys)) == len(keys) and all(key in names for key in keys):
                fits.append(place)
        if len(fits) == 1:
            found[folder] = fits[0]
    return found


def _key(name: str, names: Mapping[str, Any]) -> str | None:
    parts = name.split("/")
    stem = plain_key(parts[-1])
    if stem in names:
        return stem
    loose = re.split(r"[.@#+ ]|__|--", stem)
    for piece in (loose[0], loose[-1], *re.split(r"[_\-]", stem)):
        if len(piece) >= 5 and piece in names:
            return piece
    for cut in (stem.rsplit("_", 1), stem.rsplit("-", 1), stem.split("_", 1), stem.split("-", 1)):
        for piece in cut:
            if len(piece) >= 1 and plain_key(piece) in names and not piece.isdecimal():
                return plain_key(piece)
    if (within := _within(stem, names)) is not None:
        return within
    for part in reversed(parts[:-1]):  # 00012/image-3.png is of item 12
        if len(part) >= _LIKE_AN_ID and plain_key(part) in names and not _SIDES.fullmatch(part):
            return plain_key(part)
    numbered = {
        plain_key(piece) for piece in re.split(r"[_\-. ]", stem) if piece.isdecimal() and plain_key(piece) in names
    }
    if len(numbered) == 1:
        return numbered.pop()
    numeric = [plain_key(run) for run in re.findall(r"\d+", stem)]
    if len(numeric) == 1 and numeric[0] in names:
        return numeric[0]
    for part in reversed(parts[:-1]):
        if plain_key(part) in names and not _SIDES.fullmatch(part):
            return plain_key(part)
    for start in range(len(parts) - 1, 0, -1):  # an id may be two folders, joined by a hyphen
        if "-".join(parts[start - 1 : start + 1]).lower() in names:
            return "-".join(parts[start - 1 : start + 1]).lower()
    return None


def _within(stem: str, names: Mapping[str, Any]) -> str | None:
    """An id of several parts with others before and behind it, the longest one."""
    marks = [0, *(match.start() for match in _PIECE.finditer(stem)), len(stem)]
    if not 4 <= len(marks) <= _MOST_PIECES:
        return None
    for length in range(len(marks) - 2, 1, -1):
        for start in range(len(marks) - length):
            piece = stem[marks[start] : marks[start + length]].strip("_-. ")
            if len(piece) >= _LIKE_AN_ID and plain_key(piece) in names:
                return plain_key(piece)
    return None


def _slot(entry: Entry, key: str) -> str:
    """What files of one kind share: the top folder or archive, and the ending; `test` and `train` are the same."""
    parts = entry.name.split("/")
    top = parts[0] if len(parts) > 1 else ""
    around = re.sub(re.escape(key), "*", parts[-1].lower())
    around = (
        around
        if around.count("*") == 1 and len(around) < 40 and not any(c.isdecimal() for c in around)
        else f"*{entry.suffix}"
    )
    return slot_of(f"{top}/{around}")


def tables_of_files(files: list[ItemFile], side: str, keep: set[str] | None = None) -> list[Table]:
    """Tables per slot: names and sizes of all files, and the content of those that are looked into.

    These are two tables where some files are not looked into: a column with gaps that only say that a file was not
    read would tell less than it does, in train, of which there is more, most of all.
    """
    slots: dict[str, list[ItemFile]] = {}
    for file in files:
        slots.setdefault(file.slot, []).append(file)
    tables = []
    for slot, members in slots.items():
        if len({file.key for file in members}) < 3:
            continue
        read = {id(file) for file in _sampled(members)}
        rows: list[dict[str, Any]] = []
        inside: list[dict[str, Any]] = []
        order_in: dict[str, int] = {}
        with progress.stage("read", slot, total=len(members), unit="files") as stage:
            for number, file in enumerate(members):
                stage.reach(number)
                entry = file.entry
                place = order_in[entry.container] = order_in.get(entry.container, -1) + 1
                row: dict[str, Any] = {
                    "(item)": file.key,
                    "folder": slot_of(entry.name.rsplit("/", 1)[0]) if "/" in entry.name else "",
                    "size": entry.size,
                    "order": place if entry.container else None,
                    "ending": entry.base.rpartition(".")[2] if "." in entry.base else "",
                    "name around the id": re.sub(re.escape(file.key), "*", entry.base.lower()),
                }
                # As a word of its own, which may be the answer: a class has blanks and hyphens like the name around it.
                if beside := _beside(entry.base, file.key):
                    row["name beside the id"] = beside
                row |= {name: value for name, value in entry.facts.items() if value}
                rows.append(row)
                if id(file) in read:
                    facts = {name: value for name, value in facts_of(entry).items() if name not in row}
                    inside.append({"(item)": file.key, **facts})
        where = shown(members)
        if len(inside) == len(rows):
            rows, inside = [row | facts for row, facts in zip(rows, inside, strict=True)], []
        tables += [
            Table(table.where, table.columns, True, ("(item)",), part is inside, (slot,))
            for part in (rows, inside)
            if (table := rows_table(where, part, is_artifact=True)) is not None
        ]
    return tables


def _beside(base: str, key: str) -> str:
    """What a name says besides the id and its ending; nothing where the id is in the middle, or not in it."""
    stem = base.rpartition(".")[0] or base
    before, found, behind = stem.lower().partition(key)
    if not found or (before and behind):
        return ""
    return (stem[len(key) :] if behind else stem[: len(before)]).strip("_-.+@# ")


def _sampled(members: list[ItemFile]) -> list[ItemFile]:
    if len(members) <= MOST_READ:
        return members
    taken = np.random.default_rng(0).choice(len(members), MOST_READ, replace=False)
    return [members[place] for place in np.sort(taken)]


def shown(members: Sequence[ItemFile]) -> str:
    """One name for many files: their common folder, and the ending."""
    folders = {member.entry.name.rsplit("/", 1)[0] if "/" in member.entry.name else "" for member in members}
    folder = folders.pop() if len(folders) == 1 else _common(folders)
    return f"{folder}/*{members[0].entry.suffix}".lstrip("/")


def _common(folders: set[str]) -> str:
    paths = [folder.split("/") for folder in folders]
    shared = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)


def copies_of(files: list[ItemFile], entries: Iterable[Entry]) -> list[ItemFile]:
    """Files with other names that are files of items, byte for byte: what they are called may tell something."""
    own = {id(file.entry) for file in files}
    sizes: dict[int, list[ItemFile]] = {}
    for file in files[:_MOST_COPIES]:
        if 32 < file.entry.size <= _LARGEST_COPY:
            sizes.setdefault(file.entry.size, []).append(file)
    wanted = [entry for entry in entries if entry.size in sizes and id(entry) not in own][:_MOST_COPIES]
    if not wanted:
        return []
    digests: dict[tuple[int, int | None], str] = {}
    for size in {entry.size for entry in wanted}:
        for file in sizes[size]:
            digests[size, digest(file.entry)] = file.key
    found = []
    for entry in wanted:
        key = digests.get((entry.size, digest(entry)))
        if key is not None:
            top = entry.name.split("/")[0]
            found.append(ItemFile(entry, key, f"copies in {top}"))
    return found


def digest(entry: Entry) -> int | None:
    """What tells the content of a file from others of its size; None where it cannot be read."""
    try:
        return zlib.crc32(entry.read(_LARGEST_COPY))
    except DAMAGED:
        return None


def membership(files: list[ItemFile], size: int) -> Iterable[tuple[str, set[str]]]:
    """(what it is, the items that have it) of folders, archives and slots that some items have and others lack."""
    groups: dict[str, set[str]] = {}
    for file in files:
        groups.setdefault(f"{file.entry.name.rsplit('/', 1)[0]}/*{file.entry.suffix}", set()).add(file.key)
    yield from ((name, keys) for name, keys in groups.items() if 3 <= len(keys) < 0.98 * size)
