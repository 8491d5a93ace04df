"""Bristol-Myers Squibb molecular translation: which InChI does the drawing of a molecule stand for?"""

import numpy as np

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Split,
    Table,
    aligned,
    as_text,
    complete,
    grouped_by,
    levenshtein_distances,
    random_split,
)

EXTRA = "extra_approved_InChIs.csv"
WATER = "InChI=1S/H2O/h1H2"

competition = Competition(
    "bms-molecular-translation",
    "Bristol-Myers Squibb - Molecular Translation",
    category="Image To Text",
    metric="mean Levenshtein distance",
    group="high",
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, split: Split = random_split, extra_has_answers: bool = True
) -> None:
    """Hold out a fifth of the pictures, which are in folders named by the first three characters of their id."""
    train, test = split(raw.read_csv("train_labels.csv", lean=True), test_size=0.2, consume=True)
    public.write_csv("train_labels.csv", train)
    public.place_split(train["image_id"], test["image_id"], raw, "train/{0[0]}/{0[1]}/{0[2]}/{0}.png")
    public.write_csv("sample_submission.csv", test[["image_id"]].assign(InChI=WATER))
    if extra_has_answers:  # as published, though nobody looked whether there are any
        public.place({EXTRA: raw[EXTRA]})
    else:
        extra = raw.read_csv(EXTRA, lean=True)
        public.write_csv(EXTRA, extra[~extra["InChI"].isin(test["InChI"].tolist())])
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table, empty_is_nan: bool = True) -> float:
    """Mean edit distance of the strings; as published, an empty prediction is compared as the text nan."""
    truth, predicted = aligned(submission, answers, on="image_id", target="InChI")
    if not empty_is_nan:
        complete(predicted)
    return float(np.mean(levenshtein_distances(as_text(truth).tolist(), as_text(predicted).tolist())))


competition.v2(split=grouped_by("InChI"), extra_has_answers=False, empty_is_nan=False)
