"""HMS harmful brain activity: how do experts' votes on an EEG window divide over six patterns?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    distributions,
    group_split,
    kl_divergence,
    numbers,
    require_columns,
    require_rows,
    same_ids,
)

VOTES = ["seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote"]
KNOWN_OF_TEST = ["spectrogram_id", "eeg_id", "patient_id"]
SMALLEST = 1e-15

competition = Competition(
    "hms-harmful-brain-activity-classification",
    "HMS - Harmful Brain Activity Classification",
    category="Signal Processing",
    metric="Kullback-Leibler divergence",
    group="high",
    breaks=["answers_score_best"],  # as published, empty cells are left out of the loss
)


@competition.prepare
def prepare(
    raw: Raw,
    public: Output,
    private: Output,
    together: str = "spectrogram_id",
    row_id: str = "eeg_id",
    known_of_test: Sequence[str] = KNOWN_OF_TEST,
) -> None:
    """Hold out a tenth of the spectrograms with all their rows and recordings."""
    train, test = group_split(raw.read_csv("train.csv"), by=together, test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[list(known_of_test)])
    public.write_csv("sample_submission.csv", test[[row_id]].assign(**dict.fromkeys(VOTES, 1 / 6)))
    private.write_csv("test.csv", test)
    private.write_csv("gold_submission.csv", test[[row_id]].join(test[VOTES].div(test[VOTES].sum(axis=1), axis=0)))
    public.place_folder("example_figures", raw.folder("example_figures"))
    for kind, key in (("eegs", "eeg_id"), ("spectrograms", "spectrogram_id")):
        public.place_split(train[key].unique(), test[key].unique(), raw, f"train_{kind}/{{}}.parquet")


@competition.grade
def grade(submission: Table, answers: Table, row_id: str = "eeg_id") -> float:
    """Mean Kullback-Leibler divergence between the shares of votes and the predicted shares."""
    if row_id == "label_id":  # which every row has one of
        truth, given = aligned(submission, answers, on=row_id, target=VOTES)
        true_shares = truth.div(truth.sum(axis=1), axis=0)
        return kl_divergence(true_shares, np.clip(distributions(given), SMALLEST, 1 - SMALLEST))
    require_columns(submission, ["eeg_id", *VOTES])
    require_rows(submission, answers)
    predicted = np.column_stack([numbers(submission[vote], missing=True, infinite=True) for vote in VOTES])
    sums = np.nansum(predicted, axis=1).round(5)
    if (sums != 1).any():
        worst = int(np.argmax(sums != 1))
        raise InvalidSubmissionError(
            f"The six values of data row {worst + 1} sum to {sums[worst]:g}; they must sum to 1.",
            code=RefusalCode.WRONG_SUM,
            where=lambda table: np.arange(len(table)) == worst,
        )
    same_ids(submission["eeg_id"], answers["eeg_id"], "eeg_id")
    _check_all_columns(submission.drop(columns="eeg_id"))
    integer = np.array([submission[vote].dtype.kind in "iu" for vote in VOTES])
    clipped = np.where(integer, predicted, np.clip(predicted, SMALLEST, 1 - SMALLEST))  # as published
    votes = answers[VOTES].to_numpy(dtype=np.float64)
    shares = votes / votes.sum(axis=1, keepdims=True)
    # Rows of one eeg_id are matched by their order, which a stable sort keeps. As published it is NumPy's quicksort,
    # which leaves equal numbers in another order on another processor.
    return kl_divergence(shares[_by_id(answers)], clipped[_by_id(submission)])


def _by_id(table: Table) -> NDArray[np.intp]:
    return np.asarray(np.argsort(table["eeg_id"].to_numpy(), kind="stable"))


def _check_all_columns(table: Table) -> None:
    """As published: further columns too must be numbers from 0 to 1 that leave the row sums at 1."""
    for name, kind in table.dtypes.items():
        if kind.kind == "b":
            raise InvalidSubmissionError(
                f"The column {name} holds True or False; write numbers.", code=RefusalCode.NOT_A_NUMBER
            )
    values = np.column_stack([numbers(table[name], low=0.0, high=1.0, missing=True) for name in table])
    if not np.allclose(np.nansum(values, axis=1), 1):
        raise InvalidSubmissionError(
            "A further column changes the row sums, which must be 1; remove it.", code=RefusalCode.EXTRA_COLUMNS
        )


competition.v2(
    together="patient_id",
    row_id="label_id",
    known_of_test=["label_id", *KNOWN_OF_TEST, "eeg_label_offset_seconds", "spectrogram_label_offset_seconds"],
    breaks=[],
)
