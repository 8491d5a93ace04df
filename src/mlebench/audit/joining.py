"""Tables that belong together by a column with the same values, as keys that refer to one another have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlebench.audit.table import Table, texts

_MOST_ROWS = 50_000
_MOST_TABLES = 8
_MOST_COLUMNS = 10
_PROBE = 50  # values of a column that must be found before all are looked for


def joined(tables: Sequence[Table]) -> Iterator[Table]:
    """Each table with the columns of another one whose keys it has, such as annotations with those of their images."""
    some = [table for table in tables if 3 < len(table) <= _MOST_ROWS][:_MOST_TABLES]
    for left in some:
        for name, values in list(left.columns.items())[:_MOST_COLUMNS]:
            places = {value: place for place, value in enumerate(values)}
            if len(places) < len(values) or None in places:
                continue
            for right in some:
                for other, referring in list(right.columns.items())[:_MOST_COLUMNS]:
                    if right is left or any(
                        sum(value in places for value in part) < 0.9 * len(part)
                        for part in (referring[:_PROBE], referring)
                    ):
                        continue
                    rows = [places.get(value) for value in referring]
                    taken = {
                        f"{label} by {name} and {other}": texts(None if row is None else column[row] for row in rows)
                        for label, column in left.columns.items()
                    }
                    yield Table(right.where, {**right.columns, **taken})
