"""Playground Series 3, episode 18: which classes of enzymes act on a molecule?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, mean_column_auc, numbers, random_split

GRADED = ["EC1", "EC2"]
LABELS = [f"EC{number}" for number in range(1, 7)]

competition = Competition(
    "playground-series-s3e18",
    "Explore Multi-Label Classification with an Enzyme Substrate Dataset",
    category="Tabular",
    metric="mean column-wise area under the ROC curve",
    group="dev",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the molecules; all six labels are withheld, though only two are asked for."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=LABELS))
    public.write_csv("sample_submission.csv", test[["id"]].assign(**dict.fromkeys(GRADED, 0.5)))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean area under the ROC curve of EC1 and EC2; any finite numbers are scores, only their ranks count."""
    truth, predicted = aligned(submission, answers, on="id", target=GRADED)
    return mean_column_auc(truth, numbers(predicted))
