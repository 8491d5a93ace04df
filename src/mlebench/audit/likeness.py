"""Which rows, texts, pictures and sounds of train are nearly those of test: far nearer than any other is."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.contents import dicom_pixels
from mlebench.audit.pairs import Pairs
from mlebench.audit.sounds import samples_of
from mlebench.audit.table import Numbers

if TYPE_CHECKING:
    from PIL.Image import Image

_CLOSE = 0.1  # of the usual distance of neighbours
_NEARER = 0.4  # of the distance of the next one
_NEARER_VIEW = 0.65  # the same for pictures and sounds, of which many views are tried
_ALIKE, _ALIKE_ALONE, _AHEAD = 0.85, 0.55, 0.25  # of texts; of those that no other text is near to
_MOST_TEXTS = 3000
_MOST_ITEMS, _MOST_OWN = 1000, 300
_RARE, _RARE_CELLS, _RARE_SHARE = 3, 2, 0.5
_THUMB, _SMALL, _SMALLEST, _BANDS = 12, 60, 6, 48
_TABLE_ROWS, _TABLE_BYTES = 40, 1 << 16
_NUMBERS, _FEWEST_NUMBERS = 200, 24  # of an array that are compared; of a smaller one some of them repeatedly
_CROPS = (1.0, 0.9, 0.8)
_Ints = NDArray[np.int64]


def nearest(left: Numbers, right: Numbers, test_items: _Ints, train_items: _Ints) -> Pairs | None:
    """Rows of numbers that are closer than those of train usually are, or far closer than the next one is."""
    from scipy.spatial import cKDTree

    tree = cKDTree(right)
    own = tree.query(right, k=3)[0][:, 1:]
    distances, places = tree.query(left, k=2)
    limit = _CLOSE * float(np.median(own[:, 0]))
    if limit <= 0:
        return None
    dimensions = right.shape[1]
    nearer = _NEARER if dimensions >= 4 else 0.0  # in few dimensions one point in ten is so near by chance
    close = (distances[:, 0] <= limit) | (distances[:, 0] < nearer * distances[:, 1])
    within = (own[:, 0] <= limit) | (own[:, 0] < nearer * own[:, 1])
    pairs = {int(test_items[row]): [int(train_items[places[row, 0]])] for row in np.flatnonzero(close)}
    return Pairs(pairs, len(left), int(within.sum()), len(right))


def sharing(
    left: Sequence[Sequence[str]], right: Sequence[Sequence[str]], test_items: _Ints, train_items: _Ints
) -> Pairs | None:
    """Rows that share several values which hardly any row has: equal rows with some cells changed or emptied."""
    rows: dict[tuple[int, str], list[int]] = {}
    for row, cells in enumerate(right):
        for column, value in enumerate(cells):
            if value:
                rows.setdefault((column, value), []).append(row)
    rare = {cell: found for cell, found in rows.items() if len(found) <= _RARE}
    columns = {column for column, _ in rare}
    usual = [column for column in columns if sum(cell[0] == column for cell in rare) > 0.3 * len(right)]
    needed = max(_RARE_CELLS, int(_RARE_SHARE * len(usual)))
    if len(usual) < _RARE_CELLS:
        return None

    def best(cells: Sequence[str], but: int) -> int | None:
        votes = Counter(
            row for column in usual for row in rare.get((column, cells[column]), ()) if row != but
        ).most_common(1)
        return votes[0][0] if votes and votes[0][1] >= needed else None

    pairs = {
        int(item): [int(train_items[found])]
        for cells, item in zip(left, test_items, strict=True)
        if (found := best(cells, -1)) is not None
    }
    within = sum(best(cells, row) is not None for row, cells in enumerate(right))
    return Pairs(pairs, len(left), within, len(right))


def alike(left: Sequence[str], right: Sequence[str], test_items: _Ints, train_items: _Ints) -> Pairs:
    """Texts that share nearly all of their words and pairs of words, or far more than with any other text."""
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(n_features=1 << 16, ngram_range=(1, 2), norm="l2", alternate_sign=False)
    mine, theirs = words.transform(left[:_MOST_TEXTS]), words.transform(right[:_MOST_TEXTS])
    pairs = {int(test_items[row]): [int(train_items[place])] for row, place in _most_alike(mine, theirs, itself=False)}
    within = sum(1 for _ in _most_alike(theirs, theirs, itself=True))
    return Pairs(pairs, mine.shape[0], within, theirs.shape[0])


def _most_alike(mine: Any, theirs: Any, *, itself: bool) -> Iterator[tuple[int, int]]:
    step = 500
    for start in range(0, mine.shape[0], step):
        likeness = (mine[start : start + step] @ theirs.T).toarray()
        count = likeness.shape[0]
        if itself:
            likeness[np.arange(count), start + np.arange(count)] = 0.0
        first = likeness.argmax(axis=1)
        top = likeness[np.arange(count), first]
        likeness[np.arange(count), first] = 0.0
        second = likeness.max(axis=1)
        close = (top >= _ALIKE) | ((top >= _ALIKE_ALONE) & (top - second >= _AHEAD))
        yield from ((start + int(row), int(first[row])) for row in np.flatnonzero(close))


Views = Callable[[bytes], list[Numbers]]


class Contents(Protocol):
    """Contents by place; None for what cannot be read."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> bytes | None: ...


def seen_again(left: Contents, right: Contents, test_items: _Ints, train_items: _Ints, views: Views) -> Pairs | None:
    """Pictures or sounds of test that are in train, changed: a view is far nearer to one of train than to the next."""
    rng = np.random.default_rng(0)
    mine = _viewed(left, test_items, views, rng.permutation(len(left))[:_MOST_ITEMS])
    theirs = _viewed(right, train_items, views, rng.permutation(len(right))[:_MOST_ITEMS])
    if len(mine[1]) < 8 or len(theirs[1]) < 8:
        return None
    plain = np.array([made[0] for made in theirs[0]])
    pairs = {int(mine[1][row]): [int(theirs[1][place])] for row, place in _nearer(mine[0], plain, itself=False)}
    own = min(len(theirs[0]), _MOST_OWN)
    within = sum(1 for _ in _nearer(theirs[0][:own], plain, itself=True))
    return Pairs(pairs, len(mine[1]), within, own)


def _viewed(contents: Contents, items: _Ints, views: Views, chosen: _Ints) -> tuple[list[list[Numbers]], list[int]]:
    found, owners = [], []
    for place in chosen:
        data = contents[int(place)]
        made = views(data) if data else []
        if made:
            found.append(made)
            owners.append(int(items[place]))
    return found, owners


def _nearer(mine: list[list[Numbers]], theirs: Numbers, *, itself: bool) -> Iterator[tuple[int, int]]:
    turned, length = theirs.T.astype(np.float32), theirs.shape[1]
    for row, made in enumerate(mine):
        # Views have mean 0 and spread 1: the nearest one is that with the largest product.
        product = (np.array(made, dtype=np.float32) @ turned).max(axis=0)
        distances = np.sqrt(np.maximum(2.0 * length - 2.0 * product, 0.0))
        if itself:
            distances[row] = np.inf
        first, second = np.argpartition(distances, 1)[:2]
        if distances[first] < _NEARER_VIEW * distances[second]:
            yield row, int(first)


def of_picture(data: bytes) -> list[Numbers]:
    """A picture in small: as it is, then cut at its edges, turned and mirrored."""
    from PIL.Image import open as opened

    with opened(io.BytesIO(data)) as picture:
        if picture.width * picture.height > 50_000_000 or min(picture.size) < _SMALLEST:
            return []
        picture.draft("L", (_SMALL, _SMALL))
        return _thumbnails(picture.convert("L"))


def of_dicom(data: bytes) -> list[Numbers]:
    """The same for the pixels of a DICOM file, where they are not packed."""
    from PIL.Image import fromarray

    pixels = dicom_pixels(data)
    if pixels is None or min(pixels.shape) < _SMALLEST or pixels.size > 50_000_000:
        return []
    low, high = float(pixels.min()), float(pixels.max())
    shades = (pixels - low) * (255.0 / max(high - low, 1e-9))
    return _thumbnails(fromarray(shades.astype(np.uint8)))


def _thumbnails(picture: Image) -> list[Numbers]:
    from PIL.Image import Resampling

    grey = picture.resize((_SMALL, _SMALL), Resampling.BOX)
    cuts = []
    for share in _CROPS:
        edge = _SMALL * (1 - share) / 2
        box = (edge, edge, _SMALL - edge, _SMALL - edge)
        cuts.append(np.asarray(grey.resize((_THUMB, _THUMB), Resampling.BOX, box=box), dtype=float))
    if cuts[0].std() < 0.5:
        return []
    turned = [np.rot90(view, turn) for cut in cuts for view in (cut, cut.T) for turn in range(4)]
    return [_standard(view.ravel()) for view in turned]


def of_sound(data: bytes) -> list[Numbers]:
    """A sound in short: which pitches it has, however loud it is and wherever it begins."""
    samples = samples_of(data)
    if samples is None or len(samples) < 8 * _BANDS or samples.std() < 1e-9:
        return []
    pitch = np.abs(np.fft.rfft(samples - samples.mean()))
    return [_standard(np.log(np.array([part.mean() for part in np.array_split(pitch, _BANDS)]) + 1e-9))]


def of_array(data: bytes) -> list[Numbers]:
    """Some numbers of an array, spread over it."""
    array = np.load(io.BytesIO(data), allow_pickle=False)
    if array.dtype.kind not in "iuf" or array.size < _FEWEST_NUMBERS:
        return []
    numbers = array.ravel()[np.linspace(0, array.size - 1, _NUMBERS).astype(int)].astype(float)
    return [_standard(numbers)] if np.isfinite(numbers).all() and numbers.std() > 0 else []


def of_table(data: bytes) -> list[Numbers]:
    """The first rows of a table of numbers, such as what sensors measured, whatever the scale of its columns."""
    lines = data[:_TABLE_BYTES].replace(b"\t", b",").splitlines()[1 : _TABLE_ROWS + 1]
    if len(lines) < _TABLE_ROWS or len({line.count(b",") for line in lines}) > 1:
        return []
    values = np.array([line.split(b",") for line in lines])
    values = np.where(values == b"", b"nan", values).astype(float)
    spread = values.std(axis=0)
    varies = spread > 0
    if not varies.any() or not np.isfinite(values).all():
        return []
    return [_standard(((values - values.mean(axis=0)) / np.where(varies, spread, 1.0)).ravel())]


def _standard(values: Numbers) -> Numbers:
    standard: Numbers = (values - values.mean()) / (values.std() + 1e-9)
    return standard
