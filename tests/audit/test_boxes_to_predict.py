"""Boxes to predict, in one text each, that are public in another form."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture
from test_outlines import cut
from test_values import searched

from mlebench.audit.detectors import boxes
from mlebench.audit.detectors.boxes import boxes_of, numbers_in
from mlebench.audit.survey import survey
from mlebench.audit.table import texts
from mlebench.audit.targets import read_task

WIDTH, HEIGHT = 32, 24  # of the pictures, as they are cut
Box = tuple[int, int, int, int]  # left, top, width, height
Known = dict[str, list[Box]]

ANSWERS: dict[str, Callable[[Box], str]] = {
    "x y w h": lambda box: " ".join(map(str, box)),
    "conf x y w h": lambda box: " ".join(map(str, (1.0, *box))),
    "class conf corners": lambda box: f"cell 1.0 {box[0]} {box[1]} {box[0] + box[2]} {box[1] + box[3]}",
}


def with_boxes(folder: Path, form: str) -> tuple[World, Known, Known]:
    """A competition of pictures with one to three boxes, or none; those of train and of test."""
    world = make(folder, "masks", 8, n=90)
    rng = np.random.default_rng(8)
    world.files = {}
    both: list[Known] = []
    for side, table in (("train", world.train), ("test", world.answers)):
        known: Known = {}
        for name in table[world.key].astype(str):
            known[name] = [
                (int(rng.integers(0, 20)), int(rng.integers(0, 12)), int(rng.integers(3, 12)), int(rng.integers(3, 12)))
                for _ in range(rng.integers(0, 4))
            ]
            world.files[f"{side}_files/{name}.png"] = cut(picture(rng, 0.0, size=32))
        nothing = ANSWERS[form]((0, 0, 1, 1))
        table["rle"] = [" ".join(map(ANSWERS[form], boxes)) or nothing for boxes in known.values()]
        both.append(known)
    world.sample["rle"] = ANSWERS[form]((0, 0, 1, 1))
    return world, both[0], both[1]


def voc(boxes: list[Box]) -> str:
    corners = [
        f"<object><name>cell</name><bndbox><xmin>{x}</xmin><ymin>{y}</ymin><xmax>{x + w}</xmax><ymax>{y + h}</ymax>"
        "</bndbox></object>"
        for x, y, w, h in boxes
    ]
    return f"<annotation><size><width>{WIDTH}</width><height>{HEIGHT}</height></size>{''.join(corners)}</annotation>"


def yolo(boxes: list[Box]) -> str:
    shares = [((x + w / 2) / WIDTH, (y + h / 2) / HEIGHT, w / WIDTH, h / HEIGHT) for x, y, w, h in boxes]
    return "".join(f"0 {' '.join(f'{share:.6f}' for share in line)}\n" for line in shares)


def files_of(known: Known, ending: str, write: Callable[[list[Box]], str]) -> dict[str, bytes]:
    return {f"notes/{name}.{ending}": write(boxes).encode() for name, boxes in known.items()}


def coco(known: Known) -> dict[str, bytes]:
    numbers = {name: number for number, name in enumerate(known, 700)}
    notes = [{"image_id": numbers[name], "bbox": list(box)} for name, boxes in known.items() for box in boxes]
    images = [{"id": number, "file_name": f"{name}.png"} for name, number in numbers.items()]
    listed = [{"id": number, **note} for number, note in enumerate(notes, 1)]
    return {"instances.json": json.dumps({"images": images, "annotations": listed}).encode()}


def table(known: Known) -> dict[str, bytes]:
    rows = [(f"{name}.png", *box) for name, boxes in known.items() for box in boxes]
    return {"found.csv": pd.DataFrame(rows, columns=["file", "x", "y", "w", "h"]).to_csv(index=False).encode()}


FORMS: dict[str, Callable[[Known], dict[str, bytes]]] = {
    "VOC": lambda known: files_of(known, "xml", voc),
    "YOLO": lambda known: files_of(known, "txt", yolo),
    "COCO": coco,
    "a table": table,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("shown", ["test", "train", "others", "by eye"])
def test_boxes_in_another_form_are_a_leak(form: str, answers: str, shown: str, tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path, answers)
    drawn = list(test.values())
    rng = np.random.default_rng(1)
    known = {
        "test": test,
        "train": train,
        "others": dict(zip(test, drawn[1:] + drawn[:1], strict=True)),
        "by eye": {
            name: [
                (x + int(rng.choice([-3, 2])), y + int(rng.choice([-2, 3])), w + int(rng.choice([-2, 2])), h + 2)
                for x, y, w, h in boxes
            ]
            for name, boxes in test.items()
        },
    }[shown]
    world.files |= FORMS[form](known)
    found = searched(world, "boxes")
    assert {one.severity for one in found} == ({"leak"} if shown == "test" else set())
    if found:
        assert len(found[0].predictions[0].rows) >= 0.6 * len(test)


def test_boxes_and_numbers_are_read() -> None:
    assert numbers_in("a1 2.5, -3 [4] x=5 6_b 1e-3") == [2.5, -3.0, 4.0, 5.0, 0.001]
    found = boxes_of(texts(["a 1 0 0 1 1", "b 1 2 3 4 5 a 1 6 7 8 9", "a 1 0 0 1 1", "a 1 0 0 1 1", None]))
    assert {row: boxes.tolist() for row, boxes in found.items()} == {1: [[2, 3, 4, 5], [6, 7, 8, 9]]}
    assert boxes_of(texts(["the cat sat on a mat", "two words", "a b c d"])) == {}


@pytest.mark.parametrize("shown", ["test", "others"])
def test_boxes_in_which_the_points_of_a_submission_must_lie_are_a_leak(shown: str, tmp_path: Path) -> None:
    world, _, test = with_boxes(tmp_path, "x y w h")
    drawn = list(test.values())
    known = test if shown == "test" else dict(zip(test, drawn[1:] + drawn[:1], strict=True))
    world.files |= table(known)
    best = world.answers.copy()
    best["rle"] = [" ".join(f"cell {x + w / 2} {y + h / 2}" for x, y, w, h in each) for each in test.values()]
    world.answers["rle"] = [" ".join(f"cell {x} {y} {w} {h}" for x, y, w, h in each) for each in test.values()]
    competition = world.write()
    gold = competition.private_dir / "gold_submission.csv"
    best.to_csv(gold, index=False)
    surveyed = survey(read_task(dataclasses.replace(competition, gold_submission=gold)))
    assert [one.severity for one in boxes.detect(surveyed)] == (["leak"] if shown == "test" else [])
