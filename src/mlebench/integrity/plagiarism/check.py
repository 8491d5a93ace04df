"""Comparing submissions with the kernels of their competitions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.base import progress
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_folder
from mlebench.integrity.plagiarism.documents import Document, kernel_documents, submission_document
from mlebench.integrity.plagiarism.engines import Engine
from mlebench.integrity.plagiarism.winnowing import passages
from mlebench.integrity.subjects import Subject

THRESHOLD = 0.6  # above which an attempt is disqualified, as published
_MOST_PASSAGES, _MOST_LINES = 5, 30


@dataclass(frozen=True)
class Compared:
    """A submission with its similarity to every kernel, the highest first, and what could not be read."""

    subject: Subject
    pairs: tuple[tuple[Path, float], ...]
    threshold: float
    passages: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def highest(self) -> float | None:
        """The highest similarity; None where nothing could be compared."""
        return self.pairs[0][1] if self.pairs else None

    @property
    def is_disqualified(self) -> bool | None:
        """Whether it is above the threshold; None where nothing could be compared."""
        return None if self.highest is None else self.highest > self.threshold

    def lines(self) -> list[dict[str, Any]]:
        """The pairs in the published form."""
        left = str(self.subject.code_path)
        return [{"leftFile": left, "rightFile": str(path), "similarity": value} for path, value in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """The entry of plagiarism.json."""
        return {
            "code_path": str(self.subject.code_path) if self.subject.code_path else None,
            "competition_id": self.subject.competition_id,
            **({"run_id": self.subject.run.record.run_id} if self.subject.run is not None else {}),
            "highest_similarity": self.highest,
            "kernel": str(self.pairs[0][0]) if self.pairs else None,
            "disqualified": self.is_disqualified,
            "threshold": self.threshold,
            "passages": list(self.passages),
            "notes": list(self.notes),
        }


def compare_submissions(
    subjects: Sequence[Subject],
    kernels_dir: Path,
    engine: Engine,
    *,
    timeout: float,
    threshold: float,
    on_compared: Callable[[Compared], object] = lambda _: None,
) -> list[Compared]:
    """Compare every submission with the kernels of its own competition, in the order of the submissions."""
    if not is_folder(kernels_dir):
        raise MlebenchError(
            f"There is no folder {kernels_dir}.", hint="Get kernels with: mlebench dev kernels download -c ID"
        )
    done: dict[int, Compared] = {}
    for competition_id in dict.fromkeys(subject.competition_id for subject in subjects):
        places = [place for place, subject in enumerate(subjects) if subject.competition_id == competition_id]
        kernels, problems = kernel_documents(_kernel_folder(kernels_dir, competition_id))
        read = [submission_document(subjects[place].code_path) for place in places]
        documents = [document for document, _ in read if document is not None]
        failure: list[str] = []
        try:
            measured = engine.similarities(documents, kernels, timeout=timeout) if kernels else [[] for _ in documents]
        except MlebenchError as error:
            measured, failure = [[] for _ in documents], [str(error)]
        rows = iter(measured)
        for place, (document, notes) in zip(places, read, strict=True):
            values = next(rows) if document is not None else []
            problems_of_all = [*notes, *problems, *failure]
            with progress.task(subjects[place].name):
                compared = _compared(subjects[place], document, kernels, values, threshold, problems_of_all)
            done[place] = compared
            on_compared(compared)
    return [done[place] for place in range(len(subjects))]


def _kernel_folder(kernels_dir: Path, competition_id: str) -> Path:
    folder = kernels_dir / competition_id
    safe = competition_id and os.sep not in competition_id and competition_id not in (".", "..")
    return folder if safe else kernels_dir / "?"


def _compared(
    subject: Subject,
    document: Document | None,
    kernels: Sequence[Document],
    values: Sequence[float],
    threshold: float,
    notes: list[str],
) -> Compared:
    pairs = sorted(zip(kernels, values, strict=False), key=lambda pair: (-pair[1], str(pair[0].path)))
    shown: list[dict[str, Any]] = []
    if pairs and document is not None and pairs[0][1] > 0:
        kernel = pairs[0][0]
        for passage in passages(document.fingerprints, kernel.fingerprints, _MOST_PASSAGES):
            file, first = document.place(passage.left[0])
            shown.append(
                {
                    "file": file,
                    "line": first,
                    "code": document.quotation(passage.left, _MOST_LINES),
                    "kernel_line": passage.right[0],
                    "kernel_code": kernel.quotation(passage.right, _MOST_LINES),
                }
            )
    named = tuple((kernel.path, round(value, 6)) for kernel, value in pairs)
    return Compared(subject, named, threshold, tuple(shown), tuple(notes))
