"""Small competitions of one's own as a stranger writes them: a folder with a description, a preparation and a grader.

Each is made from a seed: raw files are drawn, `competition.py` is written with nothing but the public kit, and the data
is prepared by the product. All are clean: labels depend on features by chance laws that hold on both sides of the split.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from examiner_media import dicom_bytes, disc_picture, picture_bytes, tone_bytes
from numpy.typing import NDArray

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
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


@dataclass(frozen=True)
class WorldKind:
    """One kind of competition: what is drawn, and the words of its preparation and grader."""

    name: str
    category: str
    metric: str
    key: str
    targets: tuple[str, ...]
    draw: Callable[[np.random.Generator, Conditions], RawData]
    score: str  # an expression of truth and predicted
    sample: str  # what the sample submission predicts, as Python
    form: str = "csv"  # of the tables: csv or json
    files: str = ""  # where item files go: "" for none, "folder" or "zip"
    suffix: str = ""
    split: str = ""  # the one split that makes sense, where there is only one


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


def _loans(rng: np.random.Generator, at: Conditions) -> RawData:
    hidden = _noise(rng, at.rows)
    defaulted = (hidden + _noise(rng, at.rows, 0.5) > 0.6 + at.balance).astype(int)
    table = _people(rng, at.rows, hidden, at.strength)
    table.insert(0, "loan_id", _ids(rng, at.rows))
    return RawData(table.assign(defaulted=defaulted))


def _habitats(rng: np.random.Generator, at: Conditions) -> RawData:
    n, hidden = at.rows, _noise(rng, at.rows)
    table = pd.DataFrame({"plot": _ids(rng, n)})
    for number, weight in enumerate((1.0, 0.5, -0.7, 0.0, 0.0)):
        name = ("elevation", "slope", "moisture", "aspect", "hillshade")[number]
        table[name] = np.round(100 + 30 * (at.strength * weight * hidden + _noise(rng, n)), 1)
    table["soil"] = rng.choice(list("ABCDE"), n)
    habitats = ["meadow", "spruce", "pine", "scrub"]
    return RawData(table.assign(habitat=_classes(rng, hidden, habitats, at.balance)))


def _rents(rng: np.random.Generator, at: Conditions) -> RawData:
    n, size = at.rows, rng.gamma(6, 12, at.rows)
    table = pd.DataFrame({"listing": _ids(rng, n), "square_metres": np.round(size, 1)})
    table["rooms"] = np.clip(size // 22 + rng.integers(0, 2, n), 1, None).astype(int)
    table["built"] = rng.integers(1900, 2022, n)
    table["district"] = rng.choice([f"D{number:02d}" for number in range(12)], n)
    table["floor"] = rng.integers(0, 8, n)
    rent = 180 + 9.5 * size * at.strength + (table["built"] - 1950) * 1.5 + _noise(rng, n, 90)
    return RawData(table.assign(rent=np.round(np.clip(rent, 90, None), 2)))


def _crops(rng: np.random.Generator, at: Conditions) -> RawData:
    n, hidden = at.rows, _noise(rng, at.rows)
    table = pd.DataFrame({"field_id": _ids(rng, n)})
    for number in range(6):
        table[f"band_{number}"] = np.round(0.4 + 0.05 * at.strength * hidden * (number - 2) + _noise(rng, n, 0.1), 5)
    crop = _classes(rng, hidden, ["maize", "rice", "wheat"], at.balance)
    return RawData(table.assign(**{name: (crop == name).astype(int) for name in ("maize", "rice", "wheat")}))


_WORDS = np.array(
    "the order arrived late again please help me with my account card screen battery refund box was broken and cannot log "
    "in since monday team was friendly delivery price invoice wrong twice password reset link app crashes update phone "
    "story about two friends who travel through winter night city dance war robot love murder detective summer island".split()
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


def _tickets(rng: np.random.Generator, at: Conditions) -> RawData:
    hidden = _noise(rng, at.rows)
    queue = _classes(rng, hidden, ["billing", "technical", "shipping"], at.balance)
    texts = _texts(rng, hidden, at.strength)
    return RawData(pd.DataFrame({"ticket": _ids(rng, at.rows), "message": texts, "queue": queue}))


def _genres(rng: np.random.Generator, at: Conditions) -> RawData:
    n, hidden = at.rows, _noise(rng, at.rows)
    table = pd.DataFrame({"movie_id": _ids(rng, n), "plot": _texts(rng, hidden, at.strength)})
    table["year"] = rng.integers(1960, 2024, n)
    for number, name in enumerate(("drama", "comedy", "action")):
        table[name] = (hidden * (1 - number) + _noise(rng, n) > 0.3 + at.balance).astype(int)
    return RawData(table)


def _leaves(rng: np.random.Generator, at: Conditions) -> RawData:
    hidden = _noise(rng, at.rows)
    ids = [f"leaf_{number:05d}" for number in rng.permutation(9 * at.rows)[: at.rows]]
    files = {
        f"{item}.jpg": picture_bytes(rng, at.strength * value, "JPEG") for item, value in zip(ids, hidden, strict=True)
    }
    disease = _classes(rng, hidden, ["healthy", "rust", "scab"], at.balance)
    return RawData(pd.DataFrame({"image_id": ids, "disease": disease}), files)


def _cells(rng: np.random.Generator, at: Conditions) -> RawData:
    hidden = _noise(rng, at.rows)
    ids = [f"{number:012x}" for number in rng.integers(2**44, 2**47, at.rows)]
    files = {
        f"{item}.png": picture_bytes(rng, at.strength * value, "PNG") for item, value in zip(ids, hidden, strict=True)
    }
    malignant = (hidden + _noise(rng, at.rows, 0.5) > 0.4 + at.balance).astype(int)
    return RawData(pd.DataFrame({"id": ids, "malignant": malignant}), files)


def _birds(rng: np.random.Generator, at: Conditions) -> RawData:
    hidden = _noise(rng, at.rows)
    ids = [f"XC{number}" for number in rng.permutation(np.arange(100_000, 100_000 + 5 * at.rows))[: at.rows]]
    files = {f"{item}.wav": tone_bytes(rng, at.strength * value) for item, value in zip(ids, hidden, strict=True)}
    species = _classes(rng, hidden, ["blackbird", "robin", "wren"], at.balance)
    table = pd.DataFrame({"recording": ids, "latitude": np.round(rng.uniform(45, 60, at.rows), 3)})
    return RawData(table.assign(species=species), files)


def _knees(rng: np.random.Generator, at: Conditions) -> RawData:
    hidden = _noise(rng, at.rows)
    ids = [f"1.2.826.0.{number}" for number in rng.permutation(np.arange(10_000, 10_000 + 4 * at.rows))[: at.rows]]
    files = {f"{item}.dcm": dicom_bytes(rng, at.strength * value) for item, value in zip(ids, hidden, strict=True)}
    tear = (hidden + _noise(rng, at.rows, 0.5) > 0.3 + at.balance).astype(int)
    return RawData(pd.DataFrame({"study": ids, "tear": tear}), files)


def _nuclei(rng: np.random.Generator, at: Conditions) -> RawData:
    ids = [f"n{number:010x}" for number in rng.integers(2**36, 2**39, at.rows)]
    files, runs = {}, []
    for item in ids:
        files[f"{item}.png"], mask = disc_picture(rng)
        runs.append(encode_runs(mask.T.ravel()))
    return RawData(pd.DataFrame({"image": ids, "rle": runs}), files)


def _sales(rng: np.random.Generator, at: Conditions) -> RawData:
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


def _recipes(rng: np.random.Generator, at: Conditions) -> RawData:
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


def _drives(rng: np.random.Generator, at: Conditions) -> RawData:
    """Fixes of phones all over a city: two numbers to predict from a noisy and a coarse one."""
    n = at.rows
    latitude, longitude = rng.uniform(37.3, 37.5, n), rng.uniform(-122.2, -122.0, n)
    table = pd.DataFrame({"fix": _ids(rng, n), "satellites": rng.integers(5, 14, n)})
    table["wls_lat"] = np.round(latitude + _noise(rng, n, 0.03 / at.strength), 7)
    table["wls_lng"] = np.round(longitude + _noise(rng, n, 0.03 / at.strength), 7)
    return RawData(table.assign(lat=np.round(latitude, 7), lng=np.round(longitude, 7)))


_CLASSES = "accuracy(truth, texts(predicted, any_kind=True))"
_AUC = "roc_auc(truth, probabilities(predicted))"
_MASKS = (
    "mean([mask_dice(*(fill_runs(decode_runs(str(code), 1024), 1024) for code in pair))"
    " for pair in zip(truth, texts(predicted, any_kind=True), strict=True)])"
)
_KINDS = [
    WorldKind("loan-default", "Tabular", "area under the ROC curve", "loan_id", ("defaulted",), _loans, _AUC, "0.5"),
    WorldKind("habitat", "Tabular", "accuracy", "plot", ("habitat",), _habitats, _CLASSES, "'meadow'"),
    WorldKind("flat-rents", "Tabular", "root mean squared error", "listing", ("rent",), _rents,
              "rmse(truth, numbers(predicted))", "800.0"),
    WorldKind("crop-types", "Tabular", "log loss", "field_id", ("maize", "rice", "wheat"), _crops,
              "log_loss(truth, distributions(predicted))", "1 / 3"),
    WorldKind("support-tickets", "Text Classification", "accuracy", "ticket", ("queue",), _tickets, _CLASSES, "'billing'"),
    WorldKind("film-genres", "Text Classification", "mean column-wise area under the ROC curve", "movie_id",
              ("drama", "comedy", "action"), _genres, "mean_column_auc(truth, probabilities(predicted))", "0.5"),
    WorldKind("leaf-disease", "Image Classification", "accuracy", "image_id", ("disease",), _leaves, _CLASSES, "'healthy'",
              files="folder", suffix=".jpg"),
    WorldKind("cell-slides", "Image Classification", "area under the ROC curve", "id", ("malignant",), _cells, _AUC, "0.5",
              files="zip", suffix=".png"),
    WorldKind("bird-calls", "Audio Classification", "accuracy", "recording", ("species",), _birds, _CLASSES, "'robin'",
              files="folder", suffix=".wav"),
    WorldKind("knee-tears", "Image Classification", "area under the ROC curve", "study", ("tear",), _knees, _AUC, "0.5",
              files="folder", suffix=".dcm"),
    WorldKind("nuclei", "Image Segmentation", "mean Dice coefficient", "image", ("rle",), _nuclei, _MASKS, "'1 1'",
              files="folder", suffix=".png"),
    WorldKind("store-sales", "Tabular", "mean absolute error", "row_id", ("sales",), _sales,
              "mean_absolute_error(truth, numbers(predicted))", "150.0", split="time"),
    WorldKind("recipes", "Other", "accuracy", "recipe", ("cuisine",), _recipes, _CLASSES, "'italian'", form="json"),
    WorldKind("phone-drives", "Signal Processing", "mean column-wise root mean squared error", "fix", ("lat", "lng"),
              _drives, "mcrmse(truth, numbers(predicted))", "-40.0"),
]  # fmt: skip
WORLDS = {kind.name: kind for kind in _KINDS}


def random_conditions(rng: np.random.Generator, kind: WorldKind) -> Conditions:
    """Sizes and signals at random; worlds with a file per item are smaller."""
    rows = int(rng.integers(320, 620) if kind.files else rng.integers(400, 2200))
    conditions = Conditions(rows, round(float(rng.uniform(0.2, 0.35)), 2), float(rng.choice([0, 0, 0.4])))
    conditions = replace(conditions, strength=float(rng.choice([0.5, 1.0, 1.6])))
    return replace(conditions, split=kind.split or str(rng.choice(["random", "random", "random", "time"])))


_SOURCE = '''"""{title}: written with the kit alone."""

from statistics import mean

import mlebench.kit as kit
from mlebench.kit import *

competition = kit.Competition("{name}", "{title}", category="{category}", metric="{metric}")
KEY, TARGETS = "{key}", {targets}


@competition.prepare
def prepare(raw: kit.Raw, public: kit.Output, private: kit.Output) -> None:
    """Hold out a part of the items."""
    import pandas as pd

    {read}
    {split}
    {write}
    public.write_csv("sample_submission.csv", test[[KEY]].assign(**dict.fromkeys(TARGETS, {sample})))
    private.write_csv("test.csv", test[[KEY, *TARGETS]])
    {place}


@competition.grade
def grade(submission: kit.Table, answers: kit.Table) -> float:
    """Score of a submission."""
    truth, predicted = kit.aligned(submission, answers, on=KEY, target={target})
    return float({score})
'''
_READ = {"csv": 'table = raw.read_csv("all.csv")', "json": 'table = pd.DataFrame(raw.read_json("all.json"))'}
_WRITE = {
    "csv": 'public.write_csv("train.csv", train)\n    public.write_csv("test.csv", test.drop(columns=TARGETS))',
    "json": 'public.write_json("train.json", train.to_dict("records"))\n'
    '    public.write_json("test.json", test.drop(columns=TARGETS).to_dict("records"))',
}
_SPLITS = {
    "random": "train, test = kit.random_split(table, test_size={share})",
    "time": "cut = int(len(table) * (1 - {share}))\n    train, test = table.iloc[:cut], table.iloc[cut:]",
}
_PLACE = {
    "": "",
    "folder": 'for side, part in (("train", train), ("test", test)):\n'
    '        public.place_each(part[KEY], raw, "files/{{}}{suffix}", to=side + "/{{}}{suffix}")',
    "zip": 'for side, part in (("train", train), ("test", test)):\n'
    '        names = {{f"{{item}}{suffix}": raw[f"files/{{item}}{suffix}"] for item in part[KEY]}}\n'
    '        public.write_zip(side + ".zip", names)',
}


def write_world(folder: Path, kind: WorldKind, conditions: Conditions, seed: int) -> LocalCompetition:
    """Draw a competition, write its folder and its raw archive, and prepare it; data is below `folder`/data."""
    rng = np.random.default_rng(seed)
    drawn = kind.draw(rng, conditions)
    table = _with_repeats(rng, drawn.table, kind) if conditions.repeats else drawn.table
    code = folder / "competitions" / kind.name.replace("-", "_")
    code.mkdir(parents=True)
    fill = partial(str.format, suffix=kind.suffix, share=conditions.test_share)
    source = _SOURCE.format(
        title=kind.name.replace("-", " ").capitalize(), name=kind.name, category=kind.category, metric=kind.metric,
        key=kind.key, targets=list(kind.targets), read=_READ[kind.form], write=_WRITE[kind.form], sample=kind.sample,
        split=fill(_SPLITS[conditions.split]), place=fill(_PLACE[kind.files]), score=kind.score,
        target="TARGETS" if len(kind.targets) > 1 else "TARGETS[0]",
    )  # fmt: skip
    (code / "competition.py").write_text(source)
    told = f"# {kind.name}\n\n## Task\n\nPredict {', '.join(kind.targets)}.\n\n## Data\n\nTables and files.\n"
    (code / "description.md").write_text(told)
    competition = Registry(folder / "data", (folder / "competitions",)).get_competition(kind.name)
    competition.home.mkdir(parents=True)
    with zipfile.ZipFile(competition.home / f"{kind.name}.zip", "w") as archive:
        records = table.to_json(orient="records") if kind.form == "json" else table.to_csv(index=False)
        archive.writestr(f"all.{kind.form}", records)
        for name, data in drawn.files.items():
            archive.writestr(f"files/{name}", data)
    prepare(competition)
    return competition


def _with_repeats(rng: np.random.Generator, table: pd.DataFrame, kind: WorldKind) -> pd.DataFrame:
    """Half of the rows repeat another one, label and all, under their own ids."""
    drawn = table.iloc[rng.integers(0, max(2, len(table) // 2), len(table))].reset_index(drop=True)
    drawn[kind.key] = table[kind.key].to_numpy()
    return drawn
