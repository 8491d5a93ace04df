"""Answers that are tracks: the numbers of a trip, moment by moment, in a file that belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.readers import read_tables
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers, texts
from mlebench.audit.targets import Target

_Hits = dict[str, dict[str, dict[str, NDArray[np.float64]]]]  # by file and column, target and trip
_MOMENT = re.compile(r"[_\-|.][^_\-|.]*$")  # what an id has behind its trip
_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif", ".npy")


def detect(survey: Survey) -> Iterator[Found]:
    """Items such as moments of a trip: a file of the trip whose numbers are the answers of its moments."""
    keys = survey.task.key_columns
    targets = [target for target in survey.test.targets if target.numbers is not None and target.n_classes == 0]
    if not keys or not targets:
        return
    trips: dict[str, list[int]] = {}
    for row, name in enumerate(survey.test.ids):
        stem = str(name).split("|", 1)[0] if len(keys) > 1 else _MOMENT.sub("", str(name))
        trips.setdefault(stem.lower(), []).append(row)
    if len(trips) > 0.5 * survey.test.size:
        return
    order = {trip: place for place, trip in enumerate(trips)}
    hits: _Hits = {}
    for entry in survey.entries:
        trip = _trip_of(entry.name, order)
        if trip is None or entry.suffix in _PICTURES:
            continue
        for table in read_tables(entry):
            for column, values in table.columns.items():
                numbers = as_numbers(values)
                if numbers is None or len(numbers) < 0.5 * len(trips[trip]):
                    continue
                for target in targets:
                    matched = _followed(numbers, target, trips[trip])
                    if matched is not None:
                        for name in (entry.base, f"*{entry.suffix}"):  # each trip may call it otherwise
                            hits.setdefault(f"{name}: {column}", {}).setdefault(target.name, {})[trip] = matched
    hits = {where: found for where, found in hits.items() if where[0] != "*" or not _named(hits, where, len(trips))}
    yield from _track_findings(survey, targets, trips, hits)


def _named(hits: _Hits, where: str, trips: int) -> bool:
    """Whether files of one name have what the files with an ending have, so that the name says more."""
    ending, column = where[1:].split(": ", 1)
    return any(
        len(of_trips) >= 0.5 * trips
        for other, found in hits.items()
        if other[0] != "*" and other.endswith(f"{ending}: {column}")
        for of_trips in found.values()
    )


def _trip_of(path: str, order: dict[str, int]) -> str | None:
    """The first trip that a folder or a file is called like, or a folder and what is in it together."""
    parts = path.lower().split("/")
    names = [*parts, *(mark.join(two) for two in pairwise(parts) for mark in "-_")]
    return min((name for name in names if name in order), key=order.__getitem__, default=None)


def _followed(numbers: NDArray[np.float64], target: Target, rows: list[int]) -> NDArray[np.float64] | None:
    """The numbers that are the answers, if nearly all answers are among them to the last digits."""
    assert target.numbers is not None
    known = np.sort(numbers[~np.isnan(numbers)])
    if not len(known):
        return None
    truth = target.numbers[rows]
    places = (
        np.clip(np.searchsorted(known, truth), 1, len(known) - 1) if len(known) > 1 else np.zeros(len(truth), dtype=int)
    )
    nearest = np.where(
        np.abs(known[places] - truth) < np.abs(known[places - 1] - truth), known[places], known[places - 1]
    )
    spread = float(np.std(target.numbers)) or 1.0
    close = np.abs(nearest - truth) <= 2e-5 * spread
    return nearest if close.mean() > 0.8 else None


def _track_findings(survey: Survey, targets: list[Target], trips: dict[str, list[int]], hits: Any) -> Iterator[Found]:
    by_file: dict[str, list[tuple[str, str, Any]]] = {}
    for where, found in hits.items():
        for name, of_trips in found.items():
            if len(of_trips) >= max(1, 0.5 * len(trips)):
                by_file.setdefault(where.split(":")[0], []).append((where, name, of_trips))
    for file, parts in by_file.items():
        predictions = []
        for _, name, of_trips in parts:
            target = next(target for target in targets if target.name == name)
            rows = np.concatenate([np.array(trips[trip]) for trip in of_trips])
            values = texts(np.concatenate(list(of_trips.values())).tolist())
            predictions.append(Prediction(target.name, target.column, survey.task.rows[rows], values))
        names = ", ".join(dict.fromkeys(name for _, name, _ in parts))
        words = (
            f"The numbers in {file} of {len(parts[0][2])} of {len(trips)} "
            f"trips are the answers for {names}, moment by moment."
        )
        yield Found("answers_in_public", "leak", parts[0][0], words, rank=2.0, predictions=tuple(predictions))
