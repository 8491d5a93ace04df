"""A sample submission that knows something: its values, or the order of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from mlebench.audit.coincidences import follows_groups
from mlebench.audit.column_values import Relation, Values
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.judging import judge
from mlebench.audit.matching import Aligned
from mlebench.audit.predicting import predicted_values
from mlebench.audit.relations import in_blocks, relation
from mlebench.audit.sides import MOST_KINDS, kinds_of_rows, rows_of_one_kind
from mlebench.audit.strength import monotone, of_hits
from mlebench.audit.survey import Survey, explained_order
from mlebench.audit.table import Texts, as_numbers, texts
from mlebench.audit.targets import Target

if TYPE_CHECKING:
    import pandas as pd

_KNOWS = 0.3  # the power of a sample that knows something
_KNOWS_OF_ANOTHER = 0.8  # that of what it says of another target
_MOST_COLUMNS = 40
_SORTED, _HARDLY = 0.99, 0.5  # correlation of an order with the numbers that it sorts, and that of rows of train
_MOST_MARKED, _RIGHT = 0.95, 0.9  # of the rows; of these
_NEEDED, _ODD = 6.0, 2.5  # digits of what knows answers, and of what has a few of them right


def detect(survey: Survey) -> Iterator[Found]:
    """Findings in the sample submission."""
    task = survey.task
    name = task.competition.sample_submission.name
    order = texts(range(survey.test.size))
    written = _written(survey)
    yield from _marked(survey)
    for target in survey.test.targets:
        own, others = _columns(survey, target)
        for column in [*own, *others]:
            values = texts(written[column].iloc[task.rows])
            if len(set(values)) < 2 or is_given(survey, values) or _follows_ids(survey, values):
                continue
            found = relation(values, target, survey.test.ids)
            severity = judge(found, len(values), None, 0, has_train=True, is_artifact=False, same_name=False)
            if column in others and (target.is_derived or found.power < _KNOWS_OF_ANOTHER):
                continue
            if severity is not None and found.power >= _KNOWS and not target.is_derived:
                severity = "leak"  # nothing in a sample can be honest
            elif severity == "leak" and target.is_derived:
                severity = "suspicious"
            if severity is not None:
                yield _found(
                    survey, f"{name}: {column}", "The values of the sample submission", found, target, severity, column
                )
        if target.column is None and (largest := one_hot_hint(survey)) is not None:
            found = relation(largest.values, target, survey.test.ids, thorough=False)
            severity = judge(found, len(order), None, 0, has_train=True, is_artifact=True, same_name=False)
            if severity is not None:
                yield _found(
                    survey,
                    f"{name}: (largest value)",
                    "The largest values of the sample submission",
                    found,
                    target,
                    severity,
                    None,
                    largest.values,
                )
        if target.coded is None or len(task.key_columns) != 1 or len(rows_of_one_kind(survey)) < len(order):
            continue
        yield from _by_order(survey, target)


def _by_order(survey: Survey, target: Target) -> Iterator[Found]:
    """The order of the rows, where it is not that of the ids or of what is given."""
    order, size = texts(range(survey.test.size)), survey.test.size
    found = relation(order, target, survey.test.ids, thorough=False)
    blocks = in_blocks(Values(order), target)
    if blocks.power and found.power < 1:
        found = blocks  # of few items neighbours err where blocks meet
    train, n_train = _order_in_train(survey, target)
    if target.n_classes == 0 and found.strength.form != "order":
        # What follows one another is alike; what rises all the way is sorted.
        if target.numbers is None or not (rise := monotone(np.arange(size, dtype=float), target.numbers, 0)).power:
            return
        if rise.power < _SORTED or (train is not None and train.power > _HARDLY):
            return
        found = Relation(rise, "plain", "rises or falls with the answers", order)
    severity = judge(found, size, train, n_train, has_train=True, is_artifact=True, same_name=False)
    if severity is None or explained_order(survey, np.arange(size, dtype=float), np.arange(size)):
        return
    name = survey.task.competition.sample_submission.name
    rows = Aligned(name, "(order of rows)", order, np.arange(size), "row", True)
    if follows_groups(survey, rows, found, target):
        return
    if found.power >= 0.8 or train is not None:
        yield _found(survey, f"{name}: (order of rows)", "The order of the rows", found, target, severity, None)


def _marked(survey: Survey) -> Iterator[Found]:
    """A sample that is not the same for all rows, where what differs is true: some answers, in any of its columns."""
    task, name = survey.task, survey.task.competition.sample_submission.name
    digits, predictions = 0.0, []
    for target in survey.test.targets:
        if target.is_derived or target.column not in task.sample.columns:
            continue
        values = Values(texts(task.sample[target.column].iloc[task.rows]))
        usual = Counter(values.plain).most_common(1)[0][0]
        marked = values.plain != usual
        if 0 < marked.sum() < _MOST_MARKED * len(marked) and not is_given(survey, values.texts):
            right = values.plain[marked] == target.plain[marked]
            shares = np.array([np.mean(target.plain == value) for value in values.plain[marked]])
            if right.all():
                digits += float(-np.log10(shares).sum())
            else:
                digits += of_hits(int(right.sum()), len(right), float(shares.mean())) if right.mean() > _RIGHT else -1.0
            predictions.append(Prediction(target.name, target.column, task.rows, values.texts))
    if digits >= _ODD:
        yield Found(
            "sample_hint",
            "leak" if digits >= _NEEDED else "suspicious",
            f"{name}: {', '.join(made.target for made in predictions[:3])}",
            "Where the sample submission differs from what it says most of the time, it has the answers "
            f"(chance does so once in 10^{digits:.0f} samples).",
            rank=0.1,
            predictions=tuple(predictions),
        )


def _written(survey: Survey) -> pd.DataFrame:
    """The sample as it is written: 0.5 and 0.50 are one number and two texts."""
    from mlebench.files.tables import read_csv

    path = survey.task.competition.sample_submission
    return read_csv(path, dtype=str, keep_default_na=False)


def is_given(survey: Survey, values: Texts, *, any_name: bool = False) -> bool:
    """Whether the sample repeats a column that is given for the items anyway, as the text that is to be rewritten.

    One of the same name may be another sample; `any_name`: or the text itself.
    """
    for column in survey.test_columns:
        is_other = any_name or column.column not in survey.task.sample.columns
        is_other = is_other and len(column.items) == survey.test.size
        if is_other and float(np.mean(column.values[np.argsort(column.items)] == values)) > 0.9:
            return True
    return False


def _follows_ids(survey: Survey, values: Texts) -> bool:
    """Whether a sample of few values has one for each kind of row that the ids tell, such as studies and pictures."""
    if len(set(values)) > MOST_KINDS:
        return False
    kinds = kinds_of_rows(survey)
    return 1 < len(set(kinds)) == len(set(zip(kinds, values, strict=True)))


def _columns(survey: Survey, target: Target) -> tuple[list[str], list[str]]:
    """The columns of the sample that may tell a target: its own and those that nobody asks for; those of others."""
    keys = set(survey.task.key_columns)
    names = [str(name) for name in survey.task.sample.columns if str(name) not in keys]
    if target.column is None:
        return names[:_MOST_COLUMNS], []
    asked = {known.column for known in (*survey.test.targets, *survey.task.further)}
    asked |= {str(name) for name in getattr(survey.task.answers, "columns", ())}
    asked -= {target.column}
    others = [known.column for known in survey.test.targets if known.column in names and known.column in asked]
    own = [name for name in names if name not in asked]
    return own[:_MOST_COLUMNS], [name for name in dict.fromkeys(others) if name is not None]


def _order_in_train(survey: Survey, target: Target) -> tuple[Relation | None, int]:
    """How well the order of train's rows tells its labels: data in the order of time does so honestly."""
    if survey.train is None:
        return None, 0
    labels = next((known for known in survey.train.targets if known.name == target.name), None)
    if labels is None or labels.coded is None:
        return None, 0
    return relation(texts(range(survey.train.size)), labels, survey.train.ids, thorough=False), survey.train.size


def _found(
    survey: Survey,
    where: str,
    what: str,
    found: Relation,
    target: Target,
    severity: str,
    column: str | None,
    shown: Texts | None = None,
) -> Found:
    values = (
        shown
        if shown is not None
        else texts(range(survey.test.size))
        if column is None
        else texts(survey.task.sample[column].iloc[survey.task.rows])
    )
    spoken = predicted_values(values, found, target)
    made = (
        ()
        if spoken is None or target.is_derived
        else (Prediction(target.name, target.column, survey.task.rows, spoken),)
    )
    words = (
        f"{what} {'are' if column else 'is'} not free of the answers: "
        f"{found.what or 'they agree'} for {target.name} ({found.power:.0%})."
    )
    return Found("sample_hint", severity, where, words, rank=found.power, predictions=made)  # type: ignore[arg-type]


def one_hot_hint(survey: Survey) -> Aligned | None:
    """The class that the sample submission gives the highest value to, where rows differ."""
    keys = survey.task.key_columns
    columns = [str(name) for name in survey.task.sample.columns if str(name) not in keys]
    found = [as_numbers(texts(survey.task.sample[name].iloc[survey.task.rows])) for name in columns]
    if len(columns) < 2 or any(numbers is None for numbers in found):
        return None
    matrix = np.nan_to_num(np.column_stack([numbers for numbers in found if numbers is not None]))
    if (matrix.std(axis=0) < 1e-12).all():
        return None
    values = texts(columns[place] for place in matrix.argmax(axis=1))
    return Aligned(
        survey.task.competition.sample_submission.name, "(largest value)", values, np.arange(survey.test.size), "row"
    )
