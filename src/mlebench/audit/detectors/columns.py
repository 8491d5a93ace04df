"""Columns, names, numbers, sizes, dates, orders and metadata that tell the answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.coincidences import (
    follows_groups,
    is_row_of_train,
    is_told_by_rare_values,
    says_the_same,
)
from mlebench.audit.finding import SEVERITIES, Found, Kind, Prediction, Severity
from mlebench.audit.honesty import (
    are_groups_of_test,
    is_content,
    is_given,
    is_metadata,
    transferred,
    varies_slowly,
)
from mlebench.audit.item_files import slot_of
from mlebench.audit.judging import CERTAIN, FEW_DIGITS, NEEDED, has_all_of_few, judge
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.mentions import are_said, numbers_within
from mlebench.audit.predicting import predicted_values
from mlebench.audit.relations import (
    NOTHING,
    Relation,
    Values,
    few,
    in_blocks,
    purity,
    relation,
    same_property,
    verbatim,
)
from mlebench.audit.strength import groups_of, is_of_order
from mlebench.audit.survey import Survey, explained_order
from mlebench.audit.table import as_numbers, canonical, texts
from mlebench.audit.targets import Items, Target, present
from mlebench.base import progress
from mlebench.base.wording import counted

_MOST_COLUMNS = 6000
_KNOWN = 0.8  # the power of metadata that no honest data has, on both sides; and with more evidence:
_SOME_KNOWN, _MUCH_KNOWN, _CERTAINLY_KNOWN = 0.3, 0.6, 11.0
_MARKS, _AGREES = 4, 0.5  # classes; the power of a column that has the answers, but for mistakes, on both sides
_NONE = 0.1  # power
_NEARLY_ALL = 0.85  # power on both sides
_ALL, _MORE = 0.9, 0.2  # power of what tells nearly all, and by how much more than in train
_FEWEST_GAPS = 0.03  # of the values of a column; with fewer it is what it is with all
_TAGS, _FEWEST_FILES = ("EXIF ", "metadata ", "comment", "DICOM (", "LIST "), 20  # of train, that show which it has
_MOST_PIECES = 6  # columns of a table that are written one behind the other
_LISTED = re.compile(r"\[\d+\]")  # an element of a list
_TELLING = ("label", "target", "class", "answer", "y", "score")  # what columns of answers are called


@dataclass(frozen=True)
class _Hit:
    severity: Severity
    kind: Kind
    column: Aligned
    target: Target
    relation: Relation
    train: Relation | None
    coverage: float


def detect(survey: Survey) -> Iterator[Found]:
    """Findings per file, each with all the columns of it that tell something."""
    columns = [
        *survey.test_columns,
        *(column for matched in survey.matched_test for column in _classes(matched, survey)),
        *(column for matched in survey.matched_test for column in _in_pieces(matched, survey.test)),
    ]
    hits: dict[str, list[_Hit]] = {}
    cache = _Cache(survey)
    with progress.stage("compare", "columns", total=len(columns), unit="columns") as stage:
        for column in columns[:_MOST_COLUMNS]:
            stage.advance()
            for hit in _hits(survey, column, cache):
                hits.setdefault(hit.column.where, []).append(hit)
            for hit in _of_numbers_within(survey, column, cache):
                hits.setdefault(hit.column.where, []).append(hit)
    for where, found in hits.items():
        yield from _findings(survey, where, found)


class _Cache:
    """Targets of some items only: many columns of a table have the same ones."""

    def __init__(self, survey: Survey) -> None:
        self._made: dict[tuple[int, bytes], Target] = {}

    def part(self, target: Target, items: NDArray[np.int64]) -> Target:
        """The target for some items."""
        if len(items) == len(target.values) and (items == np.arange(len(items))).all():
            return target
        key = (id(target), items.tobytes())
        if key not in self._made:
            if len(self._made) > 2000:
                self._made.clear()
            self._made[key] = target.part(items)
        return self._made[key]


def _hits(survey: Survey, column: Aligned, cache: _Cache) -> Iterator[_Hit]:
    """The hits of a column; else of the values that it has, which may be the answers of some items in a code."""
    if len(set(column.values)) < 2 and not column.column.startswith("(class"):
        return
    if _is_sample(survey, column):
        return
    other = survey.counterpart(column)
    whole = list(_hits_of(survey, column, other, cache))
    yield from whole
    there = present(column.values)
    if any(hit.severity == "leak" for hit in whole) or column.in_order or not _FEWEST_GAPS <= np.mean(~there) < 1:
        return
    if len(set(column.values[there])) > 1:
        known = None if other is None else other.of(present(other.values))
        partly = _hits_of(survey, column.of(there), known, cache)
        # What tells something with its gaps is a leak where it tells all without them.
        yield from (hit for hit in partly if not whole or hit.severity == "leak")


def _of_numbers_within(survey: Survey, column: Aligned, cache: _Cache) -> Iterator[_Hit]:
    """The hits of the numbers in comments, tags and names of files: so many are tried that evidence must be more."""
    if not are_said(column):
        return
    for part, other in numbers_within(column, survey.counterpart(column)):
        yield from (hit for hit in _hits_of(survey, part, other, cache) if _is_enough(hit.relation))


def _hits_of(survey: Survey, column: Aligned, other: Aligned | None, cache: _Cache) -> Iterator[_Hit]:
    view = Values(column.values)
    of_train = Values(other.values) if other is not None else None
    by_order = column.in_order and _is_sorted(view)
    if column.column == "(order of rows)" and view.numbers is not None:
        by_order = explained_order(survey, view.numbers, column.items)
    thin = survey.thinned(column)
    for target in () if column.in_order or column.is_artifact else survey.task.further:
        same = verbatim(view, part := target.part(column.items))
        if part.varies and same.power >= CERTAIN and same.strength.digits >= NEEDED["plain"]:
            coverage = len(column.items) / survey.test.size
            yield _Hit("leak", "answers_in_public", column, target, same, None, coverage)
    for target in survey.test.targets:
        part = cache.part(target, column.items)
        if not part.varies or by_order:
            continue
        # A list without ids is tried in several orders, so that only what is plain counts.
        in_order = column.in_order
        found = relation(view, part, survey.test.ids[column.items], thorough=not in_order)
        if column.is_artifact and found.power < CERTAIN:
            found = max(found, in_blocks(view, part), key=lambda one: one.power if _is_enough(one) else 0.0)
        if in_order and found.strength.digits < 7 and (found.power < 0.97 or found.tier == "code"):
            continue
        train, severity = _judged(survey, column, other, view, of_train, target, found, cache)
        if severity is not None and train is not None and _drifts(column, view, found, train, part):
            severity = None
        if severity is None and (pure := _by_presence(thin, cache.part(target, thin.items))).power > 0:
            train, _ = _in_train(survey, other, of_train, target, pure, cache)
            severity = _pure_severity(pure, train, survey, _LISTED.search(column.column) is not None)
            found = _by_presence(column, part) if severity is not None else found
        elif severity is not None and thin is not column and found.strength.form not in ("equal", "sequence"):
            # Items that share a patient, or a row, are one observation.
            thin_other = None if other is None else survey.thinned(other, train=True)
            few_view, few_train = Values(thin.values), None if thin_other is None else Values(thin_other.values)
            again = relation(few_view, cache.part(target, thin.items), survey.test.ids[thin.items])
            _, confirmed = _judged(
                survey, thin, thin_other, few_view, few_train, target, again, cache, is_confirmation=True
            )
            severity = None if confirmed is None else max(severity, confirmed, key=SEVERITIES.index)
        if severity is None or (target.is_derived and severity != "leak"):
            continue
        if (
            train is not None
            and (train.power >= 0.5 * found.power or found.power < _ALL)
            and is_content(column, min(train.power, found.power))
        ):
            continue  # what is in a picture or a sound is there to be used
        if train is None and is_content(column, found.power) and found.power < 0.995:
            severity = "suspicious" if severity == "leak" else severity
        if column.by == "itself" and train is None and found.power < 0.95:
            continue  # ids may have the place in a sequence in them
        if (column.is_artifact or found.tier == "derived") and is_given(survey, column, found):
            continue
        if follows_groups(survey, column, found, part) or is_row_of_train(survey, column, found, part):
            continue
        spoken = found.strength.form in ("equal", "sequence") and not target.is_derived
        kind: Kind = "answers_in_public" if spoken else "predictive_artifact"
        coverage = len(column.items) / survey.test.size
        yield _Hit(severity, kind, column, target, found, train, coverage)


def _is_enough(found: Relation) -> bool:
    return found.strength.digits >= NEEDED["derived"]


def _judged(
    survey: Survey,
    column: Aligned,
    other: Aligned | None,
    view: Values,
    of_train: Values | None,
    target: Target,
    found: Relation,
    cache: _Cache,
    *,
    is_confirmation: bool = False,
) -> tuple[Relation | None, Severity | None]:
    """(the same relation in train, the severity)."""
    if found.power < 0.25 or found.strength.digits < FEW_DIGITS:
        return None, None
    part = cache.part(target, column.items)
    train, n_train = _in_train(survey, other, of_train, target, found, cache)
    if train is not None and varies_slowly(column, found, train, part):
        return train, None
    if train is not None and of_train is not None and are_groups_of_test(view, of_train, found, part):
        return train, None
    severity = judge(
        found,
        len(column.items),
        train,
        n_train,
        has_train=survey.train is not None and survey.train.target(target.name) is not None,
        is_artifact=column.is_artifact,
        same_name=column.column.lower().strip() in (target.name.lower(), *_TELLING),
        is_confirmation=is_confirmation or (found.tier != "derived" and _is_a_tag_of_test(survey, column, other)),
    )
    if (
        severity is None
        and train is not None
        and (_is_a_second_opinion(found, train, part) or _tells_nearly_all(found, train, part))
    ):
        severity = "suspicious"
    is_foreign = train is None or other is None or slot_of(other.where) != slot_of(column.where)
    if (
        severity is None
        and is_foreign
        and (train is None or train.power < _NONE)
        and _is_whole(survey, column, target)
        and has_all_of_few(found)
    ):
        severity = "suspicious"
    labels = None if survey.train is None else survey.train.target(target.name)
    is_feature = train is not None and found.tier != "verbatim" and found.power > train.power
    if severity == "leak" and is_feature and other is not None and of_train is not None and labels is not None:
        # Perhaps only the mix of values is another one than in train.
        known_labels = cache.part(labels, other.items)
        is_same = says_the_same(view, of_train, part, known_labels)
        if is_same or is_told_by_rare_values(view, of_train, found, part, known_labels):
            severity = None
    if severity == "leak" and train is None and target.is_derived:
        severity = "suspicious"  # it tells a part of the answers, and there is nothing to compare it with
    if train is None or min(train.power, found.power) < _SOME_KNOWN or found.strength.form == "equal":
        return train, severity
    if labels is None or other is None or of_train is None:
        return train, severity
    # It tells as much in train: what counts is what one knows about test who knows train.
    is_order = column.column in ("order", "(order of rows)")
    known = transferred(view, of_train, found, part, cache.part(labels, other.items), is_order=is_order)
    if severity != "leak" and is_metadata(survey, column, found, part):
        is_strong = min(train.power, found.power) >= _KNOWN and known >= _KNOWN - 0.1
        needed = NEEDED[found.tier] if is_strong else _CERTAINLY_KNOWN
        # A small test shows little, but what tells all labels of train as well is no chance.
        are_certain = min(train.power, found.power) >= CERTAIN
        digits = found.strength.digits + (train.strength.digits if are_certain else 0.0)
        if digits >= needed and known >= _SOME_KNOWN:
            severity = "leak" if known >= _MUCH_KNOWN else "suspicious"
    elif severity == "leak" and min(train.power, found.power) >= _KNOWN > 2 * known and found.tier != "verbatim":
        severity = None  # groups, each with an answer of its own
    return train, severity


def _is_a_tag_of_test(survey: Survey, column: Aligned, other: Aligned | None) -> bool:
    """Whether all files to predict have a tag that no file of train has: there are hardly ever two to choose from."""
    if other is not None or not column.is_artifact or not column.column.startswith(_TAGS):
        return False
    files = [matched for matched in survey.tables_of_train(column.where) if matched.table.is_artifact]
    return any(len(matched.items) >= _FEWEST_FILES for matched in files) and bool(present(column.values).all())


def _is_whole(survey: Survey, column: Aligned, target: Target) -> bool:
    """Whether a column says something of each item itself, and not by its place in a list."""
    return len(column.items) == survey.test.size and not column.in_order and not target.is_derived


def _is_a_second_opinion(found: Relation, train: Relation, target: Target) -> bool:
    """Whether a column says what the answers say, in their words, more often than not, such as another rater's mark.

    A feature may have the values of two classes or three by chance, and seldom those of more.
    """
    both = (found, train)
    return (
        target.n_classes >= _MARKS
        and all(one.strength.form == "equal" and one.tier == "verbatim" and one.power >= _AGREES for one in both)
        and found.strength.digits >= NEEDED["derived"]
    )


def _tells_nearly_all(found: Relation, train: Relation, target: Target) -> bool:
    """Whether a code tells nearly all classes on both sides: if one knows it when one predicts is not in the data."""
    both = (found, train)
    is_code = target.n_classes > 0 and found.codes and all(one.strength.form == "groups" for one in both)
    digits = sum(one.strength.digits for one in both)
    is_shown = found.strength.digits >= NEEDED["plain"] and digits >= NEEDED["plain"] + NEEDED["derived"]
    return is_code and is_shown and min(one.power for one in both) >= _NEARLY_ALL


def _drifts(column: Aligned, view: Values, found: Relation, train: Relation, target: Target) -> bool:
    """Whether a column that tells more than in train, but not all, only changes slowly along the rows, like answers."""
    is_near = target.n_classes == 0 and found.strength.form == "neighbours"  # as along a track
    if (found.power >= _ALL and not is_near) or found.power - train.power < _MORE or target.coded is None:
        return False
    if column.column in ("(order of rows)", "order") or column.column.startswith("(class"):
        return False
    codes = view.groups
    if found.groups is not None and len(found.groups) == len(view) and found.tier == "derived":
        codes = groups_of(found.groups)
    elif view.numbers is not None and not few(codes, target.n_classes, len(codes)):
        numbers = np.nan_to_num(view.numbers)
        codes = np.searchsorted(np.quantile(numbers, np.linspace(0, 1, 9)[1:-1]), numbers).astype(np.int64)
    if not few(codes, target.n_classes, len(codes)):
        return False
    return is_of_order(codes, target.coded, target.n_classes)


def _is_sample(survey: Survey, column: Aligned) -> bool:
    """Whether a column repeats the sample submission, which is looked at by itself."""
    sample = survey.task.sample
    if column.column not in sample.columns or column.column in survey.task.key_columns:
        return False
    shown = sample[column.column].iloc[survey.task.rows[column.items]]
    # Nearly all: words such as NA are missing to one reader and words to another.
    same = [canonical(one) == canonical(other) for one, other in zip(texts(shown), column.values, strict=True)]
    return float(np.mean(same)) > 0.95


def _is_sorted(view: Values) -> bool:
    numbers = view.numbers
    if numbers is None or np.isnan(numbers).any():
        return False
    steps = np.diff(numbers)
    return bool((steps >= 0).all() or (steps <= 0).all()) and len(set(numbers.tolist())) > 10


def _by_presence(column: Aligned, target: Target) -> Relation:
    there = present(column.values)
    one, other = purity(there, target), purity(~there, target)
    return one if one.strength.digits >= other.strength.digits else other


def _pure_severity(found: Relation, train: Relation | None, survey: Survey, is_listed: bool) -> Severity | None:
    """The severity of what is there for one answer alone; a list that is shorter is no gap where train has it, too."""
    digits = found.strength.digits + (train.strength.digits if train is not None else 0.0)
    if digits < 5.5 or found.strength.digits < 1:
        return None
    if train is not None and train.strength.form != "pure":
        return None if found.strength.digits < 7 else "leak" if found.power >= 0.2 else "suspicious"
    if train is not None and is_listed:
        return None
    return "leak" if train is not None or survey.train is not None else "suspicious"


def _in_train(
    survey: Survey, other: Aligned | None, values: Values | None, target: Target, found: Relation, cache: _Cache
) -> tuple[Relation | None, int]:
    """The same relation in train, and among how many items."""
    if other is None or survey.train is None or values is None:
        return None, 0
    matching = next((known for known in survey.train.targets if known.name == target.name), None)
    if matching is None:
        return None, 0
    part = cache.part(matching, other.items)
    if not part.varies or (part.n_classes == 0) != (target.n_classes == 0):
        return None, 0
    if found.strength.form == "pure":
        return _by_presence(other, part), len(other.items)
    if found.strength.form != "equal" and verbatim(values, part).power >= CERTAIN:
        return None, 0  # the labels themselves: a submission that is nearly right is no feature
    known = same_property(values, found, part) if found.tier == "derived" else NOTHING
    if found.tier == "derived" and not is_content(other, 0.0):
        return known, len(other.items)
    same = relation(values, part, survey.train.ids[other.items], in_train=True)
    return max(known, same, key=lambda measured: measured.power), len(other.items)


def _classes(matched: Matched, survey: Survey) -> Iterator[Aligned]:
    """One column for several that are one class together, whatever their names are."""
    whole = next((target for target in survey.test.targets if target.column is None), None)
    keys = survey.task.key_columns
    asked = [] if whole is None else [str(name) for name in survey.task.sample.columns if name not in keys]
    classes = {canonical(name) for name in asked}
    own = [column.column for column in matched.columns if not column.is_artifact]
    # A matrix whose columns have numbers for names has those of the submission, in their order.
    is_unnamed = len(own) == len(asked) and not any(canonical(name) in classes for name in own)
    renamed = dict(zip(own, asked, strict=True)) if is_unnamed else {}
    binary = []
    for column in matched.columns[:600]:
        numbers = as_numbers(column.values, enough=1.0)
        if numbers is not None and not np.isnan(numbers).any() and np.isin(numbers, (0, 1)).all() and numbers.any():
            binary.append((renamed.get(column.column, column.column), numbers))
    if len(binary) > 2:
        matrix = np.column_stack([numbers for _, numbers in binary])
        if (matrix.sum(axis=1) == 1).mean() > 0.99:
            names = [name for name, _ in binary]
            where = matched.columns[0].where
            values = texts(names[place] for place in matrix.argmax(axis=1))
            name = f"(class: columns {names[0]} to {names[-1]})"
            yield Aligned(where, name, values, matched.items, matched.by, in_order=matched.in_order)
            return
    # Scores of classes: the largest is the class.
    scores = [
        (name, numbers)
        for column in matched.columns[:2000]
        if canonical(name := renamed.get(column.column, column.column)) in classes
        and (numbers := as_numbers(column.values, enough=1.0)) is not None
    ]
    if whole is not None and len(scores) >= max(2, 0.8 * len(whole.classes)):
        matrix = np.nan_to_num(np.column_stack([numbers for _, numbers in scores]))
        values = texts(scores[place][0] for place in matrix.argmax(axis=1))
        where, name = matched.columns[0].where, "(class: the column with the largest value)"
        yield Aligned(where, name, values, matched.items, matched.by, in_order=matched.in_order)


def _in_pieces(matched: Matched, items: Items) -> Iterator[Aligned]:
    """Two columns that are the answers where they are written one behind the other."""
    plain = [column for column in matched.columns if not column.is_artifact]
    if matched.table.is_artifact or not 2 <= len(plain) <= _MOST_PIECES:
        return
    for first in plain:
        for second in plain:
            if first is second:
                continue
            values = texts(f"{one or ''}{other or ''}" for one, other in zip(first.values, second.values, strict=True))
            for target in items.targets:
                part = target.part(matched.items)
                if verbatim(values, part).power >= 0.3 > verbatim(first.values, part).power:
                    name = f"{first.column} and {second.column}"
                    yield Aligned(first.where, name, values, matched.items, matched.by, in_order=matched.in_order)
                    break


def _findings(survey: Survey, where: str, hits: list[_Hit]) -> Iterator[Found]:
    """One finding per file, severity and kind of column: the best column speaks for the others."""
    order = {"leak": 0, "suspicious": 1, "note": 2}
    by_target: dict[str, _Hit] = {}
    hits.sort(
        key=lambda hit: (
            order[hit.severity],
            hit.target.is_derived,
            hit.kind != "answers_in_public",
            -round(hit.coverage, 2),
            -hit.relation.power,
        )
    )
    for hit in hits:
        by_target.setdefault(hit.target.name, hit)
    first = hits[0]
    chosen = [hit for hit in by_target.values() if hit.severity == first.severity]
    columns = list(dict.fromkeys(hit.column.column for hit in chosen))
    others = len({hit.column.column for hit in hits if hit.severity == first.severity}) - len(columns)
    words = [_words(first)]
    if len(columns) > 1:
        words.append(f"so do {', '.join(columns[1:4])}" + (f" and {len(columns) - 4} more" if len(columns) > 4 else ""))
    if others > 0:
        words.append(f"{counted(others, 'further column')} {'tell' if others > 1 else 'tells'} it, too")
    rows = survey.task.rows
    predictions = tuple(
        Prediction(hit.target.name, hit.target.column, rows[hit.column.items], values)
        for hit in chosen
        if not hit.target.is_derived
        and (values := predicted_values(hit.column.values, hit.relation, hit.target.part(hit.column.items))) is not None
    )
    place = where if first.column.column.startswith("(class") else f"{where}: {first.column.column}"
    yield Found(
        first.kind,
        first.severity,
        place,
        "; ".join(words) + ".",
        rank=first.relation.power * first.coverage + (1 if first.kind == "answers_in_public" else 0),
        predictions=predictions,
    )


def _words(hit: _Hit) -> str:
    share = f"{hit.relation.power:.0%} of the way from guessing to certainty"
    if hit.relation.strength.form == "equal":
        share = f"{hit.relation.power:.1%} beyond chance"
    what = f"The column {hit.column.column} {hit.relation.what} for {hit.target.name}"
    if hit.column.is_artifact:
        what = f"The property {hit.column.column!r} {hit.relation.what} for {hit.target.name}"
    if hit.relation.strength.form == "pure":
        share = f"{hit.relation.power:.0%} of these items"
    items = f"{len(hit.column.items):,} items matched by {hit.column.by}"
    train = "" if hit.train is None else f"; in train it is {hit.train.power:.0%}"
    return f"{what} ({share}, {items}{train})"
