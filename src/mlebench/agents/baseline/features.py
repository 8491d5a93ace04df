"""Features: numbers, categories, text and small pictures, as one matrix of floats."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .task import Task, TaskError

if TYPE_CHECKING:
    import pandas as pd

Matrix = NDArray[np.float64]

MOST_CATEGORIES = 30  # a column with more distinct values is not written out category by category
MOST_PARTS = 8  # of a compound value such as B/12/S or 2020-01-31
TEXT_WORDS = 4  # on average; columns with more are taken for prose
TEXT_TOPICS = 50
GREY_SIDE, COLOUR_SIDE = 16, 12  # pictures are shrunk to this many pixels a side
NEARLY_ALL = 0.95
_SEPARATORS = r"[/_\-:| ]"
_GREY_MODES = {"1", "L", "LA", "I", "I;16", "F"}
_IMAGES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif", ".webp"}


@dataclass(frozen=True)
class Features:
    """One row per row of the training and the test table, and sentences on how they came about."""

    train: Matrix
    test: Matrix
    notes: tuple[str, ...]
    has_pixels: bool


@dataclass(frozen=True)
class _Block:
    """Features of one kind; the training rows first, the test rows below them."""

    kind: str
    values: Matrix


def build_features(task: Task, seed: int, deadline: float) -> Features:
    """Turn the columns that both tables share, and the pictures that rows name, into features."""
    import pandas as pd

    targets = {problem.target for problem in task.problems}
    columns = [name for name in task.train if name in task.test and name not in targets]
    both = pd.concat([task.train[columns], task.test[columns]], ignore_index=True)
    blocks = []
    naming, pictures = _Pictures.of(task, both)
    if naming is not None:
        blocks.append(_pixels_block(pictures, both[naming], len(task.train), deadline))
    for name in columns:
        if name not in {*task.ids, naming}:
            blocks += _column_blocks(both[name], seed)
    if not blocks:  # text that identifies a row, as a comment may, is better than nothing
        texts = [name for name in task.ids if name in columns and both[name].dtype.kind not in "iufb"]
        blocks = [block for name in texts for block in _column_blocks(both[name], seed)]
    if not blocks:
        raise TaskError("No features can be built: the tables share no column but the ids, and name no pictures.")
    counts: dict[str, int] = {}
    for block in blocks:
        counts[block.kind] = counts.get(block.kind, 0) + block.values.shape[1]
    values = np.hstack([block.values for block in blocks])
    values[~np.isfinite(values)] = np.nan
    train, test = values[: len(task.train)], values[len(task.train) :]
    # A feature that never varies, or is never known, tells nothing and trips some models.
    useful = [np.unique(column[~np.isnan(column)]).size > 1 for column in train.T]
    if not any(useful):
        raise TaskError("No feature varies within the training table.")
    notes = tuple(f"{count} from {kind}" for kind, count in counts.items())
    return Features(train[:, useful], test[:, useful], notes, naming is not None)


def _column_blocks(column: pd.Series[Any], seed: int) -> Iterator[_Block]:
    if column.dtype.kind in "iufb":
        yield _Block("numbers", column.to_numpy(np.float64)[:, None])
        return
    known = column.dropna().astype(str)
    if known.nunique() <= MOST_CATEGORIES:
        text = column.astype(str).to_numpy()
        flags = [text == name for name in sorted(known.unique())] + [column.isna().to_numpy()]
        yield _Block("categories", np.column_stack(flags).astype(np.float64))
        return
    parts = _compound_parts(column, known)
    if parts is not None:
        for name in parts:
            yield from _column_blocks(parts[name], seed)
        return
    text = column.astype(object).fillna("").astype(str)
    yield _Block("text statistics", _text_statistics(text))
    if text.str.split().str.len().mean() >= TEXT_WORDS:
        yield _Block("the words of texts", _topics(text, seed))


def _compound_parts(column: pd.Series[Any], known: pd.Series[Any]) -> pd.DataFrame | None:
    """The parts of values such as B/12/S or 2020-01-31, if nearly all have the same number of parts."""
    import pandas as pd

    counts = known.str.count(_SEPARATORS)
    usual = int(counts.mode().iloc[0])
    if not 1 <= usual < MOST_PARTS or (counts == usual).mean() < NEARLY_ALL:
        return None
    parts = known.str.split(_SEPARATORS, n=usual, expand=True, regex=True).reindex(column.index)
    for name in list(parts):
        numbers = pd.to_numeric(parts[name], errors="coerce")
        if numbers.notna().sum() >= NEARLY_ALL * parts[name].notna().sum():
            parts[name] = numbers
    return parts


def _text_statistics(text: pd.Series[Any]) -> Matrix:
    """Length, words, digits, capitals, punctuation, and how often the very same text occurs."""
    columns = [
        text.str.len(),
        text.str.split().str.len(),
        text.str.count(r"[0-9]"),
        text.str.count(r"[A-Z]"),
        text.str.count(r"[^\w\s]"),
        text.map(text.value_counts()),
    ]
    return np.column_stack([column.to_numpy(np.float64) for column in columns])


def _topics(text: pd.Series[Any], seed: int) -> Matrix:
    """Weighted word counts, condensed to a few dozen directions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        words = TfidfVectorizer(min_df=2, max_features=20_000, sublinear_tf=True).fit_transform(text)
    except ValueError:  # no word occurs twice
        return np.zeros((len(text), 1))
    if words.shape[1] <= TEXT_TOPICS:
        return np.asarray(words.toarray(), dtype=np.float64)
    return np.asarray(TruncatedSVD(TEXT_TOPICS, random_state=seed).fit_transform(words), dtype=np.float64)


class _Pictures:
    """All picture files below a folder, those in zip archives included, by the name without its ending."""

    def __init__(self, folder: Path) -> None:
        self._places: dict[str, list[tuple[Path, str | None]]] = {}
        self._archives: dict[Path, zipfile.ZipFile] = {}
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in _IMAGES:
                self._places.setdefault(path.stem, []).append((path, None))
            elif path.suffix.lower() == ".zip" and zipfile.is_zipfile(path):
                self._archives[path] = zipfile.ZipFile(path)
                for member in self._archives[path].namelist():
                    name = PurePosixPath(member)
                    if name.suffix.lower() in _IMAGES:
                        self._places.setdefault(name.stem, []).append((path, member))
        self._folder = folder

    @classmethod
    def of(cls, task: Task, both: pd.DataFrame) -> tuple[str | None, _Pictures]:
        """The first column that names a picture in every row, if any, and the pictures."""
        pictures = cls(task.folder)
        naming = (name for name in both if pictures._places and pictures._named_by(both[name]))
        return next(naming, None), pictures

    def _named_by(self, values: pd.Series[Any]) -> bool:
        return all(self._stem(value) in self._places for value in values)

    def open(self, value: Any, part: str) -> Any:
        """The picture that a value names; of several, one below a folder or archive called like the part."""
        from PIL import Image

        places = self._places[self._stem(value)]
        path, member = next((place for place in places if part in self._where(place)), places[0])
        return Image.open(path if member is None else io.BytesIO(self._archives[path].read(member)))

    def _where(self, place: tuple[Path, str | None]) -> str:
        return f"{place[0].relative_to(self._folder).as_posix()}/{place[1] or ''}".lower()

    def _stem(self, value: Any) -> str:
        text = PurePosixPath(str(value))
        return text.stem if text.suffix.lower() in _IMAGES else text.name


def _pixels_block(pictures: _Pictures, names: pd.Series[Any], train_rows: int, deadline: float) -> _Block:
    """The pixels of the pictures that a column names, all shrunk alike."""
    first = pictures.open(names.iloc[0], "train")
    grey = first.mode in _GREY_MODES
    side = min(max(first.size), GREY_SIDE if grey else COLOUR_SIDE)
    rows = []
    for row, name in enumerate(names):
        if time.monotonic() > deadline:
            raise TaskError("Reading the pictures takes longer than the time limit allows.")
        rows.append(_pixels(pictures.open(name, "train" if row < train_rows else "test"), grey, side))
    return _Block(f"pictures, shrunk to {side} x {side} pixels {'in grey' if grey else 'in colour'}", np.array(rows))


def _pixels(picture: Any, grey: bool, side: int) -> Matrix:
    from PIL import Image

    mode = "L" if grey else "RGB"
    picture.draft(mode, (2 * side, 2 * side))  # lets JPEG files be decoded at a fraction of their size
    small = picture.convert(mode).resize((side, side), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.float64).ravel() / 255
