"""Columns that tell the answers only together: a model of all columns of test that is better than one of train can be.

A model is fitted to the items to predict, with their answers, and judged on those it has not seen; the same is done in
train. Honest columns tell as much there. Words of a text count as columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.judging import difference
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.predicting import tamed
from mlebench.audit.sides import tables_to_combine
from mlebench.audit.strength import groups_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers, texts
from mlebench.audit.targets import Target

_MOST_ROWS = 1500
_MOST_COLUMNS, _MOST_TABLES = 120, 2
_MOST_TEXTS = 6  # columns whose words count as columns
_FEWEST = 60
_STRONGER = 6.0
_ALONE = 0.8  # power of columns that train does not have


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables whose columns tell more in test than in train."""
    if survey.train is None:
        return
    yield from _of_test_alone(survey)
    for matched in tables_to_combine(survey, max(_FEWEST, 0.9 * survey.test.size), _MOST_TABLES):
        pairs = _pairs(survey, matched)
        if not pairs:
            continue
        for target in [target for target in survey.test.targets if not target.is_derived and target.coded is not None][
            :2
        ]:
            labels = next((known for known in survey.train.targets if known.name == target.name), None)
            if (
                labels is None
                or labels.coded is None
                or (labels.n_classes == 0) != (target.n_classes == 0)
                or target.n_classes > 30
            ):
                continue
            found = _compared(survey, matched, pairs, target, labels)
            if found is not None:
                yield found


def _of_test_alone(survey: Survey) -> Iterator[Found]:
    """Findings for tables with columns that train has nowhere, which tell nearly all together."""
    for matched in survey.matched_test:
        if not matched.has_keys:
            continue
        columns = [
            column
            for column in matched.columns[:_MOST_COLUMNS]
            if not column.column.startswith("(")
            and column.column not in survey.task.sample.columns
            and len(column.items) == len(matched.items)
            and survey.counterpart(column) is None
        ]
        if len(columns) < 2 or len(matched.items) < max(_FEWEST, 0.5 * survey.test.size):
            continue
        rows = np.random.default_rng(0).permutation(len(matched.items))[:_MOST_ROWS]
        mine, _ = _matrices([(column, column) for column in columns], rows, rows)
        for target in [target for target in survey.test.targets if not target.is_derived and target.coded is not None][
            :2
        ]:
            assert target.coded is not None
            y = target.coded[matched.items[rows]]
            y = y if target.n_classes else tamed(y)
            if target.n_classes > 30 or len(set(y.tolist())) < 2:
                continue
            guesses = [_held_out(mine, y, target.n_classes, model) for model in _MODELS]
            guess = max(guesses, key=lambda guess: _power(guess, y, target.n_classes))
            power = _power(guess, y, target.n_classes)
            if power < _ALONE:
                continue
            words = (
                f"{len(columns)} columns that train has nowhere tell {target.name} together: a model of them reaches "
                f"{power:.0%} of the way from guessing to certainty on items that it has not seen"
            )
            yield _found(survey, matched, target, matched.items[rows], guess, power, words)


def _pairs(survey: Survey, matched: Matched) -> list[tuple[Aligned, Aligned]]:
    """Columns of test with their counterparts, all for the same items of train."""
    found = []
    for column in matched.columns[:_MOST_COLUMNS]:
        other = survey.counterpart(column)
        if other is None or column.column.startswith("("):
            continue
        if column.column in survey.task.sample.columns or len(column.items) != len(matched.items):
            continue
        found.append((column, other))
    if not found:
        return []
    size = max(len(other.items) for _, other in found)
    return [(column, other) for column, other in found if len(other.items) == size]


def _compared(
    survey: Survey, matched: Matched, pairs: list[tuple[Aligned, Aligned]], target: Target, labels: Target
) -> Found | None:
    assert target.coded is not None and labels.coded is not None
    rng = np.random.default_rng(0)
    pairs = [(survey.thinned(column), survey.thinned(other, train=True)) for column, other in pairs]
    items, others = pairs[0][0].items, pairs[0][1].items
    # A column of a row that items share has fewer observations than one that is their own.
    pairs = [pair for pair in pairs if np.array_equal(pair[0].items, items) and np.array_equal(pair[1].items, others)]
    if len(items) < _FEWEST:
        return None
    n = min(len(items), _MOST_ROWS)
    m = min(len(others), _MOST_ROWS, max(n, _FEWEST))
    if m < _FEWEST:
        return None
    left, right = rng.permutation(len(items))[:n], rng.permutation(len(others))[:m]
    mine, theirs = _matrices(pairs, left, right)
    y, z = (
        codes if target.n_classes else tamed(codes)
        for codes in (target.coded[items[left]], labels.coded[others[right]])
    )
    same_classes = target.n_classes == 0 or sorted(target.classes) == sorted(labels.classes)
    can_learn = same_classes and mine.shape[1] == theirs.shape[1]
    best: tuple[float, float, NDArray[Any]] | None = None
    for model in _MODELS:
        guess = _held_out(mine, y, target.n_classes, model)
        power = _power(guess, y, target.n_classes)
        if best is None or power > best[0]:
            honest = _honest_power(model, (theirs, z), (mine, y), target.n_classes, can_learn=can_learn)
            best = (power, honest, guess)
    assert best is not None
    power, honest, guess = best
    if not _exceeds(power, n, honest, m):
        return None
    # Series drift apart as time goes by: the end of train is nearest to what is to be predicted, where that is later.
    end = np.argsort(pairs[0][1].items, kind="stable")[-m:]
    _, latest = _matrices(pairs, left, end)
    z = labels.coded[others[end]]
    z = z if target.n_classes else tamed(z)
    if len(set(z.tolist())) > 1:
        late = (_power(_held_out(latest, z, target.n_classes, model), z, target.n_classes) for model in _MODELS)
        if not _exceeds(power, n, max(honest, *late), m):
            return None
    words = (
        f"Its columns together tell {target.name}: a model of them reaches {power:.0%} of the "
        f"way from guessing to certainty on items that it has not seen, but {honest:.0%} in train"
    )
    return _found(survey, matched, target, items[left], guess, power, words)


def _honest_power(
    model: Any,
    train: tuple[Any, NDArray[np.float64]],
    test: tuple[Any, NDArray[np.float64]],
    n_classes: int,
    *,
    can_learn: bool,
) -> float:
    """What a model tells in train, or about test where it knows train alone: that is there to be learnt."""
    x, y = train
    within = _power(_held_out(x, y, n_classes, model), y, n_classes)
    if not can_learn or len(set(y.tolist())) < 2:
        return within
    known = model(n_classes).fit(x, y.astype(int) if n_classes else y).predict(test[0])
    return max(within, _power(known, test[1], n_classes))


def _found(
    survey: Survey,
    matched: Matched,
    target: Target,
    items: NDArray[np.int64],
    guess: NDArray[Any],
    power: float,
    words: str,
) -> Found:
    names = sorted(target.classes)
    shown = {str(plain): value for plain, value in zip(target.plain, target.values, strict=True)}
    values = texts(guess.tolist()) if target.n_classes == 0 else texts(shown[names[int(code)]] for code in guess)
    prediction = Prediction(target.name, target.column, survey.task.rows[items], values)
    return Found(
        "predictive_artifact",
        "leak",
        f"{matched.table.where}: (all columns together)",
        f"{words}.",
        rank=power,
        predictions=(prediction,),
    )


def _matrices(pairs: list[tuple[Aligned, Aligned]], left: Any, right: Any) -> tuple[Any, Any]:
    """The columns as numbers, the same way on both sides; texts by the words in them."""
    from sklearn.feature_extraction.text import CountVectorizer

    mine, theirs, in_words = [], [], 0
    for column, other in pairs:
        one, two = column.values[left], other.values[right]
        numbers, known = as_numbers(one), as_numbers(two)
        if numbers is not None and known is not None:
            mine.append(np.nan_to_num(numbers, nan=-999.0)[:, None])
            theirs.append(np.nan_to_num(known, nan=-999.0)[:, None])
            continue
        both = [str(value) for value in (*one, *two)]
        if np.mean([value.count(" ") for value in both]) > 3:
            if (in_words := in_words + 1) > _MOST_TEXTS:
                continue
            for part, target in ((one, mine), (two, theirs)):
                words = CountVectorizer(max_features=150, binary=True, token_pattern=r"\S+")
                try:
                    target.append(words.fit_transform([str(value) for value in part]).toarray().astype(float))
                except ValueError:
                    continue
        elif len(set(both)) <= 50:
            codes = groups_of(np.array(both, dtype=object)).astype(float)
            mine.append(codes[: len(one), None])
            theirs.append(codes[len(one) :, None])
    if not mine or not theirs:
        return np.zeros((len(left), 1)), np.zeros((len(right), 1))
    return np.hstack(mine), np.hstack(theirs)


def _trees(n_classes: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    kind = ExtraTreesClassifier if n_classes else ExtraTreesRegressor
    return kind(40, min_samples_leaf=3, random_state=0, max_features=0.5)


def _linear(n_classes: int) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200) if n_classes else Ridge(1e-3))


_MODELS = (_trees, _linear)


def _exceeds(power: float, n: int, honest: float, m: int) -> bool:
    """Whether n items to predict are told beyond what m of train are."""
    return power >= 0.6 and power - honest >= 0.3 and difference(power, n, honest, m) >= _STRONGER


def _held_out(x: Any, y: NDArray[np.float64], n_classes: int, model: Any) -> NDArray[Any]:
    from sklearn.model_selection import KFold, cross_val_predict

    found: NDArray[Any] = cross_val_predict(
        model(n_classes), x, y.astype(int) if n_classes else y, cv=KFold(3, shuffle=True, random_state=0)
    )
    return found


def _power(guess: NDArray[Any], y: NDArray[np.float64], n_classes: int) -> float:
    if n_classes:
        base = float(np.bincount(y.astype(int)).max()) / len(y)
        return max(0.0, (float(np.mean(guess == y)) - base) / (1 - base)) if base < 1 else 0.0
    if guess.std() < 1e-12 or y.std() < 1e-12:
        return 0.0
    return max(0.0, float(np.corrcoef(guess, y)[0, 1]))
