"""The text normalisation challenges: written tokens in, spoken words out; one per language."""

import csv
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import Output, Raw, Table, accuracy, aligned, as_text, group_mask, joined_cells, rows_where

_QUOTED: dict[str, Any] = {"quoting": csv.QUOTE_NONNUMERIC}


def prepare(raw: Raw, public: Output, private: Output, *, language: str, text: Sequence[str] = ()) -> None:
    """Hold out a tenth of the sentences and number the sentences of both parts anew."""
    tokens = raw.read_csv(f"{language}_train.csv.zip", lean=True, in_pieces=True, text=text)
    in_test = group_mask(tokens, "sentence_id", 0.1)
    tokens["sentence_id"] = _renumbered(tokens["sentence_id"].to_numpy(), in_test)
    test = rows_where(tokens, in_test)
    test = test.assign(id=joined_cells([test["sentence_id"], test["token_id"]], "_"))
    sample = test[["id", "before"]].rename(columns={"before": "after"})
    public.write_csv(f"{language}_train.csv.zip", tokens, rows=~in_test, **_QUOTED)
    public.write_csv(f"{language}_test_2.csv.zip", test[["sentence_id", "token_id", "before"]], **_QUOTED)
    public.write_csv(f"{language}_sample_submission_2.csv.zip", sample, **_QUOTED)
    private.write_csv("answers.csv", test[["id", "after"]], **_QUOTED)
    private.write_csv("sample_submission.csv", sample, **_QUOTED)


def grade(submission: Table, answers: Table) -> float:
    """Share of tokens whose spoken form is right."""
    truth, predicted = aligned(submission, answers, on="id", target="after")
    # As text, so that a token that pandas took for a missing value equals any other such token.
    return accuracy(as_text(truth), as_text(predicted))


def _renumbered(sentences: NDArray[Any], in_test: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The sentences of both parts, each numbered 0, 1, 2 … by first appearance."""
    import pandas as pd

    places, distinct = pd.factorize(sentences)
    is_test = np.zeros(len(distinct), np.bool_)
    is_test[places] = in_test
    numbers = np.where(is_test, is_test.cumsum(), (~is_test).cumsum()) - 1
    renumbered: NDArray[np.int32] = numbers.astype(np.int32)[places]
    return renumbered
