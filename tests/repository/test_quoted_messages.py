"""Messages that the documentation quotes are messages that the program has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parents[2]
VALUE = "…"  # stands for a value in a text of the program, and for what a page leaves out


def texts_of_the_program() -> Iterator[str]:
    """Every text in the code, with `…` for what is put in when it runs; that of the command line's library too."""
    for path in [*(ROOT / "src" / "mlebench").rglob("*.py"), *Path(click.__file__).parent.glob("*.py")]:
        docstrings = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr):
                docstrings.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else VALUE for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
                yield re.sub(r"\{\w*\}", VALUE, node.value)


def sentences(text: str) -> list[str]:
    """The sentences of a text without full stops; in the code a sentence and its hint are two texts."""
    return [each.strip().rstrip(".") for each in re.split(r"(?<=[.?!])\s+", " ".join(text.split())) if each.strip()]


def words(text: str) -> int:
    return len(re.findall(r"[A-Za-z]{2,}", text))


@cache
def patterns() -> tuple[list[re.Pattern[str]], list[str]]:
    """How sentences of the program look, and the parts of them that are always the same."""
    known = {each for text in texts_of_the_program() for each in sentences(text.replace("`", ""))}
    parts = {part.strip() for each in known for part in each.split(VALUE)}
    patterns = [
        re.compile(".*?".join(re.escape(part) for part in each.split(VALUE)))
        for each in known
        if VALUE not in each or words(each) >= 2
    ]
    return patterns, sorted(parts)


def is_said(sentence: str) -> bool:
    """Whether the program can say this sentence, in which `…` stands for anything."""
    whole, parts = patterns()
    # A line, a file or a competition may be named in front: "submissions.jsonl, line 2: …"
    ends = [sentence[found.end() :] for found in re.finditer(r"^|: ", sentence)]
    if any(pattern.fullmatch(end) for end in ends for pattern in whole):
        return True
    pieces = [piece.strip() for piece in sentence.split(VALUE)] if VALUE in sentence else [sentence]
    long = [piece for piece in pieces if words(piece) >= 2]
    return len(pieces) > 1 and all(any(piece in part for part in parts) for piece in long)


def quoted(page: Path) -> Iterator[str]:
    """The messages that a page quotes: sentences in code below "What can go wrong", or first in a row."""
    text = page.read_text(encoding="utf-8")
    if page.stem == "troubleshooting":
        yield from re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
        return
    section = re.search(r"^## What can go wrong\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", section[1], flags=re.DOTALL) if section else ""):
        if words(code) >= 3 and not re.match(r"mlebench|pip|docker", code):
            yield code


PAGES = [*sorted((ROOT / "docs" / "commands").glob("*.md")), ROOT / "docs" / "troubleshooting.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_quoted_messages(page: Path) -> None:
    never_said = [
        f"{message}\n    {each}" for message in quoted(page) for each in sentences(message) if not is_said(each)
    ]
    assert not never_said, "\n".join(never_said)


def test_the_check_can_fail() -> None:
    assert is_said("There is no competition 'spaceshi'")
    assert is_said("leaf-classification is not prepared in …")
    assert not is_said("There was no competition 'spaceshi'")
    assert not is_said("… is not readied in …")
    assert len(list(quoted(ROOT / "docs" / "commands" / "prepare.md"))) > 8
