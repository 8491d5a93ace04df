"""RSNA cervical spine fractures: which vertebrae of the neck does a CT scan show broken?"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from random import Random

import numpy as np

from mlebench.kit import Competition, Output, PreparationError, Raw, Table, aligned, probabilities, weighted_log_loss

STUDY = "StudyInstanceUID"
LABELS = ["patient_overall", "C1", "C2", "C3", "C4", "C5", "C6", "C7"]
WEIGHTS = np.array([7, 1, 1, 1, 1, 1, 1, 1])  # of a label that is 0; a label that is 1 weighs twice as much

competition = Competition(
    "rsna-2022-cervical-spine-fracture-detection",
    "RSNA 2022 Cervical Spine Fracture Detection",
    category="Image Classification",
    metric="weighted multi-label log loss",
    group="high",
    answers="answers.csv",
    gigabytes=340,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, drawn_are_test: bool = False) -> None:
    """Keep a tenth of the studies for training, and a tenth of each kind of annotation; hold out all others."""
    labels, boxes = raw.read_csv("train.csv"), raw.read_csv("train_bounding_boxes.csv")
    segmented = sorted(PurePosixPath(name).stem for name in raw.names("segmentations/*.nii"))
    with_boxes, with_segmentation, plain = _draw(labels[STUDY].tolist(), sorted(boxes[STUDY].unique()), segmented)
    drawn = labels[STUDY].isin({*with_boxes, *with_segmentation, *plain})
    train, test = (labels[~drawn], labels[drawn]) if drawn_are_test else (labels[drawn], labels[~drawn])
    if drawn_are_test:
        with_boxes, with_segmentation = (
            [study for study in kind if study in set(train[STUDY])] for kind in (boxes[STUDY].unique(), segmented)
        )
    public.write_csv("train.csv", train)
    # As published: studies among `plain` may be annotated too, but their annotations are not given.
    public.write_csv("train_bounding_boxes.csv", boxes[boxes[STUDY].isin(with_boxes)])
    public.place_each(with_segmentation, raw, "segmentations/{}.nii")
    public.split_folders(train[STUDY], test[STUDY], raw, "train_images/{}")
    answers = test.melt(STUDY, LABELS, var_name="prediction_type", value_name="fractured")
    answers["row_id"] = answers[STUDY] + "_" + answers["prediction_type"]
    private.write_csv("answers.csv", answers)
    public.write_csv("test.csv", answers[[STUDY, "prediction_type", "row_id"]])
    public.write_csv("sample_submission.csv", answers[["row_id"]].assign(fractured=0.5))


def _draw(studies: list[str], boxed: list[str], segmented: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The train studies: those whose boxes are public, those whose segmentation is, and others without either."""
    # As published: a tenth is drawn for training, though the share was meant for the test.
    generator = Random(0)
    in_both = [study for study in boxed if study in set(segmented)]
    both = _sample(generator, in_both, _tenth(in_both))
    only_segmented = _sample(generator, _without(segmented, in_both), _tenth(segmented) - len(both))
    only_boxed = _sample(generator, _without(boxed, in_both), _tenth(boxed) - len(both))
    annotated = both + only_segmented + only_boxed
    plain = _sample(generator, _without(studies, annotated), _tenth(studies) - len(annotated))
    return both + only_boxed, both + only_segmented, plain


def _tenth(items: Sequence[str]) -> int:
    return round(len(items) * 0.1)  # halves go to the even number


def _without(items: Sequence[str], others: Sequence[str]) -> list[str]:
    left_out = set(others)
    return [item for item in items if item not in left_out]


def _sample(generator: Random, items: list[str], count: int) -> list[str]:
    if not 0 <= count <= len(items):
        raise PreparationError(f"The raw data cannot be split: {count} of {len(items)} studies would be drawn.")
    return generator.sample(items, count)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean over studies of the weighted log loss of their eight labels."""
    truth, predicted = aligned(submission, answers, on="row_id", target="fractured")
    # Answers come label by label, each with all studies in the same order.
    labels, guesses = (values.reshape(len(LABELS), -1).T for values in (truth.to_numpy(), probabilities(predicted)))
    return weighted_log_loss(labels, guesses, WEIGHTS * (1 + labels), epsilon=1e-15)


competition.v2(drawn_are_test=True)
