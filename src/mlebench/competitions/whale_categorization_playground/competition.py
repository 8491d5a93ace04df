"""Humpback whales: which animal does a picture of a tail fluke show?"""

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Column,
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    as_text,
    mean_average_precision_at_k,
    random_split,
)

NEW_WHALE = "new_whale"
SAMPLE = "new_whale w_1287fbc w_98baff9 w_7554f44 w_1eafe46"

competition = Competition(
    "whale-categorization-playground",
    "Humpback Whale Identification Challenge",
    category="Image Classification",
    metric="MAP@5",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a picture of each whale that has several and some others; whales that train lacks become new ones."""
    pictures = raw.read_csv("train.csv")[["Image", "Id"]]
    in_test = _test_rows(pictures["Id"])
    train, test = pictures[~in_test], pictures[in_test]
    test = test.assign(Id=test["Id"].where(test["Id"].isin(train["Id"]), NEW_WHALE))
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(Id=SAMPLE))
    private.write_csv("test.csv", test)
    public.place_split(train["Image"], test["Image"], raw, "train/{}")


def _test_rows(whales: Column) -> NDArray[np.bool_]:
    """Which rows are held out; whales are taken in order of first appearance, their pictures in file order."""
    import pandas as pd

    codes, _ = pd.factorize(whales)
    counts = np.bincount(codes)
    by_whale = np.argsort(codes, kind="stable")
    first = np.cumsum(counts) - counts  # where the pictures of each whale begin in by_whale
    in_test, decided = np.zeros(len(codes), bool), np.zeros(len(codes), bool)
    for count in np.unique(counts[counts > 1]):
        # As published: every whale is drawn with the same seed, so equal counts draw equal places.
        for_train, for_test = np.random.RandomState(0).permutation(count)[:2]
        starts = first[counts == count]
        decided[by_whale[starts + for_train]] = decided[by_whale[starts + for_test]] = True
        in_test[by_whale[starts + for_test]] = True
    single = by_whale[first[counts == 1]]
    decided[single] = True
    in_test[single] = np.random.default_rng(0).random(len(single)) >= 0.9
    _, drawn = random_split(np.flatnonzero(~decided), test_size=0.1)
    in_test[drawn] = True
    return in_test


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean average precision of the first five whales of each list, which single blanks separate."""
    truth, predicted = aligned(submission, answers, on="Image", target="Id", exactly=True)
    ranked = [text.split(" ") for text in as_text(predicted)]
    return mean_average_precision_at_k([{whale} for whale in truth], ranked, k=5)
