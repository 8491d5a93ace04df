"""Clean competitions of many kinds, made from a seed: tables, pictures, texts, sounds, with honest signals in them."""

from __future__ import annotations

import io
import wave
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

from mlebench.competition.declaration import Competition
from mlebench.competition.local import LocalCompetition


@dataclass
class World:
    """A prepared competition on its way: what is public and private, before and after something is planted."""

    competition: LocalCompetition
    rng: np.random.Generator
    family: str
    key: str
    targets: list[str]
    train: pd.DataFrame  # with targets
    test: pd.DataFrame  # without
    answers: pd.DataFrame
    sample: pd.DataFrame
    files: dict[str, bytes] = field(default_factory=dict)  # further public files
    in_archive: bool = False
    times: dict[str, float] = field(default_factory=dict)

    @property
    def public(self) -> Path:
        """The public folder."""
        return self.competition.public_dir

    def write(self) -> LocalCompetition:
        """Write it all."""
        public, private = self.competition.public_dir, self.competition.private_dir
        public.mkdir(parents=True, exist_ok=True)
        private.mkdir(parents=True, exist_ok=True)
        self.train.to_csv(public / "train.csv", index=False)
        self.test.to_csv(public / "test.csv", index=False)
        self.sample.to_csv(public / "sample_submission.csv", index=False)
        (public / "description.md").write_text("# A contest\n")
        self.answers.to_csv(private / "test.csv", index=False)
        for name, data in self.files.items():
            path = public / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        import os

        for path in public.rglob("*"):
            if path.is_file():
                moment = self.times.get(path.relative_to(public).as_posix(), 1.7e9)
                os.utime(path, (moment, moment))
        return self.competition

    def labels(self) -> pd.Series[Any]:
        """The answers of the main target, or the class where columns are one class together, in the order of test."""
        frame = self.answers.set_index(self.key)
        frame = frame.loc[self.test[self.key]] if self.key in self.test else frame
        if len(self.targets) > 2 and self.family == "onehot":
            return frame[self.targets].idxmax(axis=1)
        return frame[self.targets[0]]


def _accuracy(column: str) -> Callable[[Any, Any], float]:
    def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
        both = submission.merge(answers, on=answers.columns[0], suffixes=("", "_true"))
        return float((both[column].astype(str) == both[f"{column}_true"].astype(str)).mean())

    return grade


def _auc(columns: list[str]) -> Callable[[Any, Any], float]:
    def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
        from sklearn.metrics import roc_auc_score

        both = submission.merge(answers, on=answers.columns[0], suffixes=("", "_true"))
        return float(np.mean([roc_auc_score(both[f"{name}_true"], both[name].astype(float)) for name in columns]))

    return grade


def _rmse(column: str) -> Callable[[Any, Any], float]:
    def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
        both = submission.merge(answers, on=answers.columns[0], suffixes=("", "_true"))
        return float(np.sqrt(((both[column].astype(float) - both[f"{column}_true"]) ** 2).mean()))

    return grade


def _logloss(columns: list[str]) -> Callable[[Any, Any], float]:
    def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
        both = submission.merge(answers, on=answers.columns[0], suffixes=("", "_true"))
        shares = np.clip(both[columns].to_numpy(float), 1e-15, 1)
        truth = both[[f"{name}_true" for name in columns]].to_numpy(float)
        return float(-(truth * np.log(shares / shares.sum(axis=1, keepdims=True))).sum(axis=1).mean())

    return grade


METRICS: dict[str, Any] = {
    "binary": ("area under the ROC curve", _auc),
    "regression": ("root mean squared error", _rmse),
    "multiclass": ("accuracy", _accuracy),
    "onehot": ("multi-class log loss", _logloss),
    "multilabel": ("mean column-wise area under the ROC curve", _auc),
    "pictures": ("area under the ROC curve", _auc),
    "sounds": ("accuracy", _accuracy),
    "texts": ("accuracy", _accuracy),
    "lists": ("accuracy", _accuracy),
    "masks": ("accuracy", _accuracy),
}
FAMILIES = tuple(METRICS)
VARIANTS = ("plain", "strong", "repeated", "dated", "trend", "groups", "gaps", "metadata")


def _ids(rng: np.random.Generator, n: int, form: str) -> list[Any]:
    if form == "numbers":
        return list(range(1000, 1000 + n))
    if form == "hex":
        return [rng.bytes(6).hex() for _ in range(n)]
    return [f"item_{number:05d}" for number in rng.permutation(90000)[:n]]


def make(folder: Path, family: str, seed: int, variant: str = "plain", n: int | None = None) -> World:
    """A clean competition of a family, in a variant that has some honest peculiarity."""
    rng = np.random.default_rng([seed, FAMILIES.index(family), VARIANTS.index(variant)])
    n = n or int(rng.integers(400, 900))
    if family in ("pictures", "sounds", "masks"):
        n = min(n, 260)
    hidden = rng.normal(size=n)
    if variant == "trend":  # rows in the order of time, and what is to be predicted drifts
        hidden = np.sort(hidden) * 0.6 + rng.normal(size=n) * 0.8
    if variant == "repeated":
        hidden = hidden[rng.integers(0, n // 2, n)]
    label = _label(rng, family, hidden)
    frame = _features(rng, hidden, label, variant, n)
    form = str(rng.choice(["numbers", "hex", "names"]))
    key = str(rng.choice(["id", "image_id", "row_id"]))
    if variant in ("dated", "trend"):
        form = "numbers"
        frame.insert(0, "date", [str(day.date()) for day in pd.date_range("2021-01-01", periods=n, freq="6h")])
    frame.insert(0, key, _ids(rng, n, form))
    targets = list(label)
    for name in targets:
        frame[name] = label[name]
    in_test = np.zeros(n, dtype=bool)
    in_test[rng.permutation(n)[: n // 3]] = True
    if variant == "dated":
        in_test = np.arange(n) >= 2 * n // 3
    train, whole = frame[~in_test].reset_index(drop=True), frame[in_test].reset_index(drop=True)
    if variant not in ("dated", "trend"):
        whole = whole.iloc[rng.permutation(len(whole))].reset_index(drop=True)
    test = whole.drop(columns=targets)
    answers = whole[[key, *targets]].copy()
    sample = answers.copy()
    for name in targets:
        sample[name] = _neutral(family, answers[name], len(targets))
    metric, grade = METRICS[family]
    declared = Competition(
        f"own-{family}-{variant}-{seed}", "Own", category="Tabular", metric=metric, folder=folder / "code"
    )
    declared.prepare(lambda raw, public, private: None)
    declared.grade(grade(targets if grade in (_auc, _logloss) else targets[0]))
    competition = LocalCompetition(declared, folder / "data")
    world = World(competition, rng, family, key, targets, train, test, answers, sample)
    _add_files(world, hidden, in_test, frame)
    if variant == "metadata":
        meta = frame[[key]].assign(
            source=rng.choice(["a", "b", "c"], n), weight=np.round(hidden + rng.normal(size=n) * 2, 3)
        )
        world.files["metadata.json"] = meta.to_json(orient="records").encode()
    return world


def _neutral(family: str, values: pd.Series[Any], columns: int) -> Any:
    if family in ("binary", "pictures", "multilabel"):
        return 0.5
    if family == "onehot":
        return 1 / columns
    if family == "regression":
        return 0.0
    if family in ("lists", "masks"):
        return "1 1"
    return values.mode().iloc[0]


def _label(rng: np.random.Generator, family: str, hidden: Any) -> dict[str, Any]:
    n = len(hidden)
    noisy = hidden + rng.normal(size=n) * 0.3
    if family in ("binary", "pictures"):
        return {"target": (noisy > rng.uniform(-0.3, 0.9)).astype(int)}
    if family == "regression":
        return {"price": np.round(50 + 20 * noisy + 5 * noisy**2, int(rng.integers(2, 5)))}
    names = np.array(["ash", "birch", "cedar", "elm", "fir"])
    groups = np.clip(np.digitize(noisy, [-0.8, -0.2, 0.3, 0.9]), 0, 4)
    if family in ("multiclass", "texts", "sounds"):
        return {"species": names[groups]}
    if family == "onehot":
        return {str(name): (groups == number).astype(int) for number, name in enumerate(names)}
    if family == "multilabel":
        return {
            f"tag_{number}": (hidden + rng.normal(size=n) > limit).astype(int)
            for number, limit in enumerate((0, 0.5, -0.5))
        }
    if family == "lists":
        return {
            "tags": [
                " ".join(map(str, sorted(rng.choice(40, int(rng.integers(2, 6)), replace=False)))) for _ in range(n)
            ]
        }
    starts = [int(start) for start in rng.integers(1, 200, n)]
    return {
        "rle": [
            " ".join(f"{start + 16 * row} {int(rng.integers(2, 9))}" for row in range(int(rng.integers(2, 6))))
            for start in starts
        ]
    }


def _features(rng: np.random.Generator, hidden: Any, label: dict[str, Any], variant: str, n: int) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            f"f{number}": np.round(hidden * weight + rng.normal(size=n), 4)
            for number, weight in enumerate((0.8, 0.4, 0.0, -0.6))
        }
    )
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame["count"] = rng.poisson(4, n)
    first = np.asarray(next(iter(label.values())))
    if variant == "strong":
        values = (
            first.astype(float) if first.dtype.kind in "if" else np.unique(first, return_inverse=True)[1].astype(float)
        )
        spread = values.std() or 1.0
        frame["strong"] = np.round((values - values.mean()) / spread + rng.normal(size=n) * 0.75, 4)  # AUC 0.97
    if variant == "repeated":
        pick = rng.integers(0, n // 2, n)
        frame = frame.iloc[pick].reset_index(drop=True)
        for name in label:
            label[name] = np.asarray(label[name])[pick]
    if variant == "groups":
        frame["patient_id"] = [f"P{number:04d}" for number in rng.integers(0, n // 5, n)]
    if variant == "gaps":
        for name in ("f1", "f2", "colour"):
            frame.loc[rng.random(n) < 0.3, name] = np.nan
    return frame


def _add_files(world: World, hidden: Any, in_test: Any, frame: pd.DataFrame) -> None:
    rng = world.rng
    kind = {"pictures": "png", "masks": "png", "sounds": "wav", "texts": None}.get(world.family)
    if world.family == "texts":
        words = np.array(
            "the a of river stone light dark old new moon tree house wind sea very quite red green".split()
        )
        texts = [" ".join(rng.choice(words, int(rng.integers(8, 30)))) + "." for _ in range(len(frame))]
        world.train.insert(1, "text", [text for text, flag in zip(texts, in_test, strict=True) if not flag])
        place = dict(zip(frame[world.key], texts, strict=True))
        world.test.insert(1, "text", [place[item] for item in world.test[world.key]])
    if kind is None:
        return
    items: dict[str, bytes] = {}
    for item, value, flag in zip(frame[world.key], hidden, in_test, strict=True):
        data = picture(rng, value) if kind == "png" else sound(rng, value)
        items[f"{'test' if flag else 'train'}_files/{item}.{kind}"] = data
    world.in_archive = bool(rng.random() < 0.4)
    if world.in_archive:
        for side in ("test", "train"):
            world.files[f"{side}.zip"] = zipped(
                {name: data for name, data in items.items() if name.startswith(side)}, rng
            )
    else:
        world.files |= items


def zipped(items: dict[str, bytes], rng: np.random.Generator | None = None) -> bytes:
    """An archive of files, in a random order."""
    names = list(items)
    if rng is not None:
        names = [names[place] for place in rng.permutation(len(names))]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name, (2021, 1, 1, 0, 0, 0)), items[name])
    return target.getvalue()


def picture(
    rng: np.random.Generator, value: float, info: Any = None, size: int = 16, exif: Any = None, form: str = "PNG"
) -> bytes:
    """A small picture that is a little brighter for larger values."""
    pixels = np.clip(rng.normal(110 + 12 * value, 40, (size, size, 3)), 0, 255).astype(np.uint8)
    target = io.BytesIO()
    options: dict[str, Any] = {}
    if info is not None:
        options["pnginfo"] = info
    if exif is not None:
        options["exif"] = exif
    Image.fromarray(pixels).save(target, form, **options)
    return target.getvalue()


def sound(rng: np.random.Generator, value: float, length: int = 800, rate: int = 8000) -> bytes:
    """A short sound whose pitch follows a value."""
    moments = np.arange(length + int(rng.integers(0, 200)))
    samples = 8000 * np.sin(moments * (0.05 + 0.01 * value)) + rng.normal(size=len(moments)) * 2000
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())
    return target.getvalue()
