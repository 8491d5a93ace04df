"""Pictures and sounds that are files of items, changed: smaller, turned, mirrored, brighter; quieter, backwards.

What such a copy is called and which folder it is in may say what the item is.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.item_files import ItemFile
from mlebench.audit.sounds import samples_of

_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp")
_SOUNDS = (".wav",)
_MOST = 1500  # files on either side
_MOST_BYTES = 8 << 20
_SIDE = 9  # small enough that another size or compression changes little
_PARTS = 48
_NEARER = 0.6  # how much nearer a copy is to its item than to the next one
_Shape = NDArray[np.float64]


def near_copies(files: Sequence[ItemFile], others: Sequence[Entry]) -> list[ItemFile]:
    """The files among others that are changed copies of files of items, each as a file of that item."""
    found: list[ItemFile] = []
    for endings, shapes in ((_PICTURES, _turned), (_SOUNDS, _heard)):
        mine = [file for file in files if file.entry.suffix in endings][:_MOST]
        theirs = [entry for entry in others if entry.suffix in endings][:_MOST]
        if len(mine) >= 8 and len(theirs) >= 8:
            found += _paired(mine, theirs, shapes)
    return found


def _paired(mine: list[ItemFile], theirs: list[Entry], shapes: Callable[[bytes], list[_Shape]]) -> Iterator[ItemFile]:
    from scipy.spatial import cKDTree

    keys, known = [], []
    for file in mine:
        if made := _shapes_of(file.entry, shapes):
            keys.append(file.key)
            known.append(made[0])
    if len(set(keys)) < 8:
        return
    tree, keyed = cKDTree(np.array(known)), np.array(keys)
    for entry in theirs:
        made = _shapes_of(entry, shapes)
        if not made:
            continue
        distances, places = tree.query(np.array(made), k=min(6, len(known)))
        row = int(distances[:, 0].argmin())
        nearest = str(keyed[places[row, 0]])
        rest = [
            distance for distance, place in zip(distances[row], places[row], strict=True) if keyed[place] != nearest
        ]
        if rest and distances[row, 0] < _NEARER * rest[0]:
            yield ItemFile(entry, nearest, f"near copies in {entry.name.split('/')[0]}")


def _shapes_of(entry: Entry, shapes: Callable[[bytes], list[_Shape]]) -> list[_Shape]:
    try:
        return shapes(entry.read(_MOST_BYTES))
    except (*DAMAGED, SyntaxError):
        return []


def _standard(values: _Shape) -> _Shape:
    standard: _Shape = (values - values.mean()) / (values.std() + 1e-9)
    return standard


def _turned(data: bytes) -> list[_Shape]:
    """A picture in small, as it is and in the seven ways in which it can be turned and mirrored."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        if picture.width * picture.height > 50_000_000:
            return []
        small = np.asarray(picture.convert("L").resize((_SIDE, _SIDE), Image.Resampling.BOX), dtype=float)
    if small.std() < 0.5:
        return []
    small = _standard(small)
    return [np.rot90(view, turn).ravel() for view in (small, small.T) for turn in range(4)]


def _heard(data: bytes) -> list[_Shape]:
    """How loud a sound is over its time, forwards and backwards."""
    samples = samples_of(data)
    if samples is None or len(samples) < 8 * _PARTS:
        return []
    loud = np.array([part.std() for part in np.array_split(samples, _PARTS)])
    if loud.std() < 1e-9:
        return []
    loud = _standard(loud)
    return [loud, loud[::-1]]
