"""What a column may tell honestly: the content of a picture or a sound, what another column says, groups of items.

And what it must not, on either side: who took a picture, when a file was packed, or which number an item was given.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import Relation, Values
from mlebench.audit.matching import Aligned
from mlebench.audit.numbering import are_row_numbers, follows_rows_or_dates
from mlebench.audit.relations import property_of
from mlebench.audit.strength import groups_of, monotone
from mlebench.audit.survey import Survey, explained_order
from mlebench.audit.table import as_numbers
from mlebench.audit.targets import Target

# Properties of pictures, sounds, scans and texts that follow from what they show.
_CONTENT = (
    "mean",
    "largest pixel",
    "smallest pixel",
    "loudest",
    "first sample",
    "last sample",
    "packed size",
    "value",
    "content",
    "DICOM (7fe0",
)
_LINES = ("first line", "second line", "last line")  # of a text; a few words that recur are a form, and no text
_FEW_WORDS = 12
_ENDS = ("first byte", "last byte")
_CLOSED = ("png", "jpg", "jpeg", "gif", "webp", "zip", "gz", "parquet", "mp3", "pdf")  # whose last bytes are no content
_METADATA = (
    "metadata ",
    "EXIF ",
    "TIFF tag",
    "segment ",
    "comment",
    "LIST ",
    "chunk ",
    "DICOM (",
    "width",
    "height",
    "colour mode",
    "mode",
    "format",
    "form of the file",
    "compression",
    "rate",
    "bits",
    "channels",
    "coding",
    "type",
    "vendor",
    "bytes behind the end",
    "owner",
    "order",
    "folder",
    "ending",
    "name around the id",
    "xattr",
    "packed as",
    "attributes",
    "extra",
    "mtime",
    "ends of lines",
    "end of the text",
    "byte order mark",
)
_UNSEEN = ("by its blanks", "by its invisible characters")  # of any column: nobody writes them on purpose
_LENGTHS = ("length of the sound", "number of lines", "rows", "shape")  # honest unless they are nearly certain
_NEARLY_CERTAIN = 0.93
_SORTED = 0.85  # the power of an order of rows that no recording has
_NEAREST = 3
_ALWAYS = 0.9  # the power of an order that hardly ever errs
_SAME = 0.95  # of the items


def is_content(column: Aligned, power: float) -> bool:
    """Whether a property is what a file shows, and so there to be used; certain first and last bytes are a mark."""
    if not column.is_artifact:
        return False
    name = column.column
    if name.startswith(_ENDS):
        return power < 0.98 or column.where.rpartition(".")[2].lower() not in _CLOSED
    if name in _LINES:
        return len(set(column.values)) > _FEW_WORDS
    return name.startswith(_CONTENT) or " pixel " in name


def is_metadata(survey: Survey, column: Aligned, found: Relation, target: Target) -> bool:
    """Whether a property has no honest reason to tell the answers, in train or in test.

    Ids may say which shop or which day they are of, and so tell numbers.
    """
    name = column.column
    if found.what.endswith(_UNSEEN):
        return True
    if column.by == "itself":
        if target.n_classes:
            return True
        numbers = as_numbers(column.values)
        if numbers is None or not _rises(numbers, target):
            return False
        return not explained_order(survey, numbers, column.items, by_ids=False)
    if name == "(order of rows)":
        # Neighbours are alike in much that was recorded in turn; rows that are sorted by the answers are in blocks.
        return found.power >= _SORTED and (target.n_classes > 0 or found.strength.form == "order")
    if name in _LENGTHS:
        return column.is_artifact and found.power >= _NEARLY_CERTAIN and target.n_classes > 0
    if not column.is_artifact and target.n_classes and found.strength.form == "neighbours":
        other = survey.counterpart(column)
        if other is None or not are_row_numbers(survey, column, other):
            return False
        return not follows_rows_or_dates(survey, column, other)
    if ", folder " in name:
        return True  # of a path in a table
    is_known = name.startswith(_METADATA) or " of mtime" in name or name in _LINES
    return column.is_artifact and not is_content(column, 0.0) and is_known


def transferred(
    view: Values, of_train: Values, found: Relation, test: Target, train: Target, *, is_order: bool = False
) -> float:
    """How much of the answers the same property tells whoever knows train alone: groups of test alone tell nothing.

    Places in an order are compared as shares of it.
    """
    from scipy.stats import rankdata

    if found.tier == "derived":  # what is hidden in values is read off some rows of many
        test, train = test.part(view.sample), train.part(of_train.sample)
    if test.numbers is not None and test.n_classes == 0:
        known = train.numbers
        if known is None:
            return 0.0
        guess = _by_train(view, of_train, found, known, is_order=is_order)
        there = np.isfinite(guess)
        if there.sum() < 5 or guess[there].std() < 1e-12 or test.numbers[there].std() < 1e-12:
            return 0.0
        # By ranks as well: one answer that is out of all proportion must not decide.
        forms = [(guess[there], test.numbers[there]), (rankdata(guess[there]), rankdata(test.numbers[there]))]
        return max(0.0, *(float(np.corrcoef(*sides)[0, 1]) for sides in forms)) * float(there.mean())
    told = guessed(view, of_train, found, train, is_order=is_order, nearest=_NEAREST)
    if told is None:
        return 0.0
    base = max(Counter(test.plain.tolist()).values()) / len(test.plain)
    return 0.0 if base >= 1 else max(0.0, (float(np.mean(told == test.plain)) - base) / (1 - base))


def guessed(
    view: Values, of_train: Values, found: Relation, train: Target, *, is_order: bool = False, nearest: int = 1
) -> NDArray[np.object_] | None:
    """The class that train says of each value of test by the same property; None where it says nothing at all."""
    names = sorted(set(train.plain), key=str)
    place = {name: number for number, name in enumerate(names)}
    labels = np.array([place[name] for name in train.plain], dtype=float)
    guess = _by_train(view, of_train, found, labels, is_order=is_order, is_class=True, nearest=nearest)
    if np.isnan(guess).all():
        return None
    told = np.full(len(guess), None, dtype=object)
    for row in np.flatnonzero(~np.isnan(guess)):
        told[row] = names[int(guess[row])]
    return told


def _by_train(
    view: Values,
    of_train: Values,
    found: Relation,
    labels: NDArray[np.float64],
    *,
    is_order: bool,
    is_class: bool = False,
    nearest: int = _NEAREST,
) -> NDArray[np.float64]:
    """What train says about each value of test; NaN where it says nothing."""
    if found.strength.form in ("order", "neighbours") and view.numbers is not None and of_train.numbers is not None:
        x, known = view.numbers, of_train.numbers
        if is_order:
            x, known = x / max(np.nanmax(x), 1.0), known / max(np.nanmax(known), 1.0)
        return _nearest(x, known, labels, is_class=is_class, count=nearest)
    mine, theirs = (
        property_of(values, found.what) if found.tier == "derived" else values.texts for values in (view, of_train)
    )
    if mine is None or theirs is None or len(theirs) != len(labels):
        return np.full(len(view.sample) if found.tier == "derived" else len(view), np.nan)
    groups: dict[object, list[float]] = defaultdict(list)
    for value, label in zip(theirs, labels.tolist(), strict=True):
        groups[value].append(label)
    said = {
        value: Counter(group).most_common(1)[0][0] if is_class else float(np.mean(group))
        for value, group in groups.items()
    }
    return np.array([said.get(value, np.nan) for value in mine], dtype=float)


def _nearest(
    x: NDArray[np.float64], known: NDArray[np.float64], labels: NDArray[np.float64], *, is_class: bool, count: int
) -> NDArray[np.float64]:
    there = ~np.isnan(known)
    order = np.argsort(known[there], kind="stable")
    values, taken = known[there][order], labels[there][order]
    guess = np.full(len(x), np.nan)
    if len(values) < count:
        return guess
    for row, value in enumerate(x):
        if np.isnan(value):
            continue
        middle = int(np.searchsorted(values, value))
        span = np.arange(max(0, middle - count), min(len(values), middle + count))
        near = taken[span[np.argsort(np.abs(values[span] - value), kind="stable")[:count]]]
        guess[row] = Counter(near.tolist()).most_common(1)[0][0] if is_class else float(near.mean())
    return guess


def is_given(survey: Survey, column: Aligned, found: Relation) -> bool:
    """Whether an order or an id says only what an ordinary column says as well, such as the shop of each row."""
    if found.groups is None or len(found.groups) != len(column.items) or found.strength.form == "pure":
        return False
    mine = groups_of(found.groups)
    for other in survey.test_columns:
        if (
            other.column == column.column
            or other.is_artifact
            or other.in_order
            or not np.array_equal(other.items, column.items)
        ):
            continue
        theirs = groups_of(other.values)
        if 2 <= theirs.max(initial=0) + 1 <= 0.5 * len(theirs) and _follows(mine, theirs) and _follows(theirs, mine):
            return True
    return False


def _follows(mine: NDArray[np.int64], theirs: NDArray[np.int64]) -> bool:
    """Whether each of my groups is within one of theirs."""
    table = np.zeros((int(mine.max()) + 1, int(theirs.max()) + 1))
    np.add.at(table, (mine, theirs), 1)
    return float(table.max(axis=1).sum()) >= _SAME * len(mine)


def varies_slowly(column: Aligned, found: Relation, train: Relation, target: Target) -> bool:
    """Whether numbers are near one another where a column is, as places along a track are: that is no knowledge.

    A number that rises with the answers is a place only where it does so in train, too.
    """
    if target.n_classes or found.strength.form != "neighbours":
        return False
    numbers = as_numbers(column.values)
    if numbers is None:
        return False
    if not _rises(numbers, target):
        return train.power >= 0.5 * found.power
    return column.by != "itself" and train.power >= 0.9 * found.power


def _rises(numbers: NDArray[np.float64], target: Target) -> bool:
    """Whether the answers rise or fall with numbers, nearly always."""
    if target.numbers is None or np.isnan(numbers).any():
        return False
    return monotone(numbers, target.numbers, 0).power >= _ALWAYS


def are_groups_of_test(view: Values, of_train: Values, found: Relation, target: Target) -> bool:
    """Whether a column tells numbers by groups, such as drives, none of which train has: nobody knows theirs."""
    by_values = found.strength.form == "groups" and found.tier == "plain"
    return target.n_classes == 0 and by_values and not set(view.plain) & set(of_train.plain)
