"""SETI Breakthrough Listen: is there a simulated alien signal in a radio observation?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, probabilities, random_split, roc_auc

competition = Competition(
    "seti-breakthrough-listen",
    "SETI Breakthrough Listen - E.T. Signal Search",
    category="Signal Processing",
    metric="area under the ROC curve",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the samples, which are in folders by the first character of their ids."""
    samples = raw.read_csv("train_labels.csv", dtype={"id": str})
    train, test = random_split(samples, test_size=0.1)
    public.write_csv("train_labels.csv", train)
    public.write_csv("sample_submission.csv", test.assign(target=0.5))
    private.write_csv("test.csv", test)
    in_train, in_test = (part["id"].str[0] + "/" + part["id"] for part in (train, test))
    public.place_split(in_train, in_test, raw, "train/{}.npy")
    # As published: the labelled data from before the relaunch goes along.
    public.place_folder("old_leaky_data", raw.folder("old_leaky_data"))


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target="target")
    return roc_auc(truth, probabilities(predicted))


competition.v2(leave_out=["old_leaky_data/*"])
