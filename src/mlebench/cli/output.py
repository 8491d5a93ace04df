"""What commands print: tables for people, JSON for machines, progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from mlebench.wording import plain


def print_json(value: Any, *, flat: bool = False) -> None:
    """Print strict JSON; with `flat`, one object without a brace inside, which a pattern can cut out of a log."""
    from mlebench.files.writing import to_flat_json, to_json

    click.echo(to_flat_json(value) if flat else to_json(value))


def counted(number: int, what: str) -> str:
    """A number with its noun: 1 team, 2 teams."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def in_bytes(size: int) -> str:
    """A size that people can read: 8.7 kB, 12.3 MB."""
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size / 1000:.1f} kB"


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[str] = ()) -> None:
    """Print aligned columns; the columns named in `right` are aligned to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[index]) for row in [list(header), *cells]) for index in range(len(header))]

    def line(row: Sequence[str]) -> str:
        aligned = (
            text.rjust(width) if name in right else text.ljust(width)
            for text, width, name in zip(row, widths, header, strict=True)
        )
        return "  ".join(aligned).rstrip()

    click.echo(click.style(line(header), bold=True))
    for row in cells:
        click.echo(line(row))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(str(value))


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A live bar on a terminal, a line now and then elsewhere; the block is given `advance(done, total)`."""
    if not sys.stderr.isatty():
        yield _plain_progress(what)
        return
    from tqdm import tqdm

    with tqdm(desc=what, unit="", leave=False) as bar:

        def advance(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield advance


def _plain_progress(what: str) -> Callable[[int, int], None]:
    """Ten lines at most, however long the work."""
    printed = 0

    def advance(done: int, total: int) -> None:
        nonlocal printed
        tenth = 10 * done // max(total, 1)
        if tenth > printed:
            printed = tenth
            click.echo(f"{what}: {done} of {total}", err=True)

    return advance
