"""Pictures with the same background on both sides: those of one session, which share an answer.

The edges of a picture show where it was taken. Sessions count as groups do: who was seen in train before the same
background is known, wherever all pictures of a session have one answer.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.detectors.groups import known_labels
from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.finding import Found
from mlebench.audit.item_files import ItemFile, shown
from mlebench.audit.matching import Aligned
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, texts
from mlebench.audit.targets import Items

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
_MOST, _MOST_BYTES, _MOST_PIXELS = 1500, 8 << 20, 50_000_000  # pictures of a kind and side
_SMALLEST, _PARTS, _STRIP = 12, 16, 24  # pixels of a side; of an edge; of a side, how many make an edge one pixel wide
_PLAIN = 6.0  # the spread of edges that show nothing
_NEAR = 2.0  # shades, by which the same edges differ on average
_FEWEST, _FEWEST_GROUPS, _LARGEST_GROUP = 20, 12, 20
_PER_CLASS = 2  # sessions of each class: what all pictures of a class have is how it looks
_SHARED, _TELLS = 0.3, 0.9


def detect(survey: Survey) -> Iterator[Found]:
    """A finding for each kind of pictures."""
    if survey.train is None:
        return
    slots: dict[str, tuple[list[ItemFile], list[ItemFile]]] = {}
    for side, files in enumerate((survey.test_files, survey.train_files)):
        for file in files:
            if file.entry.suffix in _PICTURES:
                slots.setdefault(file.slot, ([], []))[side].append(file)
    for mine, theirs in slots.values():
        if min(len(mine), len(theirs)) >= _FEWEST:
            found = _judged(survey, survey.train, mine, theirs)
            if found is not None:
                yield found


def _judged(survey: Survey, train: Items, mine: Sequence[ItemFile], theirs: Sequence[ItemFile]) -> Found | None:
    rows, edges = zip(
        *(_edges_of(files, items) for files, items in ((mine, survey.test), (theirs, train))), strict=True
    )
    if min(map(len, rows)) < _FEWEST:
        return None
    groups = _sessions(np.vstack(edges))
    of_test, of_train = groups[: len(rows[0])], groups[len(rows[0]) :]
    sizes = Counter(of_train.tolist())
    repeated = [session for session, count in sizes.items() if count > 1]
    classes = max(target.n_classes for target in survey.test.targets) if survey.test.targets else 0
    shared = sum(session in sizes for session in of_test.tolist())
    if (
        len(repeated) < max(_FEWEST_GROUPS, _PER_CLASS * classes)
        or len(of_train) > _LARGEST_GROUP * len(sizes)
        or shared < max(_FEWEST, _SHARED * len(of_test))
    ):
        return None
    sides = [
        Aligned(shown(mine), "session", texts(f"session {one}" for one in side.tolist()), items, "itself", True)
        for side, items in ((of_test, rows[0]), (of_train, rows[1]))
    ]
    known = known_labels(survey, sides[0], sides[1], is_named=False)
    if known is None or known[0] < _TELLS:
        return None
    return Found(
        "groups",
        "leak",
        f"{shown(mine)}: the edges of the pictures",
        f"{shared:,} of {len(of_test):,} items to predict have the same background as items of train, and the labels "
        f"of these tell {known[0]:.0%} of the way to certainty.",
        rank=known[0],
        predictions=(known[1],),
    )


def _edges_of(files: Sequence[ItemFile], items: Items) -> tuple[NDArray[np.int64], Numbers]:
    """The items, and the edges of the picture of each, where these show anything."""
    chosen = np.random.default_rng(0).permutation(len(files))[:_MOST]
    found: dict[int, Numbers] = {}
    for place in np.sort(chosen).tolist():
        row = items.names[files[place].key][0]
        if row not in found and (edges := edges_of(files[place].entry)) is not None:
            found[row] = edges
    return np.array(list(found), dtype=np.int64), np.array(list(found.values())).reshape(len(found), 4 * _PARTS)


def edges_of(entry: Entry) -> Numbers | None:
    """How bright a picture is along its edges; None where it is plain there, or cannot be read."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(entry.read(_MOST_BYTES))) as picture:
            if picture.width * picture.height > _MOST_PIXELS or min(picture.size) < _SMALLEST:
                return None
            grey = np.asarray(picture.convert("L"), dtype=float)
    except (*DAMAGED, SyntaxError):
        return None
    wide = max(1, min(grey.shape) // _STRIP)
    strips = (
        grey[:wide].mean(axis=0),
        grey[-wide:].mean(axis=0),
        grey[:, :wide].mean(axis=1),
        grey[:, -wide:].mean(axis=1),
    )
    edges = np.concatenate([[part.mean() for part in np.array_split(strip, _PARTS)] for strip in strips])
    return edges if edges.std() >= _PLAIN else None


def _sessions(edges: Numbers) -> NDArray[np.int64]:
    """The session of each picture: edges that are nearly equal are of one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    near = cKDTree(edges).query_pairs(_NEAR * np.sqrt(edges.shape[1]), output_type="ndarray")
    links = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), shape=(len(edges), len(edges)))
    sessions: NDArray[np.int64] = connected_components(links, directed=False)[1].astype(np.int64)
    return sessions
