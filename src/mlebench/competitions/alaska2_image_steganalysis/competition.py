"""ALASKA2: does a photograph carry a hidden message?"""

import random

from mlebench.kit import Competition, Output, Raw, Table, aligned, numbers, random_split, weighted_auc

ALGORITHMS = ["JMiPOD", "JUNIWARD", "UERD"]

competition = Competition(
    "alaska2-image-steganalysis",
    "ALASKA2 Image Steganalysis",
    category="Image Classification",
    metric="weighted AUC",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 5,000 photographs with all their versions and show one version of each; all get new numbers."""
    import pandas as pd

    covers = raw.folder("Cover").names("*.jpg")
    # 5,000 as published; a small archive could not be split so.
    train, test = random_split(covers, test_size=5000 if len(covers) >= 10000 else len(covers) // 5, seed=42)
    for version in ("Cover", *ALGORITHMS):
        public.place(raw.numbered((f"{version}/{name}" for name in train), version + "/{:05}.jpg", start=1))

    draw = random.Random(0)
    draw.shuffle(test)
    shown = ["Cover" if draw.choice([True, False]) else draw.choice(ALGORITHMS) for _ in test]
    chosen = (f"{version}/{name}" for version, name in zip(shown, test, strict=True))
    public.place(raw.numbered(chosen, "Test/{:04}.jpg", start=1))
    ids = [f"{number:04}.jpg" for number, _ in enumerate(test, start=1)]
    answers = pd.DataFrame({"Id": ids, "Label": [int(version != "Cover") for version in shown]})
    public.write_csv("sample_submission.csv", answers.assign(Label=0))
    private.write_csv("test.csv", answers)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve, where true positive rates up to 0.4 count twice."""
    truth, predicted = aligned(submission, answers, on="Id", target="Label")
    return weighted_auc(truth, numbers(predicted), limits=[0, 0.4, 1], weights=[2, 1])
