"""SIIM-ISIC melanoma classification: is the lesion in a skin photograph malignant?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, group_split, probabilities, roc_auc

# The images in these two record files are the test set.
TEST_RECORDS = ["train00-2071.tfrec", "train06-2071.tfrec"]
KNOWN_OF_TEST = ["image_name", "patient_id", "sex", "age_approx", "anatom_site_general_challenge"]

competition = Competition(
    "siim-isic-melanoma-classification",
    "SIIM-ISIC Melanoma Classification",
    category="Image Classification",
    metric="area under the ROC curve",
    group="low",
    gigabytes=116.16,
    breaks=["no_answers_in_public"],  # as published, records have the targets of test images
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out the images of two of the record files; all tables keep the raw order."""
    images, records = raw.read_csv("train.csv"), raw.folder("tfrecords")
    held_out = [name for file in TEST_RECORDS for name in raw.tfrecord_texts(f"tfrecords/{file}", "image_name")]
    in_test = images["image_name"].isin(held_out)
    _write_parts(images[~in_test], images[in_test], raw, public, private)
    others = [file for file in records.names("train*.tfrec") if file not in TEST_RECORDS]
    for part, files in (("train", others), ("test", TEST_RECORDS)):
        public.place({_record_name(part, number, file): records[file] for number, file in enumerate(files)})


competition.v2(breaks=[])


@competition.prepare(edition="v2")
def prepare_v2(raw: Raw, public: Output, private: Output) -> None:
    """Hold out an eighth of the patients; leave the record files out, all of which have test images and answers."""
    train, test = group_split(raw.read_csv("train.csv"), by="patient_id", test_size=0.125)
    _write_parts(train, test, raw, public, private)


def _write_parts(train: Table, test: Table, raw: Raw, public: Output, private: Output) -> None:
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[KNOWN_OF_TEST])
    public.write_csv("sample_submission.csv", test[["image_name"]].assign(target=0))
    private.write_csv("test.csv", test[["image_name", "target"]])
    for pattern in ("train/{}.dcm", "jpeg/train/{}.jpg"):
        public.place_split(train["image_name"], test["image_name"], raw, pattern)


def _record_name(part: str, number: int, old: str) -> str:
    """Where a record file goes: its number is new, what follows the hyphen stays."""
    return f"tfrecords/{part}{number:02d}-{old.rsplit('-', 1)[1]}"


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="image_name", target="target")
    return roc_auc(truth, probabilities(predicted))
