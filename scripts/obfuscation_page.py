"""Writes docs/obfuscated-names.md from descriptions and twins; a test compares them.

python scripts/obfuscation_page.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from mlebench import facts
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.integrity.obfuscation.leftovers import Leftover, leftovers, telling_names
from mlebench.twins import write_twin

PAGE = Path(__file__).parents[1] / "docs" / "obfuscated-names.md"
_SHOWN = 8  # names in a cell
_START = """# What names give away

With `--obfuscate` an agent still sees the names of files and columns, and with `--rename` those that are values
([Obfuscation](obfuscation.md) says what is renamed and why the rest is not). This page lists, for each competition, the
names that are more than words like `train` and `label`. A name in bold has the name of a host, a data set, the
competition or Kaggle in it; words of the title come next. `<number>` stands for a count, other words in angle brackets
for the values of an item.

Names that stay with `--rename` are in the last column, each with the reason: *value*, a label or a path that is in the
data as well; *pattern*, the form of the names of items, which tables refer to; *item*, a word in such names, or in the
names of folders that are labels; *format*, a name inside a file whose format is not rewritten. They are in sight with
`--obfuscate` alone, too. What is in the cells of tables, labels among it, is in sight in any case and not listed.

This page is written from descriptions and twins by `python scripts/obfuscation_page.py`.

| competition | with `--obfuscate` | with `--obfuscate --rename` |
|---|---|---|
"""


def cell(names: tuple[Leftover, ...]) -> str:
    """Names for a cell of the table, the most telling first, as many as fit."""
    shown = []
    for leftover in names[:_SHOWN]:
        text = f"`{leftover.name.replace('|', '')}`"
        text = f"**{text}**" if leftover.hidden else text
        shown.append(f"{text} ({leftover.reason})" if leftover.reason else text)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(shown) + more if shown else "-"


def row(competition: LocalCompetition, renamed: str | None = None) -> str:
    """The row of a competition; `renamed` is its last cell where its data is not at hand."""
    description = competition.obfuscated_description()
    if renamed is None:
        renamed = cell(leftovers(competition, description, competition.public_dir).renamed)
    return f"| {competition.id} | {cell(telling_names(competition, description))} | {renamed} |"


def main() -> None:
    """Prepare the twins and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        competitions = [Registry(Path(folder)).get_competition(name) for name in sorted(facts.published_ids())]
        for competition in competitions:
            write_twin(competition, competition.home)
            prepare(competition)
        rows = [row(competition) for competition in competitions]
    PAGE.write_text(_START + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
