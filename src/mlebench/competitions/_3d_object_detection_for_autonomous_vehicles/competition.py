"""Lyft 3D object detection: where, around a self-driving car, are which objects?"""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    PreparationError,
    Raw,
    RefusalCode,
    Table,
    aligned,
    box_average_precision,
    ground_corners,
    in_cell,
    random_split,
    texts,
)

SHARED = ["attribute", "category", "sensor", "visibility"]  # tables that are the same in both parts
MAP = "map_raster_palo_alto.png"
SENSORS = {"jpeg": "images", "bin": "lidar"}  # folder of each file format
THRESHOLDS = np.arange(50, 100, 5) / 100

competition = Competition(
    "3d-object-detection-for-autonomous-vehicles",
    "Lyft 3D Object Detection for Autonomous Vehicles",
    category="Object Detection",
    metric="mean average precision over 3D IoU thresholds",
    group="high",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, map_lists_own_logs: bool = False) -> None:
    """Hold out a fifth of the logs, with all that the tables link to them."""
    logs = [log["token"] for log in raw.read_json("train_data/log.json")]
    train_logs, test_logs = random_split(logs, test_size=0.2)
    by_log = dict.fromkeys(train_logs, "train") | dict.fromkeys(test_logs, "test")
    _write(public, "log", _divided(raw, "log", "token", by_log))
    _write(public, "scene", _divided(raw, "scene", "log_token", by_log))
    samples = _divided(raw, "sample", "scene_token", by_log)  # the token of a scene is that of its log
    _write(public, "sample", samples)
    by_sample = {entry["token"]: part for part, entries in samples.items() for entry in entries}
    _write_objects(raw, public, by_sample)
    _write_sensor_data(raw, public, _divided(raw, "sample_data", "sample_token", by_sample))
    (area,) = raw.read_json("train_data/map.json")
    for part, logs in (("train", train_logs), ("test", test_logs)):
        # As published: both files list the logs of the test part.
        listed = logs if map_lists_own_logs else test_logs
        public.write_json(f"{part}_data/map.json", [area | {"log_tokens": listed}])
        public.place({f"{part}_data/{name}.json": raw[f"train_data/{name}.json"] for name in SHARED})
        public.place({f"{part}_maps/{MAP}": raw[f"train_maps/{MAP}"]})

    rows = raw.read_csv("train.csv")
    part = rows["Id"].map(by_sample)
    if part.isna().any() or len(rows) != len(by_sample):
        raise PreparationError("The raw train.csv must have a row for each sample of sample.json and no other.")
    test = rows[part == "test"]
    public.write_csv("train.csv", rows[part == "train"])
    public.write_csv("sample_submission.csv", test.assign(PredictionString=""))
    private.write_csv("test.csv", test.assign(PredictionString=test["PredictionString"].map(_with_confidence)))


def _divided(raw: Raw, name: str, key: str, parts: Mapping[str, str]) -> dict[str, list[Any]]:
    """The entries of a raw table by the part that the token under a key belongs to."""
    divided: dict[str, list[Any]] = {"train": [], "test": []}
    for entry in raw.read_json(f"train_data/{name}.json"):
        if entry[key] not in parts:
            raise PreparationError(f"The raw {name}.json has the {key} {entry[key]}, which belongs to no log.")
        divided[parts[entry[key]]].append(entry)
    return divided


def _write(public: Output, name: str, divided: Mapping[str, list[Any]]) -> None:
    for part, entries in divided.items():
        public.write_json(f"{part}_data/{name}.json", entries)


def _write_objects(raw: Raw, public: Output, by_sample: Mapping[str, str]) -> None:
    """Write the boxes of the train part, and the things that have one there."""
    boxes = _divided(raw, "sample_annotation", "sample_token", by_sample)
    by_thing = {box["instance_token"]: part for part in ("test", "train") for box in boxes[part]}
    public.write_json("train_data/sample_annotation.json", boxes["train"])
    public.write_json("train_data/instance.json", _divided(raw, "instance", "token", by_thing)["train"])


def _write_sensor_data(raw: Raw, public: Output, sensor_data: Mapping[str, list[Any]]) -> None:
    """Write the table of recorded files, the mountings and poses in the order in which it uses them, and the files."""
    if not {entry["fileformat"] for listed in sensor_data.values() for entry in listed} <= SENSORS.keys():
        raise PreparationError("The raw sample_data.json has files that are neither jpeg nor bin.")
    _write(public, "sample_data", sensor_data)
    for name, key in (("calibrated_sensor", "calibrated_sensor_token"), ("ego_pose", "ego_pose_token")):
        entries = {entry["token"]: entry for entry in raw.read_json(f"train_data/{name}.json")}
        used = {part: [entry[key] for entry in listed] for part, listed in sensor_data.items()}
        if entries.keys() != {token for tokens in used.values() for token in tokens}:
            raise PreparationError(f"The entries of the raw {name}.json are not those that sample_data.json uses.")
        if name == "calibrated_sensor":  # As published: a pose is written once per use.
            used = {part: list(dict.fromkeys(tokens)) for part, tokens in used.items()}
        _write(public, name, {part: [entries[token] for token in tokens] for part, tokens in used.items()})
    for part, listed in sensor_data.items():
        for kind, folder in SENSORS.items():
            names = {entry["filename"].rpartition("/")[2] for entry in listed if entry["fileformat"] == kind}
            public.place({f"{part}_{folder}/{name}": raw[f"train_{folder}/{name}"] for name in names})


def _with_confidence(boxes: Any) -> str:
    """The boxes of a sample, eight values each, with a confidence of 1.0 in front of each."""
    tokens = boxes.split(" ") if isinstance(boxes, str) else []
    if not tokens or len(tokens) % 8:
        raise PreparationError("The raw train.csv has a sample whose boxes are not eight values each.")
    return " ".join(" ".join(["1.0", *tokens[start : start + 8]]) for start in range(0, len(tokens), 8))


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean over samples, their classes and ten thresholds of the average precision of the boxes."""
    truth, predicted = aligned(submission, answers, on="Id", target="PredictionString")
    true_keys, true_boxes = _objects(texts(truth))
    keys, boxes = _objects(texts(predicted))
    groups = {key: number for number, key in enumerate(dict.fromkeys(true_keys))}
    # As published: predictions of a class that the sample does not have cost nothing, and are not even looked at.
    rows = [row for row, key in enumerate(keys) if key in groups]
    _require_boxes(boxes[rows, 1:])
    precisions = box_average_precision(
        true_boxes[:, 1:],
        [groups[key] for key in true_keys],
        boxes[rows, 1:],
        [groups[keys[row]] for row in rows],
        boxes[rows, 0],
        THRESHOLDS,
    ).mean(axis=1)
    samples = [sample for sample, _ in groups]
    return float(np.mean(np.bincount(samples, precisions) / np.bincount(samples)))


def _objects(strings: Sequence[str]) -> tuple[list[tuple[int, str]], NDArray[np.float64]]:
    """Sample and class of each object, and its confidence, centre, size and yaw."""
    keys: list[tuple[int, str]] = []
    values = array("d")
    for sample, string in enumerate(strings):
        tokens = string.split(" ") if string.strip() else []
        if len(tokens) % 9:
            raise InvalidSubmissionError(
                f"A PredictionString has {len(tokens)} values separated by single blanks; there must be nine for each "
                "object: confidence center_x center_y center_z width length height yaw class_name.",
                code=RefusalCode.MALFORMED_VALUE,
                where=in_cell(string),
            )
        keys += [(sample, name) for name in tokens[8::9]]
        del tokens[8::9]
        try:
            values.extend(map(float, tokens))
        except ValueError:
            raise InvalidSubmissionError(
                "A PredictionString has a word where a number is expected; only the last value of an object is a word.",
                code=RefusalCode.MALFORMED_VALUE,
                where=in_cell(string),
            ) from None
    numbers = np.array(values).reshape(-1, 8)
    turned = np.isinf(numbers[:, 7])
    if turned.any():
        sample, _ = keys[int(turned.argmax())]
        raise InvalidSubmissionError(
            "A yaw is infinite; it must be an angle in radians.",
            code=RefusalCode.MALFORMED_VALUE,
            where=in_cell(strings[sample]),
        )
    return keys, numbers


def _require_boxes(boxes: NDArray[np.float64]) -> None:
    """Boxes have a size and a place, and right angles in spite of rounding."""
    if np.isnan(boxes).any():
        raise InvalidSubmissionError(
            "A box has NaN in its centre, size or yaw; every value must be a number.", code=RefusalCode.MALFORMED_VALUE
        )
    if (boxes[:, 3:6] <= 0).any():
        raise InvalidSubmissionError(
            "A box has a width, length or height that is not positive.", code=RefusalCode.MALFORMED_VALUE
        )
    corners = ground_corners(boxes)
    with np.errstate(invalid="ignore", over="ignore"):
        edges = np.roll(corners, -1, axis=1) - corners
        products = (edges * np.roll(edges, 1, axis=1)).sum(axis=2)
    if not (np.abs(products) <= 1e-8).all():
        raise InvalidSubmissionError(
            "A box is infinite, or so far away that its corners cannot be computed; centres are in metres in world "
            "coordinates.",
            code=RefusalCode.MALFORMED_VALUE,
        )


competition.v2(map_lists_own_logs=True)
