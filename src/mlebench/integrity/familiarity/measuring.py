"""The familiarity of a document: the mean probability of its tokens at places drawn by seed.

Whatever a model answers is kept by content: by the model, the method and the text, so that another seed, another plot
or a run that was interrupted asks for nothing twice.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.files.regular import is_regular, read_regular
from mlebench.files.writing import write_json
from mlebench.integrity.familiarity.completions import Completions, Method
from mlebench.integrity.familiarity.documents import Document

_FORM = 1  # of what is kept; a new one makes old answers void
_LARGEST = 64 << 20  # bytes of a file of answers
_BETWEEN_WORDS = re.compile(r"\S(?=[ \n]\w)")  # a token begins with the blank, whatever the tokenizer
# Where tokens begin where no tokenizer is at hand: words with the blank before them, and runs of other characters.
_WORDS = re.compile(r" ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+")


@dataclass(frozen=True)
class Settings:
    """What the number depends on, beside the model and the documents."""

    places: int = 1000  # at most, per document
    seed: int = 0
    top: int = 5  # tokens in the lists of a server
    context: int = 4000  # characters before a place that a model sees: about that number


@dataclass(frozen=True)
class Measured:
    """The familiarity of a document; None where not all its places are known."""

    document: Document
    probability: float | None
    places: int


class Answers:
    """What a model has answered about one document, kept in a file."""

    def __init__(self, folder: Path, model: str, method: Method, settings: Settings, text: str) -> None:
        self._about = {"form": _FORM, "model": model, "method": method.value, "top": settings.top}
        self._about["context"] = settings.context
        digest = hashlib.sha256(json.dumps([self._about, text]).encode("utf-8")).hexdigest()
        self._path = folder / f"{digest}.json"
        self.known: dict[str, Any] = self._read()

    def add(self, answers: dict[str, Any]) -> None:
        """Keep further answers, on disk too."""
        self.known |= answers
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._path, {**self._about, "answers": self.known})

    def _read(self) -> dict[str, Any]:
        """What is in the file; nothing where there is none, or a damaged one, which is asked for again."""
        if not is_regular(self._path):
            return {}
        try:
            answers = json.loads(read_regular(self._path, _LARGEST).decode("utf-8"))["answers"]
            if self._about["method"] == Method.ECHO:
                return {str(key): [(int(at), float(value)) for at, value in pairs] for key, pairs in answers.items()}
            return {str(key): float(value) for key, value in answers.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}


def measure(
    document: Document, model: str, method: Method, settings: Settings, folder: Path, completions: Completions | None
) -> Measured:
    """Measure one document; without `completions` only what is kept counts."""
    answers = Answers(folder, model, method, settings, document.text)
    of = _by_echo if method is Method.ECHO else _by_next_token
    probabilities = of(document.text, settings, answers, completions)
    if not probabilities:
        return Measured(document, None, 0)
    return Measured(document, sum(probabilities) / len(probabilities), len(probabilities))


def windows(text: str, context: int) -> list[tuple[int, int, int]]:
    """(begin, first that counts, end) of the pieces of a text: every character counts once, behind half of `context` or
    more other characters, or all that there are.

    >>> windows("one two three four five six", 10)
    [(0, 0, 13), (7, 13, 23), (13, 23, 27)]
    """
    borders = [0]
    while len(text) - borders[-1] > context:
        border = borders[-1] + context
        blanks = [found.start() + 1 for found in _BETWEEN_WORDS.finditer(text, borders[-1] + context // 2, border)]
        borders.append(blanks[-1] if blanks else border)
    borders.append(len(text))
    first = (0, 0, borders[min(2, len(borders) - 1)])
    others = ((borders[i - 1], borders[i], borders[i + 1]) for i in range(2, len(borders) - 1))
    return [first, *others]


def _by_echo(text: str, settings: Settings, answers: Answers, completions: Completions | None) -> list[float]:
    pieces = windows(text, settings.context)
    missing = [place for place in range(len(pieces)) if str(place) not in answers.known]
    if missing and completions is None:
        return []
    for part in _batches(missing, completions):
        prompts = [text[pieces[place][0] : pieces[place][2]] for place in part]
        found = completions.echoed(prompts) if completions else []
        counted = {}
        for place, tokens in zip(part, found, strict=True):
            begin, first, _ = pieces[place]
            counted[str(place)] = [
                (begin + offset, round(value, 7)) for offset, value in tokens if begin + offset >= first
            ]
        answers.add(counted)
    tokens = sorted({at: value for place in range(len(pieces)) for at, value in answers.known[str(place)]}.items())
    drawn = _drawn(len(tokens), text, settings)
    return [tokens[place][1] for place in drawn]


def _by_next_token(text: str, settings: Settings, answers: Answers, completions: Completions | None) -> list[float]:
    starts = [found.start() for found in _WORDS.finditer(text) if found.start()]
    places = [starts[place] for place in _drawn(len(starts), text, settings)]
    missing = [at for at in places if str(at) not in answers.known]
    if missing and completions is None:
        return []
    for part in _batches(missing, completions):
        pairs = [(text[max(0, at - settings.context) : at], text[at : at + 200]) for at in part]
        found = completions.next_tokens(pairs) if completions else []
        answers.add({str(at): round(value, 7) for at, value in zip(part, found, strict=True)})
    return [answers.known[str(at)] for at in places]


def _drawn(count: int, text: str, settings: Settings) -> list[int]:
    """The places that count, in order: all of them, or as many as asked for, drawn by the seed and the text."""
    if count <= settings.places:
        return list(range(count))
    draw = random.Random(f"{settings.seed}:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}")
    return sorted(draw.sample(range(count), settings.places))


def _batches(missing: Sequence[int], completions: Completions | None) -> list[Sequence[int]]:
    size = completions.batch if completions is not None else 1
    return [missing[begin : begin + size] for begin in range(0, len(missing), size)]
