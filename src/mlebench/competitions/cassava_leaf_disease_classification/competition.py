"""Cassava leaf disease: which disease, if any, does a leaf show?"""

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    ReadLabels,
    Table,
    accuracy,
    aligned,
    class_numbers,
    random_split,
    whole_numbers,
)

competition = Competition(
    "cassava-leaf-disease-classification",
    "Cassava Leaf Disease Classification",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    # As published, one word makes all classes text, which equals no class; and records have the targets of test images.
    breaks=["wrong_values_refused", "no_answers_in_public"],
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, test_records_have_labels: bool = True) -> None:
    """Hold out the images of a tenth of the record files; tables keep the raw order, record files get new numbers."""
    records = raw.folder("train_tfrecords")
    train_files, test_files = random_split(records.names("*.tfrec"), test_size=0.1)
    held_out = [name for file in test_files for name in raw.tfrecord_texts(f"train_tfrecords/{file}", "image_name")]
    images = raw.read_csv("train.csv")
    in_test = images["image_id"].isin(held_out)
    train, test = images[~in_test], images[in_test]
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(label=4))
    private.write_csv("test.csv", test)
    public.place({"label_num_to_disease_map.json": raw["label_num_to_disease_map.json"]})
    public.place_split(train["image_id"], test["image_id"], raw, "train_images/{}")
    for part, files in (("train", train_files), ("test", test_files)):
        named = {_record_name(part, number, file): file for number, file in enumerate(files)}
        if part == "train" or test_records_have_labels:  # as published: with the labels in them
            public.place({name: records[file] for name, file in named.items()})
        else:
            for name, file in named.items():
                public.write_tfrecord(name, raw.path(f"train_tfrecords/{file}"), without=["target"])


def _record_name(part: str, number: int, old: str) -> str:
    """Where a record file goes: its number is new, the count of records behind the hyphen stays."""
    return f"{part}_tfrecords/ld_{part}{number:02d}-{old.removesuffix('.tfrec').split('-')[1]}.tfrec"


@competition.grade
def grade(submission: Table, answers: Table, read_labels: ReadLabels = class_numbers) -> float:
    """Share of images whose class is predicted right; a number that is no class is only wrong."""
    truth, predicted = aligned(submission, answers, on="image_id", target="label")
    return accuracy(truth, read_labels(predicted))


competition.v2(test_records_have_labels=False, read_labels=whole_numbers, breaks=[])
