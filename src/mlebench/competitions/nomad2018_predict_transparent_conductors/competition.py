"""Nomad2018 transparent conductors: how stable and how transparent is an oxide of three metals?"""

import numpy as np

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    numbers,
    random_split,
    require_columns,
    require_rows,
    rmsle,
    split_together,
)

SAMPLE = {"formation_energy_ev_natom": 0.1779, "bandgap_energy_ev": 1.8892}
TARGETS = list(SAMPLE)

competition = Competition(
    "nomad2018-predict-transparent-conductors",
    "Nomad2018 Predicting Transparent Conductors",
    category="Tabular",
    metric="mean column-wise root mean squared logarithmic error",
    group="low",
    gigabytes=0.00624,
    breaks=[
        "ids_disjoint",  # both parts are numbered from 1
        "incomplete_refused",  # as published, rows are paired by their place in the file
    ],
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, copies_together: bool = False, each_from_1: bool = True) -> None:
    """Hold out a tenth of the materials with their geometries; each part is numbered from 1."""
    materials = raw.read_csv("train.csv.zip")
    if copies_together:
        features = materials.drop(columns=["id", *TARGETS])
        train, test = split_together(materials, list(features.itertuples(index=False, name=None)), test_size=0.1)
    else:
        train, test = random_split(materials, test_size=0.1)
    geometries = raw.archive("train.zip")
    first = {"train": 1, "test": 1 if each_from_1 else len(train) + 1}
    for name, part in (("train", train), ("test", test)):
        public.place(
            {
                f"{name}/{new}/geometry.xyz": geometries[f"train/{old}/geometry.xyz"]
                for new, old in enumerate(part["id"], start=first[name])
            }
        )
    train = train.assign(id=range(1, len(train) + 1))
    test = test.assign(id=range(first["test"], first["test"] + len(test)))
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=TARGETS))
    public.write_csv("sample_submission.csv", test[["id"]].assign(**SAMPLE))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table, match_ids: bool = False) -> float:
    """Mean over both energies of the root mean squared logarithmic error."""
    if match_ids:
        answers, submission = aligned(submission, answers, on="id", target=TARGETS)
    require_columns(submission, TARGETS)
    require_rows(submission, answers)
    # As published: ids are not looked at, rows count in the order of test.csv.
    return float(np.mean([rmsle(answers[target], numbers(submission[target], low=0.0)) for target in TARGETS]))


competition.v2(copies_together=True, each_from_1=False, match_ids=True, breaks=[])
