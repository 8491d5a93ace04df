"""Groups that a part of a name tells, such as the patient in `cam2_P012_0044.png`, with labels for some in train.

The name may be the id itself or that of the file of an item. Whoever splits by picture and not by patient gives the
answers away wherever all pictures of a patient share one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mlebench.audit.detectors.groups import known_labels
from mlebench.audit.finding import Found
from mlebench.audit.item_files import ItemFile, shown
from mlebench.audit.matching import Aligned
from mlebench.audit.survey import Survey
from mlebench.audit.table import texts
from mlebench.audit.targets import Items, plain_key

_SEPARATORS = re.compile(r"[_\-./: @#+]+")
_FROM_NUMBER_TO_WORD = re.compile(r"(?<=\d)(?=[a-z])")
_MOST_PARTS = 8
_FEWEST_GROUPS, _LARGEST_GROUP = 12, 20  # groups in train, and rows of one, on average
_DATES = re.compile(r"(19|20)\d\d([01]\d([0-3]\d.*)?)?")
_TELLS = 0.9  # the power of groups that share one answer
_SHARED = 0.3  # of the items to predict, that are in a group of train
_ALIKE = 0.05  # of the variance of labels, that may be within groups
_Names = Mapping[int, str]  # of items


@dataclass(frozen=True)
class _Part:
    """A part of the names of both sides: the items, and the values of each."""

    what: str
    test: Mapping[int, str]
    train: Mapping[int, str]


def detect(survey: Survey) -> Iterator[Found]:
    """The part of each kind of names that tells most."""
    if survey.train is None:
        return
    told: set[bytes] = set()  # names of files often are the ids
    for where, mine, theirs, is_id in _names(survey, survey.train):
        for part in _parts(mine, theirs, is_id=is_id):
            found = _judged(survey, survey.train, where, part)
            if found is not None:
                rows = found.predictions[0].rows.tobytes()
                if rows not in told:
                    told.add(rows)
                    yield found
                break


def _names(survey: Survey, train: Items) -> Iterator[tuple[str, _Names, _Names, bool]]:
    """(where, the names of items to predict, those of train, whether they are the ids)."""
    if len(survey.task.key_columns) == 1:
        sides = [{row: plain_key(name) for row, name in enumerate(items.ids)} for items in (survey.test, train)]
        yield "the ids", sides[0], sides[1], True
    slots: dict[str, tuple[list[ItemFile], list[ItemFile]]] = {}
    for side, files in enumerate((survey.test_files, survey.train_files)):
        for file in files:
            slots.setdefault(file.slot, ([], []))[side].append(file)
    for of_test, of_train in slots.values():
        if of_test and of_train:
            named = [_of_files(files, items) for files, items in ((of_test, survey.test), (of_train, train))]
            yield f"the names of {shown(of_test)}", named[0], named[1], False


def _of_files(files: Sequence[ItemFile], items: Items) -> dict[int, str]:
    """What the first file of each item is called, besides the id."""
    found: dict[int, str] = {}
    for file in files:
        name = plain_key(file.entry.base)
        rest = name.replace(file.key, "~") if file.key != name else name
        for row in items.names.get(file.key, ()):
            found.setdefault(row, rest)
    return found


def _parts(mine: _Names, theirs: _Names, *, is_id: bool) -> Iterator[_Part]:
    """Each part of names that have as many of them, and each two that follow one another."""
    for split in (_by_separators, _by_words):
        pieces = [{row: split(name) for row, name in side.items()} for side in (mine, theirs)]
        counts = {len(parts) for side in pieces for parts in side.values()}
        if len(counts) != 1 or not 2 <= (many := counts.pop()) <= _MOST_PARTS:
            continue
        for length in (1, 2):
            for start in range(many - length + 1):
                if length == many or (is_id and start == 0 and split is _by_separators):
                    continue  # how ids begin is looked at by itself
                test, train = (
                    {row: "_".join(parts[start : start + length]) for row, parts in side.items()} for side in pieces
                )
                numbers = f"part {start + 1}" if length == 1 else f"parts {start + 1} and {start + 2}"
                yield _Part(f"{numbers} of {many}", test, train)


def _by_separators(name: str) -> list[str]:
    return _SEPARATORS.split(name)


def _by_words(name: str) -> list[str]:
    return _SEPARATORS.split(_FROM_NUMBER_TO_WORD.sub("_", name))


def _judged(survey: Survey, train: Items, where: str, part: _Part) -> Found | None:
    sizes = Counter(part.train.values())
    if not _FEWEST_GROUPS <= len(sizes) < 0.95 * len(part.train) or len(part.train) > _LARGEST_GROUP * len(sizes):
        return None
    shared = sum(value in sizes for value in part.test.values())
    if shared < _SHARED * survey.test.size or all(_DATES.fullmatch(value) for value in list(sizes)[:_FEWEST_GROUPS]):
        return None  # what is of one day may be alike
    sides = [
        Aligned(where, part.what, texts(side.values()), np.array(list(side), dtype=np.int64), "itself", True)
        for side in (part.test, part.train)
    ]
    known = known_labels(survey, sides[0], sides[1], is_named=False)
    if known is None or known[0] < _TELLS or not _share_answers(train, known[1].target, sides[1]):
        return None
    power, prediction = known
    return Found(
        "groups",
        "leak",
        f"{where}: {part.what}",
        f"{shared:,} of {survey.test.size:,} items to predict share this part of the name with items of train "
        f"({len(sizes):,} groups), whose labels tell {power:.0%} of the way to certainty.",
        rank=power,
        predictions=(prediction,),
    )


def _share_answers(train: Items, name: str, part: Aligned) -> bool:
    """Whether numbers are nearly equal within groups: those of a shop, or of a day, are near one another and honest."""
    target = train.target(name)
    if target is None or target.n_classes or target.numbers is None:
        return True
    numbers = target.numbers[part.items]
    groups = np.unique(part.values.astype(str), return_inverse=True)[1].reshape(-1)
    counts = np.bincount(groups)
    within = numbers - (np.bincount(groups, weights=numbers) / counts)[groups]
    several = counts[groups] > 1
    return bool(several.any()) and float(within[several].var()) <= _ALIKE * float(numbers.var())
