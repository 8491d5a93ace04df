"""What clean competitions are drawn from: people, plots, flats, texts, pictures, sounds, scans, sales, recipes, places.

Labels depend on features by chance laws that hold for all items alike, whichever side of the split they will be on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from examiner_media import dicom_bytes, disc_picture, picture_bytes, tone_bytes
from numpy.typing import NDArray

from mlebench.kit import encode_runs

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Conditions:
    """What differs between clean competitions of one kind."""

    rows: int = 900
    test_share: float = 0.25
    balance: float = 0.0  # shifts labels: 1.5 makes positives rare
    strength: float = 1.0  # how much features say
    split: str = "random"  # or time: the last rows are the test set
    repeats: bool = False  # half of the rows repeat others


@dataclass(frozen=True)
class RawData:
    """The raw table of a competition, with one file per item where there are such."""

    table: pd.DataFrame
    files: dict[str, bytes] = field(default_factory=dict)  # by id and suffix


def _ids(rng: np.random.Generator, n: int) -> list[Any]:
    """Ids in one of the styles that organisers use; they say nothing."""
    style = int(rng.integers(4))
    if style == 0:
        return list(range(1, n + 1))
    if style == 1:
        return [f"{number:016x}" for number in rng.integers(2**60, 2**63, n)]
    if style == 2:
        return [int(number) for number in rng.permutation(np.arange(10_000, 10_000 + 3 * n))[:n]]
    prefix = str(rng.choice(["ID_", "x", "case-", "item"]))
    return [f"{prefix}{number:06d}" for number in rng.permutation(10 * n)[:n]]


def _noise(rng: np.random.Generator, n: int, scale: float = 1.0) -> Floats:
    return rng.normal(0, scale, n)


def _people(rng: np.random.Generator, n: int, hidden: Floats, strength: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": np.clip(42 - 4 * strength * hidden + _noise(rng, n, 11), 18, 90).astype(int),
            "income": np.round(np.exp(10.3 - 0.25 * strength * hidden + _noise(rng, n, 0.4)), 2),
            "debt_ratio": np.round(np.clip(0.3 + 0.08 * strength * hidden + _noise(rng, n, 0.12), 0, 2), 4),
            "region": rng.choice(["north", "south", "east", "west"], n),
            "n_accounts": rng.poisson(np.clip(3 + strength * hidden, 0.2, None)),
            "opened": (np.datetime64("2019-01-01") + rng.integers(0, 1400, n)).astype(str),
        }
    )


def _classes(rng: np.random.Generator, hidden: Floats, names: list[str], balance: float) -> NDArray[Any]:
    noisy = hidden + _noise(rng, len(hidden), 0.4) - balance
    limits = np.linspace(-1, 1, len(names) + 1)[1:-1]
    return np.array(names)[np.digitize(noisy, limits)]


def loans(rng: np.random.Generator, at: Conditions) -> RawData:
    """Who does not pay back: a table with two classes."""
    hidden = _noise(rng, at.rows)
    defaulted = (hidden + _noise(rng, at.rows, 0.5) > 0.6 + at.balance).astype(int)
    table = _people(rng, at.rows, hidden, at.strength)
    table.insert(0, "loan_id", _ids(rng, at.rows))
    return RawData(table.assign(defaulted=defaulted))


def habitats(rng: np.random.Generator, at: Conditions) -> RawData:
    """What grows on a plot: a table with four classes."""
    n, hidden = at.rows, _noise(rng, at.rows)
    table = pd.DataFrame({"plot": _ids(rng, n)})
    for number, weight in enumerate((1.0, 0.5, -0.7, 0.0, 0.0)):
        name = ("elevation", "slope", "moisture", "aspect", "hillshade")[number]
        table[name] = np.round(100 + 30 * (at.strength * weight * hidden + _noise(rng, n)), 1)
    table["soil"] = rng.choice(list("ABCDE"), n)
    habitats = ["meadow", "spruce", "pine", "scrub"]
    return RawData(table.assign(habitat=_classes(rng, hidden, habitats, at.balance)))


def rents(rng: np.random.Generator, at: Conditions) -> RawData:
    """What a flat costs: a table with numbers to predict."""
    n, size = at.rows, rng.gamma(6, 12, at.rows)
    table = pd.DataFrame({"listing": _ids(rng, n), "square_metres": np.round(size, 1)})
    table["rooms"] = np.clip(size // 22 + rng.integers(0, 2, n), 1, None).astype(int)
    table["built"] = rng.integers(1900, 2022, n)
    table["district"] = rng.choice([f"D{number:02d}" for number in range(12)], n)
    table["floor"] = rng.integers(0, 8, n)
    rent = 180 + 9.5 * size * at.strength + (table["built"] - 1950) * 1.5 + _noise(rng, n, 90)
    return RawData(table.assign(rent=np.round(np.clip(rent, 90, None), 2)))


def crops(rng: np.random.Generator, at: Conditions) -> RawData:
    """What grows on a field: a column per class."""
    n, hidden = at.rows, _noise(rng, at.rows)
    table = pd.DataFrame({"field_id": _ids(rng, n)})
    for number in range(6):
        table[f"band_{number}"] = np.round(0.4 + 0.05 * at.strength * hidden * (number - 2) + _noise(rng, n, 0.1), 5)
    crop = _classes(rng, hidden, ["maize", "rice", "wheat"], at.balance)
    return RawData(table.assign(**{name: (crop == name).astype(int) for name in ("maize", "rice", "wheat")}))


_WORDS = np.array(
    "the order arrived late again please help me with my account card screen battery refund box was broken and cannot "
    "log in since monday team was friendly delivery price invoice wrong twice password reset link app crashes update "
    "phone story about two friends who travel through winter night city dance war robot love murder detective "
    "summer island".split()
)


def _texts(rng: np.random.Generator, hidden: Floats, strength: float) -> list[str]:
    """Texts whose words are chosen a little by a hidden value."""
    lean = rng.normal(0, 1, len(_WORDS))
    found = []
    for value in hidden:
        weights = np.exp(0.5 * strength * value * lean)
        words = rng.choice(_WORDS, int(rng.integers(12, 45)), p=weights / weights.sum())
        found.append((" ".join(words) + ".").capitalize())
    return found


def tickets(rng: np.random.Generator, at: Conditions) -> RawData:
    """Which team a message is for: texts with three classes."""
    hidden = _noise(rng, at.rows)
    queue = _classes(rng, hidden, ["billing", "technical", "shipping"], at.balance)
    texts = _texts(rng, hidden, at.strength)
    return RawData(pd.DataFrame({"ticket": _ids(rng, at.rows), "message": texts, "queue": queue}))


def genres(rng: np.random.Generator, at: Conditions) -> RawData:
    """What a film is: texts with three labels that go together."""
    n, hidden = at.rows, _noise(rng, at.rows)
    table = pd.DataFrame({"movie_id": _ids(rng, n), "plot": _texts(rng, hidden, at.strength)})
    table["year"] = rng.integers(1960, 2024, n)
    for number, name in enumerate(("drama", "comedy", "action")):
        table[name] = (hidden * (1 - number) + _noise(rng, n) > 0.3 + at.balance).astype(int)
    return RawData(table)


def leaves(rng: np.random.Generator, at: Conditions) -> RawData:
    """What ails a leaf: pictures in folders."""
    hidden = _noise(rng, at.rows)
    ids = [f"leaf_{number:05d}" for number in rng.permutation(9 * at.rows)[: at.rows]]
    files = {
        f"{item}.jpg": picture_bytes(rng, at.strength * value, "JPEG") for item, value in zip(ids, hidden, strict=True)
    }
    disease = _classes(rng, hidden, ["healthy", "rust", "scab"], at.balance)
    return RawData(pd.DataFrame({"image_id": ids, "disease": disease}), files)


def cells(rng: np.random.Generator, at: Conditions) -> RawData:
    """Whether cells are malignant: pictures, packed."""
    hidden = _noise(rng, at.rows)
    ids = [f"{number:012x}" for number in rng.integers(2**44, 2**47, at.rows)]
    files = {
        f"{item}.png": picture_bytes(rng, at.strength * value, "PNG") for item, value in zip(ids, hidden, strict=True)
    }
    malignant = (hidden + _noise(rng, at.rows, 0.5) > 0.4 + at.balance).astype(int)
    return RawData(pd.DataFrame({"id": ids, "malignant": malignant}), files)


def birds(rng: np.random.Generator, at: Conditions) -> RawData:
    """Who sings: sounds."""
    hidden = _noise(rng, at.rows)
    ids = [f"XC{number}" for number in rng.permutation(np.arange(100_000, 100_000 + 5 * at.rows))[: at.rows]]
    files = {f"{item}.wav": tone_bytes(rng, at.strength * value) for item, value in zip(ids, hidden, strict=True)}
    species = _classes(rng, hidden, ["blackbird", "robin", "wren"], at.balance)
    table = pd.DataFrame({"recording": ids, "latitude": np.round(rng.uniform(45, 60, at.rows), 3)})
    return RawData(table.assign(species=species), files)


def knees(rng: np.random.Generator, at: Conditions) -> RawData:
    """Whether a knee is torn: scans."""
    hidden = _noise(rng, at.rows)
    ids = [f"1.2.826.0.{number}" for number in rng.permutation(np.arange(10_000, 10_000 + 4 * at.rows))[: at.rows]]
    files = {f"{item}.dcm": dicom_bytes(rng, at.strength * value) for item, value in zip(ids, hidden, strict=True)}
    tear = (hidden + _noise(rng, at.rows, 0.5) > 0.3 + at.balance).astype(int)
    return RawData(pd.DataFrame({"study": ids, "tear": tear}), files)


def nuclei(rng: np.random.Generator, at: Conditions) -> RawData:
    """Where nuclei are: pictures with masks."""
    ids = [f"n{number:010x}" for number in rng.integers(2**36, 2**39, at.rows)]
    files, runs = {}, []
    for item in ids:
        files[f"{item}.png"], mask = disc_picture(rng)
        runs.append(encode_runs(mask.T.ravel()))
    return RawData(pd.DataFrame({"image": ids, "rle": runs}), files)


def sales(rng: np.random.Generator, at: Conditions) -> RawData:
    """Stores over days; the last days are to be predicted."""
    stores = max(6, at.rows // 90)
    days = at.rows // stores
    level, trend = rng.gamma(8, 20, stores), rng.normal(0, 0.02, stores)
    rows = []
    for day in range(days):
        week = 1 + 0.3 * at.strength * np.sin(2 * np.pi * day / 7)
        promo = rng.random(stores) < 0.2
        sold = level * week * (1 + trend * day / 7) * (1 + 0.3 * promo) * rng.lognormal(0, 0.15, stores)
        for store in range(stores):
            date = str(np.datetime64("2022-03-01") + day)
            rows.append((f"S{store:03d}", date, int(promo[store]), round(float(sold[store]), 2)))
    table = pd.DataFrame(rows, columns=["store", "date", "promo", "sales"])
    table.insert(0, "row_id", [f"{store}_{date}" for store, date in zip(table["store"], table["date"], strict=True)])
    return RawData(table)


def recipes(rng: np.random.Generator, at: Conditions) -> RawData:
    """Where a recipe is from: JSON records."""
    hidden = _noise(rng, at.rows)
    pool = "salt,oil,garlic,basil,soy sauce,rice,tortilla,lime,butter,cream,ginger,tomato,beans,egg,flour".split(",")
    lean = rng.normal(0, 1, len(pool))
    lists = []
    for value in hidden:
        weights = np.exp(at.strength * value * lean)
        lists.append([str(word) for word in rng.choice(pool, int(rng.integers(3, 9)), False, weights / weights.sum())])
    cuisine = _classes(rng, hidden, ["italian", "mexican", "thai", "french"], at.balance)
    minutes = rng.integers(10, 90, at.rows)
    return RawData(
        pd.DataFrame({"recipe": _ids(rng, at.rows), "ingredients": lists, "minutes": minutes, "cuisine": cuisine})
    )


def drives(rng: np.random.Generator, at: Conditions) -> RawData:
    """Fixes of phones all over a city: two numbers to predict from a noisy and a coarse one."""
    n = at.rows
    latitude, longitude = rng.uniform(37.3, 37.5, n), rng.uniform(-122.2, -122.0, n)
    table = pd.DataFrame({"fix": _ids(rng, n), "satellites": rng.integers(5, 14, n)})
    table["wls_lat"] = np.round(latitude + _noise(rng, n, 0.03 / max(at.strength, 0.001)), 7)
    table["wls_lng"] = np.round(longitude + _noise(rng, n, 0.03 / max(at.strength, 0.001)), 7)
    return RawData(table.assign(lat=np.round(latitude, 7), lng=np.round(longitude, 7)))
