"""The engines that measure similarity: a registry, which other packages extend by `mlebench.plagiarism_engines`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mlebench.base.registered import Registered
from mlebench.integrity.plagiarism.documents import Document
from mlebench.integrity.plagiarism.winnowing import similarity


class Engine(Protocol):
    """Measures how similar submissions are to kernels."""

    name: str

    def require(self) -> None:
        """Raise a MlebenchError with what to install where it cannot work on this machine."""

    def similarities(
        self, submissions: Sequence[Document], kernels: Sequence[Document], *, timeout: float
    ) -> list[list[float]]:
        """For every submission, its similarity to every kernel; a MlebenchError where that takes too long."""


class Winnowing:
    """Winnowing over tokens, without anything but Python."""

    name = "winnowing"

    def require(self) -> None:
        """It works everywhere."""

    def similarities(
        self, submissions: Sequence[Document], kernels: Sequence[Document], *, timeout: float
    ) -> list[list[float]]:
        """For every submission, its similarity to every kernel."""
        return [
            [similarity(submission.fingerprints, kernel.fingerprints) for kernel in kernels]
            for submission in submissions
        ]


WINNOWING = Winnowing()
ENGINES: Registered[Engine] = Registered(
    "mlebench.plagiarism_engines",
    lazily={
        "winnowing": "mlebench.integrity.plagiarism.engines:WINNOWING",
        "dolos": "mlebench.integrity.plagiarism.dolos:DOLOS",
    },
)
