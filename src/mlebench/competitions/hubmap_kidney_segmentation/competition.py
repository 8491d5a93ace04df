"""HuBMAP kidney: where are the glomeruli in a microscope picture of kidney tissue?"""

from collections.abc import Mapping

from mlebench.kit import (
    Competition,
    Output,
    PreparationError,
    Raw,
    Table,
    aligned,
    decode_runs,
    dice,
    random_split,
    texts,
)

TEST_IMAGES = 3
INFORMATION = "HuBMAP-20-dataset_information.csv"

competition = Competition(
    "hubmap-kidney-segmentation",
    "HuBMAP - Hacking the Kidney",
    category="Image Segmentation",
    metric="mean Dice coefficient",
    group="medium",
    breaks=["no_answers_in_public"],  # as published, files of the test set have the outlines
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, patients_together: bool = False, outlines_of_test: bool = True
) -> None:
    """Hold out 3 of the 15 labelled images."""
    images, information = raw.read_csv("train.csv"), raw.read_csv(INFORMATION)
    if len(images) != 15:
        raise PreparationError(f"The raw train.csv must have 15 images, but it has {len(images)}.")
    names = information["image_file"].str.removesuffix(".tiff")
    if patients_together:
        train, test = _by_patient(images, dict(zip(names, information["patient_number"], strict=True)))
    else:
        train, test = random_split(images, test_size=TEST_IMAGES)
    sizes = information.assign(id=names)[["id", "width_pixels", "height_pixels"]]
    sample = test[["id"]].assign(predicted="")
    public.write_csv("train.csv", train)
    public.write_csv(INFORMATION, information[names.isin(images["id"])])
    public.write_csv("sample_submission.csv", sample)
    public.write_csv("test/sample_submission.csv", sample)
    private.write_csv("test.csv", test.merge(sizes, on="id"))
    private.write_csv("gold_submission.csv", test.rename(columns={"encoding": "predicted"}))
    # As published: the outlines of the test images, <id>.json, are public too.
    for pattern in ("train/{}.tiff", "train/{}-anatomical-structure.json"):
        public.place_split(train["id"], test["id"], raw, pattern)
    public.place_split(train["id"], test["id"] if outlines_of_test else [], raw, "train/{}.json")


def _by_patient(images: Table, patients: Mapping[str, object]) -> tuple[Table, Table]:
    """Hold out patients in random order, until there are at least as many test images as there are to be."""
    owners = images["id"].map(patients)
    shuffled, last = random_split(list(owners.unique()), test_size=1)
    drawn: list[object] = []
    for patient in [*last, *shuffled]:
        if owners.isin(drawn).sum() < TEST_IMAGES:
            drawn.append(patient)
    return images[~owners.isin(drawn)], images[owners.isin(drawn)]


@competition.grade
def grade(submission: Table, answers: Table, masks_in_pairs: bool = False) -> float:
    """Mean over images of the Dice coefficient, 1 where both masks are empty."""
    truth, predicted = aligned(
        submission, answers.rename(columns={"encoding": "predicted"}), on="id", target="predicted"
    )
    sizes = (answers["width_pixels"] * answers["height_pixels"]).tolist()
    masks = zip(texts(truth), texts(predicted), sizes, strict=True)
    overlaps = [
        dice(decode_runs(true, size), decode_runs(guess, size, in_pairs=masks_in_pairs)) for true, guess, size in masks
    ]
    return sum(overlaps) / len(sizes)


competition.v2(patients_together=True, outlines_of_test=False, masks_in_pairs=True, breaks=[])
