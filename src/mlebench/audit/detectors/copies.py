"""Private files that are public, byte for byte, and answers that stand in the bytes of some file as an array."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.survey import Survey
from mlebench.audit.targets import Target
from mlebench.base import progress
from mlebench.files.regular import is_regular, open_regular

_MOST_BYTES = 64 << 20  # of a file that is searched for arrays
_IN_ALL = 1 << 30
_RECORDS = ("dataset.record", "dataset.json")


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for copies and arrays."""
    yield from _copies(survey)
    yield from _arrays(survey)


def _predictions(survey: Survey) -> tuple[Prediction, ...]:
    rows = survey.task.rows
    return tuple(
        Prediction(target.name, target.column, rows, target.values)
        for target in survey.test.targets
        if not target.is_derived
    )


def _copies(survey: Survey) -> Iterator[Found]:
    private = [path for path in sorted(survey.task.competition.private_dir.rglob("*")) if is_regular(path)]
    sample = survey.task.competition.sample_submission
    sizes: dict[int, list[Path]] = {}
    for path in private:
        if path.name not in _RECORDS and path != sample and path.stat().st_size > 20:
            sizes.setdefault(path.stat().st_size, []).append(path)
    for entry in survey.entries:
        for path in sizes.get(entry.size, ()):
            try:
                same = _digest(entry.read(entry.size + 1)) == _digest_of(path)
            except DAMAGED:
                continue
            if same:
                is_answers = path == survey.task.competition.answers
                yield Found(
                    "answers_in_public",
                    "leak" if is_answers or "gold" in path.name else "suspicious",
                    entry.name,
                    f"This file is private/{path.name}, byte for byte.",
                    rank=3.0,
                    predictions=_predictions(survey) if is_answers else (),
                )


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _digest_of(path: Path) -> bytes:
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.digest()


def _arrays(survey: Survey) -> Iterator[Found]:
    """The answers in the order of the sample, of sorted ids or of a table of items, as numbers in binary form."""
    patterns = [
        (target, words, pattern)
        for target in survey.test.targets
        if not target.is_derived
        for words, pattern in _patterns(survey, target)
    ]
    if not patterns:
        return
    left = _IN_ALL
    with progress.stage("search", "files for arrays of answers", total=len(survey.entries), unit="files") as stage:
        for entry in survey.entries:
            stage.advance()
            if not 16 < entry.size <= _MOST_BYTES or left <= 0:
                continue
            left -= entry.size
            found = _in_entry(survey, entry, patterns)
            if found is not None:
                yield found


def _in_entry(survey: Survey, entry: Entry, patterns: list[tuple[Target, str, bytes]]) -> Found | None:
    try:
        data = entry.read(_MOST_BYTES)
    except DAMAGED:
        return None
    for target, words, pattern in patterns:
        if len(pattern) <= len(data) and pattern in data:
            return Found(
                "answers_in_public",
                "leak",
                entry.name,
                f"The file has the answers for {target.name} as {words}.",
                rank=2.0,
                predictions=(Prediction(target.name, target.column, survey.task.rows, target.values),),
            )
    return None


def _patterns(survey: Survey, target: Target) -> Iterator[tuple[str, bytes]]:
    numbers = target.numbers if target.numbers is not None else target.coded
    size = survey.test.size
    if size != len(survey.task.sample) or size < 12:
        return
    orders = {
        "the sample submission": np.arange(size),
        "sorted ids": np.argsort(survey.test.ids.astype(str), kind="stable"),
    }
    for matched in survey.matched_test:
        if not matched.table.is_artifact and len(matched.items) == size:
            rows = next((column for column in matched.columns if column.column == "(order of rows)"), None)
            if rows is not None:
                orders.setdefault(
                    "the items in " + matched.table.where,
                    np.argsort(np.array([int(value or 0) for value in rows.values])),
                )
    made: set[bytes] = set()
    for label, order in list(orders.items())[:4]:
        for words, pattern in _written(numbers, target, order):
            rare = len(set(target.plain[order])) ** size
            if pattern not in made and len(pattern) >= 8 and rare > 10**5 and len(set(pattern)) > 1:
                made.add(pattern)
                yield f"{words}, in the order of {label}", pattern


def _written(
    numbers: NDArray[np.float64] | None, target: Target, order: NDArray[np.int64]
) -> Iterator[tuple[str, bytes]]:
    if numbers is not None:
        taken = numbers[order]
        kinds = ["<f8", "<f4", ">f8", ">f4"]
        if (taken == np.floor(taken)).all() and np.abs(taken).max(initial=0) < 2**31:
            kinds += ["<i8", "<i4", "<i2", ">i4"]
            if taken.min() >= 0 and taken.max() < 256:
                kinds.append("u1")
                if taken.max() <= 1:
                    bits = np.packbits(taken.astype(np.uint8))
                    if len(bits) >= 8:
                        yield "bits", bits[: len(taken) // 8].tobytes()
                        yield (
                            "bits",
                            np.packbits(taken.astype(np.uint8), bitorder="little")[: len(taken) // 8].tobytes(),
                        )
        for kind in kinds:
            cast = taken.astype(kind)
            if kind[1] == "i" and (kind[-1] == "2" and np.abs(taken).max(initial=0) > 32000):
                continue
            yield f"numbers ({kind})", cast.tobytes()
    joined = [str(value) for value in target.values[order]]
    for mark in ("", ",", "\n", " ", "\t", ";", "|", ", ", "\r\n", "\0"):
        yield "text", mark.join(joined).encode()
