"""Small competitions of one's own as a stranger writes them: a folder with a description, a preparation and a grader.

Each is made from a seed: raw files are drawn, `competition.py` is written with nothing but the public kit, and the
product prepares the data. All are clean.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import examiner_draws as draws
import numpy as np
from examiner_draws import Conditions, RawData

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare


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
    sample: str  # what the sample submission predicts, as Python: one value, or a dictionary
    form: str = "csv"  # of the tables: csv or json
    files: str = ""  # where item files go: "" for none, "folder" or "zip"
    suffix: str = ""
    split: str = ""  # the one split that makes sense, where there is only one


_CLASSES = "accuracy(truth, texts(predicted, any_kind=True))"
_AUC = "roc_auc(truth, probabilities(predicted))"
_MASKS = (
    "mean([mask_dice(*(fill_runs(decode_runs(str(code), 1024), 1024) for code in pair))"
    " for pair in zip(truth, texts(predicted, any_kind=True), strict=True)])"
)
_KINDS = [
    WorldKind("loan-default", "Tabular", "area under the ROC curve", "loan_id", ("defaulted",), draws.loans, _AUC,
              "0.5"),
    WorldKind("habitat", "Tabular", "accuracy", "plot", ("habitat",), draws.habitats, _CLASSES, "'meadow'"),
    WorldKind("flat-rents", "Tabular", "root mean squared error", "listing", ("rent",), draws.rents,
              "rmse(truth, numbers(predicted))", "800.0"),
    WorldKind("crop-types", "Tabular", "log loss", "field_id", ("maize", "rice", "wheat"), draws.crops,
              "log_loss(truth, distributions(predicted))", "1 / 3"),
    WorldKind("support-tickets", "Text Classification", "accuracy", "ticket", ("queue",), draws.tickets, _CLASSES,
              "'billing'"),
    WorldKind("film-genres", "Text Classification", "mean column-wise area under the ROC curve", "movie_id",
              ("drama", "comedy", "action"), draws.genres, "mean_column_auc(truth, probabilities(predicted))", "0.5"),
    WorldKind("leaf-disease", "Image Classification", "accuracy", "image_id", ("disease",), draws.leaves, _CLASSES,
              "'healthy'", files="folder", suffix=".jpg"),
    WorldKind("cell-slides", "Image Classification", "area under the ROC curve", "id", ("malignant",), draws.cells,
              _AUC, "0.5", files="zip", suffix=".png"),
    WorldKind("bird-calls", "Audio Classification", "accuracy", "recording", ("species",), draws.birds, _CLASSES,
              "'robin'", files="folder", suffix=".wav"),
    WorldKind("knee-tears", "Image Classification", "area under the ROC curve", "study", ("tear",), draws.knees, _AUC,
              "0.5", files="folder", suffix=".dcm"),
    WorldKind("nuclei", "Image Segmentation", "mean Dice coefficient", "image", ("rle",), draws.nuclei, _MASKS,
              "'1 1'", files="folder", suffix=".png"),
    WorldKind("store-sales", "Tabular", "mean absolute error", "row_id", ("sales",), draws.sales,
              "mean_absolute_error(truth, numbers(predicted))", "150.0", split="time"),
    WorldKind("recipes", "Other", "accuracy", "recipe", ("cuisine",), draws.recipes, _CLASSES, "'italian'",
              form="json"),
    WorldKind("phone-drives", "Signal Processing", "mean column-wise root mean squared error", "fix", ("lat", "lng"),
              draws.drives, "mcrmse(truth, numbers(predicted))", "{'lat': 37.4, 'lng': -122.1}"),
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
    public.write_csv("sample_submission.csv", test[[KEY]].assign(**{sample}))
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
    if conditions.repeats:
        drawn = _with_repeats(rng, drawn, kind)
    table = drawn.table
    code = folder / "competitions" / kind.name.replace("-", "_")
    code.mkdir(parents=True)
    fill = partial(str.format, suffix=kind.suffix, share=conditions.test_share)
    sample = kind.sample if kind.sample.startswith("{") else f"dict.fromkeys(TARGETS, {kind.sample})"
    source = _SOURCE.format(
        title=kind.name.replace("-", " ").capitalize(), name=kind.name, category=kind.category, metric=kind.metric,
        key=kind.key, targets=list(kind.targets), read=_READ[kind.form], write=_WRITE[kind.form], sample=sample,
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


def _with_repeats(rng: np.random.Generator, drawn: RawData, kind: WorldKind) -> RawData:
    """Every item repeats one of half of them, label, file and all, under an id of its own."""
    chosen = rng.integers(0, max(2, len(drawn.table) // 2), len(drawn.table))
    table = drawn.table.iloc[chosen].reset_index(drop=True)
    ids = drawn.table[kind.key].to_numpy()
    files = {f"{new}{kind.suffix}": drawn.files[f"{old}{kind.suffix}"]
             for new, old in zip(ids, table[kind.key], strict=True) if drawn.files}  # fmt: skip
    return RawData(table.assign(**{kind.key: ids}), files)
