"""Tabular Playground May 2022: which of two states is the machine in?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, probabilities, random_split, roc_auc

TEST_ROWS = 100_000

competition = Competition(
    "tabular-playground-series-may-2022",
    "Tabular Playground Series - May 2022",
    category="Tabular",
    metric="area under the ROC curve",
    group="low",
    gigabytes=0.57,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 100000 rows, whatever the size of the table, and number all rows anew."""
    train, test = random_split(raw.read_csv("train.csv", lean=True), test_size=TEST_ROWS, consume=True)
    train = train.assign(id=range(len(train)))
    test = test.assign(id=range(len(train), len(train) + len(test)))
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="target"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(target=0.5))
    private.write_csv("test.csv", test)
    private.write_csv("gold_submission.csv", test[["id", "target"]])


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="target")
    return roc_auc(truth, probabilities(predicted))
