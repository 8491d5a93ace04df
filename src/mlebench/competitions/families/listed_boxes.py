"""Competitions whose predictions list boxes in one cell: class, confidence and four corners, again and again."""

from collections.abc import Sequence

from mlebench.kit import Column, InvalidSubmissionError, RefusalCode, Table, in_cell, texts


def listed_boxes(cells: Column, values: Sequence[str], *, words: Sequence[str] = (), separator: str | None) -> Table:
    """The boxes of all cells, one row each: the number of the cell as `row`, then the values by name.

    Values are numbers unless they are among `words`. They are separated by `separator`, or by any white space if that
    is None. A cell may be blank, but not empty: see `complete`.
    """
    import pandas as pd

    pieces, rows = [], []
    for row, cell in enumerate(texts(cells)):
        own = cell.split(separator)
        if len(own) % len(values):
            raise InvalidSubmissionError(
                f"The prediction {cell[:60]!r} has {len(own)} values, but each box takes {len(values)}, separated by "
                f"single blanks: {', '.join(values)}.",
                code=RefusalCode.MALFORMED_VALUE,
                where=in_cell(cell),
            )
        pieces += own
        rows += [row] * (len(own) // len(values))
    columns = {name: pieces[place :: len(values)] for place, name in enumerate(values)}
    numbers = {
        name: [_number(piece, name, separator) for piece in column]
        for name, column in columns.items()
        if name not in words
    }
    kinds = dict.fromkeys(numbers, float) | dict.fromkeys(words, object)  # which an empty column cannot tell
    return pd.DataFrame({"row": rows, **columns, **numbers}).astype({"row": int, **kinds})


def _number(piece: str, name: str, separator: str | None) -> float:
    try:
        return float(piece)
    except ValueError:
        raise InvalidSubmissionError(
            f"In a prediction, {name} must be a number, not {piece[:60]!r}.",
            code=RefusalCode.MALFORMED_VALUE,
            where=lambda table: table.map(lambda cell: piece in str(cell).split(separator)).any(axis=1),
        ) from None
