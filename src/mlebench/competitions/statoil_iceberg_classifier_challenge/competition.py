"""Statoil iceberg classifier: is a bright spot on a radar picture a ship or an iceberg?"""

import json
from typing import Any

from mlebench.kit import (
    Competition,
    NoMedalCode,
    Output,
    Raw,
    Table,
    aligned,
    binary_log_loss,
    probabilities,
    random_split,
    split_together,
)

competition = Competition(
    "statoil-iceberg-classifier-challenge",
    "Statoil/C-CORE Iceberg Classifier Challenge",
    category="Image Classification",
    metric="log loss",
    group="medium",
    private_sample="sample_submission.csv",
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, scenes_together: bool = False, plain_sample: bool = False
) -> None:
    """Hold out a fifth of the objects, which keep only the fields that Kaggle's own test objects have."""
    import pandas as pd

    objects = raw.archive("train.json.7z").read_json("data/processed/train.json")
    train, test = (_by_angle if scenes_together else random_split)(objects, test_size=0.2)
    public_fields = list(next(raw.archive("test.json.7z").json_items("data/processed/test.json")))
    answers = pd.DataFrame(test, columns=["id", "is_iceberg"])
    sample = answers.assign(is_iceberg=0.5)
    private.write_csv("test.csv", answers)
    private.write_csv("sample_submission.csv", sample)
    if plain_sample:
        public.write_csv("sample_submission.csv", sample)
    shown = [{field: image[field] for field in public_fields} for image in test]
    for name, content in {
        "train.json": json.dumps(train),
        "test.json": json.dumps(shown),
        "sample_submission.csv": sample.to_csv(index=False),
    }.items():
        public.write_7z(f"{name}.7z", {name: content.encode("ascii")})


def _by_angle(objects: list[dict[str, Any]], test_size: float) -> tuple[list[Any], list[Any]]:
    """Keep objects of equal angle together, and those without one in train, as in the contest."""
    without = [item for item in objects if item["inc_angle"] == "na"]
    angled = [item for item in objects if item["inc_angle"] != "na"]
    train, test = split_together(angled, [item["inc_angle"] for item in angled], test_size)
    return train + without, test


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Log loss of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="is_iceberg")
    return binary_log_loss(truth, probabilities(predicted))


# Equal angles were on both sides in the contest too, so its human scores rest on them.
competition.v2(
    scenes_together=True,
    plain_sample=True,
    no_medals=NoMedalCode.HUMANS_HAD_LEAK,
    breaks=["no_private_file_public"],  # the sample, which is no secret
)
