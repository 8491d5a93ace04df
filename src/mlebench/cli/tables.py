"""Tables that fit a terminal: which columns are shown, how wide each is, and where long texts break.

Nothing here knows a terminal or a library: widths are counted by a function that the caller gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

GAP = 2  # blanks between columns
_SECOND_LINES = 0.1  # the share of ids that may need a second line before a column is left out instead
_NUMBER = re.compile(r"[-+±<>=~]*[\d.,]+(?:e[-+]?\d+)?%?[,;:.]?")
_ELLIPSIS = "…"

Measure = Callable[[str], int]


@dataclass(frozen=True)
class Column:
    """One column: its name, its cells as text, and what may be done to it when space is short.

    Numbers (`is_right`) are never broken nor cut. Where `least` is given, texts are prose that may be squeezed to that
    width: broken at blanks, or cut at one where `is_cut`. All other texts are names, broken at hyphens if they must be.
    """

    name: str
    cells: Sequence[str]
    is_right: bool = False
    least: int | None = None
    is_cut: bool = False

    def natural(self, measure: Measure) -> int:
        """The width at which everything is on one line."""
        return max(map(measure, [self.name, *self.cells]))

    def comfortable(self, measure: Measure) -> int:
        """The smallest width that still reads well; headers may break at blanks."""
        header = max(map(measure, self.name.split() or [""]))
        if self.is_right:
            return max(header, *map(measure, self.cells), 0)
        if self.least is not None:
            return max(header, min(self.least, self.natural(measure)))
        lengths = sorted(map(measure, self.cells))
        usual = lengths[int((len(lengths) - 1) * (1 - _SECOND_LINES))] if lengths else 0
        return max(header, usual, self._longest_piece(measure))

    def smallest(self, measure: Measure) -> int:
        """The width below which a word or a number would be broken."""
        if self.is_right:
            return self.comfortable(measure)
        longest = self._longest_piece(measure)
        return min(longest, self.comfortable(measure)) if self.is_cut else longest

    def _longest_piece(self, measure: Measure) -> int:
        pieces = (piece for cell in [self.name, *self.cells] for word in cell.split() for piece in _pieces(word))
        return max(map(measure, pieces), default=1)

    def shown(self, text: str, width: int, measure: Measure) -> str:
        """A cell, or the header, in lines of this width at most."""
        if measure(text) <= width or (self.is_right and text is not self.name):
            return text
        if self.is_cut and text is not self.name:
            return cut(text, width, measure)
        return "\n".join(folded(text, width, measure))


@dataclass(frozen=True)
class Layout:
    """The columns of one table with their widths, and the names of those left out."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    left_out: tuple[str, ...] = ()


def columns_of(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    shorten: Mapping[str, int] | None = None,
    wrap: Mapping[str, int] | None = None,
) -> tuple[Column, ...]:
    """The columns of a table; `shorten` and `wrap` give prose that may be cut or broken, with its least width."""
    cut_to, wrapped_to = shorten or {}, wrap or {}
    return tuple(
        Column(
            name,
            [row[index] for row in rows],
            is_right=name in right,
            least=cut_to.get(name, wrapped_to.get(name)),
            is_cut=name in cut_to,
        )
        for index, name in enumerate(header)
    )


def unlimited(columns: Sequence[Column], measure: Measure = len) -> Layout:
    """All columns at their natural widths."""
    return Layout(tuple(columns), tuple(column.natural(measure) for column in columns))


def fitted(columns: Sequence[Column], width: int, *, drop: Sequence[str] = (), measure: Measure = len) -> list[Layout]:
    """The tables that show the columns in a width: one wherever that is possible, without the first few of `drop`.

    Where even the columns that must be shown do not fit beside each other, there are several tables, each of which
    begins with the first column.
    """
    natural = unlimited(columns, measure)
    if _total(natural.widths) <= width:
        return [natural]
    for count in range(len(drop) + 1):
        left_out = tuple(column.name for column in columns if column.name in drop[:count])
        kept = tuple(column for column in columns if column.name not in left_out)
        widths = [column.comfortable(measure) for column in kept]
        if _total(widths) <= width:
            return [Layout(kept, _widened(kept, widths, width, measure), left_out)]
    widths = [column.smallest(measure) for column in kept]
    if _total(widths) <= width or len(kept) == 1:
        return [Layout(kept, _widened(kept, widths, width, measure), left_out)]
    return [_squeezed(part, width, left_out, measure) for part in _parts(kept, width, measure)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _widened(columns: Sequence[Column], widths: list[int], width: int, measure: Measure) -> tuple[int, ...]:
    """Spend the space that is left: on names if it makes all of them whole, then where it helps most cells."""
    lengths = [[measure(text) for text in [column.name, *column.cells]] for column in columns]
    widths = [least if column.is_right else min(least, width) for column, least in zip(columns, widths, strict=True)]
    whole = [
        max(cells) if column.least is None else given
        for column, cells, given in zip(columns, lengths, widths, strict=True)
    ]
    if _total(whole) <= width:
        widths = whole
    for _ in range(width - _total(widths)):
        short = [sum(length > given for length in cells) for cells, given in zip(lengths, widths, strict=True)]
        most = max(short)
        if not most:
            break
        widths[short.index(most)] += 1
    return tuple(widths)


def _squeezed(columns: Sequence[Column], width: int, left_out: tuple[str, ...], measure: Measure) -> Layout:
    comfortable = [column.comfortable(measure) for column in columns]
    for widths in (comfortable, [column.smallest(measure) for column in columns]):
        if _total(widths) <= width:
            break
    return Layout(tuple(columns), _widened(columns, widths, width, measure), left_out)


def _parts(columns: Sequence[Column], width: int, measure: Measure) -> Iterator[list[Column]]:
    """The columns in as few tables as they need, the first column in each."""
    first, *others = columns
    part = [first]
    for column in others:
        wider = [*part, column]
        if len(part) > 1 and _total([one.smallest(measure) for one in wider]) > width:
            yield part
            wider = [first, column]
        part = wider
    yield part


def folded(text: str, width: int, measure: Measure = len, *, whole_words: bool = False) -> list[str]:
    """A text in lines of a width, broken at blanks; a name that is longer than a line, behind hyphens and slashes.

    With `whole_words` such a name is not broken but has a line of its own, so that a path can be copied in one go.

    >>> folded("two words and google-research-contrails", 16)
    ['two words and', 'google-research-', 'contrails']
    """
    lines, line = [], ""
    for word in text.split():
        together = f"{line} {word}" if line else word
        if measure(together) <= width:
            line = together
            continue
        if line:
            lines.append(line)
        line = ""
        if whole_words:
            line = word
            continue
        for piece in [word] if measure(word) <= width else _pieces(word):
            if line and measure(line + piece) > width:
                lines.append(line)
                line = ""
            line += piece
            while measure(line) > width and not _NUMBER.fullmatch(line):  # one endless word: it has to be broken
                fits = _prefix(line, width, measure)
                lines.append(line[:fits])
                line = line[fits:]
    return [*lines, line] if line or not lines else lines


def cut(text: str, width: int, measure: Measure = len) -> str:
    """The words of a text that fit, and an ellipsis for the others; a number is shown whole or not at all.

    >>> cut("mean column-wise area under the ROC curve", 22)
    'mean column-wise area…'
    >>> cut("12345678", 5)
    '…'
    """
    if measure(text) <= width:
        return text
    room = width - measure(_ELLIPSIS)
    shown = ""
    for word in re.findall(r"\s*\S+", text):
        if measure(shown + word) > room:
            if not shown and not _NUMBER.fullmatch(word):
                pieces = _pieces(word)
                while pieces and measure(shown + pieces[0]) <= room:
                    shown += pieces.pop(0)
                shown = shown or word[: _prefix(word, room, measure)]
            break
        shown += word
    return shown.rstrip(" ,;:-–") + _ELLIPSIS


def _pieces(word: str) -> list[str]:
    """The parts of a name or a path, each with the character behind which a line may break; a number is one part."""
    return [word] if _NUMBER.fullmatch(word) else re.findall(r"[^-/_]*[-/_]+|[^-/_]+", word) or [word]


def _prefix(text: str, width: int, measure: Measure) -> int:
    """How many characters of a text fit in a width; one at least."""
    count = 1
    while count < len(text) and measure(text[: count + 1]) <= width:
        count += 1
    return count
