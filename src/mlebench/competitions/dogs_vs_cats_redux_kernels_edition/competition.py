"""Dogs vs. cats: how likely is it that the photograph shows a dog?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, probabilities
from mlebench.metrics import binary_log_loss

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.archives import Source
    from mlebench.data.folders import Files, OutputFolder, RawFiles

competition = Competition(
    id="dogs-vs-cats-redux-kernels-edition",
    name="Dogs vs. Cats Redux: Kernels Edition",
    category="Image Classification",
    metric="log loss",
    better="lower",
    group="low",
    answers="answers.csv",
    gigabytes=0.85,
    known_issues=(
        KnownIssue("Every image is given twice, in a folder and in a zip archive.", v2="Gives the folders only."),
        KnownIssue("The images come from a public corpus (Asirra, also used by an earlier competition) with labels."),
        KnownIssue(
            "Probabilities are clipped at the machine epsilon, where the original clips at about 1e-15; "
            "a certain error costs slightly more here.",
            v2="Clips at 1e-15.",
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the labelled photographs and number both parts anew, as folders and as archives."""
    import pandas as pd

    photos = raw.archive("train.zip")
    train, test = random_split(photos.names("train/*.jpg"), test_size=0.1)
    cats, dogs = [name for name in train if "cat" in name], [name for name in train if "cat" not in name]
    renamed = {
        "train": _numbered(photos, cats, "cat.{}.jpg") | _numbered(photos, dogs, "dog.{}.jpg"),
        "test": _numbered(photos, test, "{}.jpg", start=1),
    }
    for part, files in renamed.items():
        public.place({f"{part}/{name}": source for name, source in files.items()})
        public.write_zip(f"{part}.zip", files)
    answers = pd.DataFrame({"id": range(1, len(test) + 1), "label": [int("dog" in name) for name in test]})
    public.write_csv("sample_submission.csv", answers.assign(label=0.5))
    private.write_csv("answers.csv", answers)


def _numbered(files: Files, names: list[str], pattern: str, start: int = 0) -> dict[str, Source]:
    return {pattern.format(number): files[name] for number, name in enumerate(names, start)}


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Log loss of the probability of a dog."""
    truth, predicted = aligned(submission, answers, on="id", target="label")
    return binary_log_loss(truth, probabilities(predicted))
