"""Tabular Playground December 2021: which of seven kinds of forest covers a patch of land?"""

import numpy as np

from mlebench.kit import Competition, Output, Raw, Table, accuracy, aligned, class_numbers, random_split

competition = Competition(
    "tabular-playground-series-dec-2021",
    "Tabular Playground Series - Dec 2021",
    category="Tabular",
    metric="accuracy",
    group="low",
    gigabytes=0.7,
    breaks=["wrong_values_refused"],  # as published, one word makes all classes text, which equals no class
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the patches."""
    patches = raw.stored_rows("train.csv")
    train, held_out = random_split(np.arange(len(patches)), test_size=0.1)
    public.write_rows("train.csv", patches, train)
    test = patches.table(held_out)
    public.write_csv("test.csv", test.drop(columns="Cover_Type"))
    public.write_csv("sample_submission.csv", test[["Id"]].assign(Cover_Type=2))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of patches whose cover type is predicted right."""
    truth, predicted = aligned(submission, answers, on="Id", target="Cover_Type")
    return accuracy(truth, class_numbers(predicted))
