"""What edition v2 repairs: for each known issue with a `v2` sentence a predicate that holds in v2 and not in v1.

Issues are numbered from 0, in the order of the known_issues.toml of their competition. Where a twin does not show a
mistake, `planted` puts it there before both editions are prepared.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from edition_data import EditionData, disjoint, repeated, reversed_rows

from mlebench.grade.reading import read_submission

Predicate = Callable[[EditionData], bool]


def groups_apart(column: str, train: str = "train.csv", test: str = "test.csv") -> Predicate:
    return lambda data: disjoint(data.table(train)[column], data.table(test)[column])


def contents_apart(train: str, test: str) -> Predicate:
    return lambda data: disjoint(data.digests(train), data.digests(test))


def refuses(column: str, value: object, row: int = 0) -> Predicate:
    """An answer replaced by this value is refused."""
    return lambda data: data.refuses(data.with_cell(column, value, row))


def refuses_text(column: str, text: str) -> Predicate:
    return lambda data: data.refuses(data.with_cell(column, text))


def order_is_free(name: str = "noisy") -> Predicate:
    return lambda data: data.same_score(data.example(name), reversed_rows(data.example(name)))


def without(pattern: str) -> Predicate:
    return lambda data: not data.files(pattern)


def has(pattern: str) -> Predicate:
    return lambda data: bool(data.files(pattern))


def _unscaled(data: EditionData) -> bool:
    """Rows that sum to 2 have the same score as rows that sum to 1."""
    noisy = data.example("noisy")
    halves = noisy.assign(**{name: noisy[name] / 2 for name in noisy.columns[1:]})
    return data.same_score(noisy, halves)


def _certain_and_wrong(target: str, cost: float) -> Predicate:
    """What being certain and wrong everywhere costs."""

    def holds(data: EditionData) -> bool:
        score = data.score(data.perfect.assign(**{target: 1 - data.perfect[target]}))
        return score is not None and abs(score - cost) < 0.01

    return holds


def _shifted_cost(cost: float) -> Predicate:
    """The same where every class has a column: the truth is given to the next class."""

    def holds(data: EditionData) -> bool:
        classes = list(data.perfect.columns[1:])
        moved = data.perfect.assign(**dict(zip(classes, np.roll(data.perfect[classes], 1, axis=1).T, strict=True)))
        score = data.score(moved)
        return score is not None and abs(score - cost) < 0.01

    return holds


def _tfrecord_keys(data: EditionData) -> bool:
    from mlebench.files.tfrecord_reader import feature_names

    names = {key for path in data.public.glob("test_tfrecords/*") for keys in feature_names(path) for key in keys}
    return names == {"image", "image_name"}


def _gestures(data: EditionData) -> bool:
    from scipy.io import loadmat

    recordings = data.members("test.tar.gz")
    for content in recordings.values():
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            name = next(member for member in archive.namelist() if member.endswith(".mat"))
            video = loadmat(io.BytesIO(archive.read(name)))["Video"]
        if video["Labels"][0, 0].size:
            return False
    return bool(recordings)


def _speech_labels(data: EditionData) -> bool:
    labels = set(data.answers["label"])
    return {"silence", "unknown"} <= labels and len(labels) <= 12


def _speakers(data: EditionData) -> set[str]:
    return {Path(name).name.split("_")[0] for name in data.files("train/audio/*/*.wav") if "_nohash_" in name}


def _test_speakers(data: EditionData) -> set[str]:
    """The speakers of the test clips, found by comparing them with the raw ones."""
    from mlebench.files.raw_files import RawFolder

    clips = RawFolder(data.raw).archive("train.7z")
    names = clips.names("train/audio/*.wav")
    by_content = dict(zip(clips.digests(names), names, strict=True))
    found = [by_content[digest] for digest in data.digests("test/audio/*.wav") if digest in by_content]
    return {Path(name).name.split("_")[0] for name in found if "_nohash_" in name}


def _lengths_of_clips(data: EditionData) -> bool:
    """There are test clips of noise, and none is longer than a second."""
    import wave

    noises = data.answers["fname"][data.answers["label"] == "silence"]
    lengths = []
    for name in noises:
        with wave.open(str(data.public / "test/audio" / name)) as sound:
            lengths.append(sound.getnframes() / sound.getframerate())
    return bool(lengths) and max(lengths) <= 1


def _gnss_lines(data: EditionData) -> bool:
    return not data.files("test/**/*.nmea") and not any(
        line.startswith("Fix,")
        for name in data.files("test/**/gnss_log.txt")
        for line in (data.public / name).read_text().splitlines()
    )


def _windows_apart(data: EditionData) -> bool:
    """No training window is within ten windows of a test window, with which it would share frames."""
    raw, train, test = (
        [window.tobytes() for window in np.load(folder / f"timit_11/timit_11/{name}_11.npy")]
        for folder, name in ((data.raw, "train"), (data.public, "train"), (data.public, "test"))
    )
    place = {window: number for number, window in enumerate(raw)}
    near = {place[window] + distance for window in test for distance in range(-10, 11)}
    return disjoint((place[window] for window in train), near)


def _denoised(data: EditionData) -> bool:
    """No test page is in train_cleaned/ under another number; the clean raw images tell the pages."""
    from mlebench.files.raw_files import RawFolder

    clean = RawFolder(data.raw).archive("train_cleaned.zip")
    held_out, shown = (
        [_page(clean.read_bytes(f"train_cleaned/{Path(name).name}")) for name in data.files(pattern)]
        for pattern in ("test/*.png", "train_cleaned/*.png")
    )
    return not any(one.shape == other.shape and (one * other).mean() > 0.99 for one in held_out for other in shown)


def _page(content: bytes) -> Any:
    """A page whatever its shade and colour."""
    from PIL import Image

    grey = np.asarray(Image.open(io.BytesIO(content)).convert("L"), dtype=float)
    return (grey - grey.mean()) / (grey.std() + 1e-9)


def _salt(data: EditionData) -> bool:
    """An empty prediction earns nothing where there is salt."""
    salty = (data.answers["rle_mask"].fillna("") != "").mean()
    score = data.score(data.perfect.assign(rle_mask=""))
    return score is not None and abs(score - (1 - salty)) < 1e-9


def _first_box(data: EditionData) -> bool:
    score = data.score(data.example("perfect"))
    return score is not None and abs(score - 1) < 1e-9


def _apart_boxes(data: EditionData) -> bool:
    """A box that does not touch the true one is not right."""
    boxes = pd.DataFrame({"image_id": ["a", "b"], "class_id": [0, 0]})
    answers = boxes.assign(x_min=100.0, y_min=100.0, x_max=110.0, y_max=110.0)
    beside = boxes[["image_id"]].assign(PredictionString="0 1.0 112 112 122 122")
    return data.competition.grader(beside, answers) == 0


def _merged(data: EditionData) -> bool:
    """Some image has two true boxes of a class, and some box is of two radiologists."""
    boxes = data.answers
    several, shared = boxes.duplicated(["image_id", "class_id"]), boxes["rad_id"].astype(str).str.contains(" ")
    return bool(several.any() and shared.any())


def _wild_species(data: EditionData) -> bool:
    """One row per picture, and any of its species is right."""
    from mlebench.files.raw_files import RawFolder

    raw = RawFolder(data.raw).read_csv("train.csv")
    own = raw[raw["id"].isin(data.sample["Id"])]
    if data.sample["Id"].duplicated().any():
        return False
    by_picture = own.groupby("id")["category_id"]
    last = pd.DataFrame({"Id": list(by_picture.groups), "Category": by_picture.last().tolist()})
    return data.score(last) == 1


def _h_and_m_zero(data: EditionData) -> bool:
    perfect = data.example("perfect")
    cells = ["0" + str(cell).replace(" ", " 0") for cell in perfect["prediction"]]
    return data.same_score(perfect, perfect.assign(prediction=cells))


def _test_days(data: EditionData) -> bool:
    days = pd.to_datetime(data.table("transactions_train.csv")["t_dat"])
    last = pd.to_datetime(read_raw(data, "transactions_train.csv")["t_dat"]).max()
    return bool((last - days.max()).days <= 7)


def read_raw(data: EditionData, name: str, **options: Any) -> pd.DataFrame:
    from mlebench.files.raw_files import RawFolder

    return RawFolder(data.raw).read_csv(name, **options)


def _uw_rows(data: EditionData) -> bool:
    return order_is_free()(data)


def _uw_layout(data: EditionData) -> bool:
    """In a slice that is not square, a mask shifted by one row is one row away."""
    from mlebench.competitions.uw_madison_gi_tract_image_segmentation import competition as module

    height, width = 3, 5
    code = "1 5"  # the first row
    answers = pd.DataFrame({"id": ["case1_day1_slice_0001"], "class": ["stomach"], "predicted": [code]}).assign(
        image_height=height, image_width=width
    )
    grade = module.competition.grade_fn(data.competition.edition)
    moved = answers.assign(predicted="11 5")[["id", "class", "predicted"]]  # the last row
    expected = 0.6 * (1 - (2 / height) / math.sqrt(3))
    return abs(grade(moved, answers) - expected) < 1e-9


def _patients_apart(data: EditionData) -> bool:
    table = data.table("HuBMAP-20-dataset_information.csv")
    patients = dict(zip(table["image_file"].str.removesuffix(".tiff"), table["patient_number"], strict=True))
    return disjoint(data.table("train.csv")["id"].map(patients), data.sample["id"].map(patients))


def _graded_with_empty(data: EditionData) -> bool:
    """An object without attributes among the answers does no harm."""
    grade = data.competition.declaration.grade_fn(data.competition.edition)
    text = pd.DataFrame({"id": ["a", "b"], "attribute_ids": ["", ""]})
    if data.competition.text_columns:
        return grade(text, text) == 0
    return not text["attribute_ids"].replace("", np.nan).isna().any()  # as the answers are read


def _stratified(data: EditionData) -> bool:
    """Of every species a tenth is test, give or take one leaf."""
    train = data.table("train.csv")["species"].value_counts()
    test = data.perfect.set_index("id").idxmax(axis=1).value_counts()
    counts = pd.DataFrame({"train": train, "test": test}).fillna(0)
    return bool(((counts["test"] - counts.sum(axis=1) / 10).abs() < 1).all())


def _sentences_apart(data: EditionData) -> bool:
    train, test = (data.table(f"{part}.tsv.zip", sep="\t")["SentenceId"] for part in ("train", "test"))
    return disjoint(train, test)


def _phrases(data: EditionData) -> bool:
    return any(_words(data.table(f"{part}.tsv.zip", ["Phrase"], sep="\t")["Phrase"]) for part in ("train", "test"))


def _materials_apart(data: EditionData) -> bool:
    features = [name for name in data.table("test.csv").columns if name != "id"]
    sides = (data.table(name)[features].itertuples(index=False, name=None) for name in ("train.csv", "test.csv"))
    return disjoint(*sides)


def _one_scored_id_twice(data: EditionData) -> bool:
    scored = data.answers.dropna(subset=["FVC"]).sort_values("Weeks")["Patient_Week"].iloc[-1]
    row = data.sample[data.sample["Patient_Week"] == scored]
    return data.refuses(pd.concat([row, row]))


def _class_shares(data: EditionData) -> bool:
    """Every class has its share of the test part, give or take one leaf."""
    classes = list(data.sample.columns[1:])
    train, test = data.table("train.csv")[classes].sum(), data.answers[classes].sum()
    share = len(data.answers) / (train + test).sum()
    return bool(((test - share * (train + test)).abs() < 1).all())


def _xrays_apart(data: EditionData) -> bool:
    return disjoint(data.table("train.csv")["PatientID"], data.answers["PatientID"])


def _annotations_complete(data: EditionData) -> bool:
    """Every training study with boxes, or with a segmentation, in the raw data has them in the public data."""
    train = set(data.table("train.csv")["StudyInstanceUID"])
    boxed = set(read_raw(data, "train_bounding_boxes.csv")["StudyInstanceUID"]) & train
    segmented = {path.stem for path in (data.raw / "segmentations").glob("*.nii")} & train
    shown = set(data.table("train_bounding_boxes.csv")["StudyInstanceUID"])
    return boxed == shown and segmented == data.stems("segmentations/*.nii")


def _label_shares(data: EditionData) -> bool:
    labels = pd.concat([data.table("train_labels.csv")["MGMT_value"], data.answers["MGMT_value"]])
    return bool(abs(data.answers["MGMT_value"].sum() - labels.mean() * len(data.answers)) < 1)


def _nothing_found(data: EditionData) -> bool:
    """Predictions of a class that no row has earn nothing."""
    return data.score(data.sample.assign(PredictionString="tumour 1 0 0 1 1")) == 0


def _study_rows_alone(data: EditionData) -> bool:
    """Predictions of study classes in rows of images change nothing."""
    perfect = data.example("perfect")
    is_image = perfect["id"].str.endswith("_image")
    added = perfect["PredictionString"].where(~is_image, perfect["PredictionString"] + " typical 2 0 0 1 1")
    return data.same_score(perfect, perfect.assign(PredictionString=added))


def _angles(data: EditionData, part: str) -> set[object]:
    return {item["inc_angle"] for item in json.loads(data.members(f"{part}.json.7z")[f"{part}.json"])}


def _tokens(data: EditionData, language: str) -> bool:
    """Tokens that are words for a missing value are there, in the public data and among the answers."""
    train = data.table(f"{language}_train.csv.zip", ["before"])["before"]
    return _words(train) and not data.answers["after"].isna().any()


def _both_empty(data: EditionData) -> bool:
    grade = data.competition.grader
    answers = pd.DataFrame({"textID": ["a", "b"], "selected_text": ["yes", None]})
    return grade(answers, answers) == 1


def _nothing_exchanged(data: EditionData) -> bool:
    """Which rows are test does not depend on their labels: all rows of a drawn question are, and no other."""
    questions = read_raw(data, "train.csv").groupby("url")["qa_id"].agg(set)
    held_out = set(data.sample["qa_id"])
    return all(rows <= held_out or not rows & held_out for rows in questions)


def _words(column: pd.Series) -> bool:
    """Whether a column has words that are taken for missing values."""
    return bool(column.isin(["NA", "None", "null", "nan", "N/A"]).any())


def _as_read(data: EditionData, column: str, cell: str) -> object:
    """What becomes of a cell when a submission is read for grading."""
    path = data.public.parent / "read.csv"
    data.with_cell(column, cell, of=data.sample).to_csv(path, index=False)
    return read_submission(path, text_columns=data.competition.text_columns)[column].iloc[0]


def _questions(data: EditionData, name: str) -> set[tuple[str, str]]:
    rows = data.table(name)
    return set(zip(rows["Title"].astype(str), rows["Body"].astype(str), strict=True))


def _is(score: float | None, expected: float) -> bool:
    return score is not None and abs(score - expected) < 1e-9


def _cut(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(prediction=(table["prediction"] >= 0.5).astype(float))


def _unscored_twice(data: EditionData) -> pd.DataFrame:
    """A guess in which one comment that is not scored has the id of another such comment."""
    first, second = data.answers["id"][data.answers["toxic"] == -1].iloc[:2]
    return data.example("noisy").replace({"id": {second: first}})


REPAIRS: dict[str, dict[int, Predicate]] = {
    "3d-object-detection-for-autonomous-vehicles": {
        0: lambda data: (
            {log["token"] for log in data.json("train_data/log.json")}
            == set(data.json("train_data/map.json")[0]["log_tokens"])
        )
    },
    "aptos2019-blindness-detection": {
        1: contents_apart("train_images/*", "test_images/*"),
        2: refuses("diagnosis", 5),
    },
    "billion-word-imputation": {
        0: has("sample_submission.csv"),
        3: lambda data: not data.answers["sentence"].astype(str).str.contains("  ").any(),
        5: lambda data: data.accepts(data.with_cell("sentence", "NA")),
    },
    "bms-molecular-translation": {
        0: lambda data: disjoint(data.table("extra_approved_InChIs.csv")["InChI"], data.answers["InChI"]),
        2: lambda data: disjoint(data.table("train_labels.csv")["InChI"], data.answers["InChI"]),
        3: refuses("InChI", None),
    },
    "cassava-leaf-disease-classification": {0: _tfrecord_keys, 2: refuses("label", "healthy")},
    "cdiscount-image-classification-challenge": {4: refuses("category_id", "books")},
    "chaii-hindi-and-tamil-question-answering": {
        0: lambda data: data.score(data.perfect) == 1,
        1: lambda data: data.accepts(data.perfect.assign(PredictionString=range(len(data.perfect)))),
    },
    "champs-scalar-coupling": {
        0: lambda data: (
            set(data.table("test.csv")["molecule_name"])
            <= set(data.table("structures.csv")["molecule_name"]) & data.stems("structures/*.xyz")
        ),
        1: lambda data: math.isfinite(data.score(data.perfect) or 0),
        2: lambda data: data.refuses(repeated(data.example("noisy"))),
    },
    "denoising-dirty-documents": {0: _denoised},
    "detecting-insults-in-social-commentary": {
        0: lambda data: list(data.sample.columns) == ["id", "Insult"] and data.score(data.perfect) == 1,
    },
    "dog-breed-identification": {1: _unscaled},
    "dogs-vs-cats-redux-kernels-edition": {0: without("*.zip"), 2: _certain_and_wrong("label", -math.log(1e-15))},
    "facebook-recruiting-iii-keyword-extraction": {
        0: lambda data: _is(data.score(data.with_cell("Tags", "none-of-them")), 1 - 1 / len(data.perfect)),
        1: lambda data: (data.score(data.perfect.assign(Tags=data.perfect["Tags"] + " none-of-them")) or 1) < 0.99,
        2: lambda data: list(data.sample.columns) == ["Id", "Tags"],
        3: lambda data: _as_read(data, "Tags", "null") == "null",
        4: lambda data: disjoint(*(_questions(data, name) for name in ("train.csv", "test.csv"))),
        6: lambda data: data.accepts(data.perfect.assign(Tags=range(len(data.perfect)))),
    },
    "freesound-audio-tagging-2019": {3: lambda data: data.accepts(data.perfect[data.perfect.columns[::-1]])},
    "google-quest-challenge": {
        0: groups_apart("url"),
        1: lambda data: data.refuses(data.sample.assign(qa_id=-data.sample["qa_id"])),
        2: lambda data: (
            data.accepts(data.sample.assign(question_body_critical=0.5))
            and data.refuses(data.sample.assign(question_body_critical="high"))
        ),
        3: _nothing_exchanged,
    },
    "google-research-identify-contrails-reduce-global-warming": {
        1: lambda data: data.accepts(data.with_cell("encoded_pixels", None)),
        2: refuses("encoded_pixels", "3"),
        3: has("test_metadata.json"),
        5: lambda data: list(data.sample.columns) == ["record_id", "encoded_pixels"],
    },
    "h-and-m-personalized-fashion-recommendations": {
        0: _h_and_m_zero,
        1: _test_days,
        2: lambda data: data.refuses(repeated(data.sample)),
    },
    "hms-harmful-brain-activity-classification": {
        0: lambda data: data.refuses(data.sample.assign(**dict.fromkeys(data.sample.columns[2:]), seizure_vote=1.0)),
        1: lambda data: "label_id" in data.sample and data.accepts(reversed_rows(data.sample)),
        2: lambda data: {"eeg_label_offset_seconds", "spectrogram_label_offset_seconds"} <= set(data.table("test.csv")),
        3: groups_apart("patient_id"),
        4: lambda data: math.isfinite(
            data.score(data.sample.assign(**dict.fromkeys(data.sample.columns[1:-1], 0), other_vote=1)) or math.inf
        ),
        5: lambda data: data.accepts(data.sample.assign(note="x")),
    },
    "hotel-id-2021-fgvc8": {
        0: lambda data: (
            set(data.answers["hotel_id"].astype(str)) <= set(data.table("train.csv")["hotel_id"].astype(str))
        ),
        2: lambda data: (data.score(data.with_cell("hotel_id", None)) or 0) > 0.5,
    },
    "hubmap-kidney-segmentation": {
        0: lambda data: not [name for name in data.files("test/*.json") if "anatomical" not in name],
        1: _patients_apart,
        4: lambda data: data.refuses(data.with_cell("predicted", "1 1 5", of=data.sample)),
    },
    "imet-2020-fgvc7": {
        0: lambda data: (
            (data.score(data.perfect.assign(attribute_ids=data.perfect["attribute_ids"] + " 99999")) or 1) < 1
        ),
        1: lambda data: data.accepts(data.sample.assign(attribute_ids=1)),
        2: _graded_with_empty,
    },
    "inaturalist-2019-fgvc6": {
        0: lambda data: (
            {image["file_name"].partition("/")[2] for image in data.json("val2019.json")["images"]}
            <= {name.removeprefix("train_val2019/") for name in data.members("train_val2019.tar.gz")}
        ),
        1: lambda data: (
            (data.public / "test2019.tar.gz").read_bytes()[:2] == b"\x1f\x8b"
            and {image["file_name"] for image in data.json("test2019.json")["images"]}
            == set(data.members("test2019.tar.gz"))
        ),
        3: lambda data: (
            [image["id"] for image in data.json("test2019.json")["images"]] == list(range(len(data.sample)))
            and not any("rights_holder" in image for image in data.json("test2019.json")["images"])
        ),
    },
    "invasive-species-monitoring": {
        0: lambda data: (
            {f"test/{name}.jpg" for name in data.sample["name"]} == set(data.members("test.7z"))
            and bool(data.members("train.7z"))
        )
    },
    "iwildcam-2019-fgvc6": {
        1: lambda data: list(data.sample.columns) == ["Id", "Category"],
        2: _wild_species,
    },
    "jigsaw-toxic-comment-classification-challenge": {
        0: lambda data: data.same_score(data.example("noisy"), data.example("noisy").iloc[:, ::-1]),
        1: lambda data: data.refuses(_unscored_twice(data)),
        2: lambda data: _words(data.table("test.csv", ["comment_text"])["comment_text"]),
    },
    "jigsaw-unintended-bias-in-toxicity-classification": {
        0: lambda data: not data.same_score(data.example("noisy"), _cut(data.example("noisy"))),
        2: lambda data: data.refuses(data.with_cell("prediction", None, of=data.sample)),
    },
    "kuzushiji-recognition": {
        1: lambda data: disjoint(
            data.table("train.csv")["image_id"].str.split("[_-]").str[0],
            data.sample["image_id"].str.split("[_-]").str[0],
        ),
        2: lambda data: data.refuses(data.with_cell("labels", " ".join(["U+306F 1 1"] * 1201), of=data.sample)),
    },
    "leaf-classification": {0: lambda data: _unscaled(data) and _shifted_cost(-math.log(1e-15))(data), 3: _stratified},
    "learning-agency-lab-automated-essay-scoring-2": {0: refuses("score", 30)},
    "lmsys-chatbot-arena": {0: lambda data: data.accepts(data.sample.round(2))},
    "ml2021spring-hw2": {0: _windows_apart},
    "mlsp-2013-birds": {
        0: lambda data: (
            not (data.public / "supplemental_data/segment_features.txt")
            .read_text()
            .startswith("rec_id,[histogram of segment features]")
        )
    },
    "movie-review-sentiment-analysis-kernels-only": {
        0: _sentences_apart,
        1: _phrases,
    },
    "multi-modal-gesture-recognition": {
        0: _gestures,
        1: lambda data: data.accepts(data.with_cell("Sequence", None, of=data.sample)),
    },
    "new-york-city-taxi-fare-prediction": {
        0: has("train.csv"),
        1: lambda data: data.refuses(data.with_cell("key", "nothing")),
    },
    "nfl-player-contact-detection": {1: refuses("contact", 2)},
    "nomad2018-predict-transparent-conductors": {
        0: order_is_free(),
        2: groups_apart("id"),
        3: _materials_apart,
    },
    "osic-pulmonary-fibrosis-progression": {
        0: lambda data: data.refuses(data.sample.iloc[1:]),
        1: lambda data: data.refuses(data.sample.assign(FVC=[None, *data.sample["FVC"][1:]])),
        2: _one_scored_id_twice,
    },
    "petfinder-pawpularity-score": {0: lambda data: data.accepts(data.with_cell("Pawpularity", 100.5))},
    "plant-pathology-2020-fgvc7": {0: _class_shares},
    "plant-pathology-2021-fgvc8": {
        0: lambda data: _is(data.score(data.with_cell("labels", "none-of-them")), 1 - 1 / len(data.perfect)),
        1: lambda data: (data.score(data.perfect.assign(labels=data.perfect["labels"] + " none-of-them")) or 1) < 1,
        2: contents_apart("train_images/*", "test_images/*"),
    },
    "predict-volcanic-eruptions-ingv-oe": {0: lambda data: data.refuses(repeated(data.perfect))},
    "random-acts-of-pizza": {
        0: lambda data: (
            not any(
                "giver_username_if_known" in request
                for name in ("train", "test")
                for request in data.json(f"{name}.json")
            )
        )
    },
    "ranzcr-clip-catheter-line-classification": {
        0: lambda data: len(data.sample.columns) == 12,
        1: _xrays_apart,
    },
    "rsna-2022-cervical-spine-fracture-detection": {
        0: lambda data: len(data.table("train.csv")) > 5 * data.table("test.csv")["StudyInstanceUID"].nunique(),
        1: _annotations_complete,
        4: lambda data: len(data.table("train.csv")) > 5 * data.table("test.csv")["StudyInstanceUID"].nunique(),
    },
    "rsna-breast-cancer-detection": {
        1: lambda data: data.refuses(data.with_cell("cancer", None)) and data.score(data.sample.assign(cancer=-1)) == 0
    },
    "rsna-miccai-brain-tumor-radiogenomic-classification": {
        0: lambda data: (
            not any(
                faulty in name.split("/")[1] for name in data.files("*/*/*/*") for faulty in ("00109", "00123", "00709")
            )
        ),
        1: _label_shares,
    },
    "seti-breakthrough-listen": {0: without("old_leaky_data/**/*")},
    "siim-covid19-detection": {
        0: _nothing_found,
        1: _study_rows_alone,
    },
    "siim-isic-melanoma-classification": {0: without("tfrecords/*"), 1: groups_apart("patient_id")},
    "smartphone-decimeter-2022": {0: _gnss_lines, 1: order_is_free()},
    "spooky-author-identification": {0: lambda data: _unscaled(data) and _shifted_cost(-math.log(1e-15))(data)},
    "stanford-covid-vaccine": {0: order_is_free(), 1: has("bpps/*.npy")},
    "statoil-iceberg-classifier-challenge": {
        0: lambda data: disjoint(_angles(data, "train") - {"na"}, _angles(data, "test") - {"na"}),
        1: lambda data: "na" not in _angles(data, "test"),
        2: has("sample_submission.csv"),
    },
    "tensorflow2-question-answering": {0: lambda data: data.score(data.sample) == 0},
    "tensorflow-speech-recognition-challenge": {
        0: _speech_labels,
        1: lambda data: disjoint(_speakers(data), _test_speakers(data)),
        2: _lengths_of_clips,
    },
    "text-normalization-challenge-english-language": {0: lambda data: _tokens(data, "en")},
    "text-normalization-challenge-russian-language": {0: lambda data: _tokens(data, "ru")},
    "tgs-salt-identification-challenge": {
        0: _salt,
        1: lambda data: set(data.sample["id"]) <= set(data.table("depths.csv")["id"]),
        3: lambda data: data.refuses(data.with_cell("rle_mask", "3")),
    },
    "tweet-sentiment-extraction": {0: _both_empty},
    "uw-madison-gi-tract-image-segmentation": {
        0: _uw_rows,
        2: _uw_layout,
        4: lambda data: data.refuses(data.with_cell("predicted", "3", of=data.sample)),
        5: lambda data: data.refuses(data.sample.iloc[:-1]),
    },
    "vesuvius-challenge-ink-detection": {
        3: lambda data: (
            data.refuses(data.sample.assign(Predicted="1 1 5"))
            and data.refuses(data.sample.assign(Predicted="1 1 5 999999999"))
        )
    },
    "vinbigdata-chest-xray-abnormalities-detection": {
        0: _apart_boxes,
        1: _first_box,
        2: _merged,
        3: lambda data: data.refuses(repeated(data.sample)),
    },
}
