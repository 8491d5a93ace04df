"""Masks to predict that are public as shapes in a list of pictures, or as numbers that say how far they go."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture
from numpy.typing import NDArray
from test_values import searched

from mlebench.audit.runs import written_runs
from mlebench.audit.shapes import counts_of, drawn, shape_of_text, shapes_in

HEIGHT, WIDTH = 24, 32
Corners = tuple[int, int, int, int]  # left, top, right, bottom
Boxes = dict[str, Corners]


def with_boxes(folder: Path) -> tuple[World, Boxes, Boxes]:
    """A competition of pictures with the mask of a box, whose corners are cut off; the boxes of train and of test."""
    world = make(folder, "masks", 5, n=60)
    rng = np.random.default_rng(3)
    boxes: list[Boxes] = [{}, {}]
    world.files = {}
    for side, table, found in (("train", world.train, boxes[0]), ("test", world.answers, boxes[1])):
        runs = []
        for name in table[world.key]:
            left, top = int(rng.integers(0, 20)), int(rng.integers(0, 12))
            corners = left, top, left + int(rng.integers(4, 12)), top + int(rng.integers(4, 12))
            found[str(name)] = corners
            runs.append(written_runs(mask_of(corners).ravel(order="F")))
            data = picture(rng, 0.0, size=max(HEIGHT, WIDTH))
            world.files[f"{side}_files/{name}.png"] = cut(data)
        table["rle"] = runs
    world.sample["rle"] = "1 1"
    return world, boxes[0], boxes[1]


def cut(data: bytes) -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(data)).crop((0, 0, WIDTH, HEIGHT)).save(out, "PNG")
    return out.getvalue()


def mask_of(corners: Corners) -> NDArray[np.float64]:
    left, top, right, bottom = corners
    mask = np.zeros((HEIGHT, WIDTH))
    mask[top:bottom, left:right] = 1
    mask[top, left] = mask[bottom - 1, right - 1] = 0
    return mask


def polygon(corners: Corners) -> list[list[float]]:
    left, top, right, bottom = corners
    return [[left, top], [right - 1, top], [right - 1, bottom - 1], [left, bottom - 1]]


def counts(corners: Corners) -> list[int]:
    flat = mask_of(corners).ravel(order="F")
    edges = [0, *(np.flatnonzero(np.diff(flat)) + 1).tolist(), len(flat)]
    return [0] * int(flat[0]) + np.diff(edges).tolist()


def coco(boxes: Boxes, segmentation: Callable[[Corners], Any]) -> Any:
    names = dict(enumerate(boxes, 100))
    notes = [{"id": 500 - n, "image_id": n, "segmentation": segmentation(boxes[names[n]])} for n in reversed(names)]
    return {"images": [{"id": n, "file_name": f"a/{names[n]}.png"} for n in names], "annotations": notes}


def flat(points: list[list[float]]) -> list[float]:
    return [number for point in points for number in point]


def shares(corners: Corners) -> list[list[float]]:
    return [[round(x / WIDTH, 5), round(y / HEIGHT, 5)] for x, y in polygon(corners)]


LISTS: dict[str, Callable[[Boxes], Any]] = {
    "runs by number": lambda boxes: coco(boxes, lambda box: {"size": [HEIGHT, WIDTH], "counts": counts(box)}),
    "polygons by number": lambda boxes: coco(boxes, lambda box: [flat(polygon(box))]),
    "by name": lambda boxes: {name: [{"points": shares(box), "label": "a"}] for name, box in boxes.items()},
    "in a record": lambda boxes: [
        {
            "data": {"image": f"/d/{name}.png"},
            "result": [{"value": {"points": [[100 * x, 100 * y] for x, y in shares(box)]}}],
        }
        for name, box in boxes.items()
    ],
    "in two lists": lambda boxes: {
        f"{name}.png7": {
            "filename": f"{name}.png",
            "regions": [{"all_points_x": [x for x, _ in polygon(box)], "all_points_y": [y for _, y in polygon(box)]}],
        }
        for name, box in boxes.items()
    },
}


@pytest.mark.parametrize("what", LISTS)
@pytest.mark.parametrize("shown", ["test", "train", "others"])
def test_shapes_in_a_list_of_pictures_are_a_leak(what: str, shown: str, tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path)
    others = dict(zip(test, [*list(test.values())[1:], next(iter(test.values()))], strict=True))
    world.files["shapes.json"] = json.dumps(
        LISTS[what]({"test": test, "train": train, "others": others}[shown])
    ).encode()
    found = searched(world, "outlines")
    expected = [("leak", "shapes.json")] if shown == "test" else []
    assert [(one.severity, one.where.split(" (")[0]) for one in found] == expected
    if found:
        assert len(found[0].predictions[0].rows) >= 0.9 * len(test)


@pytest.mark.parametrize("form", ["{0}", "POLYGON (({0}))", "0 {0}"])
def test_shapes_in_a_column_are_a_leak(form: str, tmp_path: Path) -> None:
    world, _, test = with_boxes(tmp_path)
    world.answers.loc[world.answers.index[-1], "rle"] = None  # nothing is to be seen there
    written = [form.format(" ".join(f"{x} {y}," for x, y in polygon(box)).rstrip(",")) for box in test.values()]
    world.files["a.csv"] = pd.DataFrame({"file": list(test), "shape": written}).to_csv(index=False).encode()
    [found] = searched(world, "outlines")
    assert (found.severity, found.where) == ("leak", "a.csv: shape")


def numbers(boxes: Boxes, form: str) -> Iterator[list[float]]:
    for left, top, right, bottom in boxes.values():
        wide, high = right - left, bottom - top
        if form == "corners":
            yield [left, top, right, bottom]
        elif form == "sizes":
            yield [left, top, wide, high]
        elif form == "shares":
            yield [(left + right) / 2 / WIDTH, (top + bottom) / 2 / HEIGHT, wide / WIDTH, high / HEIGHT]
        elif form == "areas":
            yield [wide * high - 2, 0, 0, 0]
        else:
            yield [left + 3 * (top % 3 - 1), top + 3 * (left % 3 - 1), right + 3 * (top % 2), bottom - 3 * (left % 2)]


@pytest.mark.parametrize("form", ["corners", "sizes", "shares", "areas", "by eye"])
@pytest.mark.parametrize("is_listed", [False, True])
def test_numbers_that_fit_the_masks_are_a_leak(form: str, is_listed: bool, tmp_path: Path) -> None:
    world, _, test = with_boxes(tmp_path)
    rows = list(numbers(test, form))
    if is_listed:
        world.files["found.json"] = json.dumps(dict(zip(test, rows, strict=True))).encode()
    else:
        frame = pd.DataFrame(rows, columns=list("abcd"), index=pd.Index(list(test), name="file"))
        world.files["found.csv"] = frame.sample(frac=1, random_state=1).to_csv().encode()
    found = searched(world, "extents")
    assert {one.severity for one in found} == (set() if form == "by eye" else {"leak"})
    assert all(one.where.startswith("found.") for one in found)
    if found and form != "areas":
        assert len(found[0].predictions[0].rows) == len(test)


def test_boxes_that_both_tables_have_are_suspicious(tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path)
    for table, boxes in ((world.train, train), (world.test, test)):
        for name, values in zip("abcd", zip(*(boxes[str(key)] for key in table[world.key]), strict=True), strict=True):
            table[name] = values
    assert {(one.severity, one.where.split(":")[0]) for one in searched(world, "extents")} == {
        ("suspicious", "test.csv")
    }


def test_shapes_are_read_and_drawn() -> None:
    assert counts_of("52203") == [5, 2, 2, 2, 5]
    assert list(shapes_in({"a": [1, 2], "b": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 0}]})) == [
        ("points", [(1.0, 2.0), (3.0, 4.0), (5.0, 0.0)])
    ]
    assert shape_of_text("a cat") == [] and shape_of_text("2021-01-05") == []
    square = drawn([("points", [(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)])], 8, 8, "shares")
    assert square is not None and square[2:7, 2:7].all() and square.sum() == 25
    assert drawn([("points", [(90, 90), (99, 90), (99, 99)])], 8, 8, "pixels") is None
