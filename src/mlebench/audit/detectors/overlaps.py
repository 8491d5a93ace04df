"""Files of items that have stretches of one another, as pieces of one recording have that overlap.

Neither the whole files nor what they look like on the whole is alike. So fingerprints are taken of short runs of bytes,
those that a rule picks wherever they stand, and files are compared by how many of the rare ones they share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import DAMAGED
from mlebench.audit.finding import Found
from mlebench.audit.item_files import ItemFile
from mlebench.audit.pairs import Pairs, agreement
from mlebench.audit.survey import Survey
from mlebench.audit.targets import Items
from mlebench.base import progress

_DOUBLED = 5
_RUN = 1 << _DOUBLED  # bytes of a fingerprint
_MOST_FILES, _MOST_BYTES, _MOST_OF_ALL = 1500, 1 << 17, 64 << 20  # files per side; bytes of each, and of all of them
_PACKED = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp3", ".ogg", ".flac", ".mp4", ".zip", ".gz", ".npz", ".parquet")
_MOST_PRINTS, _SOME = 400, 4  # of a file; times as many hashes, of which some are equal
_RARE = 4  # files that a fingerprint may be in
_FEWEST_PRINTS, _SHARED = 8, 0.2  # of a file, that another one has as well
_COMMON, _AGREED = 0.2, 0.8  # of the items to predict that overlap with train, and of these with the same answer
_WHOLE = 0.95  # shared by files that are copies of one another: other searches judge those
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_Prints = NDArray[np.uint64]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for kinds of files that both sides have."""
    if survey.train is None:
        return
    test, train = _by_ending(survey.test_files, survey.test), _by_ending(survey.train_files, survey.train)
    for ending, members in test.items():
        others = train.get(ending, {})
        if len(members) < _FEWEST_PRINTS or len(others) < _FEWEST_PRINTS or ending in _PACKED:
            continue  # what is packed has other bytes for the same content
        pairs = _overlapping(_prints(members), _prints(others))
        if len(pairs) < max(_FEWEST_PRINTS, _COMMON * len(members)):
            continue
        agreed, _ = agreement(survey, Pairs(pairs, len(members), 0, len(others)))
        if agreed is None or agreed < _AGREED:
            continue
        first = [next(iter(side.values())).entry.name for side in (members, others)]
        words = (
            f"{len(pairs):,} of {len(members):,} items to predict have files that overlap with one of train, and "
            f"{agreed:.0%} of them share its answer: pieces of one recording are on both sides"
        )
        where = f"files like {first[0]} and {first[1]}"
        yield Found("duplicates", "suspicious", where, f"{words}.", rank=len(pairs) / len(members))


def _by_ending(files: list[ItemFile], items: Items) -> dict[str, dict[int, ItemFile]]:
    """One file of each item, by the ending."""
    found: dict[str, dict[int, ItemFile]] = {}
    for file in files:
        if file.entry.size >= _RUN * _FEWEST_PRINTS and file.key in items.names:
            found.setdefault(file.entry.suffix, {}).setdefault(items.names[file.key][0], file)
    return {ending: dict(list(members.items())[:_MOST_FILES]) for ending, members in found.items()}


def _prints(members: dict[int, ItemFile]) -> dict[int, _Prints]:
    found, read = {}, 0
    with progress.stage("read", "files, for those that overlap", total=len(members), unit="files") as stage:
        for item, file in members.items():
            stage.advance()
            read += min(file.entry.size, _MOST_BYTES)
            if read > _MOST_OF_ALL:
                break
            try:
                found[item] = fingerprints(file.entry.read(_MOST_BYTES))
            except DAMAGED:
                continue
    return found


def fingerprints(data: bytes) -> _Prints:
    """Hashes of runs of bytes, of all of them the smallest ones: equal runs have equal ones, wherever they stand."""
    hashed = np.frombuffer(data[:_MOST_BYTES], dtype=np.uint8).astype(np.uint64) + np.uint64(1)
    for step in (1 << power for power in range(_DOUBLED)):  # of runs that are twice as long each time
        if len(hashed) <= step:
            return np.zeros(0, dtype=np.uint64)
        mixed = (hashed[:-step] ^ (hashed[:-step] >> np.uint64(31))) * _FACTOR
        hashed = mixed + hashed[step:]
    hashed = (hashed ^ (hashed >> np.uint64(29))) * _FACTOR
    if len(hashed) > _SOME * _MOST_PRINTS:
        hashed = np.partition(hashed, _SOME * _MOST_PRINTS)[: _SOME * _MOST_PRINTS]
    return np.unique(hashed)[:_MOST_PRINTS]


def _overlapping(mine: dict[int, _Prints], theirs: dict[int, _Prints]) -> dict[int, list[int]]:
    """The items of train that share a part of the rare fingerprints of each item to predict, the most of them first."""
    known, many = np.unique(np.concatenate([*mine.values(), *theirs.values()]), return_counts=True)
    rare = set(known[(many > 1) & (many <= _RARE)].tolist())
    owners: dict[int, list[int]] = {}
    for item, prints in theirs.items():
        for print_ in prints.tolist():
            if print_ in rare:
                owners.setdefault(print_, []).append(item)
    found = {}
    for item, prints in mine.items():
        shared = Counter(owner for print_ in prints.tolist() for owner in owners.get(print_, ())).most_common(1)
        if shared and max(_FEWEST_PRINTS, _SHARED * len(prints)) <= shared[0][1] < _WHOLE * len(prints):
            found[item] = [shared[0][0]]
    return found
