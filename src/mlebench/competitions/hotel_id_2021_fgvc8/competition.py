"""Hotel-ID 2021: in which hotel was a photograph of a room taken?"""

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Split,
    Table,
    aligned,
    as_text,
    known_from_train,
    mean_average_precision_at_k,
    random_split,
)

LISTED_TWICE = "ce27d36c9147cc19.jpg"
SAMPLE = "36363 53586 18807 64314 60181"

competition = Competition(
    "hotel-id-2021-fgvc8",
    "Hotel-ID to Combat Human Trafficking 2021 - FGVC8",
    category="Image Classification",
    metric="MAP@5",
    group="medium",
    gigabytes=25,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, split: Split = random_split) -> None:
    """Hold out a tenth of the pictures, and take the test pictures out of the folders of their chains."""
    rooms = raw.read_csv("train.csv")
    train, test = split(rooms[rooms["image"] != LISTED_TWICE], test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test[["image"]].assign(hotel_id=SAMPLE))
    private.write_csv("test.csv", test)
    public.place_each(train["chain"].astype(str) + "/" + train["image"], raw, "train_images/{}")
    flat = zip(test["image"], test["chain"], strict=True)
    public.place({f"test_images/{image}": raw[f"train_images/{chain}/{image}"] for image, chain in flat})


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean average precision of the first five hotels of each list, which single blanks separate."""
    truth, predicted = aligned(submission, answers, on="image", target="hotel_id")
    # As published: ids are compared as text, so a column that was read as decimal numbers matches nothing.
    ranked = [text.split(" ") for text in as_text(predicted)]
    return mean_average_precision_at_k([{hotel} for hotel in as_text(truth)], ranked, k=5)


competition.v2(split=known_from_train("hotel_id"), text_columns=["hotel_id"])
