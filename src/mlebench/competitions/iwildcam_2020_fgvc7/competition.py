"""iWildCam 2020: which animal, if any, did a camera trap at a new place photograph?"""

import numpy as np

from mlebench.kit import Column, Competition, Output, Raw, Table, accuracy, aligned, class_numbers, random_split

TRAIN = "iwildcam2020_train_annotations.json"
TEST = "iwildcam2020_test_information.json"
DETECTIONS = "iwildcam2020_megadetector_results.json"
TEST_SHARE = 0.22

competition = Competition(
    "iwildcam-2020-fgvc7",
    "iWildCam 2020 - FGVC7",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    answers="answers.csv",
    breaks=["wrong_values_refused"],  # as published, one word makes all classes text, which equals no class
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out all pictures of some places; records keep their order."""
    import pandas as pd

    metadata, of_test = raw.read_json(TRAIN), raw.read_json(TEST)
    # As published: records go through a table, in which a value that one of them lacks becomes NaN.
    images, annotations = pd.DataFrame(metadata["images"]), pd.DataFrame(metadata["annotations"])
    in_test = images["location"].isin(_test_places(images["location"]))
    train, test = images[~in_test], images[in_test]
    hidden = annotations["image_id"].isin(test["id"])
    labelled = {
        "annotations": annotations[~hidden].to_dict("records"),
        "images": train.to_dict("records"),
        "categories": metadata["categories"],
        "info": metadata["info"],
    }
    unlabelled = {"images": test.to_dict("records"), "categories": of_test["categories"], "info": of_test["info"]}
    public.write_json(TRAIN, labelled)
    public.write_json(TEST, unlabelled)
    public.place({DETECTIONS: raw[DETECTIONS]})
    public.place_split(train["id"], test["id"], raw, "train/{}.jpg")
    columns = {"image_id": "Id", "category_id": "Category"}
    answers = annotations.loc[hidden, list(columns)].rename(columns=columns)
    random = np.random.RandomState(0).randint(0, 676, len(answers))
    public.write_csv("sample_submission.csv", answers.assign(Category=random))
    private.write_csv("answers.csv", answers)


def _test_places(places: Column) -> list[int]:
    """A random part of the places, enlarged and cut back, place by place, to the wanted share of pictures.

    As published: the share is that of the test pictures in all pictures plus the test pictures once more.
    """
    pictures = places.value_counts()
    train, test = random_split(list(places.unique()), TEST_SHARE)
    held_out = int(pictures[test].sum())
    while held_out / (len(places) + held_out) < TEST_SHARE:
        test.append(train.pop())
        held_out += int(pictures[test[-1]])
    while held_out / (len(places) + held_out) > TEST_SHARE:
        held_out -= int(pictures[test.pop()])
    return test


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of pictures whose category is right."""
    truth, predicted = aligned(submission, answers, on="Id", target="Category")
    return accuracy(truth, class_numbers(predicted))
