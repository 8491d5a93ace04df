"""The code that a run left, read as hostile data: regular files only, no links followed, bounded in size and number."""

from __future__ import annotations

import ast
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from mlebench.base.wording import plain
from mlebench.files.regular import is_folder, is_regular, open_regular

LARGEST_SOURCE = 4 << 20  # bytes of one file of code that are read
_MOST_BYTES = 64 << 20  # of all files of one folder
_MOST_FILES = 5000
_DEEPEST = 24
_PROBE = 4096  # bytes that tell binary files from text


class Language(StrEnum):
    """What a file of code is written in; the parser knows the first three, the others are read as text."""

    PYTHON = "python"
    NOTEBOOK = "notebook"
    SHELL = "shell"
    R = "r"
    OTHER = "other"


_SUFFIXES = {
    ".py": Language.PYTHON,
    ".pyw": Language.PYTHON,
    ".ipynb": Language.NOTEBOOK,
    ".sh": Language.SHELL,
    ".bash": Language.SHELL,
    ".zsh": Language.SHELL,
    ".r": Language.R,
    ".rmd": Language.R,
    **dict.fromkeys(
        [
            ".jl",
            ".js",
            ".mjs",
            ".ts",
            ".go",
            ".rs",
            ".cpp",
            ".cc",
            ".c",
            ".cu",
            ".java",
            ".scala",
            ".kt",
            ".rb",
            ".pl",
            ".php",
            ".m",
            ".lua",
            ".swift",
            ".cs",
            ".hs",
            ".sql",
            ".pyx",
        ],
        Language.OTHER,
    ),
}
_MAKEFILES = ("makefile", "gnumakefile", "justfile")
_SHEBANG = re.compile(r"#!\s*\S*?(?:env\s+(?:-S\s+)?)?(python|bash|sh|zsh|Rscript|node|perl|ruby|julia)\b")
_SHEBANG_LANGUAGES = {
    "python": Language.PYTHON,
    "bash": Language.SHELL,
    "sh": Language.SHELL,
    "zsh": Language.SHELL,
    "Rscript": Language.R,
}
_MAGIC = re.compile(r"^(\s*)(!|%)")
_CELL_SHELL = re.compile(r"^\s*%%(?:bash|sh|script|!)\b")
_CELL_OTHER = re.compile(r"^\s*%%(?:html|javascript|js|latex|markdown|svg|R|perl|ruby|sql)\b")
_CELL_WRITEFILE = re.compile(r"^\s*%%writefile\s+(?:-a\s+)?(\S+)")


@dataclass(frozen=True)
class Source:
    """One file of code as text.

    `text` of a notebook is that of its code cells, in which magics are taken out; `shell` has (line, command) of those,
    and `lines` gives for each line of the text the line in the file where that is another one.
    """

    path: Path
    name: str  # within the folder
    language: Language
    text: str
    shell: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class CodeFolder:
    """What a folder of code has: its sources, its other files by name and size, and what could not be read."""

    root: Path | None
    sources: tuple[Source, ...]
    others: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all in it."""
        return not self.sources and not self.others


def read_code(path: Path | None) -> CodeFolder:
    """The code at a path, which is a folder or a single file; what cannot be read is one sentence each."""
    if path is None or not os.path.lexists(path):
        return CodeFolder(path, (), {}, (f"There is no code at {path}.",) if path is not None else ())
    sources: list[Source] = []
    others: dict[str, Path] = {}
    notes: list[str] = []
    left = _MOST_BYTES
    for name, file in _files(path, notes):
        language = _language(file)
        if language is None:
            others[name] = file
            continue
        text, problem = read_text(file, min(LARGEST_SOURCE, left))
        if text is None:
            notes.append(f"{plain(name, 200)} is not read: {problem}.")
            others[name] = file
            continue
        left -= len(text)
        source, mistake = _source(file, name, language, text)
        if mistake:
            notes.append(f"{plain(name, 200)}: {mistake}.")
        sources.append(source)
    return CodeFolder(path, tuple(sources), others, tuple(notes))


def _files(path: Path, notes: list[str]) -> Iterator[tuple[str, Path]]:
    """(name within the folder, path) of every regular file, in order."""
    if is_regular(path):
        yield path.name, path
        return
    if not is_folder(path):
        notes.append(f"{path} is neither a file nor a folder.")
        return
    count = 0
    for parent, folders, names in os.walk(path, followlinks=False):
        depth = len(Path(parent).relative_to(path).parts)
        folders[:] = sorted(name for name in folders if name not in _NOT_CODE) if depth < _DEEPEST else []
        for name in sorted(names):
            file = Path(parent, name)
            if not is_regular(file):
                continue
            count += 1
            if count > _MOST_FILES:
                notes.append(f"{path} has more than {_MOST_FILES:,} files; the others are not read.")
                return
            yield file.relative_to(path).as_posix(), file


_NOT_CODE = {"__pycache__", ".git", "node_modules", "site-packages", ".venv", ".ipynb_checkpoints", ".mypy_cache"}


def _language(path: Path) -> Language | None:
    """The language by the suffix, or by the first line of a file without one; None for what is no code."""
    if path.name.lower() in _MAKEFILES or path.suffix.lower() == ".mk":
        return Language.SHELL
    known = _SUFFIXES.get(path.suffix.lower())
    if known is not None or path.suffix:
        return known
    try:
        with open_regular(path) as file:
            first = file.readline(200).decode("utf-8", "replace")
    except OSError:
        return None
    found = _SHEBANG.match(first)
    return _SHEBANG_LANGUAGES.get(found[1], Language.OTHER) if found else None


def read_text(path: Path, most: int) -> tuple[str | None, str]:
    """(the text of a regular file, or None and why there is none); a file beyond `most` bytes is not read."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                return None, f"it has {size:,} bytes, more than the {most:,} that are read"
            data = file.read(most)
    except OSError as error:
        return None, (error.strerror or "it cannot be read")
    if b"\0" in data[:_PROBE]:
        return None, "it is binary"
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n"), ""


def _source(path: Path, name: str, language: Language, text: str) -> tuple[Source, str | None]:
    if language is Language.NOTEBOOK:
        try:
            code, shell = notebook_code(text)
        except ValueError as error:
            return Source(path, name, Language.OTHER, text), f"{error}; it is read as text"
        return Source(path, name, language, code, tuple(shell)), None
    if language is Language.PYTHON:  # programs exported from a notebook have magics too
        code, shell = without_magics(text)
        return Source(path, name, language, code, tuple(shell)), None
    if path.name.lower() in _MAKEFILES or path.suffix.lower() == ".mk":
        text = "\n".join(_recipe_line(line) for line in text.split("\n"))
    return Source(path, name, language, text), None


def _recipe_line(line: str) -> str:
    """A line of a makefile as a shell has it: commands and variables; targets and directives are left out."""
    line = re.sub(r"\$\((\w+)\)", r"${\1}", line)
    if line[:1] in ("\t", " "):
        return line.strip().lstrip("@-+")
    assigned = re.match(r"^(\w+)\s*[:?]?=\s*(\S.*?)\s*$", line)
    return f"{assigned[1]}='{assigned[2]}'" if assigned and "'" not in assigned[2] else ""


def notebook_code(text: str) -> tuple[str, list[tuple[int, str]]]:
    """(the code of a notebook's cells, shell commands in it with their lines); a ValueError says what is wrong."""
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("the notebook is not valid JSON") from None
    cells = content.get("cells") if isinstance(content, dict) else None
    if cells is None and isinstance(content, dict):  # version 3
        sheets = content.get("worksheets")
        cells = [cell for sheet in sheets or () if isinstance(sheet, dict) for cell in sheet.get("cells") or ()]
    if not isinstance(cells, list):
        raise ValueError("the notebook has no cells")  # noqa: TRY004
    lines: list[str] = []
    shell: list[tuple[int, str]] = []
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", cell.get("input", ""))
        written = "".join(map(str, source)) if isinstance(source, list) else str(source)
        first = written.lstrip().split("\n", 1)[0]
        start = len(lines) + 1
        if _CELL_SHELL.match(first):
            shell.append((start, written.lstrip().partition("\n")[2]))
            lines += ["pass"] * (written.count("\n") + 1)
            continue
        if (target := _CELL_WRITEFILE.match(first)) and not target[1].endswith(".py"):
            shell.append(
                (start, f"cat > {target[1]} <<'END_OF_CELL'\n{written.lstrip().partition(chr(10))[2]}\nEND_OF_CELL")
            )
            lines += ["pass"] * (written.count("\n") + 1)
            continue
        if _CELL_OTHER.match(first):
            lines += ["pass"] * (written.count("\n") + 1)
            continue
        code, commands = without_magics(written)
        shell += [(start + line - 1, command) for line, command in commands]
        lines += code.split("\n")
    return "\n".join(lines), shell


def without_magics(text: str) -> tuple[str, list[tuple[int, str]]]:
    """(the text with notebook magics replaced by `pass`, (line, shell command) of those that run one)."""
    if "!" not in text and "%" not in text:
        return text, []
    lines, shell = text.split("\n"), []
    in_string = False
    for number, line in enumerate(lines, start=1):
        if not in_string and (found := _MAGIC.match(line)):
            rest = line[found.end() :].lstrip("%!")
            shell.append((number, re.sub(r"^(?:sx|system|sh)\s+", "", rest)))
            lines[number - 1] = f"{found[1]}pass"
        elif not in_string and (assigned := re.match(r"^(\s*\w+\s*=\s*)!(.*)$", line)):
            shell.append((number, assigned[2]))
            lines[number - 1] = f"{assigned[1]}None"
        if (line.count('"""') + line.count("'''")) % 2:
            in_string = not in_string
    return "\n".join(lines), shell


def python_tree(text: str) -> ast.Module | None:
    """The syntax tree of a program, quietly; None where the text is no Python that can be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
