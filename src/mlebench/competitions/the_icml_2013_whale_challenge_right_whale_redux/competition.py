"""Right whale redux: does a short underwater recording contain the call of a right whale?"""

import re

from mlebench.kit import Competition, Output, PreparationError, Raw, Table, aligned, probabilities, roc_auc

competition = Competition(
    "the-icml-2013-whale-challenge-right-whale-redux",
    "The ICML 2013 Whale Challenge - Right Whale Redux",
    category="Audio Classification",
    metric="area under the ROC curve",
    group="low",
    sample="sampleSubmission.csv",
    gigabytes=0.29314,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Train on the first two of the four days, test on the last two; clips are renumbered in that order."""
    import pandas as pd

    clips = raw.archive("train2.zip")
    names = [name.removeprefix("train2/") for name in clips.names("train2/*.aif")]
    days = sorted({_day(name) for name in names})
    if len(days) != 4:
        raise PreparationError(f"train2.zip holds clips of {len(days)} days, but four are expected.")
    train = _renumbered([name for name in names if _day(name) in days[:2]], r"TRAIN\d+", "TRAIN{}")
    test = _renumbered([name for name in names if _day(name) in days[2:]], r"TRAIN.*", "Test{}.aif")
    for folder, part in (("train2", train), ("test2", test)):
        public.write_zip(f"{folder}.zip", {f"{folder}/{new}": clips[f"train2/{old}"] for new, old in part.items()})
    labels = [int(old.endswith("_1.aif")) for old in test.values()]
    answers = pd.DataFrame({"clip": list(test), "probability": labels})
    public.write_csv("sampleSubmission.csv", answers.assign(probability=0))
    private.write_csv("test.csv", answers)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="clip", target="probability")
    return roc_auc(truth, probabilities(predicted))


def _day(clip: str) -> str:
    return clip.partition("_")[0]


def _renumbered(clips: list[str], numbered: str, new: str) -> dict[str, str]:
    """New name -> old name, the part that has the number replaced by one with the place in the list."""
    return {re.sub(numbered, new.format(place), clip): clip for place, clip in enumerate(clips)}
