"""Codes of refusals in reports that were written before reports had codes: derived from their sentences, once.

The table is closed: a report that this version writes has its code, and no new sentence is looked for here.
"""

from __future__ import annotations

import re

from mlebench.base.codes import RefusalCode

_LONGEST = 2000  # characters of a sentence that are looked at; no report of ours has a longer one
_PLACE = re.compile(r"\A[^:\n]{1,200}\.csv:(\d{1,12}): ", re.IGNORECASE)
# The first pattern that is found decides.
_PATTERNS = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        (RefusalCode.NO_SUBMISSION, r"There is no submission"),
        (RefusalCode.NOT_A_FILE, r"is (?:a folder|a named pipe|a socket|a device), not a CSV file"),
        (RefusalCode.NOT_CSV, r"not a CSV file|is JSON, not CSV"),
        (RefusalCode.UNREADABLE, r"cannot be read as CSV|has a cell of more than"),
        (RefusalCode.WRONG_NAME, r"does not end in \.csv"),
        (RefusalCode.WRONG_ENCODING, r"save it again|UTF-8|byte order mark"),
        (RefusalCode.WRONG_SEPARATOR, r"separate its columns by commas"),
        (RefusalCode.EMPTY_FILE, r"is empty: it has no header|nothing but blank lines"),
        (RefusalCode.SHIFTED_COLUMNS, r"more cells than the first line has names"),
        (RefusalCode.UNNAMED_COLUMNS, r"columns without a name"),
        (RefusalCode.DUPLICATE_COLUMNS, r"names the column|has the columns"),
        (RefusalCode.MISSING_COLUMNS, r"lacks the columns?\b"),
        (RefusalCode.EXTRA_COLUMNS, r"must not have the column|A further column changes"),
        (RefusalCode.WRONG_COLUMN_ORDER, r"must come first|columns must be in the order"),
        (RefusalCode.WRONG_ROW_COUNT, r"has \d{1,20} rows?\b[^\n]{0,300}expected|rows with the"),
        (RefusalCode.WRONG_ROW_ORDER, r"keep the order of the sample submission"),
        (RefusalCode.UNKNOWN_IDS, r"which the test set does not have"),
        (RefusalCode.DUPLICATE_IDS, r"repeats|may occur once|must occur once|more often than|more or less often"),
        (RefusalCode.MISSING_IDS, r"lacks '|lacks \d|lacks customers"),
        (RefusalCode.MISSING_VALUES, r"empty cell|must not be empty|needs an id"),
        (RefusalCode.WRONG_SUM, r"sum to 1|sums? to \d|row sums"),
        (RefusalCode.CONSTANT_PREDICTIONS, r"is constant and has no|constant predictions have no"),
        (RefusalCode.INFINITE_VALUE, r"has an infinite value|is infinite"),
        (RefusalCode.NOT_A_PROBABILITY, r"which is (?:above 1|below 0)\.|predict probabilities from 0 to 1"),
        (RefusalCode.OUT_OF_RANGE, r"which is (?:above|below)|more than \d{1,4} digits, which"),
        (RefusalCode.NOT_ALLOWED, r"it must be one of"),
        (RefusalCode.NOT_A_TRUTH_VALUE, r"must hold True or False"),
        (RefusalCode.MALFORMED_VALUE, r"PredictionString|mask|separated by|start without a length|cell_order|A run "),
        (RefusalCode.NOT_WHOLE, r"must hold whole numbers"),
        (RefusalCode.NOT_TEXT, r"must hold text|holds numbers|holds no names"),
        (RefusalCode.NOT_A_NUMBER, r"must hold numbers|must be numbers|must be a number|write numbers"),
        (RefusalCode.TOO_LARGE, r"has [\d,]{1,20} MB, but|does not fit"),
        (RefusalCode.NOTHING_TO_SCORE, r"nothing to score|is scored: predict"),
        (RefusalCode.NO_SCORE, r"is not a number: check for"),
        (RefusalCode.GRADING_FAILED, r"cannot be scored"),
    )
)


def derived(refusal: str) -> tuple[RefusalCode | None, int | None]:
    """(code, line) of a refusal whose report has neither; None for what no version of ours is known to have said."""
    text = refusal[:_LONGEST]
    place = _PLACE.match(text)
    code = next((code for code, pattern in _PATTERNS if pattern.search(text)), None)
    return code, int(place[1]) if place else None
