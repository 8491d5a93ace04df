"""What is measured: a competition, how large its archive is, and what must be reached."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from mlebench.competition.registry import registry
from mlebench.data.raw_archives import twin_comment
from mlebench.data.record import Twin
from mlebench.twins import write_twin


@dataclass(frozen=True)
class Case:
    """One comparison: `speed` is how many times faster we must be, `memory` the share of its memory we may take."""

    competition_id: str
    size: str
    write_archive: Callable[[Path], Path]
    speed: float
    memory: float | None = None


def twin(competition_id: str, scale: int, folder: Path) -> Path:
    """The twin of a competition at a scale."""
    return write_twin(registry.get_competition(competition_id), folder, scale=scale)


def pages(folder: Path) -> Path:
    """Document pages of the real size: the twin's are tiny, and here the number of pixels matters."""
    rng = np.random.default_rng(0)
    path = folder / "denoising-dirty-documents.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.comment = twin_comment(Twin(0, 1))
        for name in ("train", "train_cleaned"):
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as inner:
                for number in range(1, 121):
                    page = np.full((420, 540), 255, np.uint8)
                    ink = rng.random(page.shape) < 0.1
                    page[ink] = rng.integers(0, 256, int(ink.sum()))
                    picture = io.BytesIO()
                    Image.fromarray(page).save(picture, "PNG", compress_level=1)
                    inner.writestr(f"{name}/{number}.png", picture.getvalue())
            archive.writestr(f"{name}.zip", buffer.getvalue())
    return path


def _twin_case(competition_id: str, scale: int, size: str, speed: float, memory: float | None = None) -> Case:
    return Case(competition_id, size, partial(twin, competition_id, scale), speed, memory)


CASES = [
    _twin_case("aerial-cactus-identification", 420, "50,400 images", speed=5),
    _twin_case("histopathologic-cancer-detection", 420, "63,000 images", speed=5),
    # More rows than are kept in memory, as in the real table of 55 million.
    _twin_case("new-york-city-taxi-fare-prediction", 780, "8.0 million rows", speed=3.5, memory=0.33),
    _twin_case("tabular-playground-series-dec-2021", 8000, "4.0 million rows", speed=4, memory=0.33),
    _twin_case("text-normalization-challenge-english-language", 5900, "10 million rows", speed=3.5, memory=0.45),
    Case("denoising-dirty-documents", "5.4 million pixels", pages, speed=3, memory=0.5),
]
