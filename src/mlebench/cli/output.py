"""What commands print: tables for people, JSON for machines, errors on standard error."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from mlebench.base.showing import shown_cell
from mlebench.base.wording import counted, plain
from mlebench.cli.tables import GAP, Layout, columns_of, fitted, folded, unlimited

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = "mlebench.wide"  # where --wide is kept in the context of a command
MEDAL_STYLES = {"gold": "bold #d4af37", "silver": "bold #c0c0c0", "bronze": "bold #cd7f32"}
GOOD_OR_BAD = {"yes": "green", "no": "red", "ok": "green", "differs": "red"}
STATUS_STYLES = {
    "success": "green",
    "running": "cyan",
    "planned": "dim",
    "cancelled": "dim",
    **dict.fromkeys(("failed", "timeout", "memory", "disk", "output", "budget", "infrastructure"), "red"),
}
_IDS_SHOWN = 3  # how many ids a terminal shows of those with the same problem
_USUAL_WIDTH = 80
_READABLE = 100  # longer lines of prose are hard to read
_LABEL = 24  # columns of a label and its colon
_LABELS = {"warning": "bold yellow", "note": "bold"}  # the colours of what stands before a sentence; others are red


def print_json(value: Any, *, flat: bool = False) -> None:
    """Print strict JSON; with `flat`, one object without a brace inside, which a pattern can cut out of a log."""
    from mlebench.files.writing import to_flat_json, to_json

    click.echo(to_flat_json(value) if flat else to_json(value))


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    right: Sequence[str] = (),
    drop: Sequence[str] = (),
    shorten: Mapping[str, int] | None = None,
    wrap: Mapping[str, int] | None = None,
    styles: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Print aligned columns: all of them when piped or with --wide; on a terminal, what fits into its width.

    The columns named in `right` hold numbers: they are aligned to the right and never cut. Where space is short,
    `shorten` names prose that may be cut at a word, `wrap` prose that may go on in the next line, each with the least
    width that still makes sense, and `drop` the columns to leave out, the first one first. Other texts are names, which
    are only broken at a hyphen. `styles` gives cells a colour: for each column, by what the cell says.
    """
    cells = [[shown_cell(value, longest=None) for value in row] for row in rows]
    is_terminal = sys.stdout.isatty()
    if not is_terminal and not has_colour(sys.stdout):
        _print_plain_table(header, cells, right)
        return
    from rich.cells import cell_len

    columns = columns_of(header, cells, right=right, shorten=shorten, wrap=wrap)
    width = terminal_width()
    if not is_terminal or is_wide():
        layouts = [unlimited(columns, cell_len)]
    else:
        # Without those that say nothing.
        columns = tuple(column for column in columns if not column.cells or any(column.cells))
        layouts = fitted(columns, width, drop=drop, measure=cell_len)
    for place, layout in enumerate(layouts):
        if place:
            click.echo()
        _print_layout(layout, styles or {})
    if left_out := layouts[0].left_out:
        print_text(f"Not shown: {', '.join(left_out)}; --wide shows all.", style="dim")


def _print_plain_table(header: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[str]) -> None:
    """The form that scripts read: every column in full, two blanks between them."""
    widths = [max(len(row[index]) for row in [list(header), *cells]) for index in range(len(header))]
    for row in [header, *cells]:
        aligned = (
            text.rjust(width) if name in right else text.ljust(width)
            for text, width, name in zip(row, widths, header, strict=True)
        )
        click.echo("  ".join(aligned).rstrip())


def _print_layout(layout: Layout, styles: Mapping[str, Mapping[str, str]]) -> None:
    total = sum(layout.widths) + GAP * len(layout.widths)
    _console(max(total, terminal_width())).print(rich_table(layout, styles), crop=False)


def rich_table(layout: Layout, styles: Mapping[str, Mapping[str, str]]) -> Table:
    """The table that a layout describes, for Rich to print; cells are plain text already."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    lines = []
    for column, width in zip(layout.columns, layout.widths, strict=True):
        heading = Text(column.shown(column.name, width, cell_len))
        justify: Any = "right" if column.is_right else "left"
        table.add_column(heading, justify=justify, width=width, no_wrap=True, vertical="top")
        styled = styles.get(column.name, {})
        lines.append([Text(column.shown(text, width, cell_len), styled.get(text, "")) for text in column.cells])
    for row in zip(*lines, strict=True):
        table.add_row(*row)
    return table


def print_text(text: str, *, err: bool = False, style: str = "") -> None:
    """Print lines of text; on a terminal they break between words, elsewhere they are as they are."""
    stream = sys.stderr if err else sys.stdout
    lines = broken_at_words(text, stream)
    click.echo(styled(lines, style), err=err, color=has_colour(stream))


def print_error(sentence: str, *, label: str = "error") -> None:
    """Print what went wrong, or a warning or a note, to standard error, its label in colour."""
    rest = broken_at_words(f"{label}: {sentence}", sys.stderr)[len(label) :]
    click.echo(styled(label, _LABELS.get(label, "bold red")) + rest, err=True, color=has_colour(sys.stderr))


def broken_at_words(text: str, stream: TextIO) -> str:
    """The lines of a text for a terminal: broken between words, with their indents, and nothing that it would obey."""
    if not stream.isatty():
        return text
    width, lines = terminal_width(stream), []
    for line in map(plain, text.split("\n")):
        indent = line[: len(line) - len(line.lstrip())]
        parts = [line.lstrip()] if len(line) <= width else folded(line, width - len(indent), whole_words=True)
        lines += [indent + part for part in parts]
    return "\n".join(lines)


def print_fact(label: str, value: Any, *, style: str = "") -> None:
    """Print a label and its value."""
    print_hanging(f"{label + ':':<{_LABEL}}", shown_cell(value, longest=None), style=style)


def print_parts(label: str, parts: Sequence[str]) -> None:
    """Print a label and a value of several parts; on a terminal a line breaks between parts only."""
    start = f"{label + ':':<{_LABEL}}"
    lines = [start + parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]}  {part}"
        if sys.stdout.isatty() and len(longer) > terminal_width():
            lines.append(" " * len(start) + part)
        else:
            lines[-1] = longer
    click.echo("\n".join(lines))


def print_hanging(start: str, text: str, *, style: str = "", start_style: str = "") -> None:
    """Print a text behind a start; on a terminal its further lines begin where its first one does."""
    room = terminal_width() - len(start)
    if sys.stdout.isatty():
        text = plain(text)
    lines = folded(text, max(room, 20)) if sys.stdout.isatty() and len(text) > room else [text]
    shown = styled(f"\n{' ' * len(start)}".join(lines), style) if text else ""
    click.echo((styled(start, start_style) + shown).rstrip(), color=has_colour(sys.stdout))


def styled(text: str, style: str) -> str:
    """A text in a style, such as "bold red" or "#d4af37"; `click.echo` takes it off again where it does not belong."""
    words = style.split()
    colour: Any = next((word for word in words if word not in ("bold", "dim")), None)
    if colour and colour.startswith("#"):
        colour = tuple(bytes.fromhex(colour[1:]))
    return click.style(text, fg=colour, bold="bold" in words or None, dim="dim" in words or None) if style else text


def print_markdown(text: str) -> None:
    """Print Markdown: laid out on a terminal, as it is elsewhere."""
    if not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.markdown import Markdown

    harmless = "\n".join(plain(line.replace("\t", "    ")) for line in text.splitlines())
    _console(min(terminal_width(), _READABLE)).print(Markdown(harmless))


def print_problems(problems: Iterable[tuple[str, str]], *, what: str = "competition", label: str = "error") -> None:
    """Print (id, sentence) pairs to standard error, those with the same cause once, with their number and ids.

    Sentences that differ only in the id that they are about have the same cause. A terminal shows the first few ids.
    """
    causes: dict[str, list[tuple[str, str]]] = {}
    for name, sentence in problems:
        causes.setdefault(_without_id(sentence, name), []).append((name, sentence))
    for cause, found in causes.items():
        if len(found) == 1:
            name, sentence = found[0]
            print_error(f"{plain(name)}: {sentence}", label=label)
            continue
        names = [plain(name) for name, _ in found]
        most = _IDS_SHOWN if sys.stderr.isatty() and len(names) > _IDS_SHOWN + 1 else len(names)
        listed = ", ".join(names[:most])
        more = f" and {len(names) - most} more" if most < len(names) else ""
        print_error(f"{counted(len(found), what)} ({listed}{more}): {cause}", label=label)


def _without_id(sentence: str, name: str) -> str:
    """The sentence about any id: what stands for this one is the word ID."""
    return re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "ID", sentence) if name else sentence


def has_colour(stream: TextIO) -> bool:
    """Whether colour may be written: to a terminal, unless NO_COLOR is set; elsewhere only with FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def terminal_width(stream: TextIO | None = None) -> int:
    """The columns of the terminal that a stream (default: standard output) writes to; COLUMNS overrides it."""
    if (columns := os.environ.get("COLUMNS", "")).isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):  # not a terminal, or one without a size
        return _USUAL_WIDTH


def is_wide() -> bool:
    """Whether --wide was given to the command that runs."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(WIDE))


def _console(width: int) -> Console:
    """Rich's way to standard output, with our rules about colour."""
    from rich.console import Console

    coloured = has_colour(sys.stdout)
    return Console(
        file=sys.stdout,
        width=width,
        force_terminal=coloured,
        color_system="auto" if coloured else None,
        no_color=not coloured,
        highlight=False,
    )
