"""Tweet sentiment extraction: which words of a tweet carry its sentiment?"""

import numpy as np

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    in_cell,
    random_split,
    texts,
    word_jaccard,
)

competition = Competition(
    "tweet-sentiment-extraction",
    "Tweet Sentiment Extraction",
    category="Text (Other)",
    metric="mean word-level Jaccard index",
    group="medium",
    # As published, where the one row without a text is held out, an empty prediction for it has no score. In the real
    # data that row is in train; in some twins it is not.
    breaks=["sample_valid"],
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the tweets."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="selected_text"))
    public.write_csv("sample_submission.csv", test[["textID"]].assign(selected_text=""))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table, both_empty_is_right: bool = False) -> float:
    """Mean overlap of the words of both selections."""
    columns = aligned(submission, answers, on="textID", target="selected_text")
    truth, predicted = (texts(column, any_kind=True) for column in columns)
    for tweet, true, selected in zip(answers["textID"], truth, predicted, strict=True):
        # As published: without a word on either side there is no score at all.
        if not true.split() and not selected.split() and not both_empty_is_right:
            raise InvalidSubmissionError(
                f"The selected_text of {tweet} must not be empty; select at least one word.",
                code=RefusalCode.MISSING_VALUES,
                where=in_cell(tweet),
            )
    pairs = zip(truth, predicted, strict=True)
    return float(np.mean([word_jaccard(*pair) if "".join(pair).split() else 1.0 for pair in pairs]))


competition.v2(both_empty_is_right=True, breaks=[])
