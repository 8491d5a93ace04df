"""HMS harmful brain activity: how do experts' votes on an EEG window divide over six patterns?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mlebench.competition import Competition, KnownIssue
from mlebench.data import group_split
from mlebench.grade import InvalidSubmissionError, numbers, require_columns, require_rows, same_ids
from mlebench.metrics import kl_divergence

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

VOTES = ["seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote"]
SMALLEST = 1e-15

competition = Competition(
    id="hms-harmful-brain-activity-classification",
    name="HMS - Harmful Brain Activity Classification",
    category="Signal Processing",
    metric="Kullback-Leibler divergence",
    better="lower",
    group="high",
    known_issues=(
        KnownIssue(
            "Empty cells are left out of the row sums and of the loss: 1 on one class and five empty cells scores "
            "better than the truth.",
            v2="Refuses empty cells.",
        ),
        KnownIssue(
            "An eeg_id occurs several times and rows are matched by position after sorting, so rows of one eeg_id "
            "pair up only in the order of the sample submission.",
            v2="Matches rows by label_id.",
        ),
        KnownIssue(
            "Test rows come without offsets and test recordings whole, so the window that a row is about is unknown.",
            v2="Publishes the offsets.",
        ),
        KnownIssue("The split is by spectrogram; patients are on both sides.", v2="Splits by patient."),
        KnownIssue(
            "A column of whole numbers escapes clipping, so a 0 can make the loss infinite.",
            v2="Clips all columns.",
        ),
        KnownIssue("Further columns take part in the checks.", v2="Ignores them."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the spectrograms with all their rows and recordings."""
    train, test = group_split(raw.read_csv("train.csv"), by="spectrogram_id", test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[["spectrogram_id", "eeg_id", "patient_id"]])
    public.write_csv("sample_submission.csv", test[["eeg_id"]].assign(**dict.fromkeys(VOTES, 1 / 6)))
    private.write_csv("test.csv", test)
    private.write_csv("gold_submission.csv", test[["eeg_id"]].join(test[VOTES].div(test[VOTES].sum(axis=1), axis=0)))
    public.place_folder("example_figures", raw.folder("example_figures"))
    for kind, key in (("eegs", "eeg_id"), ("spectrograms", "spectrogram_id")):
        for part, rows in (("train", train), ("test", test)):
            source, target = f"train_{kind}/{{}}.parquet", f"{part}_{kind}/{{}}.parquet"
            public.place_each(rows[key].unique(), raw, source, to=target)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Mean Kullback-Leibler divergence between the shares of votes and the predicted shares."""
    require_columns(submission, ["eeg_id", *VOTES])
    require_rows(submission, answers)
    predicted = np.column_stack([numbers(submission[vote], missing=True, infinite=True) for vote in VOTES])
    sums = np.nansum(predicted, axis=1).round(5)
    if (sums != 1).any():
        worst = int(np.argmax(sums != 1))
        raise InvalidSubmissionError(
            f"The six values of data row {worst + 1} sum to {sums[worst]:g}; they must sum to 1."
        )
    same_ids(submission["eeg_id"], answers["eeg_id"], "eeg_id")
    _check_all_columns(submission.drop(columns="eeg_id"))
    integer = np.array([submission[vote].dtype.kind in "iu" for vote in VOTES])
    clipped = np.where(integer, predicted, np.clip(predicted, SMALLEST, 1 - SMALLEST))  # as published
    votes = answers[VOTES].to_numpy(dtype=np.float64)
    shares = votes / votes.sum(axis=1, keepdims=True)
    # Rows of one eeg_id are matched by their order, which a stable sort keeps.
    return kl_divergence(shares[_by_id(answers)], clipped[_by_id(submission)])


def _by_id(table: pd.DataFrame) -> NDArray[np.intp]:
    return np.asarray(np.argsort(table["eeg_id"].to_numpy(), kind="stable"))


def _check_all_columns(table: pd.DataFrame) -> None:
    """As published: further columns too must be numbers from 0 to 1 that leave the row sums at 1."""
    if any(kind.kind == "b" for kind in table.dtypes):
        raise InvalidSubmissionError("A column holds True or False; write numbers.")
    values = np.column_stack([numbers(table[name], low=0.0, high=1.0, missing=True) for name in table])
    if not np.allclose(np.nansum(values, axis=1), 1):
        raise InvalidSubmissionError("A further column changes the row sums, which must be 1; remove it.")
