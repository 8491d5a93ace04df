"""A renaming: which names of files and columns an agent sees in place of the true ones."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from mlebench.errors import MlebenchError
from mlebench.files.regular import read_regular
from mlebench.renaming.words import split_suffixes

RENAMING_FILE = "renaming.json"  # in the folder of a run, where its agent cannot read
_LARGEST = 16 << 20  # bytes of a renaming that is read
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"('[^']*'|\"[^\"]*\"|`[^`]*`)")
# A column and more of them behind it, as sentences list them.
_LISTED = re.compile(r"\b(?:[Cc]olumns?|it has|with|are|of) [\w-]+(?:(?:, and |, | and )[\w-]+)*")


class RenamingError(MlebenchError):
    """A renaming that cannot be read, or is not the one that a run was made with."""


@dataclass(frozen=True)
class Renaming:
    """True name -> the name that the agent sees, for files and folders (without their endings) and for columns.

    `kept` has the telling names that stay, each with the code of the reason. `seed` decides on the numbers in names.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def path(self, path: str) -> str:
        """The path of a file below the data folder, or within an archive, as the agent sees it."""
        return "/".join(self._component(part) for part in path.split("/"))

    def _component(self, name: str) -> str:
        stem, suffixes = split_suffixes(name)
        return f"{self.files[stem]}{suffixes}" if stem in self.files else name

    def column(self, name: str) -> str:
        """A column as the agent sees it."""
        return self.columns.get(name, name)

    @cached_property
    def exchanged(self) -> Mapping[str, str]:
        """Columns in both directions.

        Applied to what an agent wrote it gives the true names; a true name, which the agent was not shown, becomes the
        name that the agent was shown, and so is as unknown to the grader as it should be to the agent.
        """
        return {**self.columns, **{new: old for old, new in self.columns.items()}}

    @cached_property
    def sha256(self) -> str:
        """The hash of the renaming as it is written."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        """The renaming as text, always the same for the same names."""
        names = {"files": self.files, "columns": self.columns, "kept": self.kept}
        values = {"seed": self.seed, **{kind: dict(sorted(named.items())) for kind, named in names.items()}}
        return json.dumps(values, indent=1, ensure_ascii=False) + "\n"

    def description(self, text: str) -> str:
        """A description with the names that the agent sees: in code, and in the header of an example."""
        names = {**self.columns, **self.files}
        if not names:
            return text
        pattern = _pattern(names)

        def replace(part: str) -> str:
            return pattern.sub(lambda found: names[found[0]], part)

        def code(found: re.Match[str]) -> str:
            if not found[0].startswith("```"):
                return f"`{replace(found[0][1:-1])}`"
            fence, header, *rows = found[0].split("\n")
            return "\n".join([fence, replace(header), *rows])

        return _CODE.sub(code, text)

    def message(self, sentence: str) -> str:
        """A refusal in the words of the agent: the names of columns and files as it has seen them.

        A name that is a word of the language (`fare`) is replaced where it is quoted, or listed as a column is.
        """
        names = {**self.exchanged, **self.files}
        if not names:
            return sentence
        pattern = _pattern(names)
        return "".join(
            _quoted(part, names) if place % 2 else _bare(part, names, pattern)
            for place, part in enumerate(_QUOTED.split(sentence))
        )


def _quoted(part: str, names: Mapping[str, str]) -> str:
    inside = part[1:-1]
    return f"{part[0]}{names.get(inside, inside)}{part[-1]}"


def _bare(part: str, names: Mapping[str, str], pattern: re.Pattern[str]) -> str:
    """A part of a sentence that is not quoted."""
    listed = [found.span() for found in _LISTED.finditer(part)]

    def renamed(found: re.Match[str]) -> str:
        name = found[0]
        is_word = name.isalpha() and name.islower()
        if is_word and not any(start <= found.start() < end for start, end in listed):
            return name
        return names[name]

    return pattern.sub(renamed, part)


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Matches names where they are whole words, the longest first."""
    choices = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])(?:{choices})(?![\w-])")


def load_renaming(path: Path, sha256: str | None = None) -> Renaming:
    """The renaming in a file, which may be a stranger's; with `sha256` it must be the one of this hash."""
    try:
        values: Any = json.loads(read_regular(path, _LARGEST).decode("utf-8"))
        renaming = Renaming(values["files"], values["columns"], values["kept"], values["seed"])
        if not all(_is_names(names) for names in (renaming.files, renaming.columns, renaming.kept)):
            raise TypeError
        if len(set(renaming.columns.values())) < len(renaming.columns) or not isinstance(renaming.seed, int):
            raise ValueError
        if renaming.columns.keys() & set(renaming.columns.values()):
            raise ValueError
    except FileNotFoundError as error:
        raise RenamingError(f"There is no {path}, which says how names were changed for the agent.") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RenamingError(f"{path} is damaged: it does not say how names were changed.") from error
    if sha256 is not None and renaming.sha256 != sha256:
        raise RenamingError(f"{path} is not the one that the run was made with.")
    return renaming


def _is_names(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for pair in value.items() for text in pair)


def path_components(paths: Iterable[str]) -> set[str]:
    """All names of files and folders in paths, with and without their endings."""
    found: set[str] = set()
    for path in paths:
        for part in PurePosixPath(path).parts:
            found |= {part, split_suffixes(part)[0]}
    return found
