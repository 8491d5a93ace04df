"""Random Acts of Pizza: which requests for a free pizza are granted?"""

import json
from collections.abc import Collection

from mlebench.kit import Competition, NoMedalCode, Output, Raw, Table, aligned, probabilities, random_split, roc_auc

TARGET = "requester_received_pizza"

competition = Competition(
    "random-acts-of-pizza",
    "Random Acts of Pizza",
    category="Text Classification",
    metric="area under the ROC curve",
    group="low",
    sample="sampleSubmission.csv",
    gigabytes=0.003,
    breaks=["no_answers_in_public"],  # as published, a giver is known only where there was a pizza
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, hidden: Collection[str] = ()) -> None:
    """Hold out the share of requests that Kaggle's own test set had, with the fields that it had."""
    import pandas as pd

    requests, unlabelled = (json.loads(raw.read_text(name)) for name in ("train.json", "test.json"))
    share = len(unlabelled) / (len(requests) + len(unlabelled))
    train, test = random_split(requests, test_size=share)
    fields = list(unlabelled[0])
    shown = [{field: request[field] for field in fields} for request in test]
    for name, part in (("train", train), ("test", shown)):
        part = [{field: request[field] for field in request if field not in hidden} for request in part]
        content = json.dumps(part, indent=4).encode("ascii")
        public.write_bytes(f"{name}.json", content)
        public.write_zip(f"{name}.zip", {f"{name}.json": content})
    answers = pd.DataFrame(test)[["request_id", TARGET]].astype({TARGET: int})
    public.write_csv("sampleSubmission.csv", answers.assign(**{TARGET: 0}))
    private.write_csv("test.csv", answers)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="request_id", target=TARGET)
    return roc_auc(truth, probabilities(predicted))


# Whoever has a giver got a pizza, which humans could see too: their scores rest on it, so it is in no group of medals.
competition.v2(hidden=["giver_username_if_known"], no_medals=NoMedalCode.HUMANS_HAD_LEAK, group="none", breaks=[])
