"""The baseline: preparation as one would write it in an afternoon.

One thread; the archive is unpacked whole, every file is copied, archives are built by deflating everything, and tables
go through plain pandas. It is held to the same result: the benchmark compares every file with mlebench's. The ids of
large tables are checked as the published code checks them.
"""

from __future__ import annotations

import csv
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.model_selection import train_test_split


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, float_precision="round_trip")


def unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)


def aerial_cactus(raw: Path, public: Path, private: Path) -> None:
    unzip(raw / "train.zip", raw)
    train, test = train_test_split(read(raw / "train.csv"), test_size=0.19, random_state=0)
    train.to_csv(public / "train.csv", index=False)
    test.to_csv(private / "test.csv", index=False)
    test.assign(has_cactus=0.5).to_csv(public / "sample_submission.csv", index=False)
    for name, part in (("train", train), ("test", test)):
        (public / name).mkdir()
        for image in part["id"]:
            shutil.copyfile(raw / "train" / image, public / name / image)
        shutil.make_archive(str(public / name), "zip", public / name)
        shutil.rmtree(public / name)


def histopathologic(raw: Path, public: Path, private: Path) -> None:
    labels = read(raw / "train_labels.csv")
    unlabelled = len(list((raw / "test").glob("*.tif")))
    share = unlabelled / (len(labels) + unlabelled)
    _, drawn = train_test_split(labels["id"], test_size=share, random_state=0)
    in_test = labels["id"].isin(drawn)
    labels[~in_test].to_csv(public / "train_labels.csv", index=False)
    labels[in_test].to_csv(private / "answers.csv", index=False)
    labels[in_test].assign(label=0).to_csv(public / "sample_submission.csv", index=False)
    for name, part in (("train", labels[~in_test]), ("test", labels[in_test])):
        (public / name).mkdir()
        for image in part["id"]:
            shutil.copyfile(raw / "train" / f"{image}.tif", public / name / f"{image}.tif")


def taxi(raw: Path, public: Path, private: Path) -> None:
    train, test = train_test_split(read(raw / "train.csv"), test_size=9914, random_state=0)
    train.to_csv(public / "labels.csv", index=False)
    test.drop(columns="fare_amount").to_csv(public / "test.csv", index=False)
    test[["key"]].assign(fare_amount=11.35).to_csv(public / "sample_submission.csv", index=False)
    test.to_csv(private / "test.csv", index=False)
    assert set(train["key"]).isdisjoint(set(test["key"]))
    leaflet = "GCP-Coupons-Instructions.rtf"
    shutil.copyfile(raw / leaflet, public / leaflet)


def forest(raw: Path, public: Path, private: Path) -> None:
    train, test = train_test_split(read(raw / "train.csv"), test_size=0.1, random_state=0)
    train.to_csv(public / "train.csv", index=False)
    test.drop(columns="Cover_Type").to_csv(public / "test.csv", index=False)
    test[["Id"]].assign(Cover_Type=2).to_csv(public / "sample_submission.csv", index=False)
    test.to_csv(private / "test.csv", index=False)
    assert set(train["Id"]).isdisjoint(set(test["Id"]))


def text_normalization(raw: Path, public: Path, private: Path) -> None:
    unzip(raw / "en_train.csv.zip", raw)
    tokens = read(raw / "en_train.csv")
    _, drawn = train_test_split(tokens["sentence_id"].unique(), test_size=0.1, random_state=0)
    in_test = tokens["sentence_id"].isin(drawn)
    train, test = tokens[~in_test].copy(), tokens[in_test].copy()
    for part in (train, test):
        numbers = {old: new for new, old in enumerate(part["sentence_id"].unique())}
        part["sentence_id"] = part["sentence_id"].map(numbers)
    test["id"] = test["sentence_id"].astype(str) + "_" + test["token_id"].astype(str)
    sample = test[["id", "before"]].rename(columns={"before": "after"})
    tables = {
        "en_train.csv": train,
        "en_test_2.csv": test[["sentence_id", "token_id", "before"]],
        "en_sample_submission_2.csv": sample,
    }
    for name, table in tables.items():
        table.to_csv(public / name, index=False, quoting=csv.QUOTE_NONNUMERIC)
        with zipfile.ZipFile(public / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(public / name, name)
        (public / name).unlink()
    test[["id", "after"]].to_csv(private / "answers.csv", index=False, quoting=csv.QUOTE_NONNUMERIC)
    sample.to_csv(private / "sample_submission.csv", index=False, quoting=csv.QUOTE_NONNUMERIC)


def denoising(raw: Path, public: Path, private: Path) -> None:
    for name in ("train", "train_cleaned"):
        unzip(raw / f"{name}.zip", public)
    _, drawn = train_test_split(sorted((public / "train").glob("*.png")), test_size=0.2, random_state=0)
    (public / "test").mkdir()
    ids: list[str] = []
    values: list[float] = []
    for path in sorted(drawn):
        shutil.copyfile(path, public / "test" / path.name)
        path.unlink()
        clean = public / "train_cleaned" / path.name
        pixels = np.array(Image.open(clean).convert("L")) / 255.0
        clean.unlink()
        for row in range(pixels.shape[0]):
            for column in range(pixels.shape[1]):
                ids.append(f"{path.stem}_{row + 1}_{column + 1}")
                values.append(pixels[row, column])
    answers = pd.DataFrame({"id": ids, "value": values})
    answers.to_csv(private / "answers.csv", index=False)
    answers.assign(value=1).to_csv(public / "sampleSubmission.csv", index=False)


PREPARATIONS: dict[str, Callable[[Path, Path, Path], None]] = {
    "aerial-cactus-identification": aerial_cactus,
    "histopathologic-cancer-detection": histopathologic,
    "new-york-city-taxi-fare-prediction": taxi,
    "tabular-playground-series-dec-2021": forest,
    "text-normalization-challenge-english-language": text_normalization,
    "denoising-dirty-documents": denoising,
}


def prepare(competition_id: str, archive: Path, home: Path) -> None:
    """Unpack the archive below a folder and prepare it there; the raw data is removed at the end."""
    raw, public, private = home / "raw", home / "prepared" / "public", home / "prepared" / "private"
    for folder in (raw, public, private):
        folder.mkdir(parents=True)
    unzip(archive, raw)
    PREPARATIONS[competition_id](raw, public, private)
    shutil.rmtree(raw)
