"""HuBMAP kidney: where are the glomeruli in a microscope picture of kidney tissue?"""

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

INFORMATION = "HuBMAP-20-dataset_information.csv"

competition = Competition(
    "hubmap-kidney-segmentation",
    "HuBMAP - Hacking the Kidney",
    category="Image Segmentation",
    metric="mean Dice coefficient",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 3 of the 15 labelled images."""
    images, information = raw.read_csv("train.csv"), raw.read_csv(INFORMATION)
    if len(images) != 15:
        raise PreparationError(f"The raw train.csv must have 15 images, but it has {len(images)}.")
    train, test = random_split(images, test_size=3)
    names = information["image_file"].str.removesuffix(".tiff")
    sizes = information.assign(id=names)[["id", "width_pixels", "height_pixels"]]
    sample = test[["id"]].assign(predicted="")
    public.write_csv("train.csv", train)
    public.write_csv(INFORMATION, information[names.isin(images["id"])])
    public.write_csv("sample_submission.csv", sample)
    public.write_csv("test/sample_submission.csv", sample)
    private.write_csv("test.csv", test.merge(sizes, on="id"))
    private.write_csv("gold_submission.csv", test.rename(columns={"encoding": "predicted"}))
    # As published: the outlines of the test images, <id>.json, are public too.
    for pattern in ("train/{}.tiff", "train/{}.json", "train/{}-anatomical-structure.json"):
        public.place_split(train["id"], test["id"], raw, pattern)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean over images of the Dice coefficient, 1 where both masks are empty."""
    truth, predicted = aligned(
        submission, answers.rename(columns={"encoding": "predicted"}), on="id", target="predicted"
    )
    sizes = (answers["width_pixels"] * answers["height_pixels"]).tolist()
    masks = zip(texts(truth), texts(predicted), sizes, strict=True)
    return sum(dice(decode_runs(true, size), decode_runs(guess, size)) for true, guess, size in masks) / len(sizes)
