"""What train shows beyond doubt and the items to predict confirm, where these are so few that alone they show little.

A month per class, the serial number of a device or a number that parts the classes is not less of a leak for a small
test: train says what to look for, so that only one question is put to the test, and few items answer it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.coincidences import is_row_of_train
from mlebench.audit.column_values import Relation, Values
from mlebench.audit.detectors.groups import are_names
from mlebench.audit.finding import Found, Severity
from mlebench.audit.honesty import guessed, is_content, is_given, is_metadata
from mlebench.audit.judging import CERTAIN
from mlebench.audit.matching import Aligned
from mlebench.audit.moments import moments
from mlebench.audit.predicting import predictions
from mlebench.audit.relations import in_blocks, relation
from mlebench.audit.strength import arrangements, groups_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, texts
from mlebench.audit.targets import Items, Target

_FEWEST, _FEWEST_KNOWN, _MOST = 8, 20, 200  # items to predict, and of train; more show by themselves what there is
_MOST_COLUMNS = 2000
_IN_TRAIN, _IN_TEST, _OF_GROUPS = 8.0, 2.5, 4.0  # digits of evidence on either side
_FORMS = ("groups", "order", "neighbours", "numbering")
_OF_WRITING = ("length", "decimal", "remainder", "parity", "modulo", "blanks", "invisible", "case of")  # no category
_METADATA, _MUCH, _SOME = 0.8, 0.6, 0.3  # power in train; what train tells about test in a leak, and in a suspicion
_DATES, _STRAY = 0.9, 0.06  # power, on both sides, of dates in a table; of the items, those among another class
_WITHOUT_LUCK = 60  # items of train, in which a good feature does not seem certain by chance
_NEARLY_ALL = 0.9  # of the answers that a column tells that is certain in train, or groups
_GROUPS = 0.85  # power in train of groups that share an answer
_AS_SHARED = 0.6  # the power of metadata that two classes share


@dataclass(frozen=True)
class _Told:
    """What train says about each item to predict: how much of the answers that is, and the evidence for it."""

    power: float
    digits: float
    given: Texts


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns that both sides have, the strongest of each file and kind."""
    if survey.train is None or survey.test.size < _FEWEST:
        return
    best: dict[tuple[str, Severity], Found] = {}
    for column in survey.test_columns[:_MOST_COLUMNS]:
        for found in _of_column(survey, survey.train, column):
            key = (column.where, found.severity)
            if key not in best or best[key].rank < found.rank:
                best[key] = found
    yield from best.values()


def _of_column(survey: Survey, known: Items, column: Aligned) -> Iterator[Found]:
    other = survey.counterpart(column)
    if other is None or column.in_order or column.by == "itself" or column.column.startswith("(class"):
        return
    if not _FEWEST <= len(column.items) <= _MOST or len(other.items) < _FEWEST_KNOWN:
        return
    if is_content(column, 0.0) or len(set(column.values)) < 2 or len(set(other.values)) < 2:
        return
    column, other = survey.thinned(column), survey.thinned(other, train=True)
    if len(column.items) < _FEWEST or len(other.items) < _FEWEST_KNOWN:
        return
    view, of_train = Values(column.values), Values(other.values)
    for target in survey.test.targets:
        labels = known.target(target.name)
        if target.is_derived or labels is None or not target.n_classes or not labels.n_classes:
            continue
        part, theirs = target.part(column.items), labels.part(other.items)
        if not part.varies or not theirs.varies:
            continue
        shown = _shown(of_train, theirs, known.ids[other.items])
        if shown.strength.form not in _FORMS or shown.strength.digits < _IN_TRAIN or shown.power < _AS_SHARED:
            continue
        told = _told(column, view, of_train, shown, part, theirs)
        severity = None if told is None else _severity(survey, column, other, shown, told, part, theirs)
        if told is None or severity is None or is_given(survey, column, shown):
            continue
        if is_row_of_train(survey, column, shown, part):
            continue
        evidence = (
            f"In train {column.column} {shown.what} for {target.name} ({shown.power:.0%} of the way from guessing to "
            f"certainty, {len(other.items):,} items), and what that says of {len(column.items):,} items to predict is "
            f"{told.power:.0%} of the way."
        )
        where = f"{column.where}: {column.column}"
        given = predictions(target, survey.task.rows[column.items], told.given)
        yield Found("predictive_artifact", severity, where, evidence, rank=told.power, predictions=given)


def _shown(of_train: Values, labels: Target, ids: Texts) -> Relation:
    """The strongest relation in train; where classes have two items each, blocks of them are more than neighbours."""
    shown = relation(of_train, labels, ids)
    if shown.power >= CERTAIN:
        return shown
    blocks = in_blocks(of_train, labels)
    return blocks if blocks.power > shown.power and blocks.strength.digits >= _IN_TRAIN else shown


def _severity(
    survey: Survey, column: Aligned, other: Aligned, shown: Relation, told: _Told, test: Target, train: Target
) -> Severity | None:
    if told.digits < _IN_TEST:
        return None
    if is_metadata(survey, column, shown, test):
        if shown.power >= _METADATA and told.power >= _MUCH:
            return "leak"
        return "suspicious" if told.power >= _SOME else None
    if column.is_artifact:
        return None
    if (dates := moments(column.column, column.values, other.values)) is not None:
        return _of_dates(dates[1], shown, told, train)
    if shown.codes and shown.power >= CERTAIN and told.power >= _NEARLY_ALL:
        if len(other.items) < _WITHOUT_LUCK:
            return None
        # A category, also in a part of a code, may be nearly the class, and make no mistake in a hundred items.
        is_category = shown.strength.form == "groups" and not any(word in shown.what for word in _OF_WRITING)
        return "suspicious" if is_category else "leak"
    are_groups = shown.strength.form == "groups" and not shown.codes and are_names(other.values, train)
    is_shown = shown.power >= _GROUPS and told.power >= _NEARLY_ALL and told.digits >= _OF_GROUPS
    return "leak" if are_groups and is_shown else None


def _of_dates(dates: Numbers, shown: Relation, told: _Told, train: Target) -> Severity | None:
    """A time of its own for each class is a leak; recordings that classes take turns in are a split at random."""
    if told.power < _MUCH or told.digits < _OF_GROUPS:
        return None
    classes = groups_of(train.plain[np.argsort(dates, kind="stable")])
    stretches = 1 + int((np.diff(classes) != 0).sum())
    is_by_class = stretches <= 2 * train.n_classes + _STRAY * len(classes)
    return "leak" if is_by_class and min(shown.power, told.power) >= _DATES else "suspicious"


def _told(
    column: Aligned, view: Values, of_train: Values, shown: Relation, test: Target, train: Target
) -> _Told | None:
    """What one knows about the items to predict who knows train, by one value that is near or by equal ones."""
    is_order = column.column in ("order", "(order of rows)")
    guess = guessed(view, of_train, shown, train, is_order=is_order)
    if guess is None:
        return None
    most = max(set(train.plain), key=list(train.plain).count)
    names = {str(plain): value for plain, value in zip(train.plain, train.values, strict=True)}
    names |= {str(plain): value for plain, value in zip(test.plain, test.values, strict=True)}
    given = texts(names[str(most if one is None else one)] for one in guess)
    hits = guess == test.plain
    counts = np.unique(test.plain.astype(str), return_counts=True)[1]
    base = float(counts.max()) / len(hits)
    power = max(0.0, (float(hits.mean()) - base) / (1 - base))
    return _Told(power, min(_digits(guess, test.plain), arrangements(counts)), given)


def _digits(guess: NDArray[np.object_], truth: NDArray[np.object_]) -> float:
    """The evidence that guesses are right more often than the same guesses in another order would be."""
    from scipy.stats import norm

    fits = (guess[:, None] == truth[None, :]).astype(float)
    n, centred = len(guess), fits - fits.mean(axis=0) - fits.mean(axis=1)[:, None] + fits.mean()
    spread = math.sqrt(float((centred**2).sum()) / (n - 1))
    if spread < 1e-9:
        return 0.0
    z = (float(np.trace(fits)) - float(fits.sum()) / n) / spread
    return max(0.0, -float(norm.logsf(z)) / math.log(10))
