"""Twin of 3d-object-detection-for-autonomous-vehicles: short drives past a few boxes, with linked tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.images import jpeg, png
from mlebench.twins.kit.submissions import Submissions, Usual

Entry: TypeAlias = dict[str, Any]

# Usual width, length and height in metres, and share among the objects.
CLASSES = {
    "car": ((1.9, 4.7, 1.7), 0.5),
    "pedestrian": ((0.7, 0.8, 1.7), 0.1),
    "animal": ((0.3, 0.7, 0.5), 0.02),
    "other_vehicle": ((2.8, 8.0, 3.2), 0.1),
    "bus": ((2.9, 12.0, 3.4), 0.08),
    "motorcycle": ((0.9, 2.3, 1.6), 0.04),
    "truck": ((2.8, 10.0, 3.4), 0.05),
    "emergency_vehicle": ((2.4, 6.5, 2.4), 0.03),
    "bicycle": ((0.6, 1.7, 1.4), 0.08),
}
NAMES = list(CLASSES)
SHARES = [share for _, share in CLASSES.values()]
CHANNELS = {"CAM_FRONT": "camera", "CAM_BACK": "camera", "LIDAR_TOP": "lidar"}
ATTRIBUTES = ["object_action_parked", "object_action_walking", "is_stationary"]
HOSTS = 3
MAP = "map_raster_palo_alto.png"
FOLDERS = [f"{part}_{kind}" for part in ("train", "test") for kind in ("data", "images", "lidar", "maps")]
LABELS = ("instance", "sample_annotation")  # tables that the test part does not have


@dataclass(frozen=True)
class _Object:
    """A thing that is seen in the samples of one log."""

    token: str
    name: str
    size: list[float]  # width, length, height
    offset: NDArray[np.float64]  # from the car, in metres
    yaw: float


@dataclass(frozen=True)
class _Moment:
    """A sample: when and where the car was."""

    log: int
    number: int  # within its log
    token: str
    host: int
    time: float
    place: tuple[float, float, float]


@dataclass
class _Drive:
    """The tables as they grow, log by log."""

    raw: Path
    seed: int
    rng: np.random.Generator
    calibrations: dict[tuple[int, str], Entry] = field(default_factory=dict)
    logs: list[Entry] = field(default_factory=list)
    scenes: list[Entry] = field(default_factory=list)
    samples: list[Entry] = field(default_factory=list)
    sample_data: list[Entry] = field(default_factory=list)
    poses: list[Entry] = field(default_factory=list)
    annotations: list[Entry] = field(default_factory=list)
    instances: list[Entry] = field(default_factory=list)
    rows: list[tuple[str, str]] = field(default_factory=list)

    def token(self, *parts: object) -> str:
        """The token of an entry, the same for the same seed and parts."""
        return hashlib.sha256("/".join(map(str, (self.seed, *parts))).encode()).hexdigest()

    def mount_sensors(self) -> list[Entry]:
        """Calibrate the sensors of every car, which its logs share, and return the sensors."""
        sensors = [
            {"modality": modality, "channel": channel, "token": self.token("sensor", channel)}
            for channel, modality in CHANNELS.items()
        ]
        intrinsic = [[882.42, 0, 602.047], [0, 882.42, 509.0], [0, 0, 1]]
        for host in range(HOSTS):
            for sensor in sensors:
                channel = sensor["channel"]
                self.calibrations[host, channel] = {
                    "sensor_token": sensor["token"],
                    "rotation": self.rng.normal(size=4).tolist(),
                    "camera_intrinsic": intrinsic if sensor["modality"] == "camera" else [],
                    "translation": [float(self.rng.normal()), 5e-07, -0.0],
                    "token": self.token("cal", host, channel),
                }
        return sensors

    def record(self, log: int) -> None:
        """Add a log with its one scene, which have the same token, and all that is seen on the way."""
        rng, log_token = self.rng, self.token("log", log)
        host = int(rng.integers(HOSTS))
        self.logs.append(
            {
                "date_captured": f"2019-0{log % 9 + 1}-11",
                "location": "Palo Alto",
                "token": log_token,
                "vehicle": f"a00{host}",
                "logfile": "",
                "map_token": self.token("map"),
            }
        )
        tokens = [self.token("sample", log, number) for number in range(int(rng.integers(3, 6)))]
        self.scenes.append(
            {
                "log_token": log_token,
                "first_sample_token": tokens[0],
                "name": f"host-a00{host}-lidar0-12{log:04d}",
                "description": 'café → caltrain, "loop"' if log % 4 == 0 else "",
                "last_sample_token": tokens[-1],
                "nbr_samples": len(tokens),
                "token": log_token,
            }
        )
        place = (rng.uniform(900, 2800), rng.uniform(600, 3000), rng.uniform(-25, -15))
        objects = [self._object(log, number) for number in range(int(rng.integers(3, 8)))]
        seen: dict[str, list[str]] = {each.token: [] for each in objects}
        for number, token in enumerate(tokens):
            time = 1.5e15 + log * 1e9 + number * 2e5 + float(rng.integers(1000)) / 8
            self.samples.append(
                {
                    "next": tokens[number + 1] if number + 1 < len(tokens) else "",
                    "prev": tokens[number - 1] if number else "",
                    "token": token,
                    "timestamp": time,
                    "scene_token": log_token,
                }
            )
            moment = _Moment(log, number, token, host, time, place)
            self._sense(moment, self._annotate(moment, objects, seen))
        for each in objects:
            marks = seen[each.token]
            self.instances.append(
                {
                    "last_annotation_token": marks[-1],
                    "category_token": self.token("cat", each.name),
                    "token": each.token,
                    "nbr_annotations": len(marks),
                    "first_annotation_token": marks[0],
                }
            )

    def _object(self, log: int, number: int) -> _Object:
        rng = self.rng
        name = NAMES[int(rng.choice(len(NAMES), p=SHARES))]
        size = [float(np.round(usual * rng.uniform(0.85, 1.2), 3)) for usual in CLASSES[name][0]]
        offset, yaw = rng.uniform(-40, 40, 2), rng.uniform(-np.pi, np.pi)
        return _Object(self.token("inst", log, number), name, size, offset, yaw)

    def _annotate(
        self, moment: _Moment, objects: list[_Object], seen: dict[str, list[str]]
    ) -> list[NDArray[np.float64]]:
        """Add the boxes of a sample and its row of train.csv, and return the lidar points on each object."""
        rng, boxes = self.rng, []
        points: list[NDArray[np.float64]] = []
        for number, each in enumerate(objects):
            hidden = moment.number > 0 and rng.random() < 0.15
            # No sample may be without objects: neither preparation nor grading could deal with it.
            if hidden and (points or number + 1 < len(objects)):
                continue
            x, y, z = moment.place
            centre = [
                float(x + each.offset[0] + 0.4 * moment.number * np.cos(each.yaw)),
                float(y + each.offset[1] + 0.4 * moment.number * np.sin(each.yaw)),
                float(z + rng.normal(0, 0.1)),
            ]
            width, length, height = each.size
            hits = rng.normal([*each.offset, 0], [length / 3, width / 3, height / 3], (6, 3))
            points.append(np.column_stack([hits, rng.uniform(0, 255, 6), np.zeros(6)]))
            token = self.token("ann", moment.log, moment.number, number)
            seen[each.token].append(token)
            self.annotations.append(
                {
                    "token": token,
                    "num_lidar_pts": 6 if number % 3 else -1,
                    "size": each.size,
                    "sample_token": moment.token,
                    "rotation": [float(np.cos(each.yaw / 2)), 0, 0, float(np.sin(each.yaw / 2))],
                    "prev": "",
                    "translation": centre,
                    "num_radar_pts": 0,
                    "attribute_tokens": [self.token("att", ATTRIBUTES[number % 3])],
                    "next": "",
                    "instance_token": each.token,
                    "visibility_token": None if number % 2 else "4",
                }
            )
            boxes.append(" ".join([*(repr(value) for value in (*centre, *each.size, each.yaw)), each.name]))
        self.rows.append((moment.token, " ".join(boxes)))
        return points

    def _sense(self, moment: _Moment, points: list[NDArray[np.float64]]) -> None:
        """Write two pictures, brighter with every object, and a lidar sweep, and add them to the tables."""
        pose: Entry = {}
        for channel, modality in CHANNELS.items():
            camera = modality == "camera"
            stamp = int(moment.time * 1000 % 10**15) + len(self.sample_data)
            kind = "jpeg" if camera else "bin"
            name = f"host-a00{moment.host}_{channel.lower().replace('_', '')}_{stamp}.{kind}"
            if camera:
                pixels = np.full((12, 16, 3), 60, np.uint8)
                pixels[:, : min(15, 2 * len(points))] = 200
                (self.raw / "train_images" / name).write_bytes(jpeg(pixels, quality=30, optimize=False))
            else:
                np.concatenate(points).astype("<f4").tofile(self.raw / "train_lidar" / name)
            if channel != "CAM_BACK":  # which shares the pose of the front camera
                pose = {
                    "rotation": self.rng.normal(size=4).tolist(),
                    "translation": [*moment.place[:2], 0],
                    "token": self.token("pose", moment.log, moment.number, channel),
                    "timestamp": moment.time,
                }
                self.poses.append(pose)
            entry = {
                "width": 16 if camera else None,
                "height": 12 if camera else None,
                "calibrated_sensor_token": self.calibrations[moment.host, channel]["token"],
                "token": self.token("sd", moment.log, moment.number, channel),
                "sample_token": moment.token,
                "is_key_frame": True,
                "prev": "",
                "fileformat": kind,
                "ego_pose_token": pose["token"],
                "timestamp": moment.time,
                "next": "",
                "filename": f"{'images' if camera else 'lidar'}/{name}",
                "sensor_modality": modality,
                "channel": channel,
            }
            self.sample_data.append(entry)
            if moment.log % 5 == 0 and moment.number == 0 and not camera:  # the same file listed twice
                again = self.token("sd2", moment.log, moment.number, channel)
                self.sample_data.append(entry | {"token": again, "is_key_frame": False})


def make(raw: Path, seed: int, scale: int) -> None:
    """Write pictures, lidar sweeps and tables of 11 logs per unit of scale, and a scrap of Kaggle's own test set."""
    rng = np.random.default_rng(seed)
    for folder in FOLDERS:
        (raw / folder).mkdir()
    drive = _Drive(raw, seed, rng)
    sensors = drive.mount_sensors()
    for log in range(11 * scale):
        drive.record(log)
    used = {entry["calibrated_sensor_token"] for entry in drive.sample_data}
    order = rng.permutation(len(drive.samples))  # the tables do not share one order
    tables = {
        "log": drive.logs,
        "scene": drive.scenes,
        "sample": [drive.samples[position] for position in order],
        "sample_data": drive.sample_data,
        "ego_pose": drive.poses[::-1],
        "sample_annotation": drive.annotations,
        "instance": drive.instances,
        "sensor": sensors,
        "attribute": [{"description": each, "token": drive.token("att", each), "name": each} for each in ATTRIBUTES],
        "category": [{"description": "", "token": drive.token("cat", each), "name": each} for each in NAMES],
        "visibility": [_visibility(level) for level in range(4)],
        "map": [
            {
                "log_tokens": [log["token"] for log in drive.logs],
                "category": "semantic_prior",
                "filename": f"maps/{MAP}",
                "token": drive.token("map"),
            }
        ],
        "calibrated_sensor": [each for each in drive.calibrations.values() if each["token"] in used],
    }
    for name, entries in tables.items():
        _write_table(raw, name, entries)
    rows = pd.DataFrame(drive.rows, columns=["Id", "PredictionString"]).sample(frac=1, random_state=seed)
    rows.to_csv(raw / "train.csv", index=False)
    sample = pd.DataFrame({"Id": [drive.token("test", number) for number in range(3)], "PredictionString": ""})
    sample.to_csv(raw / "sample_submission.csv", index=False)
    area = png(rng.integers(0, 255, (16, 16, 3), dtype=np.uint8), optimize=False)
    for part in ("train", "test"):
        (raw / f"{part}_maps" / MAP).write_bytes(area)
    black = jpeg(np.zeros((12, 16, 3), np.uint8), quality=75, optimize=False)
    (raw / "test_images/host-a009_camfront_1.jpeg").write_bytes(black)
    np.zeros((3, 5), "<f4").tofile(raw / "test_lidar/host-a009_lidartop_1.bin")


def _visibility(level: int) -> Entry:
    low, high = 20 * level, 20 * level + 20
    return {
        "description": f"visibility of whole object is between {low} and {high}%",
        "token": str(level + 1),
        "level": f"v{low}-{high}",
    }


def _write_table(raw: Path, name: str, entries: list[Entry]) -> None:
    """Write a table as preparation does not: with other separators, no escapes and another spelling of floats."""
    indent = 0 if name in ("category", "sensor") else None
    text = json.dumps(entries, ensure_ascii=False, indent=indent, separators=(",", ":"))
    (raw / f"train_data/{name}.json").write_text(text.replace("5e-07", "5.0E-7"), encoding="utf-8")
    if name not in LABELS:
        (raw / f"test_data/{name}.json").write_text(json.dumps(entries[:1]), encoding="utf-8")


# A box of a submission: confidence, centre, size and yaw as text, and the class.
Box: TypeAlias = list[str]


def _boxes(text: str) -> list[Box]:
    tokens = text.split(" ")
    return [tokens[start : start + 9] for start in range(0, len(tokens), 9)]


def _joined(boxes: list[Box]) -> str:
    return " ".join(" ".join(box) for box in boxes)


def _moved(box: Box, position: int, by: float) -> Box:
    """The box with something added to one of its numbers."""
    return [*box[:position], repr(float(box[position]) + by), *box[position + 1 :]]


def _far(boxes: list[Box], confidence: str) -> list[Box]:
    """The boxes 100 metres away, where there is nothing."""
    return [[confidence, *_moved(box, 1, 100)[1:]] for box in boxes]


def _jittered(rng: np.random.Generator, boxes: list[Box]) -> Iterator[Box]:
    for box in boxes:
        if rng.random() < 0.12:
            continue
        values = np.array(box[1:8], float)
        values[:2] += rng.normal(0, 0.12, 2)
        values[2] += rng.normal(0, 0.04)
        values[3:6] *= np.exp(rng.normal(0, 0.03, 3))
        values[6] += rng.normal(0, 0.05)
        confidence = f"{rng.uniform(0.3, 1):.3f}"
        name = box[8] if rng.random() > 0.08 else "car"
        yield [confidence, *map(repr, values.tolist()), name]
        if rng.random() < 0.25:  # the same box again, or one 30 metres away in both directions
            values[:2] += rng.choice([0.0, 30.0])
            yield [f"{rng.uniform(0, 1):.3f}", *map(repr, values.tolist()), box[8]]


UNICORN = ["1.0", "nan", "0", "0", "-1", "1", "1", "0", "unicorn"]
CHANGES: dict[str, Callable[[list[Box]], list[Box]]] = {
    "half_boxes": lambda boxes: boxes[: (len(boxes) + 1) // 2],
    "duplicates_low": lambda boxes: boxes + [["0.1", *box[1:]] for box in boxes],  # false positives at full recall
    "false_first": lambda boxes: _far(boxes, "0.9") + [["0.5", *box[1:]] for box in boxes],
    "tied_confidence": lambda boxes: _far(boxes[:1], "1.0") + boxes,  # equal ones are taken in the order given
    "tied_confidence_last": lambda boxes: boxes + _far(boxes[:1], "1.0"),
    "foreign_class": lambda boxes: boxes + [[*box[:8], "unicorn"] for box in boxes],  # costs nothing
    "foreign_class_bad_box": lambda boxes: [*boxes, UNICORN],  # and may even be impossible
    "all_car": lambda boxes: [[*box[:8], "car"] for box in boxes],
    "thin_shift": lambda boxes: [_moved(box, 3, 0.21 * float(box[6])) for box in boxes],  # an IoU of 0.79/1.21
    "quarter_turn": lambda boxes: [_moved(box, 7, np.pi / 2) for box in boxes],
    "half_turn": lambda boxes: [_moved(box, 7, 3 * np.pi) for box in boxes],  # 540 degrees: the same boxes
    "swapped_size": lambda boxes: [[*box[:4], box[5], box[4], *box[6:]] for box in boxes],
    "negative_confidence": lambda boxes: [[repr(-float(rank)), *box[1:]] for rank, box in enumerate(boxes)],
    "zero_size": lambda boxes: [[*box[:4], "0", *box[5:]] for box in boxes],
    "nan_center": lambda boxes: [[box[0], "nan", *box[2:]] for box in boxes],
    "not_a_number": lambda boxes: [["high", *box[1:]] for box in boxes],
    "no_confidence": lambda boxes: [box[1:] for box in boxes],  # as in the training table
}


def _changed(change: Callable[[list[Box]], list[Box]]) -> Callable[[str], str]:
    return lambda text: _joined(change(_boxes(text)))


submissions = Submissions(
    guess=lambda case: [_joined(list(_jittered(case.rng, _boxes(text)))) for text in case.truth],
    usual=Usual(cells="perfect", twice="last_row", wrong_column="Predicted", wrong_id_column="sample_token"),
    cells={"blank_string": "   "},
    constants={"numeric_strings": 1.0},
    each={**{name: _changed(change) for name, change in CHANGES.items()}, "trailing_space": lambda text: f"{text} "},
    special=lambda case: {"extra_column": case.noisy.assign(note="a,b")},
)
