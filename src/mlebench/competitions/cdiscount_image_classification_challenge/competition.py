"""Cdiscount: into which of 5,000 shop categories does a product belong, by its pictures?"""

from itertools import compress, islice

import numpy as np

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    ReadLabels,
    Table,
    accuracy,
    aligned,
    class_numbers,
    random_split,
    whole_numbers,
)

competition = Competition(
    "cdiscount-image-classification-challenge",
    "Cdiscount's Image Classification Challenge",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    answers="answers.csv",
    gigabytes=72.7,
    breaks=["wrong_values_refused"],  # as published, one word makes all classes text, which equals no class
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the products, which keep their ids and lose their category."""
    import pandas as pd

    # 58 GB: read once for the ids and once to be dealt out, and no picture is decoded.
    products = raw.bson("train.bson")
    table = pd.DataFrame(products.integers("_id", "category_id"))
    _, test = random_split(table, test_size=0.1)
    in_test = np.zeros(len(table), bool)
    in_test[test.index] = True
    test = test.sort_values("_id")
    public.split_bson(products, in_test, to=("train.bson", "test.bson"), hide="category_id")
    public.write_bson("train_example.bson", islice(compress(products, ~in_test), 100))
    public.place({"category_names.csv": raw["category_names.csv"]})
    public.write_csv("sample_submission.csv", test.assign(category_id=1000010653))
    private.write_csv("answers.csv", test)


@competition.grade
def grade(submission: Table, answers: Table, read_labels: ReadLabels = class_numbers) -> float:
    """Share of products whose category is predicted right; a number that is no category is only wrong."""
    truth, predicted = aligned(submission, answers, on="_id", target="category_id")
    return accuracy(truth, read_labels(predicted))


competition.v2(read_labels=whole_numbers, breaks=[])
