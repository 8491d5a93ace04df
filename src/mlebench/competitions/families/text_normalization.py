"""The text normalisation challenges: written tokens in, spoken words out; one per language."""

import csv
from collections.abc import Sequence
from typing import Any

from mlebench.kit import Output, Raw, Table, accuracy, aligned, as_text, group_split

_QUOTED: dict[str, Any] = {"quoting": csv.QUOTE_NONNUMERIC}


def prepare(raw: Raw, public: Output, private: Output, *, language: str, text: Sequence[str] = ()) -> None:
    """Hold out a tenth of the sentences and number the sentences of both parts anew."""
    tokens = raw.read_csv(f"{language}_train.csv.zip", lean=True, text=text)
    train, test = (_renumbered(part) for part in group_split(tokens, "sentence_id", 0.1, consume=True))
    test = test.assign(id=test["sentence_id"].astype(str) + "_" + test["token_id"].astype(str))
    sample = test[["id", "before"]].rename(columns={"before": "after"})
    public.write_csv(f"{language}_train.csv.zip", train, **_QUOTED)
    public.write_csv(f"{language}_test_2.csv.zip", test[["sentence_id", "token_id", "before"]], **_QUOTED)
    public.write_csv(f"{language}_sample_submission_2.csv.zip", sample, **_QUOTED)
    private.write_csv("answers.csv", test[["id", "after"]], **_QUOTED)
    private.write_csv("sample_submission.csv", sample, **_QUOTED)


def grade(submission: Table, answers: Table) -> float:
    """Share of tokens whose spoken form is right."""
    truth, predicted = aligned(submission, answers, on="id", target="after")
    # As text, so that a token that pandas took for a missing value equals any other such token.
    return accuracy(as_text(truth), as_text(predicted))


def _renumbered(tokens: Table) -> Table:
    """The same tokens with sentences numbered 0, 1, 2 … by first appearance."""
    import pandas as pd

    return tokens.assign(sentence_id=pd.factorize(tokens["sentence_id"])[0])
