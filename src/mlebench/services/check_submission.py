"""Checks one submission for the validation server, in a process of its own: `python -m … REQUEST ANSWER`.

REQUEST names the competition and the file, as JSON; ANSWER is written as JSON. A grader that runs out of memory or
takes too long then costs the server nothing, and the answers are in no process for longer than a check takes.
"""

from __future__ import annotations

import ast
import json
import mmap
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from mlebench.base.processes import end_with
from mlebench.competition.loading import load_folder
from mlebench.competition.local import LocalCompetition
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grading import VALID, score_file
from mlebench.renaming.mapping import Renaming, load_renaming
from mlebench.renaming.submissions import with_true_names

# What a message may quote: a text in quotation marks, perhaps cut off, or a bare word or number.
_TOKEN = re.compile(r"""(?<!\w)'(?:[^'\\]|\\.)*?['…]|(?<!\w)"(?:[^"\\]|\\.)*?["…]|[^\s'",;:()…]+""")
_HIDDEN = "…"
# Memory of a check, without what libraries map: Python, pandas and their threads, and the tables.
_MEMORY_AT_LEAST, _MEMORY_FACTOR = 2 << 30, 60
# What continues a word or number, before and after it.
_BEFORE, _AFTER = re.compile(rb"[\w.-]"), re.compile(rb"[\w-]|\.\d")


def check(submission: Path, competition: LocalCompetition, renaming: Renaming | None = None) -> tuple[bool, str]:
    """(whether it is valid, a sentence); valid files get one and the same, and a refusal quotes no private value."""
    if renaming is not None:
        with with_true_names(submission, renaming) as original:
            is_valid, sentence = check(original, competition)
        return is_valid, sentence if is_valid else renaming.message(sentence)
    try:
        score_file(submission, competition)
    except InvalidSubmissionError as error:
        known = (submission, competition.sample_submission, competition.public_dir / "description.md")
        sentence = str(InvalidSubmissionError(error.sentence, code=error.code, hint=error.hint))
        shown = without_private_values(sentence, known, competition.answers)
        # The line follows from the file and the whole sentence: it may be given where the whole sentence is.
        return False, f"{error.place}: {shown}" if error.place and shown == sentence else shown
    return True, VALID


def without_private_values(message: str, known: tuple[Path, ...], answers: Path) -> str:
    """The message with everything struck out that could come from the answers and that the contestant did not know.

    A quoted value must be in one of the `known` files; a bare word or number must be there, or else not be a value of
    the answers.
    """
    with ExitStack() as opened:
        sources = [opened.enter_context(_content(path)) for path in known]
        private = opened.enter_context(_content(answers))
        is_text = answers.suffix.lower() in (".csv", ".tsv", ".json", ".jsonl", ".txt")

        def checked(token: str) -> str:
            if token[0] in "'\"":
                value = _unquoted(token)
                return token if any(source.find(value) >= 0 for source in sources) else _HIDDEN
            bare = token.strip(".,!?`").encode()
            if not bare or any(_has_value(source, bare) for source in sources):
                return token
            is_private = _has_value(private, bare) if is_text else any(byte in b"0123456789" for byte in bare)
            return _HIDDEN if is_private else token

        return _TOKEN.sub(lambda match: checked(match[0]), message)


def _unquoted(token: str) -> bytes:
    if token.endswith("…"):  # a long value, cut off
        return token[1:-1].encode()
    try:
        value = ast.literal_eval(token)
    except (SyntaxError, ValueError):
        value = token[1:-1]
    return str(value).encode("utf-8", "surrogatepass")


def _has_value(content: mmap.mmap | bytes, value: bytes) -> bool:
    """Whether a value is there as a whole, not as a part of a longer word or number."""
    at = content.find(value)
    while at >= 0:
        end = at + len(value)
        if not _BEFORE.match(content[max(0, at - 1) : at]) and not _AFTER.match(content[end : end + 2]):
            return True
        at = content.find(value, at + 1)
    return False


@contextmanager
def _content(path: Path) -> Iterator[mmap.mmap | bytes]:
    if not path.is_file() or path.stat().st_size == 0:
        yield b""
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content


def memory_for(competition: LocalCompetition) -> int:
    """The bytes that a check may take: in proportion to what there is to read, whatever the agent sends."""
    sizes = (path.stat().st_size for path in (competition.answers, competition.sample_submission) if path.is_file())
    return _MEMORY_AT_LEAST + _MEMORY_FACTOR * max(sizes, default=0)


def limit_memory(limit: int) -> None:
    """Let this process have no more memory than this; where the system has no such limit, time alone is limited."""
    if sys.platform.startswith("linux"):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def main(request: Path, answer: Path) -> None:
    """Check what the request names and write the answer."""
    asked = json.loads(request.read_text(encoding="utf-8"))
    end_with(asked["parent"])
    competition = LocalCompetition(load_folder(Path(asked["folder"])), Path(asked["data_dir"]), asked["edition"])
    limit_memory(memory_for(competition))
    renaming = None if asked["renaming"] is None else load_renaming(Path(asked["renaming"]))
    is_valid, sentence = check(Path(asked["submission"]), competition, renaming)
    answer.write_text(json.dumps({"is_valid": is_valid, "sentence": sentence}), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
