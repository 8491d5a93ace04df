"""Groups on both sides, such as patients and speakers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import few
from mlebench.audit.finding import Found, Prediction, Severity
from mlebench.audit.honesty import is_content
from mlebench.audit.item_files import slot_of
from mlebench.audit.matching import Aligned
from mlebench.audit.sides import columns_of_both
from mlebench.audit.strength import by_neighbours, groups_of, monotone, of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, canonical, is_missing, texts
from mlebench.audit.targets import Items, Target

_NAMES = re.compile(
    r"(^|_)(id|uid|patient|subject|user|speaker|author|customer|session|group|site|location|device|case|person|"
    r"household|family|study|series|breath|molecule)(s?$|_|id$)",
    re.IGNORECASE,
)
_TELLS = 0.9  # the power of groups that share one answer
_MOSTLY_TELL, _SOMETIMES_TELL = 0.75, 0.6  # that are a suspicion, of any column and of one called like groups
_DIGITS = 8.0
_MOST_CLASSES = 0.34  # of the items
_SEPARATORS = re.compile(r"[_\-./: ]+")
_MOST_PARTS, _FEWEST_GROUPS, _LARGE_GROUP = 4, 12, 20  # parts of an id; groups, and rows of one, on average
_DATES = re.compile(r"^(19|20)\d\d[01]\d[0-3]\d")
_ENDS = re.compile(r"[a-z](Id|ID|UID)$")
_TAGS = ("DICOM ", "EXIF ", "LIST ", "metadata ", "field ")  # of pictures, sounds and scans
_PATIENT = ("DICOM (0010,0010)", "DICOM (0010,0020)", "folder")  # which name groups by what they are


def detect(survey: Survey) -> Iterator[Found]:
    """Findings about groups."""
    if survey.train is None:
        return
    seen: set[str] = set()
    for _, _, column, other in columns_of_both(survey):
        found = None if column.column in seen else _group(survey, column, other)
        if found is not None:
            seen.add(column.column)
            yield found
    yield from _of_files(survey)
    yield from _in_ids(survey, survey.train)


def _of_files(survey: Survey) -> Iterator[Found]:
    """Groups that files are in, such as the folders of patients, or that their tags name, such as speakers."""
    for column in survey.test_columns:
        if not column.is_artifact or not (column.column == "folder" or column.column.startswith(_TAGS)):
            continue
        other = survey.counterpart(column)
        if other is None or is_content(column, 0.0):  # files that show the same are looked at by themselves
            continue
        if column.column == "folder":
            column, other = (replace(side, values=_last_folders(side.values)) for side in (column, other))
        found = _group(survey, column, other)
        if found is not None and found.severity != "note":
            yield found


def _last_folders(paths: Texts) -> Texts:
    """The folder that files are in itself, where its name does not only say the side."""
    return texts(slot_of(str(path)).rpartition("/")[2] for path in paths)


def _in_ids(survey: Survey, train: Items) -> Iterator[Found]:
    """Ids that begin with the group, as P012_3: the patient, and which of his pictures it is."""
    if len(survey.task.key_columns) != 1:
        return
    mine, theirs = ([_SEPARATORS.split(str(name)) for name in items.ids] for items in (survey.test, train))
    many = len(mine[0]) if mine else 0
    if not 2 <= many <= _MOST_PARTS or any(len(parts) != many for parts in (*mine, *theirs)):
        return
    if any(_DATES.match(parts[-1]) for parts in mine[:_FEWEST_GROUPS]):
        return  # the series of a shop is on both sides of a forecast
    for count in range(many - 1, 0, -1):
        starts = [texts("_".join(parts[:count]) for parts in side) for side in (mine, theirs)]
        sizes = Counter(starts[1].tolist())
        if len(sizes) < _FEWEST_GROUPS or len(starts[1]) > _LARGE_GROUP * len(sizes):
            continue
        ids = [Aligned("the ids", "(start)", values, np.arange(len(values)), "itself") for values in starts]
        known = known_labels(survey, ids[0], ids[1], is_named=False)
        if known is None or known[0] < _TELLS:
            continue
        power, prediction = known
        shared = sum(value in sizes for value in starts[0])
        yield Found(
            "groups",
            "leak",
            "the ids: how they begin",
            f"{shared:,} of {survey.test.size:,} items to predict have ids that begin like one of train, up to the "
            f"last {many - count} of {many} parts, and the labels of these tell {power:.0%} of the way to certainty.",
            rank=power,
            predictions=(prediction,),
        )
        return


def _group(survey: Survey, column: Aligned, other: Aligned) -> Found | None:
    name, where, test, train = column.column, column.where, column.values, other.values
    if name.startswith("("):
        return None
    is_named = name in _PATIENT or bool(_NAMES.search(name) or _ENDS.search(name))
    if not is_named and not column.is_artifact and _is_content(test):
        return None
    groups = Counter(value for value in train if not is_missing(value))
    mine = [value for value in test if not is_missing(value)]
    if len(mine) < 4 or len(groups) < 8 or len(groups) > 0.95 * len(train) or len(groups) < 0.01 * len(train):
        return None
    shared = sum(value in groups for value in mine)
    if shared < 0.05 * len(mine):
        return None
    words = (
        f"{shared:,} of {len(mine):,} items to predict belong to "
        f"a {name} that train has, too ({len(groups):,} in train)"
    )
    known = known_labels(survey, column, other, is_named=is_named)
    if known is not None:
        power, prediction = known
        words += f", and the labels of the same {name} in train tell {power:.0%} of the way to certainty"
        enough = _SOMETIMES_TELL if is_named else _MOSTLY_TELL
        severity: Severity = "leak" if power >= _TELLS else "suspicious" if power >= enough else "note"
        if severity != "note" or is_named:
            return Found(
                "groups",
                severity,
                f"{where}: {name}",
                f"{words}.",
                rank=power,
                predictions=(prediction,) if severity == "leak" else (),
            )
    if not is_named:
        return None
    return Found("groups", "note", f"{where}: {name}", f"{words}.", rank=0.1 * shared / len(mine))


def _is_content(values: Texts) -> bool:
    """Whether values are quantities or texts, which repeat where rows repeat, and no names."""
    some = [value for value in values[:300] if value]
    return any(re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", value) for value in some) or bool(
        np.mean([" " in value for value in some] or [False]) > 0.5
    )


def known_labels(survey: Survey, column: Aligned, other: Aligned, *, is_named: bool) -> tuple[float, Prediction] | None:
    """How well the labels of a group in train predict its items in test, and what that would be.

    A column that is not called like one of groups counts as such where its values are no quantity: neighbours of a
    value would have the same answers then.
    """
    assert survey.train is not None
    for target in survey.test.targets:
        labels = survey.train.target(target.name)
        if labels is None or target.is_derived:
            continue
        known = labels.part(other.items)
        if target.n_classes == 0:
            found = _by_means(column, other, target, known)
        elif all(side.n_classes > _MOST_CLASSES * len(side.values) for side in (target, known)):
            continue  # names of one's own; of the classes that train has often, a small test may have each once
        else:
            found = _by_votes(column, other, target, known)
        if found is None:
            continue
        power, digits, items, given = found
        if column.is_artifact and digits < _DIGITS:
            continue
        is_code = few(groups_of(other.values), target.n_classes, len(other.values))  # a feature of few kinds
        if not is_named and (power < _MOSTLY_TELL or digits < _DIGITS or is_code or not are_names(other.values, known)):
            continue
        return power, Prediction(target.name, target.column, survey.task.rows[items], given)
    return None


_Guess = tuple[float, float, NDArray[np.int64], Texts]  # power, digits, items, what is given


def _by_votes(column: Aligned, other: Aligned, target: Target, known: Target) -> _Guess | None:
    votes: dict[str, Counter[str]] = {}
    for value, label in zip(other.values, known.values, strict=True):
        if value is not None and label is not None:
            votes.setdefault(value, Counter())[label] += 1
    rows = np.array([row for row, value in enumerate(column.values) if value in votes], dtype=np.int64)
    if len(rows) < max(10, 0.3 * len(column.values)):
        return None
    items = column.items[rows]
    given = texts(votes[str(column.values[row])].most_common(1)[0][0] for row in rows)
    hits = sum(canonical(one) == two for one, two in zip(given, target.plain[items], strict=True))
    base = Counter(target.plain[items]).most_common(1)[0][1] / len(items)
    if base >= 1 or hits <= base * len(items):
        return None
    return (hits / len(items) - base) / (1 - base), of_hits(hits, len(items), base), items, given


def _by_means(column: Aligned, other: Aligned, target: Target, known: Target) -> _Guess | None:
    if target.numbers is None or known.numbers is None:
        return None
    sums: dict[str, list[float]] = {}
    for value, number in zip(other.values, known.numbers, strict=True):
        if value is not None:
            sums.setdefault(value, []).append(float(number))
    rows = np.array([row for row, value in enumerate(column.values) if value in sums], dtype=np.int64)
    if len(rows) < max(20, 0.3 * len(column.values)):
        return None
    items = column.items[rows]
    given = np.array([float(np.mean(sums[str(column.values[row])])) for row in rows])
    measured = monotone(given, target.numbers[items], 0)
    return measured.power, measured.digits, items, texts(given.tolist())


def are_names(values: Texts, known: Target) -> bool:
    """Whether values only name groups: as numbers, near ones must not have the same answers."""
    numbers = as_numbers(values)
    if numbers is None or known.coded is None:
        return numbers is None
    groups, first = np.unique(np.nan_to_num(numbers), return_index=True)
    return len(groups) >= 12 and by_neighbours(groups, known.coded[first], known.n_classes).power < 0.5
