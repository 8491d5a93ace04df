"""APTOS 2019 blindness detection: how far has diabetic retinopathy damaged the retina?"""

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    one_of,
    quadratic_weighted_kappa,
    random_split,
    split_together,
    whole_numbers,
)

competition = Competition(
    "aptos2019-blindness-detection",
    "APTOS 2019 Blindness Detection",
    category="Image Classification",
    metric="quadratic weighted kappa",
    group="low",
    gigabytes=10.22,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, copies_together: bool = False) -> None:
    """Hold out a tenth of the photographs."""
    photos = raw.read_csv("train.csv")
    if copies_together:
        content = raw.digests(f"train_images/{name}.png" for name in photos["id_code"])
        train, test = split_together(photos, content, test_size=0.1)
    else:
        train, test = random_split(photos, test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[["id_code"]])
    public.write_csv("sample_submission.csv", test.assign(diagnosis=0))
    private.write_csv("test.csv", test)
    public.place_split(train["id_code"], test["id_code"], raw, "train_images/{}.png")


@competition.grade
def grade(submission: Table, answers: Table, grades: range | None = None) -> float:
    """Quadratic weighted kappa of predicted and true grades."""
    truth, predicted = aligned(submission, answers, on="id_code", target="diagnosis")
    values = whole_numbers(predicted)
    if grades is not None:
        one_of(predicted, grades)
    return quadratic_weighted_kappa(truth, values)


competition.v2(copies_together=True, grades=range(5))
