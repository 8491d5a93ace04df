"""The one shape of a task description, and what is derived from it.

A description is Markdown with these parts, in this order:

    # Name of the competition
    ## Background      who asks, and why it matters: the only part with names and provenance
    ## Task            what to predict from what
    ## Data            every file and column the contestant sees
    ## Metric          how submissions are scored, with the formula
    ## Submission      the format, with an example of a few rows

In the data part each bullet names a file, a folder or a pattern of files, and what is below a bullet is inside it:

    - `train.csv`: one row per passenger
      - `PassengerId`: group and number within it
      - `x1` to `x9`: measurements
    - `images/<id>.png`: a picture per passenger
    - `notes.zip`: an archive
      - `<id>.json`: its members
        - `text`: their keys

Where a second edition differs, the lines between `<!-- edition v2 -->` and `<!-- every edition -->` are for it alone:

    <!-- edition v1 -->
    - `records/<number>.tfrec`: the same pictures as records
    <!-- every edition -->
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

SECTIONS = ("Background", "Task", "Data", "Metric", "Submission")
_EDITION = re.compile(r"<!-- (?:edition (\w+)|every edition) -->")
HIDDEN_NAMES = "hidden_names.txt"
WITHHELD = "(name withheld)"
_CODE = re.compile(r"(^```.*?^```|`[^`]*`)", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"`([^`]+)`")
_RANGE = re.compile(r"`([^`]*?)(\d+)` to `\1(\d+)`")


def for_edition(text: str, edition: str, *, keep_lines: bool = False) -> str:
    """The description as an edition has it: without the lines for other editions and without the marks.

    With `keep_lines` they are empty lines, so that all others keep their numbers.
    """
    if "<!--" not in text:
        return text
    kept, current = [], None
    for line in text.splitlines(keepends=True):
        mark = _EDITION.fullmatch(line.strip())
        if mark is not None:
            current = mark[1]
        elif current is None or current == edition:
            kept.append(line)
            continue
        if keep_lines:
            kept.append("\n")
    return "".join(kept)


def sections(text: str) -> dict[str, str]:
    """The parts of a description by their headings."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {title.strip(): body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def obfuscated(text: str, *names: str, hidden: Mapping[str, str] = MappingProxyType({})) -> str:
    """The description without names and provenance: no title, no background, `names` struck out.

    `hidden` has further names, each with the words that take its place; in code, where the names of files and columns
    are, they stay.
    """
    kept = sections(text)
    body = "\n\n".join(f"## {title}\n\n{kept[title]}" for title in SECTIONS[1:] if title in kept)
    for name in sorted(filter(None, names), key=len, reverse=True):
        body = re.sub(re.escape(name), "the competition", body, flags=re.IGNORECASE)
    parts = _CODE.split(body)  # every second one is code
    parts[::2] = [_without(part, hidden) for part in parts[::2]]
    return f"# Task description\n\n{''.join(parts)}\n"


def _without(prose: str, hidden: Mapping[str, str]) -> str:
    for name in sorted(hidden, key=len, reverse=True):
        words = hidden[name]
        prose = name_pattern(name).sub(lambda _, words=words: words, prose)  # type: ignore[misc]
    return prose


def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a name where it is a word of its own, in any case, also across the end of a line."""
    words = r"\s+".join(map(re.escape, name.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def read_hidden_names(folder: Path) -> dict[str, str]:
    """The names that an obfuscated description must not tell, from `hidden_names.txt` in a competition's folder.

    One name per line; `NAME => words` says what takes its place in the obfuscated text.
    """
    path = folder / HIDDEN_NAMES
    if not path.is_file():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, _, words = (part.strip() for part in line.partition("=>"))
        if name and not name.startswith("#"):
            found[name] = words or WITHHELD
    return found


@dataclass(frozen=True)
class Named:
    """Something that the data part of a description names, and what it names inside: columns, keys, members."""

    name: str
    inside: list[Named] = field(default_factory=list)
    line: int = field(default=0, compare=False)  # of the text, from 1

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches the paths that the name stands for: `<id>` is part of a name, a final / all below."""
        parts = re.split(r"(<[^>]+>|\*)", self.name)
        body = "".join("[^/]+" if re.fullmatch(r"<[^>]+>|\*", part) else re.escape(part) for part in parts)
        return re.compile(f"{body}.*" if self.name.endswith("/") else body)

    @property
    def columns(self) -> list[str]:
        """The names directly inside."""
        return [file.name for file in self.inside]


def named_files(text: str) -> list[Named]:
    """The files that the data part of a description names, with what is inside each."""
    files: list[Named] = []
    above: list[tuple[int, list[Named]]] = []  # indentation, and what was named there last
    part = ""
    for number, line in enumerate(text.splitlines(), start=1):
        heading = re.match(r"## (.+)$", line)
        part = heading[1].strip() if heading else part
        bullet = re.match(r"(\s*)[-*] (`.*)", line) if part == "Data" else None
        if bullet is None:
            continue
        head, colon, _ = bullet[2].partition("`:")
        named = [Named(name, line=number) for name in _names(f"{head}`" if colon else head)]
        while above and above[-1][0] >= len(bullet[1]):
            above.pop()
        if above:
            for folder in above[-1][1]:
                folder.inside.extend(named)
        else:
            files.extend(named)
        above.append((len(bullet[1]), named))
    return files


def _names(head: str) -> list[str]:
    """The names at the head of a bullet; `x1` to `x9` stands for nine, `x01` to `x12` for twelve."""
    names: list[str] = []
    for prefix, first, last in _RANGE.findall(head):
        names += [f"{prefix}{number:0{len(first)}}" for number in range(int(first), int(last) + 1)]
    return names + _NAME.findall(_RANGE.sub("", head))
