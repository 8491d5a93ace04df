"""A layout without a table of labels: the folder or the name of a training file says what it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from .files import DataFile, Medium, stem_of
from .tables import TaskError
from .task import MOST_CLASSES, MOST_ROWS, Given, Problem, Task, kind_of, metric_for, plain_numbers

_PARTS = re.compile(r"[._\- ]+")


def read_labelled_files(given: Given) -> Task:
    """The task, if the sample submission names pictures or sounds, and others of them show their labels."""
    import numpy as np
    import pandas as pd

    id_name, *outputs = (str(name) for name in given.sample)
    ids = given.sample[id_name]
    medium = next(given.files.media_named_by(ids), None)
    if medium is None:
        raise TaskError("The sample submission names no pictures and no sounds.")
    wanted = {stem_of(value) for value in ids}
    training = _training_files(given, medium, wanted)
    folders = [PurePosixPath(file.where).parent.name for file in training]
    labels, source = _few_values(folders), "folders"
    if labels is None:
        labels, source = _few_values(_extra_parts([file.stem for file in training], sorted(wanted))), "file names"
    if labels is None:
        raise TaskError("Neither the folders nor the names of the training files tell their labels.")
    # The location, and not only the name: files of several folders may be called alike.
    values = plain_numbers(np.array(labels, dtype=object))
    train = pd.DataFrame({id_name: [file.where for file in training], "label": values})
    if len(train) > MOST_ROWS:
        train = train.sample(MOST_ROWS, random_state=given.seed).reset_index(drop=True)
    problem = _problem(train["label"], tuple(outputs), given)
    metric, is_stated = metric_for((problem,), given)
    return Task(
        files=given.files,
        metric=metric,
        metric_is_stated=is_stated,
        ids=(id_name,),
        sample=given.sample,
        train=train,
        test=given.sample[[id_name]],
        train_file=f"the {source} of {len(training)} {medium}s",
        test_file=None,
        problems=(problem,),
        notes=(f"The labels were read from the {source}: {', '.join(map(str, sorted(set(values))[:10]))}.",),
    )


def _training_files(given: Given, medium: Medium, wanted: set[str]) -> list[DataFile]:
    """The files of that kind that the submission does not ask for; those below something called train, if any is.

    What is there twice, unpacked and in an archive, counts once.
    """
    chosen: dict[str, DataFile] = {}
    for file in (file for files in given.files.media[medium].values() for file in files):
        if file.member is None or file.where not in chosen:
            chosen[file.where] = file
    below = [file for file in chosen.values() if "train" in file.folder.lower()]
    found = below or [file for file in chosen.values() if file.stem not in wanted and "test" not in file.folder.lower()]
    if not found:
        raise TaskError(f"There are no {medium}s to learn from.")
    return sorted(found, key=lambda file: file.where)


def _few_values(values: Sequence[str] | None) -> list[str] | None:
    """The values, if they can be labels: several, not too many, and most of them more than once."""
    counts = Counter(values or ())
    if values is None or not 2 <= len(counts) <= min(MOST_CLASSES, len(values) / 2):
        return None
    return list(values)


def _extra_parts(training: Sequence[str], others: Sequence[str]) -> list[str] | None:
    """The part of their names that training files have and others lack, as in cat.17 beside 17."""
    usual = Counter(_shape(name) for name in others).most_common(1)[0][0]
    split = [_PARTS.split(name) for name in training]
    length = Counter(map(len, split)).most_common(1)[0][0]
    for place in (*range(length - 1, -1, -1),):
        without = Counter(_shape("_".join(parts[:place] + parts[place + 1 :])) for parts in split)
        values = [parts[place] if place < len(parts) else "" for parts in split]
        if without.most_common(1)[0][0] == usual and _few_values(values):
            return values
    return None


def _shape(name: str) -> str:
    """A name with its numbers and words made equal: 20090330_003s3ms_Test0 is 0_0a0a_a0."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", "_".join(_PARTS.split(name))))


def _problem(labels: Any, outputs: tuple[str, ...], given: Given) -> Problem:
    found = sorted(labels.unique().tolist())
    if len(outputs) > 1:
        if {str(label) for label in found} <= set(outputs):
            by_name = {str(label): label for label in found}
            return Problem("label", "multiclass", outputs, tuple(by_name.get(name, name) for name in outputs))
        raise TaskError("The columns of the sample submission are not the labels of the training files.")
    kind = kind_of(labels, given.sample[outputs[0]], given.metric)
    if kind != "binary" or given.sample[outputs[0]].dtype.kind not in "iufb" or labels.dtype.kind in "iuf":
        return Problem("label", kind, outputs)
    # A number is asked for and the labels are words: it is the probability of the word that the description says.
    positive = asked_for([str(label) for label in found], given.description)
    return Problem("label", kind, outputs, tuple(sorted(found, key=lambda label: str(label) == positive)))


def asked_for(labels: Sequence[str], description: str) -> str:
    """The label whose probability a description asks for; the last by name where it does not say.

    >>> asked_for(["cat", "dog"], "Give the probability that the picture shows a cat.")
    'cat'
    """
    words = "|".join(re.escape(label) for label in labels)
    for pattern in (rf"probabilit[^.]{{0,120}}?\b({words})s?\b", rf"\b1\b[^.\n]{{0,40}}?\b({words})s?\b"):
        match = re.search(pattern, description, re.IGNORECASE)
        if match:
            return next(label for label in labels if label.lower() == match[1].lower())
    return max(labels)
