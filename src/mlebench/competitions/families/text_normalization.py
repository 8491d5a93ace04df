"""The text normalisation challenges: written tokens in, spoken words out; one per language."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from mlebench.competition import Competition, KnownIssue
from mlebench.data import group_split
from mlebench.grade import aligned, as_text
from mlebench.metrics import accuracy

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

KNOWN_ISSUES = (
    KnownIssue(
        'Tokens such as "NA", "null" or "None" are lost as missing values, in the public data and in the answers.',
        v2="Reads every token as text.",
    ),
    KnownIssue("The original text names files without the ending _2.csv.zip that the public files have."),
    KnownIssue(
        "The original text shows the marks <self> and sil for unchanged tokens; the data repeats the token.",
        v2="The description shows real rows.",
    ),
)
_QUOTED: dict[str, Any] = {"quoting": csv.QUOTE_NONNUMERIC}


def text_normalization(competition: Competition, language: str) -> None:
    """Give a competition the preparation and the grading that both languages share."""

    @competition.prepare
    def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
        tokens = raw.read_lean_csv(f"{language}_train.csv.zip")
        train, test = (_renumbered(part) for part in group_split(tokens, "sentence_id", 0.1, consume=True))
        test = test.assign(id=test["sentence_id"].astype(str) + "_" + test["token_id"].astype(str))
        sample = test[["id", "before"]].rename(columns={"before": "after"})
        public.write_csv(f"{language}_train.csv.zip", train, **_QUOTED)
        public.write_csv(f"{language}_test_2.csv.zip", test[["sentence_id", "token_id", "before"]], **_QUOTED)
        public.write_csv(f"{language}_sample_submission_2.csv.zip", sample, **_QUOTED)
        private.write_csv("answers.csv", test[["id", "after"]], **_QUOTED)
        private.write_csv("sample_submission.csv", sample, **_QUOTED)

    @competition.grade
    def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
        truth, predicted = aligned(submission, answers, on="id", target="after")
        # As text, so that a token that pandas took for a missing value equals any other such token.
        return accuracy(as_text(truth), as_text(predicted))


def _renumbered(tokens: pd.DataFrame) -> pd.DataFrame:
    """The same tokens with sentences numbered 0, 1, 2 … by first appearance."""
    import pandas as pd

    return tokens.assign(sentence_id=pd.factorize(tokens["sentence_id"])[0])
