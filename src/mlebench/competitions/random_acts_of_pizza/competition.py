"""Random Acts of Pizza: which requests for a free pizza are granted?"""

import json

from mlebench.kit import Competition, Output, Raw, Table, aligned, probabilities, random_split, roc_auc

TARGET = "requester_received_pizza"

competition = Competition(
    "random-acts-of-pizza",
    "Random Acts of Pizza",
    category="Text Classification",
    metric="area under the ROC curve",
    group="low",
    sample="sampleSubmission.csv",
    gigabytes=0.003,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
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
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="request_id", target=TARGET)
    return roc_auc(truth, probabilities(predicted))
