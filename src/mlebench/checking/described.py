"""A description against prepared data: every file and column is named, and every name stands for something."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mlebench.checking.file_contents import ARCHIVES, RECORDS, TABLES, columns, keys, records
from mlebench.competition.checks import Problem
from mlebench.competition.description import SECTIONS, Named, for_edition, named_files, sections
from mlebench.competition.vocabulary import DEFAULT_EDITION, Edition
from mlebench.errors import MlebenchError
from mlebench.files.unpacking import unpack

_GZIP = b"\x1f\x8b"
_LEFT_OUT = ("…", "...")  # an example may leave out some of many columns
_SHOWN = 5  # how many names a sentence lists


@dataclass(frozen=True)
class Description:
    """A description.md in one edition, whose lines have the numbers that they have in the file."""

    path: Path
    edition: Edition = DEFAULT_EDITION

    @property
    def text(self) -> str:
        """The description, in which lines for other editions are empty."""
        text = self.path.read_text(encoding="utf-8", errors="replace")
        return for_edition(text, self.edition, keep_lines=True)

    @property
    def is_text(self) -> bool:
        """Whether all of it can be read."""
        try:
            self.path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def problem(self, what: str, advice: str, line: int | None = None) -> Problem:
        """Something that is wrong with it."""
        return Problem(what, advice, self.path, line)

    def line_of(self, section: str) -> int | None:
        """The line of a heading."""
        lines = self.text.splitlines()
        return next((number for number, line in enumerate(lines, start=1) if line.strip() == f"## {section}"), None)


def shape_problems(description: Description) -> Iterator[Problem]:
    """What is wrong with the parts of a description and their order."""
    text = description.text
    if not text.startswith("# "):
        yield description.problem("The description does not begin with a title.", "Begin it with `# Name`.", 1)
    found = tuple(sections(text))
    for name in (part for part in SECTIONS if part not in found):
        yield description.problem(f"The description has no part {name}.", f"Write a part `## {name}`.")
    for name in (part for part in found if part not in SECTIONS):
        line = description.line_of(name)
        yield description.problem(f"{name} is no part of a description.", "Move it into one of the five parts.", line)
    if sorted(found) == sorted(SECTIONS) and found != SECTIONS:
        yield description.problem("The parts are in another order.", f"It is {', '.join(SECTIONS)}.")
    if "Submission" in found and "```" not in sections(text)["Submission"]:
        line = description.line_of("Submission")
        yield description.problem("The part Submission shows no example.", "Show a few lines between ```.", line)


def example_problems(description: Description, sample: Path) -> Iterator[Problem]:
    """Columns in the example of the part Submission that the sample submission does not have."""
    shown = re.search(r"```(?:csv)?\n(.+)", sections(description.text).get("Submission", ""))
    if shown is None or not sample.is_file():
        return
    known = columns(sample)
    unknown = [name for name in next(csv.reader([shown[1]]), []) if name.strip() not in (*known, *_LEFT_OUT)]
    if unknown:
        yield description.problem(
            f"The example of a submission has {_listed(unknown)}, which the sample submission does not have.",
            f"Write the header of the sample submission: {_listed(known)}.",
            _line_of(description.text, shown[1], after=description.line_of("Submission") or 1),
        )


def _line_of(text: str, wanted: str, *, after: int) -> int | None:
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, start=1) if number > after and line == wanted), None)


def content_problems(description: Description, public: Path) -> list[Problem]:
    """What the description names and is not there, and what is there and not named."""
    with tempfile.TemporaryDirectory(prefix="mlebench-check-") as scratch:
        comparison = _Comparison(description, Path(scratch))
        found = {name: path for name, path in _files(public).items() if name != "description.md"}
        comparison.compare(named_files(description.text), found, "public", None)
        return comparison.problems


def _files(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


class _Comparison:
    """Collects problems while it goes through names and files, level by level."""

    def __init__(self, description: Description, scratch: Path) -> None:
        self.description, self.scratch = description, scratch
        self.problems: list[Problem] = []
        self.archives = 0

    def add(self, what: str, advice: str, line: int | None) -> None:
        self.problems.append(self.description.problem(what, advice, line))

    def compare(self, named: Sequence[Named], found: dict[str, Path], where: str, line: int | None) -> None:
        """Every file is named, every name is a file, and what is named inside a file is there and nothing else."""
        data = self.description.line_of("Data")
        unnamed = [name for name in found if not any(entry.pattern.fullmatch(name) for entry in named)]
        if unnamed:
            self.add(
                f"{where} has files that the description does not name: {_listed(unnamed)}.",
                "Add a bullet for each, or a pattern such as `images/<id>.png`, to the part Data.",
                line or data,
            )
        for entry in named:
            matching = [name for name in found if entry.pattern.fullmatch(name)]
            # Of several names that match a file the longest is meant: `<id>-region.json` is not just any `<id>.json`.
            matching.sort(key=partial(_is_meant_by_another, named, entry))
            if not matching and "<" not in entry.name:
                self.add(
                    f"The description names {entry.name}, which {where} does not have.",
                    f"Correct the name; there are {_listed(sorted(found))}.",
                    entry.line,
                )
            if matching and not entry.name.endswith("/"):
                self._compare_inside(entry, matching[0], found[matching[0]], where)

    def _compare_inside(self, named: Named, name: str, path: Path, where: str) -> None:
        try:
            self._compare_content(named, name, path, where)
        except (MlebenchError, ValueError) as error:  # parser errors and wrong encodings among the latter
            self.add(f"{where}/{name} cannot be read: {str(error).rstrip('.')}.", "Correct what writes it.", named.line)

    def _compare_content(self, named: Named, name: str, path: Path, where: str) -> None:
        if name.endswith(TABLES):
            self._compare_names(named, columns(path), "column", f"{where}/{name}")
        elif name.endswith(ARCHIVES):
            self.compare(named.inside, _files(self._unpacked(path)), f"{where}/{name}", named.line)
        elif name.endswith(RECORDS) and (named.inside or "/" not in where):  # the same file once more in an archive
            self._compare_keys(named, records(path), f"{where}/{name}")

    def _unpacked(self, path: Path) -> Path:
        """A new folder with what is in an archive."""
        self.archives += 1
        folder = self.scratch / str(self.archives)
        if path.name.endswith(".tar.gz") and not _begins_with(path, _GZIP):  # plain tar in spite of its name
            plain = self.scratch / f"{self.archives}.tar"
            plain.symlink_to(path.resolve())
            path = plain
        unpack(path, folder)
        return folder

    def _compare_names(self, named: Named, found: Sequence[str], what: str, where: str) -> None:
        """Everything of a kind that is there is named, and what is named is there."""
        unnamed = [name for name in found if not _of(named.inside, name)]
        if unnamed:
            self.add(
                f"{where} has {what}s that the description does not name: {_listed(unnamed)}.",
                f"Add them below `{named.name}`, or leave them out of the file.",
                named.line,
            )
        for inside in named.inside:
            if not any(inside.pattern.fullmatch(name) for name in found):
                self.add(
                    f"The description names the {what} {inside.name}, which {where} does not have.",
                    f"Correct the name; the {what}s are {_listed(found)}.",
                    inside.line,
                )

    def _compare_keys(self, named: Named, values: Sequence[Any], where: str) -> None:
        """The keys of objects are named, level by level; keys that are data themselves are named by a pattern."""
        found = keys(values)
        self._compare_names(named, list(found), "key", where)
        for entry in named.inside:
            below = [value for key, values in found.items() if entry.pattern.fullmatch(key) for value in values]
            if below and entry.inside:
                self._compare_keys(entry, below, f"{where}: {entry.name}")


def _begins_with(path: Path, signature: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(signature)) == signature


def _is_meant_by_another(named: Sequence[Named], own: Named, name: str) -> bool:
    """Whether a longer name than one's own matches a file too."""
    return any(len(other.name) > len(own.name) for other in _of(named, name))


def _of(named: Sequence[Named], name: str) -> list[Named]:
    return [entry for entry in named if entry.pattern.fullmatch(name)]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown or "none"
