"""SIIM-FISABIO-RSNA COVID-19: what does a chest radiograph show, and where are the opacities?"""

from itertools import chain, groupby

import numpy as np

from mlebench.competitions.families.listed_boxes import listed_boxes
from mlebench.kit import (
    Column,
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    average_precision,
    complete,
    greedy_matches,
    in_cell,
    random_split,
    rectangle_overlaps,
    voc_average_precision,
)

APPEARANCES = {
    "Negative for Pneumonia": "negative",
    "Typical Appearance": "typical",
    "Indeterminate Appearance": "indeterminate",
    "Atypical Appearance": "atypical",
}
CORNERS = ["xmin", "ymin", "xmax", "ymax"]

competition = Competition(
    "siim-covid19-detection",
    "SIIM-FISABIO-RSNA COVID-19 Detection",
    category="Object Detection",
    metric="mean average precision at IoU 0.5",
    group="high",
    gigabytes=100,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the studies with all their images; the answers have studies first, then images."""
    import pandas as pd

    studies, images = raw.read_csv("train_study_level.csv"), raw.read_csv("train_image_level.csv").sort_values("id")
    train, test = (part.sort_values("id") for part in random_split(studies, test_size=0.1))
    in_test = (images["StudyInstanceUID"] + "_study").isin(test["id"])
    public.write_csv("train_study_level.csv", train)
    public.write_csv("train_image_level.csv", images[~in_test])
    train_folders, test_folders = (part["id"].str.removesuffix("_study") for part in (train, test))
    public.split_folders(train_folders, test_folders, raw, "train/{}")

    words = test[list(APPEARANCES)].idxmax(axis=1).map(APPEARANCES)
    in_studies = pd.DataFrame({"id": test["id"], "PredictionString": words + " 1 0 0 1 1"})
    in_images = images[in_test].rename(columns={"label": "PredictionString"})[["id", "PredictionString"]]
    private.write_csv("test.csv", pd.concat([in_studies, in_images]))
    nothing = [in_studies.assign(PredictionString="negative 1 0 0 1 1")]
    nothing += [in_images.assign(PredictionString="none 1 0 0 1 1")]
    public.write_csv("sample_submission.csv", pd.concat(nothing))


@competition.grade
def grade(submission: Table, answers: Table, interpolated: bool = False) -> float:
    """Mean over the classes of the answers of the average precision of all predictions."""
    true_cells, predicted_cells = aligned(submission, answers, on="id", target="PredictionString")
    truth, predicted = _boxes(true_cells), _boxes(complete(predicted_cells))
    predicted = predicted[predicted["class"].isin(truth["class"])].reset_index(drop=True)
    wrong = predicted["row"][~np.isfinite(predicted["confidence"])]
    if len(wrong):
        raise InvalidSubmissionError(
            "The column PredictionString has a confidence that is not a finite number.",
            code=RefusalCode.MALFORMED_VALUE,
            where=in_cell(predicted_cells[wrong.iloc[0]]),
        )
    pairs = predicted.reset_index().merge(truth.reset_index(), on=["row", "class"], suffixes=("", "_true"))
    overlaps = rectangle_overlaps(pairs[CORNERS], pairs[[f"{corner}_true" for corner in CORNERS]])
    pairs, overlaps = pairs[overlaps > 0.5], overlaps[overlaps > 0.5]
    matches = pairs[greedy_matches(pairs["index"], pairs["index_true"], overlaps)]
    predicted["right"] = predicted.index.isin(matches["index"])
    truth["missed"] = ~truth.index.isin(matches["index_true"])
    classes = truth["class"].unique()
    if interpolated:  # as in VOC 2010; study classes count in the rows of studies, the others in those of images
        of_study = answers["id"].str.endswith("_study").to_numpy()[predicted["row"].to_numpy(int)]
        predicted = predicted[of_study == predicted["class"].isin(APPEARANCES.values()).to_numpy()]
        found = [(_of(name, predicted), len(_of(name, truth))) for name in classes]
        return float(np.mean([voc_average_precision(own["right"], own["confidence"], count) for own, count in found]))
    return float(np.mean([_precision(_of(name, predicted), _of(name, truth), len(answers)) for name in classes]))


def _of(name: str, boxes: Table) -> Table:
    return boxes[boxes["class"] == name]


def _precision(predicted: Table, truth: Table, rows: int) -> float:
    """Average precision of the predictions of a class, and of what they leave out."""
    # As published: a missed box counts as found with confidence 0, and a row without the class as a false prediction.
    missed, without = int(truth["missed"].sum()), rows - len({*predicted["row"], *truth["row"]})
    found = np.concatenate([predicted["right"], np.ones(missed), np.zeros(without)])
    return average_precision(found, np.concatenate([predicted["confidence"], np.zeros(missed + without)]))


def _boxes(cells: Column) -> Table:
    """The boxes of all cells, those of a cell by descending confidence."""
    boxes = listed_boxes(cells, ["class", "confidence", *CORNERS], words=["class"], separator=None)
    rows, confidence = boxes["row"].tolist(), boxes["confidence"].tolist()
    # As published: Python's own sort, cell by cell; no other one does the same with a confidence of nan.
    cell_by_cell = (
        sorted(own, key=confidence.__getitem__, reverse=True) for _, own in groupby(range(len(rows)), rows.__getitem__)
    )
    return boxes.iloc[list(chain.from_iterable(cell_by_cell))].reset_index(drop=True)


competition.v2(interpolated=True)
