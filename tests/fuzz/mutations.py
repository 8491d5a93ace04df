"""Submissions with something wrong: mutations of good ones, each the same for the same seed."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

# What a cell may hold that nobody expects: missing values, numbers at and beyond all bounds, other kinds of values,
# masks, boxes and labels of other competitions, things that terminals, spreadsheets and parsers obey.
CELLS = (
    "", " ", "nan", "NaN", "None", "NULL", "<NA>", "n/a", "inf", "-inf", "Infinity", "1e400", "-1e400", "1e-400",
    "1e308", "0", "-0", "1", "-1", "2", "0.5", "-0.5", "1.5", "99999", "00", "1.0", "1e5", "1_000", "0x10", "١٢",
    "1,5", "50%", "True", "false", "yes", "9" * 19, "9" * 30, "9" * 400, "9" * 5000, "-" + "9" * 30, "0." + "3" * 400,
    str(2**63), str(2**64), "abc", "a b c", "1 2 3", "1 1", "1 1 1 1", "5 1 1 1", "-1 5", "0 0", "1 -5",
    "1 99999999999999999999", "1 2.5", "1:2", "2:1", "-1:3", "YES", "NO", "0.1 0.2", "0.5 1 2 3 4", "1 0.5 0 0 10 10",
    "none 1 0 0 1 1", "14 1 0 0 1 1", "(1, 2)", "[1, 2]", "{'a': 1}", "a|b", "a;b", "a,b", "<eos>", "\t", "a\nb",
    'a"b', "'", "\\", "=1+1", "%s%n%d", "{}", "../../x", "\x1b[31mred", "\x07", "\u202eabc", "\ufeff", "\u200b", "é",
    "😀", "\U0010ffff", "x" * 10_000, "1 " * 5000, "InChI=1S/H2O/h1H2", "1999-01-01", "0001", "d_1", "a_1", "null",
    "-", ".", "e", "+", "1e", "--1", "1-1", "0 1 0 1 0",
)  # fmt: skip
NAMES = ("", " ", "id", "ID", "target", "label", "Unnamed: 0", "0", "x" * 500, "\x1b[31m", "a\nb", "é", "index", "None")


@dataclass(frozen=True)
class Mutant:
    """A mutated submission; `incomplete` says that it misses a row or an id that the good one has."""

    what: str
    content: bytes
    incomplete: bool = False


@dataclass
class Sheet:
    """A submission as rows of text, the first row being the header."""

    rows: list[list[str]]
    id_name: str

    @property
    def id_column(self) -> int:
        """The number of the column of ids; of the first one, if none has its name any more."""
        return self.rows[0].index(self.id_name) if self.id_name in self.rows[0] else 0

    def ids(self) -> Counter[str | float]:
        """How often there is which id; numbers are the same however they are written."""
        if self.id_name not in self.rows[0]:
            return Counter()
        column = self.id_column
        return Counter(_key(row[column]) for row in self.rows[1:] if column < len(row))

    def write(self, **options: str | int) -> bytes:
        """The sheet as a CSV file."""
        buffer = io.StringIO(newline="")
        csv.writer(buffer, **{"lineterminator": "\n", **options}).writerows(self.rows)  # type: ignore[arg-type]
        return buffer.getvalue().encode("utf-8", errors="surrogatepass")

    def a_row(self, rng: random.Random) -> int:
        """The number of a random row below the header."""
        return rng.randrange(1, len(self.rows))

    def set(self, row: int, column: int, value: str) -> None:
        """Change a cell, if the row has it."""
        if column < len(self.rows[row]):
            self.rows[row][column] = value

    def values(self) -> list[int]:
        """The numbers of the columns that hold no ids."""
        return [each for each in range(len(self.rows[0])) if each != self.id_column] or [self.id_column]


def parse(content: bytes, id_name: str) -> Sheet | None:
    """A submission as a sheet; None if it has no rows or no column of ids."""
    rows = [row for row in csv.reader(io.StringIO(content.decode("utf-8-sig", errors="replace"), newline="")) if row]
    if len(rows) < 3 or id_name not in rows[0]:
        return None
    return Sheet(rows, id_name)


def _key(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _cell(sheet: Sheet, rng: random.Random) -> None:
    sheet.set(sheet.a_row(rng), rng.randrange(len(sheet.rows[0])), rng.choice(CELLS))


def _value(sheet: Sheet, rng: random.Random) -> None:
    sheet.set(sheet.a_row(rng), rng.choice(sheet.values()), rng.choice(CELLS))


def _values(sheet: Sheet, rng: random.Random) -> None:
    for _ in range(rng.randrange(2, 6)):
        _value(sheet, rng)


def _id(sheet: Sheet, rng: random.Random) -> None:
    sheet.set(sheet.a_row(rng), sheet.id_column, rng.choice(CELLS))


def _column_of_one_value(sheet: Sheet, rng: random.Random) -> None:
    column, value = rng.choice(sheet.values()), rng.choice(CELLS)
    for row in range(1, len(sheet.rows)):
        sheet.set(row, column, value)


def _all_values(sheet: Sheet, rng: random.Random) -> None:
    value = rng.choice(CELLS)
    for column in sheet.values():
        for row in range(1, len(sheet.rows)):
            sheet.set(row, column, value)


def _swapped_cells(sheet: Sheet, rng: random.Random) -> None:
    column, one, other = rng.choice(sheet.values()), sheet.a_row(rng), sheet.a_row(rng)
    if max(one, other) < len(sheet.rows) and column < min(len(sheet.rows[one]), len(sheet.rows[other])):
        first, second = sheet.rows[one][column], sheet.rows[other][column]
        sheet.set(one, column, second)
        sheet.set(other, column, first)


def _cell_of_another_column(sheet: Sheet, rng: random.Random) -> None:
    row = sheet.a_row(rng)
    sheet.set(row, rng.choice(sheet.values()), rng.choice(sheet.rows[row]))


def _changed_numbers(sheet: Sheet, rng: random.Random) -> None:
    change: Callable[[float], float | str] = rng.choice(
        (
            lambda value: -value,
            lambda value: value * 1e300,
            lambda value: value * 1e-320,
            lambda value: value + 1e-12,
            lambda value: value + 1,
            lambda value: value * 100,
            lambda value: int(value) if abs(value) < 1e18 else value,
            lambda value: f"{value:.17e}",
            lambda value: f"{value:.1f}",
            lambda value: f"+{value}",
            lambda value: f"0{value}",
        )
    )
    few = rng.random() < 0.3
    for column in sheet.values():
        for row in range(1, len(sheet.rows)):
            try:
                number = float(sheet.rows[row][column])
            except (ValueError, IndexError):
                continue
            if not few or rng.random() < 0.1:
                sheet.set(row, column, str(change(number)))


def _cut_text(sheet: Sheet, rng: random.Random) -> None:
    row, column = sheet.a_row(rng), rng.choice(sheet.values())
    text = sheet.rows[row][column] if column < len(sheet.rows[row]) else ""
    if text:
        start = rng.randrange(len(text))
        sheet.set(row, column, text[:start] + rng.choice(("", " ", "x", "-", "9", "\x00"[:0])) + text[start + 1 :])


def _without_a_row(sheet: Sheet, rng: random.Random) -> None:
    del sheet.rows[sheet.a_row(rng)]


def _without_many_rows(sheet: Sheet, rng: random.Random) -> None:
    del sheet.rows[rng.randrange(1, len(sheet.rows)) :]


def _a_row_twice(sheet: Sheet, rng: random.Random) -> None:
    sheet.rows.insert(sheet.a_row(rng), list(sheet.rows[sheet.a_row(rng)]))


def _a_row_instead_of_another(sheet: Sheet, rng: random.Random) -> None:
    gone = sheet.a_row(rng)
    sheet.rows[gone] = list(sheet.rows[sheet.a_row(rng)])


def _a_strange_row(sheet: Sheet, rng: random.Random) -> None:
    width = rng.choice((1, len(sheet.rows[0]), len(sheet.rows[0]), len(sheet.rows[0]) + 1))
    sheet.rows.insert(sheet.a_row(rng), [rng.choice(CELLS) for _ in range(width)])


def _a_short_row(sheet: Sheet, rng: random.Random) -> None:
    row = sheet.a_row(rng)
    del sheet.rows[row][rng.randrange(1, len(sheet.rows[row]) + 1) :]


def _shuffled_rows(sheet: Sheet, rng: random.Random) -> None:
    rows = sheet.rows[1:]
    rng.shuffle(rows)
    sheet.rows[1:] = rows


def _sorted_rows(sheet: Sheet, rng: random.Random) -> None:
    sheet.rows[1:] = sorted(sheet.rows[1:], reverse=rng.random() < 0.5)


def _the_header_again(sheet: Sheet, rng: random.Random) -> None:
    sheet.rows.insert(sheet.a_row(rng), list(sheet.rows[0]))


def _without_the_header(sheet: Sheet, rng: random.Random) -> None:
    del sheet.rows[0]


def _without_a_column(sheet: Sheet, rng: random.Random) -> None:
    column = rng.randrange(len(sheet.rows[0]))
    for row in sheet.rows:
        del row[column : column + 1]


def _renamed_column(sheet: Sheet, rng: random.Random) -> None:
    column = rng.randrange(len(sheet.rows[0]))
    name = sheet.rows[0][column]
    new = rng.choice((*NAMES, name.upper(), name.lower(), f" {name}", f"{name} ", f"{name}\u200b", name[:-1]))
    sheet.rows[0][column] = new


def _another_column(sheet: Sheet, rng: random.Random) -> None:
    place, name, value = rng.randrange(len(sheet.rows[0]) + 1), rng.choice(NAMES), rng.choice(CELLS)
    for number, row in enumerate(sheet.rows):
        row.insert(place, value if number else name)


def _a_column_twice(sheet: Sheet, rng: random.Random) -> None:
    column = rng.randrange(len(sheet.rows[0]))
    for row in sheet.rows:
        row.append(row[column] if column < len(row) else "")


def _columns_in_another_order(sheet: Sheet, rng: random.Random) -> None:
    order = list(range(len(sheet.rows[0])))
    rng.shuffle(order)
    sheet.rows = [[row[each] for each in order if each < len(row)] for row in sheet.rows]


def _names_in_another_order(sheet: Sheet, rng: random.Random) -> None:
    rng.shuffle(sheet.rows[0])


IN_SHEETS: tuple[Callable[[Sheet, random.Random], None], ...] = (
    _cell, _value, _value, _value, _values, _values, _id, _id, _column_of_one_value, _column_of_one_value, _all_values,
    _swapped_cells, _cell_of_another_column, _changed_numbers, _changed_numbers, _cut_text, _cut_text, _without_a_row,
    _without_many_rows, _a_row_twice, _a_row_instead_of_another, _a_strange_row, _a_short_row, _shuffled_rows,
    _sorted_rows, _the_header_again, _without_the_header, _without_a_column, _renamed_column, _another_column,
    _a_column_twice, _columns_in_another_order, _names_in_another_order,
)  # fmt: skip


def _flipped(content: bytes, rng: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 3, 20))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def _inserted(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content))
    piece = rng.choice((b",", b'"', b"\n", b"\r", b"\x00", b"\xff", b"\xef\xbb\xbf", b" ", b";", rng.randbytes(8)))
    return content[:place] + piece + content[place:]


def _removed(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.choice((1, 1, 5, 100)) :]


def _repeated(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content))
    return content + content[start:]


IN_BYTES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "flipped bits": _flipped,
    "inserted bytes": _inserted,
    "removed bytes": _removed,
    "cut off": lambda content, rng: content[: rng.randrange(len(content))],
    "repeated": _repeated,
    "UTF-16": lambda content, rng: content.decode(errors="replace").encode("utf-16"),
    "UTF-32": lambda content, rng: content.decode(errors="replace").encode(rng.choice(("utf-32", "utf-32-be"))),
    "Latin-1": lambda content, rng: (
        content.decode(errors="replace").encode("latin-1", errors="replace") + b"\xe9,\xe9\n"
    ),
    "a byte order mark": lambda content, rng: b"\xef\xbb\xbf" + content,
    "two byte order marks": lambda content, rng: b"\xef\xbb\xbf" * 2 + content,
    "line ends of Windows": lambda content, rng: content.replace(b"\n", b"\r\n"),
    "line ends of old Macs": lambda content, rng: content.replace(b"\n", b"\r"),
    "blank lines": lambda content, rng: content.replace(b"\n", b"\n\n" if rng.random() < 0.5 else b"\n  \n", 5),
    "commas at the ends": lambda content, rng: content.replace(b"\n", b",\n"),
    "commas at the ends of rows": lambda content, rng: content.replace(b"\n", b",\n").replace(b",\n", b"\n", 1),
    "a comma in front": lambda content, rng: b"," + content.replace(b"\n", b"\n,"),
    "numbered rows": lambda content, rng: b"\n".join(
        (b"%d," % number if number else b"") + line for number, line in enumerate(content.splitlines())
    ),
    "semicolons": lambda content, rng: content.replace(b",", b";"),
    "tabs": lambda content, rng: content.replace(b",", b"\t"),
    "blanks": lambda content, rng: content.replace(b",", b", "),
    "an open quotation mark": lambda content, rng: b'"' + content,
    "prose in front": lambda content, rng: b"Here is the submission:\n```csv\n" + content + b"```\n",
    "a comment in front": lambda content, rng: b"# made by hand\n" + content,
    "nothing": lambda content, rng: rng.choice((b"", b"\n", b" ", b",", b'"', b"\x00", content[: content.find(b"\n")])),
    "JSON": lambda content, rng: b'[{"id": 1}]',
}


def mutant(good: dict[str, bytes], id_name: str, rng: random.Random) -> Mutant:
    """A mutation of one of some good submissions, by name; one in five is a mutation of bytes."""
    name = rng.choice(sorted(good))
    content = good[name]
    if rng.random() < 0.2:
        kind = rng.choice(sorted(IN_BYTES))
        return Mutant(f"{name}: {kind}", IN_BYTES[kind](content, rng))
    sheet = parse(content, id_name)
    if sheet is None:
        return Mutant(f"{name}: flipped bits", _flipped(content, rng) if content else b"")
    before, changes = sheet.ids(), []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if len(sheet.rows) > 2 and sheet.rows[0]:
            change = rng.choice(IN_SHEETS)
            change(sheet, rng)
            changes.append(change.__name__.strip("_").replace("_", " "))
    quoting = csv.QUOTE_ALL if rng.random() < 0.1 else csv.QUOTE_MINIMAL
    return Mutant(f"{name}: {', '.join(changes)}", sheet.write(quoting=quoting), bool(before - sheet.ids()))
