"""Words in comments, tags and names of files that go with the answers in test, wherever in them they stand.

A longer text is a value of its own for each item, so that only its words can tell something. In train neither the same
word nor any other one does: there may be names in a text, such as those of patients, each with an answer of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mlebench.audit.column_values import Relation, Values
from mlebench.audit.finding import Found
from mlebench.audit.honesty import is_metadata, transferred
from mlebench.audit.matching import Aligned
from mlebench.audit.mentions import Words, are_said
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.strength import Strength, association, by_groups, groups_of, is_of_order
from mlebench.audit.survey import Survey
from mlebench.audit.table import texts
from mlebench.audit.targets import Target

_MOST_COLUMNS, _MOST_CHOSEN = 1000, 8
_NEEDED, _FURTHER = 6.0, 3.0  # digits beyond the number of words to choose from, and of each word
_MANY_CLASSES, _ROUGH = 5, 3.0  # evidence is rough where counts are small
_HONEST = 0.35  # of the evidence per item in test: any word may have so much in train
_MOVED = 4.0  # digits by which a word in a few rows may seem to change slowly along them
_TOLD = 0.8  # of the answers, by what train says about words in metadata
_ALONE = 0.6  # the power of what train has no such texts for
_FEWEST, _SHOWN = 20, 5.0  # items; digits that train would have if the dependence was there, too


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for properties of files, one for each kind of files."""
    if survey.train is None:
        return
    targets = [target for target in survey.test.targets if not target.is_derived and target.coded is not None]
    told: set[str] = set()
    for whole in [column for column in survey.test_columns if are_said(column)][:_MOST_COLUMNS]:
        column = survey.thinned(whole)
        if column.where in told or len(column.items) < _FEWEST:
            continue
        words, other = Words(column.values), survey.counterpart(column)
        other = None if other is None else survey.thinned(other, train=True)
        found = (_of_target(survey, column, words, other, target) for target in targets if words.known)
        first = next((one for one in found if one is not None), None)
        if first is not None:
            told.add(column.where)
            yield first


def _of_target(survey: Survey, column: Aligned, words: Words, other: Aligned | None, target: Target) -> Found | None:
    part = target.part(column.items)
    if part.coded is None or not part.varies:
        return None
    digits = {word: association(words.having(word), part.coded, part.n_classes) for word in words.known}
    tried = math.log10(len(words.known))
    chosen = sorted(digits, key=lambda word: -digits[word])[:_MOST_CHOSEN]
    first = chosen[0]
    chosen = [word for word in chosen if digits[word] >= _FURTHER] or chosen[:1]
    groups = words.which(chosen)
    together = by_groups(groups_of(groups), part.coded, part.n_classes)
    # Of a few items each word alone shows little; how many there were to choose from is to be paid for.
    ways = math.log10(math.comb(len(words.known), len(chosen)))
    best = max(digits[first] - tried, together.digits - ways)
    if best < _NEEDED + (_ROUGH if part.n_classes > _MANY_CLASSES else 0.0):
        return None
    if is_of_order(words.having(first), part.coded, part.n_classes, _MOVED):
        return None
    power = together.power
    found = Relation(Strength(power, best, "groups"), "derived", "", groups)
    in_words = _in_train(survey, column, other, target, chosen, found, digits[first] / len(column.items))
    if in_words is None:
        return None
    return Found(
        "predictive_artifact",
        "leak",
        f"{column.where}: {column.column}",
        f"Whether {column.column} has the word {' or '.join(map(repr, chosen[:3]))} depends on {target.name} among "
        f"{len(column.items):,} items to predict ({power:.0%} of the way from guessing to certainty), and {in_words}.",
        rank=max(power, 0.05),
        predictions=predictions(target, survey.task.rows[column.items], predicted_values(groups, found, part)),
    )


def _in_train(
    survey: Survey,
    column: Aligned,
    other: Aligned | None,
    target: Target,
    chosen: Sequence[str],
    found: Relation,
    per_item: float,
) -> str | None:
    """What is to be said of words in train where those in test are a leak; None where they are none."""
    assert survey.train is not None
    labels = survey.train.target(target.name)
    if labels is None or other is None:
        is_foreign = bool(survey.tables_of_train(column.where))
        return "train has no such texts" if is_foreign or found.power >= _ALONE else None
    known, part = labels.part(other.items), target.part(column.items)
    if known.coded is None or (known.n_classes == 0) != (part.n_classes == 0) or not known.varies:
        return None
    words = Words(other.values)
    tried = [association(words.having(word), known.coded, known.n_classes) for word in {*words.known, *chosen}]
    expected, by_chance = per_item * len(other.items), 1.5 + math.log10(len(tried))
    if expected < _SHOWN + by_chance:
        return None
    if max(tried) <= max(_HONEST * expected, by_chance):
        return "no word does in train"
    if found.power < _TOLD or not is_metadata(survey, column, found, part):
        return None
    views = [Values(texts(one.which(chosen))) for one in (Words(column.values), words)]
    told = transferred(views[0], views[1], Relation(found.strength, "plain", ""), part, known)
    return f"what train says of that tells {told:.0%}" if told >= _TOLD - 0.1 else None
