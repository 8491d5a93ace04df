"""ML2021Spring homework 2: which phoneme is spoken in the middle of a window of eleven frames?"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import Competition, Output, Raw, Table, accuracy, aligned, class_numbers, random_split

WINDOWS, LABELS, UNLABELLED = (f"timit_11/timit_11/{name}_11.npy" for name in ("train", "train_label", "test"))
ROWS_AT_ONCE = 1 << 15
BLOCK = 2000  # windows that follow one another, about twenty seconds
SHARED_FRAMES = 10  # of eleven, with the next window; windows this far apart share none with those between

competition = Competition(
    "ml2021spring-hw2",
    "ML2021Spring-hw2",
    category="Audio Classification",
    metric="accuracy",
    group="dev",
    answers="answers.csv",
    sample="sampleSubmission.csv",
    breaks=["wrong_values_refused"],  # as published, one word makes all classes text, which equals no class
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, blocks: bool = False) -> None:
    """Hold out as large a share of the windows as Kaggle's own test set had."""
    import pandas as pd

    windows, unlabelled = (np.load(raw.path(name), mmap_mode="r") for name in (WINDOWS, UNLABELLED))
    labels = np.load(raw.path(LABELS))
    share = len(unlabelled) / (len(windows) + len(unlabelled))
    train, test = (_blocks if blocks else random_split)(np.arange(len(windows)), test_size=share)
    _save_rows(public.path(WINDOWS), windows, train)
    _save_rows(public.path(UNLABELLED), windows, test)
    np.save(public.path(LABELS), labels[train])
    ids = np.arange(len(test))
    public.write_csv("sampleSubmission.csv", pd.DataFrame({"Id": ids, "ClassId": 0}))
    private.write_csv("answers.csv", pd.DataFrame({"Id": ids, "ClassId": labels[test]}))


def _blocks(windows: NDArray[np.int64], test_size: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hold out stretches of neighbouring windows; those that share a frame with them are in neither part."""
    stretches = np.array_split(windows, max(10, len(windows) // BLOCK))
    _, drawn = random_split(list(range(len(stretches))), test_size)
    test = np.concatenate([stretches[number] for number in sorted(drawn)])
    near = (test[:, None] + np.arange(-SHARED_FRAMES, SHARED_FRAMES + 1)).ravel()
    return windows[~np.isin(windows, near)], test


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of windows whose phoneme is predicted right."""
    truth, predicted = aligned(submission, answers, on="Id", target="ClassId")
    return accuracy(truth, class_numbers(predicted))


def _save_rows(path: Path, array: NDArray[np.float32], rows: NDArray[np.int_]) -> None:
    """Save some rows of an array, a few at a time: the real one has more than two gigabytes."""
    saved = np.lib.format.open_memmap(path, "w+", array.dtype, (len(rows), *array.shape[1:]))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        saved[start : start + ROWS_AT_ONCE] = array[rows[start : start + ROWS_AT_ONCE]]


competition.v2(blocks=True)
