"""Spaceship Titanic: which passengers were transported?"""

from mlebench.kit import Competition, Output, Raw, Table, accuracy, aligned, random_split, truth_values

competition = Competition("spaceship-titanic", "Spaceship Titanic", category="Tabular", metric="accuracy", group="dev")


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the passengers."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="Transported"))
    public.write_csv("sample_submission.csv", test[["PassengerId"]].assign(Transported=False))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of passengers whose fate is predicted right."""
    truth, predicted = aligned(submission, answers, on="PassengerId", target="Transported")
    return accuracy(truth, truth_values(predicted))
