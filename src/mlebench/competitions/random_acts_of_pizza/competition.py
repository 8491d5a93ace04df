"""Random Acts of Pizza: which requests for a free pizza are granted?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, probabilities
from mlebench.metrics import roc_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

TARGET = "requester_received_pizza"

competition = Competition(
    id="random-acts-of-pizza",
    name="Random Acts of Pizza",
    category="Text Classification",
    metric="area under the ROC curve",
    group="low",
    sample="sampleSubmission.csv",
    gigabytes=0.003,
    known_issues=(
        KnownIssue(
            "The test requests keep giver_username_if_known, and whoever has a giver got a pizza: many of "
            "the positive answers can be read off.",
            v2="Drops the field from both parts.",
        ),
        KnownIssue("request_text_edit_aware was cleaned by rules, so a few thank-you notes may survive in it."),
        KnownIssue("The archives are called train.zip and test.zip, not train.json.zip and test.json.zip."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out the share of requests that Kaggle's own test set had, with the fields that it had."""
    import pandas as pd

    requests, unlabelled = (json.loads(raw.read_text(name)) for name in ("train.json", "test.json"))
    share = len(unlabelled) / (len(requests) + len(unlabelled))
    train, test = random_split(requests, test_size=share)
    fields = list(unlabelled[0])
    shown = [{field: request[field] for field in fields} for request in test]
    for name, part in (("train", train), ("test", shown)):
        content = json.dumps(part, indent=4).encode("ascii")
        public.write_bytes(f"{name}.json", content)
        public.write_zip(f"{name}.zip", {f"{name}.json": content})
    answers = pd.DataFrame(test)[["request_id", TARGET]].astype({TARGET: int})
    public.write_csv("sampleSubmission.csv", answers.assign(**{TARGET: 0}))
    private.write_csv("test.csv", answers)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="request_id", target=TARGET)
    return roc_auc(truth, probabilities(predicted))
