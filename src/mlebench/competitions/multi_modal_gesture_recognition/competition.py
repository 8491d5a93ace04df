"""Multi-modal gesture recognition: which Italian gestures follow one another in a recording?"""

import random
from pathlib import PurePosixPath

from mlebench.competitions.multi_modal_gesture_recognition import without_labels
from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    as_text,
    levenshtein_distances,
)

GESTURES = range(1, 21)
TEST_RECORDINGS = "training4.tar.gz"
UNCHANGED = [
    "training1.tar.gz", "training2.tar.gz", "training3.tar.gz",
    "validation1.tar.gz", "validation2.tar.gz", "validation3.tar.gz",
    "devel01-40.7z", "valid_all_files_combined.7z", "sample_code_mmrgc.zip",
]  # fmt: skip

competition = Competition(
    "multi-modal-gesture-recognition",
    "Multi-modal Gesture Recognition",
    category="Video Classification",
    metric="Levenshtein distance per true gesture",
    group="medium",
    sample="randomPredictions.csv",
    breaks=["no_answers_in_public"],  # as published, Matlab files of the test set have the gestures
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, test_has_labels: bool = True) -> None:
    """Hold out the last of the four training archives, which becomes test.tar.gz."""
    import pandas as pd

    members = [PurePosixPath(name) for name in raw.tar_names(TEST_RECORDINGS)]
    ids = sorted(member.stem[-4:] for member in members if len(member.parts) == 1 and member.suffix == ".zip")
    recordings = raw.read_csv("training.csv", dtype=str)
    in_test = recordings["Id"].isin(ids)
    public.write_csv("training.csv", recordings[~in_test])
    private.write_csv("test.csv", recordings[in_test])
    test = pd.DataFrame({"Id": ids})
    public.write_csv("test.csv", test)
    rng = random.Random(0)
    orders = [" ".join(map(str, rng.sample(GESTURES, len(GESTURES)))) for _ in ids]
    public.write_csv("randomPredictions.csv", test.assign(Sequence=orders))
    public.place({name: raw[name] for name in UNCHANGED})
    if test_has_labels:  # as published: the archive goes out unchanged
        public.place({"test.tar.gz": raw[TEST_RECORDINGS]})
    else:
        without_labels.write(raw.archive(TEST_RECORDINGS), public, "test.tar.gz")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Edit distance to the true sequences, per true gesture."""
    both = aligned(submission, answers, on="Id", target="Sequence")
    truth, predicted = ([_labels(cell) for cell in as_text(column)] for column in both)
    return sum(levenshtein_distances(truth, predicted)) / sum(map(len, truth))


def _labels(cell: str) -> list[int]:
    """The numbers that a cell lists; as published, they need not be those of gestures."""
    try:
        return [int(label) for label in cell.split()]
    except ValueError:
        found = "an empty cell" if cell == "nan" else repr(cell[:40])
        raise InvalidSubmissionError(
            f"The column Sequence must hold whole numbers separated by blanks, such as 2 14 20, not {found}.",
            code=RefusalCode.MALFORMED_VALUE,
            where=lambda table: as_text(table["Sequence"]) == cell,
        ) from None


competition.v2(test_has_labels=False, text_columns=["Sequence"], breaks=[])
