"""Twin of herbarium-2021-fgvc8: sheets of several herbaria, with metadata in UTF-8."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlebench.competitions.families.herbarium_twin import Collection, submissions, write_collection

__all__ = ["make", "submissions"]

COLLECTION = Collection(
    folder="",
    encoding="utf-8",
    species=64500,
    sheets=2257759,
    rank="order",
    taxa=["Asterales", "Poales Ж", "草目"],
    place="institution",
    places=["New York Botanical Garden", "Bishop Museum", "Naturalis – Leiden", 'Queensland "BRI"'],
    created="2021-02-01",
)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write sheets of a few species, other ones than the twin of 2020 has for the same seed."""
    write_collection(raw, np.random.default_rng(seed + 2021), scale, COLLECTION)
