"""What is compared: the code of a submission as one text, and the public notebooks of its competition."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mlebench.files.regular import is_folder
from mlebench.integrity.plagiarism.tokens import tokens_of
from mlebench.integrity.plagiarism.winnowing import Fingerprints, fingerprints, of_tokens
from mlebench.integrity.sources import Language, Source, python_tree, read_code

_COMPARED = (Language.PYTHON, Language.NOTEBOOK, Language.R)
_MOST_TEXT = 4 << 20  # characters of a submission that are compared


@dataclass(frozen=True)
class Document:
    """A text to compare; `files` are (first line in the text, name) of the files that it was made of."""

    path: Path
    text: str
    files: tuple[tuple[int, str], ...] = ()

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Its fingerprints."""
        if len(self.files) < 2:
            return fingerprints(self.text)
        lines = self.text.split("\n")
        tokens = []
        for place, (first, _) in enumerate(self.files):  # a mistake in one file must not hide the others
            last = self.files[place + 1][0] - 1 if place + 1 < len(self.files) else len(lines)
            tokens += [(kind, line + first - 1) for kind, line in tokens_of("\n".join(lines[first - 1 : last]))]
        return of_tokens(tokens)

    def place(self, line: int) -> tuple[str, int]:
        """(file, line in it) of a line of the text."""
        first, name = max((entry for entry in self.files if entry[0] <= line), default=(1, self.path.name))
        return name, line - first + 1

    def quotation(self, lines: tuple[int, int], most: int = 40) -> list[str]:
        """Lines of the text, from the first to the last."""
        return self.text.split("\n")[lines[0] - 1 : lines[1]][:most]


def submission_document(code: Path | None) -> tuple[Document | None, list[str]]:
    """(the code of a submission as one text without comments and code that nothing uses, what could not be read)."""
    folder = read_code(code)
    notes = list(folder.notes)
    sources = [source for source in folder.sources if source.language in _COMPARED]
    if not sources or code is None:
        return None, [*notes, f"{code} has no code that can be compared."]
    document = _joined(code, sources)
    return document, notes


def _joined(path: Path, sources: Iterable[Source]) -> Document:
    used = _used_names(source.text for source in sources)
    parts: list[str] = []
    files: list[tuple[int, str]] = []
    line, size = 1, 0
    for source in sources:
        text = without_comments(without_unused(source.text, used)) if source.language is not Language.R else source.text
        size += len(text)
        if size > _MOST_TEXT:
            break
        files.append((line, source.name))
        parts.append(text)
        line += text.count("\n") + 1
    return Document(path, "\n".join(parts), tuple(files))


def kernel_documents(folder: Path) -> tuple[list[Document], list[str]]:
    """(the public notebooks in the folder of a competition, what could not be read)."""
    if not is_folder(folder):
        return [], [f"There are no kernels at {folder}; `mlebench dev kernels download` gets them."]
    found = read_code(folder)
    documents = []
    for source in found.sources:
        if source.language in _COMPARED:
            text = without_comments(source.text) if source.language is not Language.R else source.text
            documents.append(Document(source.path, text, ((1, source.name),)))
    return documents, list(found.notes)


def without_comments(text: str) -> str:
    """A program in Python whose comments are blank, line by line the same; one that cannot be read stays as it is."""
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column].rstrip()
    except (tokenize.TokenError, SyntaxError, IndexError, ValueError):
        return "\n".join("" if re.match(r"\s*#", line) else line for line in lines)
    return "\n".join(lines)


def without_unused(text: str, used: set[str]) -> str:
    """A program without functions and classes that nothing names, and without branches that are never taken."""
    tree = python_tree(text)
    if tree is None:
        return text
    lines = text.split("\n")
    for node in ast.walk(tree):
        is_unused = (
            isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in used and not node.decorator_list
        )
        is_never = isinstance(node, ast.If | ast.While) and isinstance(node.test, ast.Constant) and not node.test.value
        if (is_unused and not node.name.startswith("__")) if is_unused else (is_never and not node.orelse):  # type: ignore[attr-defined]
            first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
            indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
            lines[first - 1 : last] = [f"{indent}pass", *([""] * (last - first))]
    shorter = "\n".join(lines)
    return shorter if python_tree(shorter) is not None else text


def _used_names(texts: Iterable[str]) -> set[str]:
    used: set[str] = set()
    for text in texts:
        tree = python_tree(text)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.If | ast.While) and isinstance(node.test, ast.Constant) and not node.test.value:
                node.body = []
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.ImportFrom):
                used.update(name.name for name in node.names)
    return used
