"""Playground Series 3, episode 18: which classes of enzymes act on a molecule?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, numbers
from mlebench.metrics import mean_column_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

GRADED = ["EC1", "EC2"]
LABELS = [f"EC{number}" for number in range(1, 7)]

competition = Competition(
    id="playground-series-s3e18",
    name="Explore Multi-Label Classification with an Enzyme Substrate Dataset",
    category="Tabular",
    metric="mean column-wise area under the ROC curve",
    group="dev",
    known_issues=(
        KnownIssue("The table that the rows were modelled on is public, though the rows themselves are not in it."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the molecules; all six labels are withheld, though only two are asked for."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=LABELS))
    public.write_csv("sample_submission.csv", test[["id"]].assign(**dict.fromkeys(GRADED, 0.5)))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Mean area under the ROC curve of EC1 and EC2; any finite numbers are scores, only their ranks count."""
    truth, predicted = aligned(submission, answers, on="id", target=GRADED)
    return mean_column_auc(truth, numbers(predicted))
