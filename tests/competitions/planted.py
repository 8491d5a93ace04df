"""Mistakes that the raw data of some twins does not show, put there before both editions are prepared."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.data import random_split

Plant = Callable[[Path], None]


def copies(pattern: str) -> Plant:
    """Most files of a folder are the same."""

    def plant(raw: Path) -> None:
        first, *others = sorted(raw.glob(pattern))
        for other in others[: len(others) // 2]:
            shutil.copyfile(first, other)

    return plant


def table(name: str, change: Callable[[pd.DataFrame], pd.DataFrame], **options: Any) -> Plant:
    """A raw table is changed; options are those of reading and writing CSV files."""

    def plant(raw: Path) -> None:
        found = pd.read_csv(raw / name, keep_default_na=False, dtype=str, **options)
        changed = change(found)
        if name.endswith(".zip"):
            options["compression"] = {"method": "zip", "archive_name": name.removesuffix(".zip")}
        changed.to_csv(raw / name, index=False, **options)

    return plant


def _molecules(raw: Path) -> None:
    """Half of the pictures show the molecule of another one, and all molecules are among the extra ones."""
    labels = pd.read_csv(raw / "train_labels.csv", dtype=str)
    labels["InChI"] = labels["InChI"].where(labels.index % 2 == 0, labels["InChI"].shift())
    labels.to_csv(raw / "train_labels.csv", index=False)
    extra = pd.read_csv(raw / "extra_approved_InChIs.csv", dtype=str)
    pd.concat([extra, labels[["InChI"]]]).to_csv(raw / "extra_approved_InChIs.csv", index=False)


def _faulty_case(raw: Path) -> None:
    """One of the faulty cases, and labels that a random split deals out unevenly."""
    labels = pd.read_csv(raw / "train_labels.csv", dtype=str)
    _, held_out = random_split(np.arange(len(labels)), test_size=0.1)
    labels["MGMT_value"] = [int(row in held_out[1:] or row % 4 == 0) for row in range(len(labels))]
    labels.loc[held_out[0], "MGMT_value"] = 0
    old = labels["BraTS21ID"].iloc[0]
    labels.replace({"BraTS21ID": {old: "00109"}}).to_csv(raw / "train_labels.csv", index=False)
    (raw / "train" / old).rename(raw / "train" / "00109")


def _equal_angles(raw: Path) -> None:
    import py7zr

    path, inner = raw / "train.json.7z", "data/processed/train.json"
    folder = raw / "unpacked"
    with py7zr.SevenZipFile(path) as archive:
        archive.extractall(folder)
    objects = json.loads((folder / inner).read_text())
    for item in objects:
        if item["inc_angle"] != "na":
            item["inc_angle"] = round(item["inc_angle"] / 2)
    (folder / inner).write_text(json.dumps(objects))
    path.unlink()
    with py7zr.SevenZipFile(path, "w") as archive:
        archive.write(folder / inner, inner)
    shutil.rmtree(folder)


def _same_features(rows: pd.DataFrame) -> pd.DataFrame:
    """Every second material has the features of the one before."""
    features = [name for name in rows.columns if name not in ("id", "formation_energy_ev_natom", "bandgap_energy_ev")]
    before = rows[features].shift()
    return rows.assign(**{name: rows[name].where(rows.index % 2 == 0, before[name]) for name in features})


def _five_species(rows: pd.DataFrame) -> pd.DataFrame:
    """Five species in turns, and one more that only rows have which a random split holds out."""
    _, held_out = random_split(np.arange(len(rows)), test_size=0.1)
    names = sorted(rows["species"].unique())[:6]
    species = [names[5] if row in held_out else names[row % 5] for row in range(len(rows))]
    return rows.assign(species=species)


def _half_of_the_hotels_are_single(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(hotel_id=[row + 1 if row % 2 else 0 for row in range(len(rows))])


PLANTED: dict[str, Plant] = {
    "aptos2019-blindness-detection": copies("train_images/*.png"),
    "bms-molecular-translation": _molecules,
    "hotel-id-2021-fgvc8": table("train.csv", _half_of_the_hotels_are_single),
    "leaf-classification": table("train.csv.zip", _five_species),
    "nomad2018-predict-transparent-conductors": table("train.csv.zip", _same_features),
    "plant-pathology-2021-fgvc8": copies("train_images/*.jpg"),
    "rsna-miccai-brain-tumor-radiogenomic-classification": _faulty_case,
    "statoil-iceberg-classifier-challenge": _equal_angles,
}
