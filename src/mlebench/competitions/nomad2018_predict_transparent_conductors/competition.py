"""Nomad2018 transparent conductors: how stable and how transparent is an oxide of three metals?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import numbers, require_columns, require_rows
from mlebench.metrics import rmsle

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

SAMPLE = {"formation_energy_ev_natom": 0.1779, "bandgap_energy_ev": 1.8892}
TARGETS = list(SAMPLE)

competition = Competition(
    id="nomad2018-predict-transparent-conductors",
    name="Nomad2018 Predicting Transparent Conductors",
    category="Tabular",
    metric="mean column-wise root mean squared logarithmic error",
    better="lower",
    group="low",
    gigabytes=0.00624,
    known_issues=(
        KnownIssue(
            "Ids are not read: rows are compared in the order of test.csv, so the right predictions in "
            "another order score badly, and a submission without ids or with wrong ones is accepted.",
            v2="Checks the ids and matches rows by them.",
        ),
        KnownIssue("One prediction below 0, however slightly, costs the whole submission its score."),
        KnownIssue("Both parts number their materials from 1, so one id names two materials."),
        KnownIssue("A few materials occur twice and may lie on both sides of the split."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the materials with their geometries; each part is numbered from 1."""
    train, test = random_split(raw.read_csv("train.csv.zip"), test_size=0.1)
    geometries = raw.archive("train.zip")
    for name, part in (("train", train), ("test", test)):
        public.place(
            {
                f"{name}/{new}/geometry.xyz": geometries[f"train/{old}/geometry.xyz"]
                for new, old in enumerate(part["id"], start=1)
            }
        )
    train, test = (part.assign(id=range(1, len(part) + 1)) for part in (train, test))
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=TARGETS))
    public.write_csv("sample_submission.csv", test[["id"]].assign(**SAMPLE))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Mean over both energies of the root mean squared logarithmic error."""
    require_columns(submission, TARGETS)
    require_rows(submission, answers)
    # As published: ids are not looked at, rows count in the order of test.csv.
    return float(np.mean([rmsle(answers[each], numbers(submission[each], low=0.0)) for each in TARGETS]))
