"""The texts about competitions: a user's files, in a folder per competition."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from mlebench.base.wording import plain
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_folder, is_regular, read_regular

SUFFIXES = (".txt", ".md", ".html", ".htm")
OWN_DESCRIPTION = "description.md of mlebench"
_LARGEST = 4 << 20  # bytes of a document that is read
_MOST = 1000  # documents of one competition
_SHORTEST = 40  # characters: in fewer there are no tokens to speak of
_BLOCKS = frozenset("p div br li tr h1 h2 h3 h4 h5 h6 pre table ul ol blockquote section article title".split())
_UNSEEN = frozenset({"script", "style", "template", "noscript"})


@dataclass(frozen=True)
class Document:
    """A text about a competition; its name is its path below the folder of the competition."""

    competition_id: str
    name: str
    text: str


def read_documents(folder: Path, notes: list[str]) -> list[Document]:
    """The documents in DIR/<competition id>/, sub-folders included; what cannot be read becomes a note."""
    if not folder.is_dir():
        raise MlebenchError(
            f"There is no folder {folder}.", hint="Put documents into DIR/<competition id>/ as .txt, .md or .html."
        )
    found = []
    for own in sorted(path for path in folder.iterdir() if is_folder(path) and not path.name.startswith(".")):
        paths = _files(own)
        if len(paths) > _MOST:
            notes.append(f"{plain(own.name, 100)} has more than {_MOST} documents; the others are not read.")
        for path in paths[:_MOST]:
            name = path.relative_to(own).as_posix()
            text = _text(path, f"{own.name}/{name}", notes)
            if text is not None:
                found.append(Document(own.name, name, text))
    return found


def _files(folder: Path) -> list[Path]:
    found = []
    for parent, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        found += [path for name in sorted(names) if is_regular(path := Path(parent, name)) and _is_document(path)]
        if len(found) > _MOST:
            break
    return found


def _is_document(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def _text(path: Path, name: str, notes: list[str]) -> str | None:
    shown = plain(name, 200)
    try:
        text = read_regular(path, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.append(f"{shown} is left out: it is not UTF-8 text.")
        return None
    except OSError as error:
        notes.append(f"{shown} is left out: {error.strerror}.")
        return None
    text = text_of_html(text) if path.suffix.lower() in (".html", ".htm") else text
    text = text.replace("\r\n", "\n").replace("\0", "").strip()
    if len(text) < _SHORTEST:
        notes.append(f"{shown} is left out: it has fewer than {_SHORTEST} characters.")
        return None
    return text


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(re.sub(r"\s+", " ", data))


def text_of_html(html: str) -> str:
    """What a reader sees of a page, a paragraph per line.

    >>> text_of_html("<h1>Task</h1><script>x</script><p>Predict <b>it</b>.</p>")
    'Task\\nPredict it.'
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (line.strip() for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)
