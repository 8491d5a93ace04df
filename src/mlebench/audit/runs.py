"""Answers that are masks: runs of pixels, pairs of a start, counted from one, and a length."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.frames import Grey, picture_of
from mlebench.audit.item_files import ItemFile
from mlebench.audit.survey import Survey
from mlebench.audit.table import LONGEST, Texts
from mlebench.audit.targets import Items, Target, plain_key

MOST_FILES = 4000
FEWEST = 4  # masks that can be told from one another beyond chance
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif", ".npy")
Shapes = Mapping[str, tuple[int, int]]
Runs = NDArray[np.int64]  # a row for each run: where it starts, and where it ends
_RUNS = re.compile(r"^\s*(\d+\s+\d+)(\s+\d+\s+\d+)*\s*$")
_SOME = 50


@dataclass(frozen=True)
class Drawn:
    """One answer as values in a row, in the order of its rows or runs; `shape` where it is known (height, width)."""

    name: str
    rows: NDArray[np.int64]  # of the items
    values: Grey
    shape: tuple[int, int] | None = None


def are_runs(values: Texts) -> bool:
    """Whether values are masks, those apart that are missing or too short to tell."""
    some = [value for value in values if value and len(value.split()) >= 4]
    return bool(some) and all(_RUNS.match(_whole(value)) for value in some[:_SOME])


def runs_of(value: str | None) -> Runs | None:
    """The runs of a mask; None where it has none or only one, as a pixel or a whole picture has."""
    if not value or len(value.split()) < 4 or not _RUNS.match(_whole(value)):
        return None
    pairs = np.array(_whole(value).split(), dtype=np.int64).reshape(-1, 2)
    return np.column_stack([pairs[:, 0], pairs.sum(axis=1)])


def _whole(value: str) -> str:
    """A value as it was before it was cut: the last of its numbers may have lost digits or its partner."""
    words = value.split()[:-1] if len(value) >= LONGEST else value.split()
    return " ".join(words[: len(words) - len(words) % 2] if len(value) >= LONGEST else words)


def overlap(one: Runs, other: Runs) -> float:
    """The share of the pixels of two masks that both have."""
    starts, ends = (np.concatenate([one[:, place], other[:, place]]) for place in (0, 1))
    edges = np.concatenate([starts, ends])
    order = np.argsort(edges, kind="stable")
    depth = np.cumsum(np.concatenate([np.ones(len(starts)), -np.ones(len(ends))])[order])[:-1]
    lengths = np.diff(edges[order])
    union = float(lengths[depth >= 1].sum())
    return float(lengths[depth >= 2].sum()) / union if union else 0.0


def masks_of(items: Items, target: Target, shapes: Shapes) -> list[Drawn]:
    """Answers that are runs of pixels, drawn, where the sizes of the pictures are known."""
    if not are_runs(target.values):
        return []
    found = []
    for row, (name, value) in enumerate(zip(items.ids, target.values, strict=True)):
        picture = plain_key(str(name).split("|")[0])  # which may have a mask of each class
        runs, shape = runs_of(value), shapes.get(plain_key(name)) or shapes.get(picture) or shapes.get(str(row))
        if runs is None or shape is None:
            continue
        flat = np.zeros(shape[0] * shape[1])
        for start, end in runs.tolist():
            flat[max(start - 1, 0) : max(end - 1, 0)] = 1
        if flat.any():
            found.append(Drawn(str(name), np.array([row]), flat, shape))
    return found


def shapes_of(survey: Survey) -> dict[str, tuple[int, int]]:
    """The height and width of the items, from their pictures or from the answers."""
    found: dict[str, tuple[int, int]] = {}
    answers = survey.task.answers
    if hasattr(answers, "columns"):
        names = {str(name).lower(): name for name in answers.columns}
        width = next((names[name] for name in names if name.startswith(("width", "image_width"))), None)
        height = next((names[name] for name in names if name.startswith(("height", "image_height"))), None)
        if (
            width is not None
            and height is not None
            and survey.task.key_columns
            and survey.task.key_columns[0] in answers.columns
        ):
            for key, high, wide in zip(
                answers[survey.task.key_columns[0]], answers[height], answers[width], strict=True
            ):
                found[plain_key(key)] = (int(high), int(wide))
            return found
    return shapes_of_files(survey.test_files)


def shapes_of_files(files: Sequence[ItemFile]) -> dict[str, tuple[int, int]]:
    """The height and width of the items by their pictures; of several kinds by the largest ones."""
    slots: dict[str, list[ItemFile]] = {}
    for file in files[:MOST_FILES]:
        if file.entry.suffix in PICTURES:
            slots.setdefault(file.slot, []).append(file)
    found: dict[str, tuple[int, int]] = {}
    for members in sorted(slots.values(), key=_size_of_first, reverse=True):
        for file in members:
            if file.key not in found and (picture := picture_of(file.entry)) is not None:
                found[file.key] = (picture.shape[0], picture.shape[1])
    return found


def _size_of_first(files: Sequence[ItemFile]) -> int:
    picture = picture_of(files[0].entry)
    return 0 if picture is None else picture.size


def written_runs(flat: Grey) -> str:
    """A mask as runs: pairs of a start, counted from one, and a length."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0.0], flat, [0.0]])))
    return " ".join(f"{start + 1} {end - start}" for start, end in zip(edges[::2], edges[1::2], strict=True))
