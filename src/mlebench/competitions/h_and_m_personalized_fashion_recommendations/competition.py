"""H&M recommendations: which articles will a customer buy in the days to come?"""

import numpy as np

from mlebench.kit import (
    Column,
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    as_text,
    mean_average_precision_at_k,
    paired_by_position,
    require_columns,
)

UNCHANGED = ["articles.csv", "customers.csv", "sample_submission.csv"]

competition = Competition(
    "h-and-m-personalized-fashion-recommendations",
    "H&M Personalized Fashion Recommendations",
    category="Recommendation",
    metric="MAP@12",
    group="medium",
    answers="answers.csv",
    gigabytes=30,
    breaks=[
        "sample_has_a_row_per_answer",  # it has all customers, and only those who buy are scored
        "ids_disjoint",  # customers who bought before buy again
        "incomplete_refused",  # customers who buy nothing may be left out
    ],
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, days_before_last: int = 7) -> None:
    """Hold out the purchases of the last days."""
    purchases = raw.stored_rows("transactions_train.csv", keep=["t_dat"])
    days = purchases.kept["t_dat"]
    # As published: the last day and the seven before it, which are eight days.
    first = str(np.datetime64(max(days.unique()), "D") - np.timedelta64(days_before_last, "D"))
    held_out = days.isin([day for day in days.unique() if day >= first]).to_numpy()
    public.write_rows("transactions_train.csv", purchases, np.flatnonzero(~held_out))
    test = purchases.table(np.flatnonzero(held_out)).astype({"article_id": str})
    bought = test.groupby("customer_id")["article_id"].agg(" ".join)
    private.write_csv("answers.csv", bought.rename("prediction").reset_index())
    public.place({name: raw[name] for name in UNCHANGED})
    public.place_folder("images", raw.folder("images"))


@competition.grade
def grade(submission: Table, answers: Table, repeated_customers: bool = True, ids_are_numbers: bool = False) -> float:
    """MAP@12 over the customers who buy something."""
    require_columns(submission, ["customer_id", "prediction"], exactly=True)
    if not repeated_customers and submission["customer_id"].duplicated().any():
        raise InvalidSubmissionError(
            "The submission has a customer twice; give one row for each one of sample_submission.csv.",
            code=RefusalCode.DUPLICATE_IDS,
            where=lambda table: table["customer_id"].duplicated(),
        )
    if not answers["customer_id"].isin(submission["customer_id"]).all():
        # Which or how many customers are scored is part of the answers.
        raise InvalidSubmissionError(
            "The submission lacks customers: give a row for each one of sample_submission.csv.",
            code=RefusalCode.MISSING_IDS,
        )
    scored = submission[submission["customer_id"].isin(answers["customer_id"])]
    # As published: rows are paired by their position after sorting, so a customer given twice shifts those after it.
    truth, predicted = paired_by_position(scored, answers, on="customer_id")
    bought, guesses = _articles(truth["prediction"]), _articles(predicted["prediction"].head(len(truth)))
    if ids_are_numbers:  # then 0108775015 and 108775015 are the same article
        bought, guesses = ([[article.lstrip("0") for article in row] for row in side] for side in (bought, guesses))
    return mean_average_precision_at_k([set(articles) for articles in bought], guesses, k=12)


def _articles(column: Column) -> list[list[str]]:
    """As published: ids are compared as the text of what pandas reads, and every blank separates two of them."""
    return [text.split(" ") for text in as_text(column)]


competition.v2(days_before_last=6, repeated_customers=False, ids_are_numbers=True, text_columns=["prediction"])
