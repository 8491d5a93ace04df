"""iMet 2020: which attributes does an object of the Metropolitan Museum have?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, label_sets, micro_f1_of_sets, random_split

competition = Competition(
    "imet-2020-fgvc7",
    "iMet Collection 2020 - FGVC7",
    category="Image Classification",
    metric="micro F1",
    group="medium",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 15 % of the objects."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.15)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(attribute_ids="0 1 2"))
    public.place({"labels.csv": raw["labels.csv"]})
    private.write_csv("answers.csv", test)
    public.place_split(train["id"], test["id"], raw, "train/{}.png")


@competition.grade
def grade(submission: Table, answers: Table, unknown_is_wrong: bool = False) -> float:
    """F1 over all pairs of object and attribute."""
    truth, predicted = (label_sets(cells) for cells in aligned(submission, answers, on="id", target="attribute_ids"))
    # As published: attributes that no test object has do not count, not even as wrong predictions.
    known = set().union(*(predicted if unknown_is_wrong else truth))
    return micro_f1_of_sets(truth, [attributes & known for attributes in predicted])


competition.v2(unknown_is_wrong=True, text_columns=["attribute_ids"])
