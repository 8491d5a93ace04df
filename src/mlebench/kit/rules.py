"""The rules that submissions must keep, as small checks: each raises a sentence that says what to change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from mlebench.base.codes import RefusalCode
from mlebench.base.wording import plain, quote
from mlebench.errors import GraderError, InvalidSubmissionError, MissingColumnsError
from mlebench.files.tables import to_numbers

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 3  # how many offending values a message quotes
_TOO_LARGE = 2**63  # what a 64-bit integer does not hold
_NAMES, _LONGEST = 8, 40  # how many names a message lists, and how many characters of each


def require_columns(submission: pd.DataFrame, columns: Sequence[str], *, exactly: bool = False) -> None:
    """The submission has these columns; with `exactly`, no others."""
    missing = [name for name in columns if name not in submission.columns]
    if missing:
        found = _listed(list(submission.columns)) or "none at all"
        raise MissingColumnsError(
            f"The submission lacks the column{_s(missing)} {_listed(missing)}; it has {found}.", columns=missing
        )
    extra = [name for name in submission.columns if name not in columns]
    if exactly and extra:
        them = "it" if len(extra) == 1 else "them"
        raise InvalidSubmissionError(
            f"The submission must not have the column{_s(extra)} {_listed(extra)}: remove {them}.",
            code=RefusalCode.EXTRA_COLUMNS,
            column=str(extra[0]),
        )


def _require_answers(answers: pd.DataFrame, columns: Sequence[str]) -> None:
    """The answers have these columns; where they do not, the grader asks for what there is not."""
    missing = [name for name in columns if name not in answers.columns]
    if missing:
        raise GraderError(
            f"The grader asks for the column{_s(missing)} {_listed(missing)}, which the answers do not have; "
            f"they have {_listed(list(answers.columns)) or 'none at all'}."
        )


def require_rows(submission: pd.DataFrame, answers: pd.DataFrame) -> None:
    """The submission has as many rows as the answers."""
    if len(submission) != len(answers):
        raise InvalidSubmissionError(
            f"The submission has {len(submission)} row{_s(len(submission))}, but {len(answers)} "
            f"{'is' if len(answers) == 1 else 'are'} expected, one per row to predict.",
            code=RefusalCode.WRONG_ROW_COUNT,
        )


@overload
def aligned(
    submission: pd.DataFrame, answers: pd.DataFrame, *, on: str, target: str, exactly: bool = False
) -> tuple[pd.Series[Any], pd.Series[Any]]: ...
@overload
def aligned(
    submission: pd.DataFrame, answers: pd.DataFrame, *, on: str, target: Sequence[str], exactly: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]: ...
def aligned(
    submission: pd.DataFrame, answers: pd.DataFrame, *, on: str, target: str | Sequence[str], exactly: bool = False
) -> Any:
    """(truth, predicted): the target column or columns of both sides, row by row in the order of the answers.

    Refuses a submission that lacks a column, has another number of rows, or has ids that are unknown, missing
    or repeated. The order of rows and columns does not matter, nor do further columns, which `exactly` refuses.
    """
    columns = [target] if isinstance(target, str) else list(target)
    _require_answers(answers, [on, *columns])
    require_columns(submission, [on, *columns], exactly=exactly)
    require_rows(submission, answers)
    order = _matching_rows(submission[on], answers[on])
    wanted = target if isinstance(target, str) else columns
    predicted = submission[wanted]
    if order is not None:
        predicted = predicted.iloc[order]
    return answers[wanted].reset_index(drop=True), predicted.reset_index(drop=True)


def paired_by_position(
    submission: pd.DataFrame, answers: pd.DataFrame, *, on: str, stable: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(answers, submission), both sorted by a column, as the published graders pair rows whose ids may repeat.

    The sort is pandas' own, which is not stable unless asked to be: rows with the same id are in the order in which it
    leaves them. Nothing is checked; use `aligned` wherever ids are unique.
    """
    kind = "stable" if stable else "quicksort"
    left, right = (table.sort_values(on, kind=kind, ignore_index=True) for table in (answers, submission))
    return left, right


def _matching_rows(given: pd.Series[Any], expected: pd.Series[Any]) -> NDArray[np.intp] | None:
    """For each expected id the row of the submission that has it; None where the rows already match."""
    import pandas as pd

    left, right = given.to_numpy(), expected.to_numpy()
    if len(left) == len(right) and left.dtype == right.dtype and bool(np.all(left == right)):
        return None
    quickly = _matching_texts(left, right)
    if quickly is not None:
        return quickly
    if given.isna().any():
        sentence = f"The column {given.name} has empty cells; every row needs an id."
        raise _in_column(RefusalCode.MISSING_VALUES, sentence, given.name, None)
    written = given
    if expected.dtype.kind in "iuf" and given.dtype.kind not in "iufb":
        numeric = _to_numbers(given)
        if numeric.isna().any():
            wrong = given[numeric.isna()]
            sentence = f"The column {given.name} must hold numbers, not {_quoted(wrong)}."
            raise _in_column(RefusalCode.NOT_A_NUMBER, sentence, given.name, wrong)
        given = numeric
    index = pd.Index(given)
    if not index.is_unique:
        raise InvalidSubmissionError(
            f"The column {given.name} repeats {_quoted(given[given.duplicated()])}; every id may occur once.",
            code=RefusalCode.DUPLICATE_IDS,
            column=str(given.name),
            where=lambda table: table[given.name].duplicated(),
        )
    rows: NDArray[np.intp] = index.get_indexer(pd.Index(expected))
    if (rows < 0).any():
        # A number that is too large makes all ids text, and floats of them, of which some equal none: text tells.
        unknown = written[~(given.isin(expected) | written.astype(str).isin(expected.astype(str)))]
        raise InvalidSubmissionError(
            f"The column {given.name} lacks {_quoted(expected[rows < 0])}"
            + (f" and has {_quoted(unknown)}, which the test set does not have." if len(unknown) else "."),
            code=RefusalCode.UNKNOWN_IDS if len(unknown) else RefusalCode.MISSING_IDS,
            column=str(given.name),
            where=_cells(given.name, unknown) if len(unknown) else None,
        )
    return rows


def _matching_texts(given: NDArray[Any], expected: NDArray[Any]) -> NDArray[np.intp] | None:
    """As above for ids that are text and match one to one, by Arrow's hashing, which is several times quicker."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = pc.index_in(pa.array(expected, pa.string()), value_set=pa.array(given, pa.string()))
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # not all of them are text
        return None
    if found.null_count:
        return None
    rows: NDArray[np.intp] = found.to_numpy().astype(np.intp)
    return rows if (np.bincount(rows, minlength=len(given)) == 1).all() else None


def same_ids(given: Collection[Any] | pd.Series[Any], expected: Collection[Any] | pd.Series[Any], name: str) -> None:
    """Both sides have the same set of ids; how often each occurs is not looked at."""
    known_ids(given, expected, name)
    right = _distinct(expected)
    missing = right[~right.isin(given)]
    if len(missing):
        raise InvalidSubmissionError(
            f"The column {name} lacks {_quoted(missing)}.", code=RefusalCode.MISSING_IDS, column=name
        )


def known_ids(given: Collection[Any] | pd.Series[Any], expected: Collection[Any] | pd.Series[Any], name: str) -> None:
    """No id is unknown; ids may be absent or repeated."""
    left = _distinct(given)
    unknown = left[~left.isin(expected)]
    if unknown.isna().any():
        sentence = f"The column {name} has empty cells; every row needs an entry there."
        raise _in_column(RefusalCode.MISSING_VALUES, sentence, name, None)
    if len(unknown):
        sentence = f"The column {name} has {_quoted(unknown)}, which the test set does not have."
        raise _in_column(RefusalCode.UNKNOWN_IDS, sentence, name, unknown)


def _distinct(ids: Collection[Any] | pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    return pd.Series(list(ids) if isinstance(ids, (set, frozenset)) else ids).drop_duplicates()


def numbers(
    column: pd.Series[Any] | pd.DataFrame,
    *,
    low: float | None = None,
    high: float | None = None,
    missing: bool = False,
    infinite: bool = False,
) -> NDArray[np.float64]:
    """The predictions of a column as floats; True and False count as 1 and 0. A table becomes a matrix.

    Refuses text, values outside [low, high] and, unless allowed, empty cells and infinities.
    """
    import pandas as pd

    if isinstance(column, pd.DataFrame):
        limits: dict[str, Any] = {"low": low, "high": high, "missing": missing, "infinite": infinite}
        return np.column_stack([numbers(column[name], **limits) for name in column])
    values = column.to_numpy()
    if values.dtype == object:
        converted = _to_numbers(column)
        wrong = column[converted.isna() & column.notna()]
        if len(wrong):
            sentence = f"The column {column.name} must hold numbers, not {_quoted(wrong)}."
            raise _in_column(RefusalCode.NOT_A_NUMBER, sentence, column.name, wrong)
        values = converted.to_numpy()
    floats: NDArray[np.float64] = values.astype(np.float64)
    if not missing:
        complete(column)
    if not infinite and np.isinf(floats).any():
        sentence = f"The column {column.name} has an infinite value; every value must be finite."
        raise _in_column(RefusalCode.INFINITE_VALUE, sentence, column.name, column[np.isinf(floats)])
    code = RefusalCode.NOT_A_PROBABILITY if (low, high) == (0, 1) else RefusalCode.OUT_OF_RANGE
    for limit, outside, word in ((low, floats < (low or 0), "below"), (high, floats > (high or 0), "above")):
        if limit is not None and outside.any():
            found = floats[outside][0]
            sentence = f"The column {column.name} has {found}, which is {word} {limit:g}."
            raise _in_column(code, sentence, column.name, column[floats == found])
    return floats


def _to_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Text and objects as numbers, what is none as a gap."""
    try:
        return to_numbers(column)
    except OverflowError:
        raise InvalidSubmissionError(
            f"The column {column.name} has a number of more than 300 digits, which is beyond all bounds.",
            code=RefusalCode.OUT_OF_RANGE,
            column=str(column.name),
        ) from None


def probabilities(column: pd.Series[Any] | pd.DataFrame) -> NDArray[np.float64]:
    """The predictions of a column as numbers between 0 and 1, none missing. A table becomes a matrix."""
    return numbers(column, low=0.0, high=1.0)


def distributions(predicted: pd.DataFrame, *, rescale: bool = False) -> NDArray[np.float64]:
    """The predictions of several columns, one per class, as probabilities that sum to 1 in every row.

    With `rescale`, rows with another sum are divided by it instead of refused; only a row of zeros is.
    """
    values = probabilities(predicted)
    if rescale:
        empty = values.sum(axis=1) == 0
        if empty.any():
            raise InvalidSubmissionError(
                f"{int(empty.sum())} of {len(values)} rows have no probability above 0; give each row at least one.",
                code=RefusalCode.WRONG_SUM,
                where=lambda table: numbers(table[list(predicted.columns)]).sum(axis=1) == 0,
            )
        return np.asarray(values / values.sum(axis=1, keepdims=True))
    wrong = ~_sums_to_one(values)
    if wrong.any():
        sums = values.sum(axis=1)
        raise InvalidSubmissionError(
            f"The probabilities of {int(wrong.sum())} of {len(sums)} rows do not sum to 1 (one row sums to "
            f"{sums[wrong][0]:.8g}, and only 0.000011 is tolerated); divide each row by its sum.",
            code=RefusalCode.WRONG_SUM,
            where=lambda table: ~_sums_to_one(numbers(table[list(predicted.columns)])),
        )
    return values


def _sums_to_one(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """For every row, whether its values sum to 1."""
    return np.asarray(np.isclose(values.sum(axis=1), 1, rtol=1e-5, atol=1e-6))


def complete(column: pd.Series[Any]) -> pd.Series[Any]:
    """The same column, which has no empty cell. The message quotes the id where a column is indexed by id."""
    empty = column.isna()
    if empty.any():
        first = int(empty.to_numpy().argmax())
        # A row number would mislead: aligned columns are not in the order of the contestant's file.
        place = f", the first at {column.index.name} {quote(column.index[first])}" if column.index.name else ""
        sentence = (
            f"The column {column.name} has {int(empty.sum())} empty cell{_s(int(empty.sum()))}{place}; "
            "every row needs a prediction."
        )
        raise _in_column(RefusalCode.MISSING_VALUES, sentence, column.name, None)
    return column


_TRUTH: dict[str, Any] = {"true": True, "false": False}


def truth_values(column: pd.Series[Any]) -> NDArray[np.bool_]:
    """The predictions of a column as True and False, none missing; 1 and 0 are understood, and both words as texts."""
    complete(column)
    if (
        column.dtype == object and column.map(lambda value: isinstance(value, str)).all()
    ):  # as in a table that was read as text
        column = column.map(lambda text: _TRUTH.get(text.lower(), text))
    wrong = column[~column.isin([True, False])]
    if len(wrong):
        # A stray value makes a CSV column text and every True in it the word "True", which is not wrong.
        stray = wrong[~wrong.isin(["True", "False", "true", "false", "TRUE", "FALSE"])]
        found = _quoted(stray if len(stray) else wrong)
        sentence = f"The column {column.name} must hold True or False, not {found}."
        raise _in_column(RefusalCode.NOT_A_TRUTH_VALUE, sentence, column.name, stray if len(stray) else wrong)
    return np.asarray(column.to_numpy().astype(np.bool_))


def whole_numbers(column: pd.Series[Any]) -> NDArray[np.float64]:
    """The predictions of a column as whole numbers, none missing: 2.0 is one, 2.5 is not."""
    values = numbers(column)
    fractions = column[values != np.floor(values)]
    if len(fractions):
        sentence = f"The column {column.name} must hold whole numbers, not {_quoted(fractions)}."
        raise _in_column(RefusalCode.NOT_WHOLE, sentence, column.name, fractions)
    # As published: scikit-learn takes a float that no 64-bit integer equals for a fraction.
    large = column[np.abs(values) >= _TOO_LARGE]
    if len(large) and column.dtype.kind not in "iu":
        raise _too_large(column.name, large)
    return values


def class_numbers(column: pd.Series[Any]) -> NDArray[Any]:
    """The predictions of a column as numbers of classes, none missing: 2.0 and 2 are one class, 2.5 is none.

    As published, one word makes pandas read the whole column as text; it is given as it is and equals no
    number.
    """
    import pandas as pd

    complete(column)
    if pd.api.types.infer_dtype(column) == "string":
        return np.asarray(column.to_numpy())
    return whole_numbers(column)


def cut_to_whole(column: pd.Series[Any]) -> NDArray[np.int64]:
    """The predictions of a column as whole numbers, fractions cut off towards zero; text such as "7" is understood.

    As the published graders do with Python's int(): 12.9 counts as 12, an infinite or empty cell is refused.
    """
    complete(column)
    values = column.to_numpy()
    if values.dtype == object:
        return np.array([_python_int(value, column.name) for value in values.tolist()], dtype=np.int64)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        sentence = f"The column {column.name} has an infinite value; write whole numbers."
        raise _in_column(RefusalCode.INFINITE_VALUE, sentence, column.name, column[~np.isfinite(values)])
    if values.dtype.kind in "fu" and (np.abs(values) >= _TOO_LARGE).any():
        raise _too_large(column.name, column[np.abs(values) >= _TOO_LARGE])
    return np.asarray(values.astype(np.int64))


def _python_int(value: Any, name: Any) -> int:
    try:
        number = int(value)
    except (ValueError, OverflowError, TypeError):
        sentence = f"The column {name} must hold whole numbers, not {_quote(value)}."
        raise _in_column(RefusalCode.NOT_WHOLE, sentence, name, [value]) from None
    if abs(number) >= _TOO_LARGE:
        raise _too_large(name, [value])
    return number


def _too_large(name: Any, found: Collection[Any] | pd.Series[Any]) -> InvalidSubmissionError:
    sentence = f"The column {name} has a number of more than 18 digits, which is no valid label."
    return _in_column(RefusalCode.OUT_OF_RANGE, sentence, name, found)


def texts(column: pd.Series[Any], *, any_kind: bool = False) -> list[str]:
    """The predictions of a column as texts, an empty cell as the empty text.

    A column that holds no text at all but numbers or True and False is refused, as most published graders fail on it;
    one that is empty throughout is not. With `any_kind` numbers become what Python writes for them.
    """
    from pandas.api.types import infer_dtype

    refused = not any_kind and infer_dtype(column, skipna=True) not in ("string", "empty", "mixed")
    if refused and column.notna().any():
        raise InvalidSubmissionError(
            f"The column {column.name} must hold text, but it holds only numbers or truth values.",
            code=RefusalCode.NOT_TEXT,
            column=str(column.name),
        )
    return ["" if value is None or value != value else str(value) for value in column.tolist()]


def label_sets(column: pd.Series[Any]) -> list[set[str]]:
    """The labels that each cell lists, separated by white space; an empty cell has none."""
    return [set(text.split()) for text in texts(column)]


def as_text(column: pd.Series[Any]) -> NDArray[np.object_]:
    """A column as text, the way pandas 2 turned columns into text: a missing value becomes "nan"."""
    values = column.to_numpy()
    return np.array([str(value) for value in values.tolist()], dtype=object)


def one_of(column: pd.Series[Any], allowed: Collection[Any]) -> pd.Series[Any]:
    """The same column, which has only these values."""
    wrong = column[~column.isin(list(allowed))]
    if len(wrong):
        sentence = f"The column {column.name} has {_quoted(wrong)}; it must be one of {_listed(list(allowed))}."
        raise _in_column(RefusalCode.NOT_ALLOWED, sentence, column.name, wrong)
    return column


def _in_column(
    code: RefusalCode, sentence: str, name: Any, values: Collection[Any] | pd.Series[Any] | None
) -> InvalidSubmissionError:
    """A refusal of the cells of a column that have one of these values, or (None) of its empty cells."""
    return InvalidSubmissionError(sentence, code=code, column=str(name), where=_cells(name, values))


def _cells(name: Any, values: Collection[Any] | pd.Series[Any] | None) -> Callable[[pd.DataFrame], Any]:
    """What finds the rows of a submission that have one of these values in a column, or (None) an empty cell."""

    def where(table: pd.DataFrame) -> Any:
        column = table[name]
        return column.isna() if values is None else column.isin(list(values))

    return where


def _listed(names: Sequence[Any]) -> str:
    shown = ", ".join(_named(str(name)) for name in names[:_NAMES])
    return f"{shown}, … ({len(names)} in all)" if len(names) > _NAMES else shown


def _named(name: str) -> str:
    """A name as it is; in quotation marks where nobody would see the blanks around it."""
    return plain(name, _LONGEST) if name == name.strip() else quote(name, _LONGEST)


def _quoted(values: pd.Series[Any]) -> str:
    """The first few offending values, for a message."""
    distinct = values.drop_duplicates()
    shown = ", ".join(_quote(value) for value in distinct.head(_SHOWN).tolist())
    return f"{shown} and {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else shown


def _quote(value: Any) -> str:
    # NaN is the value that differs from itself.
    return "an empty cell" if value is None or value != value else quote(value)


def _s(count: Sequence[Any] | int) -> str:
    return "" if (count if isinstance(count, int) else len(count)) == 1 else "s"
