"""Answers that are masks: pictures and arrays with two values that belong to the items to predict and show their masks.

They may be smaller than the masks, inverted, one channel of a picture, or a stack in the order of the items. What the
pictures of train show in the same place is there to be seen; files of nothing but masks are no pictures to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import Entry
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.frames import Grey, frames
from mlebench.audit.item_files import ItemFile, shown, side_of, slot_of
from mlebench.audit.runs import FEWEST, PICTURES, Drawn, are_runs, masks_of, shapes_of, written_runs
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import texts
from mlebench.audit.targets import Target
from mlebench.base import progress

_MOST_FILES, _MOST_FRAMES, _MOST_STACKS = 300, 8, 20  # of a kind; of a file; that are no file of an item
_OF_TRAIN = 20  # files of train that are looked at
_OFTEN = 0.3  # of the files of a kind, that show a mask
_NEAR, _NEARLY_ALL = 0.06, 0.97  # of the range, how near to its ends, and how many pixels are there
_SAME_FORM = 0.08  # by how much the ratio of the sides may differ
_OVERLAPS = (0.6, 0.9)  # of two masks of which one may have been made smaller, and of two that are the same
_SHIFTS = (1, 2, 3)
_DIGITS, _PER_ITEM = 6.0, 0.9  # of evidence; where few items have a mask, for each
_BLURRED = (".jpg", ".jpeg")
_RICH = 0.5  # of the pictures of another kind, how many have more than two values
_Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class _Kind:
    """Pictures of one kind by item: those with a number in each file."""

    where: str
    name: str  # what the names of the files have in common
    number: int
    pictures: Mapping[int, Grey]
    only_masks: bool  # whether the files have nothing else


def detect(survey: Survey) -> Iterator[Found]:
    """A finding for each kind of pictures that show the masks."""
    target = next((target for target in survey.test.targets if not target.is_derived), None)
    if target is None or not are_runs(target.values):
        return
    masks = {int(mask.rows[0]): mask for mask in masks_of(survey.test, target, shapes_of(survey)) if mask.shape}
    if len(masks) < FEWEST:
        return
    kinds: dict[str, list[ItemFile]] = {}
    for file in survey.test_files:
        if file.entry.suffix in PICTURES:
            kinds.setdefault(_named(file), []).append(file)
    rich = {name for name, files in kinds.items() if _are_rich(files)}
    told: set[str] = set()
    with progress.stage("compare", "pictures of items with their masks", total=len(kinds), unit="kinds") as stage:
        for name, files in kinds.items():
            stage.advance()
            for kind in _kinds(survey, name, files, masks):
                if kind.where in told or not (_is_extra(kind, rich) or not _has_train(survey, kind)):
                    continue
                if (found := _judged(survey, target, masks, kind)) is not None:
                    told.add(kind.where)
                    yield found
    for kind in _stacks(survey, masks):
        if kind.where not in told and (found := _judged(survey, target, masks, kind)) is not None:
            told.add(kind.where)
            yield found


def _named(file: ItemFile) -> str:
    """What the names of the files of one kind have in common: of items with a folder each, what the file is called."""
    return file.slot if file.key in file.entry.base.lower() else _in_folders(file.entry)


def _in_folders(entry: Entry) -> str:
    return slot_of(f"{entry.name.split('/')[0]}/{entry.base}").lower()


def _kinds(survey: Survey, name: str, files: Sequence[ItemFile], masks: Mapping[int, Drawn]) -> Iterator[_Kind]:
    owned = [(row, file) for file in files for row in survey.test.names.get(file.key, ()) if row in masks]
    if len(owned) > _MOST_FILES:
        chosen = np.random.default_rng(0).choice(len(owned), _MOST_FILES, replace=False)
        owned = [owned[place] for place in chosen.tolist()]
    if len(owned) < FEWEST:
        return
    found: dict[int, dict[int, Grey]] = {}
    only_masks = True
    for row, file in owned:
        for number, picture in enumerate(islice(frames(file.entry), _MOST_FRAMES)):
            if (bits := two_valued(picture)) is not None:
                found.setdefault(number, {}).setdefault(row, bits.astype(float))
            only_masks &= _is_flat(picture, file.entry)
    for number, pictures in found.items():
        if len(pictures) >= max(FEWEST, _OFTEN * len({row for row, _ in owned})):
            yield _Kind(shown([file for _, file in owned]), name, number, pictures, only_masks)


def two_valued(picture: Grey) -> _Bits | None:
    """A picture with two values, or nearly so, as what is nearer to the larger one; None for any other."""
    low, high = float(picture.min(initial=np.inf)), float(picture.max(initial=-np.inf))
    if not np.isfinite([low, high]).all() or high <= low:
        return None
    shares = (picture - low) / (high - low)
    if float(np.mean((shares < _NEAR) | (shares > 1 - _NEAR))) < _NEARLY_ALL:
        return None
    bits: _Bits = shares > 0.5
    return bits


def _is_flat(picture: Grey, entry: Entry) -> bool:
    """Whether a picture has two values at most; what JPEG blurs counts as one."""
    if entry.suffix in _BLURRED:
        return np.ptp(picture) == 0 or two_valued(picture) is not None
    return bool(((picture == picture.min()) | (picture == picture.max())).all())


def _are_rich(files: Sequence[ItemFile]) -> bool:
    """Whether files are pictures to look at, and not masks."""
    some = [list(islice(frames(file.entry), _MOST_FRAMES)) for file in files[:_OF_TRAIN]]
    shows = [
        not all(_is_flat(picture, file.entry) for picture in pictures)
        for file, pictures in zip(files, some, strict=False)
        if pictures
    ]
    return bool(shows) and float(np.mean(shows)) >= _RICH


def _is_extra(kind: _Kind, rich: set[str]) -> bool:
    """Whether files have nothing but masks, beside others that are the pictures."""
    return kind.only_masks and bool(rich - {kind.name})


def _has_train(survey: Survey, kind: _Kind) -> bool:
    """Whether files of train show something with two values in the same place."""
    same = [file.entry for file in survey.train_files if _named(file) == kind.name]
    if not same:  # where train has no table its files are known by their folders
        top, _, ending = kind.name.partition("/")
        own = {id(file.entry) for file in survey.test_files}
        same = [
            entry
            for entry in survey.entries
            if id(entry) not in own
            and side_of(entry.name) == "train"
            and (slot_of(entry.name).startswith(f"{top}/") if "*" in ending else _in_folders(entry) == kind.name)
            and entry.name.endswith(ending.rpartition("*")[2])
        ]
    two = [_shows_two(entry, kind.number) for entry in same[:_OF_TRAIN]]
    return bool(two) and float(np.mean(two)) >= _OFTEN


def _shows_two(entry: Entry, number: int) -> bool:
    picture = next(islice(frames(entry), number, None), None)
    return picture is not None and two_valued(picture) is not None


def _stacks(survey: Survey, masks: Mapping[int, Drawn]) -> Iterator[_Kind]:
    """Stacks of as many pictures as there are items, or masks, in their order."""
    own = {id(file.entry) for file in (*survey.test_files, *survey.train_files)}
    several = [entry for entry in survey.entries if entry.suffix in PICTURES and id(entry) not in own]
    several.sort(key=lambda entry: -entry.size)  # of a few large files and many small ones the few are the stacks
    everything = list(range(survey.test.size))
    for entry in several[:_MOST_STACKS]:
        pictures = [two_valued(picture) for picture in islice(frames(entry), survey.test.size + 1)]
        for rows in (everything, sorted(masks)):
            if len(rows) != len(pictures) or len(rows) < FEWEST:
                continue
            for order in survey.test.orders.values() if rows is everything else (np.arange(len(rows)),):
                found = {
                    rows[item]: bits.astype(float)
                    for item, place in enumerate(order.tolist())
                    if rows[item] in masks
                    and (bits := pictures[place]) is not None
                    and bits.shape != masks[rows[item]].shape  # else it is compared as it is
                }
                if len(found) >= FEWEST:
                    yield _Kind(entry.name, "", 0, found, only_masks=True)


def _judged(survey: Survey, target: Target, masks: Mapping[int, Drawn], kind: _Kind) -> Found | None:
    rows = sorted(kind.pictures)
    best: tuple[float, float, list[int]] | None = None
    for order in ("F", "C"):
        pictures = {row: masks[row].values.reshape(masks[row].shape or (), order=order) > 0 for row in rows}
        own = [likeness(kind.pictures[row], pictures[row]) for row in rows]
        moved = [
            likeness(kind.pictures[row], pictures[other])
            for step in _SHIFTS
            for row, other in zip(rows, rows[step:] + rows[:step], strict=True)
        ]
        for least in _OVERLAPS:
            hits = [row for row, one in zip(rows, own, strict=True) if one >= least]
            chance = max(float(np.mean(np.array(moved) >= least)), 1 / (len(_SHIFTS) * len(rows)))
            digits = of_hits(len(hits), len(rows), chance)
            if len(hits) >= 0.5 * len(rows) and (best is None or digits > best[0]):
                best = digits, float(np.mean(own)), hits
    if best is None or best[0] < min(_DIGITS, _PER_ITEM * len(rows)):
        return None
    _, mean, hits = best
    written = texts(_written(kind.pictures[row], masks[row]) for row in hits)
    return Found(
        "answers_in_public",
        "leak",
        kind.where,
        f"Pictures with two values are the masks of {len(hits):,} of {len(masks):,} items (overlap {mean:.0%}).",
        rank=1 + len(hits) / len(masks),
        predictions=(Prediction(target.name, target.column, survey.task.rows[np.array(hits)], written),),
        rests_on_likeness=True,
    )


def likeness(picture: Grey, mask: _Bits) -> float:
    """How much two masks overlap in the size of the smaller one, where one may be inverted; 0 for another form."""
    (high, wide), (tall, broad) = picture.shape, mask.shape
    if abs(np.log(high * broad / (wide * tall))) > _SAME_FORM:
        return 0.0
    size = (high, wide) if high <= tall else (tall, broad)
    return max(
        max(_overlap(one, other), _overlap(~one, other))
        for one, other in zip(_resized(picture > 0.5, size), _resized(mask, size), strict=True)
    )


def _resized(bits: _Bits, size: tuple[int, int]) -> list[_Bits]:
    """A mask in another size: where half of the area is in it, and where the middle is."""
    from PIL import Image

    if bits.shape == size:
        return [bits, bits]
    picture = Image.fromarray(bits.astype(np.float32))
    ways = (Image.Resampling.BOX, Image.Resampling.NEAREST)
    return [np.asarray(picture.resize((size[1], size[0]), way)) >= 0.5 for way in ways]


def _overlap(one: _Bits, other: _Bits) -> float:
    union = int((one | other).sum())
    return float((one & other).sum()) / union if union else 0.0


def _written(picture: Grey, mask: Drawn) -> str:
    """What one would submit: the picture in the size of the item, as runs; which way round is seen at once."""
    shape = mask.shape or picture.shape
    bits = _resized(picture > 0.5, (shape[0], shape[1]))[0]
    flat = max(
        (side.ravel(order=order) for side in (bits, ~bits) for order in ("F", "C")),
        key=lambda values: _overlap(values, mask.values > 0),
    )
    return written_runs(flat.astype(float))
