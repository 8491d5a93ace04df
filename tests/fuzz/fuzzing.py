"""Grading mutated submissions of a competition, and what must hold of every one of them."""

from __future__ import annotations

import gc
import random
import re
import tempfile
import tomllib
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutations import Mutant, mutant

from mlebench.competition.local import LocalCompetition
from mlebench.errors import InvalidSubmissionError
from mlebench.files.tables import read_csv
from mlebench.grade.grading import score_file
from mlebench.twins import write_submissions

EXCEPTIONS: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "exceptions.toml").read_text())
LONGEST = 600
CATCH_ALL = "The submission cannot be scored"
# Words that only code says; none of them is in what the mutations write.
LIBRARY = re.compile(
    r"C error|dtype|ufunc|NoneType|ndarray|numpy|pandas|pyarrow|sklearn|Traceback|<class|\w+Error\b|Exception"
    r"|invalid literal|could not convert|cannot convert|unhashable|not supported between|out of bounds|out-of-bounds"
    r"|not subscriptable|too large to convert|has no attribute|Input contains|Length mismatch|broadcast|tokenizing"
)


@dataclass
class Figures:
    """What became of the mutants of a competition."""

    scored: int = 0
    refused: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def good_submissions(competition: LocalCompetition, most: int | None = None) -> dict[str, bytes]:
    """The sample submission and the twin's examples that are scored and have the ids of the sample, by name.

    At most so many of them: always the same ones for a competition, and others for the next.
    """
    found = {"sample": competition.sample_submission}
    ids = sorted(map(str, read_csv(found["sample"])[id_name(competition)]))
    with tempfile.TemporaryDirectory() as folder:
        if competition.declaration.group != "practice":
            examples = list(write_submissions(competition, Path(folder)))
            random.Random(competition.id).shuffle(examples)
            found |= {path.stem: path for path in examples}
        good: dict[str, bytes] = {}
        for name, path in found.items():
            if most is not None and len(good) >= most:
                break
            try:
                score_file(path, competition)
                if name == "sample" or sorted(map(str, read_csv(path)[id_name(competition)])) == ids:
                    good[name] = path.read_bytes()
            except (InvalidSubmissionError, KeyError):
                continue
    return good


def id_name(competition: LocalCompetition) -> str:
    """The column of ids: the first one of the sample submission that has a name, unless an exception says otherwise."""
    if known := EXCEPTIONS.get(competition.id, {}).get("ids"):
        return str(known)
    columns = read_csv(competition.sample_submission, nrows=0).columns
    return next(str(name) for name in columns if not str(name).startswith("Unnamed: "))


def fuzz(
    competition: LocalCompetition, count: int, *, seed: int = 0, keep: Path | None = None, most: int | None = None
) -> Figures:
    """Grade so many mutants; the same ones for the same seed. Those that show a problem are kept in a folder.

    They are mutants of at most so many good submissions.
    """
    good, name = good_submissions(competition, most), id_name(competition)
    figures = Figures()
    gc.collect()  # a file that something else left open is not what is warned of below
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.csv"
        for number in range(count):
            each = mutant(good, name, random.Random(f"{competition.id} {seed} {number}"))
            path.write_bytes(each.content)
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                problem = _problem(competition, each, path, figures)
            if problem is None and warned:  # it would be on the user's screen
                problem = f"warned of {str(warned[0].message)[:200]}"
            if problem is not None:
                figures.problems.append(f"{competition.id}, mutant {number} of seed {seed} ({each.what}): {problem}")
                if keep is not None:
                    (keep / f"{competition.id}-{seed}-{number}.csv").write_bytes(each.content)
    return figures


def _problem(competition: LocalCompetition, each: Mutant, path: Path, figures: Figures) -> str | None:
    try:
        score = score_file(path, competition)
    except InvalidSubmissionError as refusal:
        figures.refused += 1
        figures.refusals[re.sub(r"'.*'|\d+", "…", str(refusal))[:60]] += 1
        return _bad_message(str(refusal))
    except Exception as error:
        return f"raised {type(error).__name__}: {str(error)[:200]}"
    figures.scored += 1
    if each.incomplete and "scores_incomplete" not in EXCEPTIONS.get(competition.id, {}):
        return f"scored {score} although a row or an id is missing"
    return None


def _bad_message(message: str) -> str | None:
    if CATCH_ALL in message:
        return f"no rule refuses it: {message}"
    if len(message) > LONGEST or not message.isprintable():
        return f"the message is too long or not one line: {message[:200]!r}"
    if found := LIBRARY.search(message):
        return f"the message speaks of {found[0]}: {message}"
    return None
