"""Twin of herbarium-2020-fgvc7: sheets of one herbarium, with metadata in Latin-1."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlebench.competitions.families.herbarium_twin import Collection, submissions, write_collection

__all__ = ["make", "submissions"]

COLLECTION = Collection(
    folder="nybg2020/",
    encoding="latin-1",  # as in the real file, so that reading it as UTF-8 fails
    species=32094,
    sheets=1030000,
    rank="genus",
    taxa=["Aster", "Köleria", "Poa"],
    place="region",
    places=["Brasil", "São Paulo", "Curaçao", "Perú"],
    created="2020-01-21",
)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write sheets of a few species, many of them rare."""
    write_collection(raw, np.random.default_rng(seed), scale, COLLECTION)
