"""AI4Code: where in a notebook do its shuffled markdown cells belong?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    PreparationError,
    Raw,
    RefusalCode,
    Table,
    aligned,
    as_text,
    in_cell,
    pooled_kendall_tau,
)

TEST_NOTEBOOKS = 20_000

competition = Competition(
    "AI4Code",
    "Google AI4Code - Understand Code in Python Notebooks",
    category="Text (Other)",
    metric="Kendall tau, pooled over notebooks",
    group="medium",
    answers="test_orders.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out whole families of notebooks, in random order, until there are 20,000 for the test set."""
    ancestors = raw.read_csv("train_ancestors.csv").sample(frac=1, random_state=0)
    wanted = TEST_NOTEBOOKS if len(ancestors) >= 2 * TEST_NOTEBOOKS else len(ancestors) // 5
    in_test = ancestors["ancestor_id"].isin(_families_that_fit(ancestors["ancestor_id"].tolist(), wanted))
    train_ids, test_ids = ancestors["id"][~in_test], ancestors["id"][in_test]
    orders = raw.read_csv("train_orders.csv")
    train, test = orders[orders["id"].isin(train_ids)], orders[orders["id"].isin(test_ids)]
    if sorted(test["id"]) != sorted(test_ids):
        raise PreparationError("train_orders.csv does not have one row for each of the notebooks to hold out.")
    public.place_split(train_ids, test_ids, raw, "train/{}.json")
    public.write_csv("train_orders.csv", train)
    public.write_csv("train_ancestors.csv", ancestors[~in_test])
    shown = [" ".join(raw.read_json(f"train/{notebook}.json")["cell_type"]) for notebook in test["id"]]
    public.write_csv("sample_submission.csv", test[["id"]].assign(cell_order=shown))
    private.write_csv("test_orders.csv", test)


def _families_that_fit(families: list[str], wanted: int) -> set[str]:
    """The families whose notebooks fill the test set exactly: each one that still fits, by first appearance."""
    sizes = dict.fromkeys(families, 0)
    for family in families:
        sizes[family] += 1
    chosen = set()
    for family, size in sizes.items():
        if size <= wanted:
            chosen.add(family)
            wanted -= size
    if wanted:
        raise PreparationError(f"No family of notebooks is small enough for the last {wanted} of the test set.")
    return chosen


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Kendall's tau of all cells of a notebook, pooled over notebooks."""
    truth, predicted = aligned(submission, answers, on="id", target="cell_order")
    true_orders = [order.split() for order in truth]
    orders = [order.split() for order in as_text(predicted)]
    for notebook, true, order in zip(answers["id"], true_orders, orders, strict=True):
        if len(order) != len(true) or set(order) != set(true):
            raise InvalidSubmissionError(
                f"The cell_order of {notebook} must name each of the {len(true)} cells of the notebook once.",
                code=RefusalCode.MALFORMED_VALUE,
                where=in_cell(notebook),
            )
    return pooled_kendall_tau(true_orders, orders)
