"""Twin of mlsp-2013-birds: milliseconds of forest in which every species sings one note of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.images import bmp
from mlebench.twins.kit.sounds import wav
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

SPECIES = {
    "BRCR": "Brown Creeper",
    "PAWR": "Pacific Wren",
    "PSFL": "Pacific-slope Flycatcher",
    "RBNU": "Red-breasted Nuthatch",
    "DEJU": "Dark-eyed Junco",
    "OSFL": "Olive-sided Flycatcher",
    "HETH": "Hermit Thrush",
    "CBCH": "Chestnut-backed Chickadee",
    "VATH": "Varied Thrush",
    "HEWA": "Hermit Warbler",
    "SWTH": "Swainson's Thrush",
    "HAFL": "Hammond's Flycatcher",
    "WETA": "Western Tanager",
    "BHGB": "Black-headed Grosbeak",
    "GCKI": "Golden Crowned Kinglet",
    "WAVI": "Warbling Vireo",
    "MGWA": "MacGillivray's Warbler",
    "STJA": "Stellar's Jay",
    "CONI": "Common Nighthawk",
}
RATE = 16000
SAMPLES = 96
ESSENTIAL = "mlsp_contest_dataset/essential_data"
SUPPLEMENTAL = "mlsp_contest_dataset/supplemental_data"
HISTOGRAM_HEADER = "rec_id,[histogram of segment features]"


def _sound(rng: np.random.Generator, singing: Sequence[int]) -> bytes:
    time = np.arange(SAMPLES) / RATE
    signal = rng.normal(0, 300, SAMPLES)
    signal += sum(4000 * np.sin(2 * np.pi * (800 + 350 * species) * time) for species in singing)
    return wav(np.clip(signal, -32768, 32767), RATE)


def _spectrogram(rng: np.random.Generator, singing: Sequence[int], brightness: int = 0) -> bytes:
    """A picture with one line per species from the bottom up, bright where the species sings."""
    lines = rng.integers(0, 40, (len(SPECIES), 3)) + brightness
    lines[list(singing)] += 150
    grey = np.clip(lines, 0, 255).astype(np.uint8)[::-1]
    return bmp(np.repeat(grey[:, :, None], 3, axis=2))


def _segments(rng: np.random.Generator, songs: Sequence[Sequence[int]]) -> tuple[list[str], list[str], list[str]]:
    """Lines of the histograms, features and rectangles; a recording without segments has only a histogram."""
    histograms, features, rectangles = [], [], []
    for recording, singing in enumerate(songs):
        counts = np.zeros(100)
        for segment in range(len(singing) + int(rng.random() < 0.3)):
            kind = singing[segment] if segment < len(singing) else 99
            counts[(kind * 5 + rng.integers(0, 2)) % 100] += 1
            values = rng.normal(kind, 1, 38) * 10.0 ** rng.integers(-6, 3, 38)
            features.append(f"{recording},{segment}," + ",".join(f"{value:.6g}" for value in values))
            corners = rng.integers(0, 256, 4)
            rectangles.append(f"{recording},{segment}," + ",".join(map(str, corners)))
        shares = ("0" if count == 0 else repr(float(count / counts.sum())) for count in counts)
        histograms.append(f"{recording}," + ",".join(shares))
    return histograms, features, rectangles


def _place_and_date(rng: np.random.Generator) -> str:
    place, year, month, day = (int(rng.integers(*limits)) for limits in ((1, 19), (9, 11), (5, 8), (1, 29)))
    return f"PC{place}_20{year:02d}{month:02d}{day:02d}"


def make(raw: Path, seed: int, scale: int) -> None:
    """Write recordings with labels, pictures and segments; the labels of 37 in 90 are hidden."""
    rng = np.random.default_rng(seed)
    n = 90 * scale
    fold = rng.permutation((np.arange(n) >= 53 * scale).astype(int))
    counts = [0, 1, 1, 1, 2, 2, 3, 5]
    songs = [sorted(rng.choice(len(SPECIES), rng.choice(counts), replace=False)) for _ in range(n)]
    names = [f"{_place_and_date(rng)}_{5 + i % 3:02d}{i % 60:02d}00_{i:04d}" for i in range(n)]
    labels = ["?" if hidden else ",".join(map(str, song)) for hidden, song in zip(fold, songs, strict=True)]
    histograms, features, rectangles = _segments(rng, songs)
    species = [f"{code},{name}" for code, name in SPECIES.items()]
    asked = [f"{i},{number},0" for i in np.flatnonzero(fold)[:3] for number in range(len(SPECIES))]
    texts = {
        f"{ESSENTIAL}/CVfolds_2.txt": _lines("rec_id,fold", _numbered(fold)),
        f"{ESSENTIAL}/rec_id2filename.txt": _lines("rec_id,filename", _numbered(names)),
        f"{ESSENTIAL}/species_list.txt": _lines("class_id,code,species", _numbered(species)),
        f"{ESSENTIAL}/rec_labels_test_hidden.txt": _lines("rec_id,[labels]", _numbered(labels)),
        f"{ESSENTIAL}/sample_submission.csv": _lines("rec_id,species,probability", asked),
        f"{SUPPLEMENTAL}/histogram_of_segments.txt": _lines(HISTOGRAM_HEADER, histograms),
        # One file without a final line break and one with DOS line ends.
        f"{SUPPLEMENTAL}/segment_features.txt": _lines("rec_id,segment_id,[feature vector]", features)[:-1],
        f"{SUPPLEMENTAL}/segment_rectangles.txt": _lines("rec_id,segment_id,[rectangle]", rectangles, "\r\n"),
    }
    members = {
        "mlsp_contest_dataset/README.txt": b"synthetic\r\n",
        f"{ESSENTIAL}/": b"",
        f"{SUPPLEMENTAL}/": b"",
    }
    members |= {name: text.encode("ascii") for name, text in texts.items()}
    members[f"{SUPPLEMENTAL}/segment_clusters.bmp"] = _spectrogram(rng, [0, 5])
    members[f"{SUPPLEMENTAL}/segment_mosaic.bmp"] = _spectrogram(rng, [7])
    drawn = set(np.flatnonzero(fold == 0)[::7])
    for i, (name, song) in enumerate(zip(names, songs, strict=True)):
        members[f"{ESSENTIAL}/src_wavs/{name}.wav"] = _sound(rng, song)
        for kind in ("spectrograms", "filtered_spectrograms", "supervised_segmentation"):
            members[f"{SUPPLEMENTAL}/{kind}/{name}.bmp"] = _spectrogram(rng, song, len(kind))
        if i in drawn:
            members[f"{SUPPLEMENTAL}/segmentation_examples/{name}.bmp"] = _spectrogram(rng, song, 99)
    zip_members(raw / "mlsp_contest_dataset.zip", members.items())
    (raw / "mlsp13birdchallenge_documentation.pdf").write_bytes(b"%PDF-1.4 synthetic\n")


def _numbered(values: Iterable[object]) -> list[str]:
    """Each value behind its number; a number without a value stands alone."""
    return [f"{number},{value}".rstrip(",") for number, value in enumerate(values)]


def _lines(header: str, rows: list[str], end: str = "\n") -> str:
    return "".join(line + end for line in (header, *rows))


def _old_format(case: Case) -> pd.DataFrame:
    """The three columns of the original documentation."""
    return pd.DataFrame({"rec_id": case.ids // 100, "species": case.ids % 100, "probability": case.guess})


submissions = Submissions(
    guess=lambda case: np.clip(case.truth * 0.3 + case.rng.random(case.n) * 0.7, 0, 1),
    usual=Usual("noisy", unknown=10**7, wrong_column="probability", no_id="id", extra_first={"a": 1}),
    cells={"above_one": 1.01, "below_zero": Cell(-0.01, row=-1), "text": "?"},
    variants=["float_ids", "ties", "inverted", "boolean", "header_only"],
    special=lambda case: {
        "species_prior": case.truth.groupby(case.ids % 100).transform("mean"),
        "old_format": _old_format(case),
    },
)
