"""Photographs of species with metadata in the style of COCO: a list of images beside a list of annotations."""

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from mlebench.kit import Output, PreparationError, random_split

Record: TypeAlias = dict[str, Any]
Item: TypeAlias = tuple[Record, Record]  # an image and its annotation
_INDENTATION = "    "
_AT_ONCE = 1000  # records that are turned into text at a time


def split_by_species(
    metadata: Record, test_size: float, *, image_id: str = "id", few: int = 5
) -> tuple[list[Item], list[Item]]:
    """(train, test): species by species in order of first appearance; then the test part is shuffled as a whole.

    A species with fewer than `few` images has its last one in test, unless it is the only one.
    """
    species: dict[int, list[Item]] = {}
    for image, annotation in zip(metadata["images"], metadata["annotations"], strict=True):
        if image[image_id] != annotation["image_id"]:
            raise PreparationError(f"The image {image[image_id]} has the annotation of {annotation['image_id']}.")
        species.setdefault(annotation["category_id"], []).append((image, annotation))
    train: list[Item] = []
    test: list[Item] = []
    for items in species.values():
        if len(items) >= few:
            kept, held_out = ([items[row] for row in part] for part in _rows(len(items), test_size))
        elif len(items) > 1:
            kept, held_out = items[:-1], items[-1:]
        else:
            kept, held_out = items, []
        train += kept
        test += held_out
    random.Random(0).shuffle(test)
    return train, test


@cache
def _rows(count: int, test_size: float) -> tuple[list[int], list[int]]:
    """How a species of this size is divided: always alike, so that tens of thousands take no time."""
    return random_split(list(range(count)), test_size)


def labelled(metadata: Record, train: list[Item]) -> Record:
    """The metadata with the images and annotations of the train part only."""
    return {**metadata, "images": [image for image, _ in train], "annotations": [annotation for _, annotation in train]}


def unlabelled(metadata: Record, images: list[Record]) -> Record:
    """What is known of the test part: its images, without annotations and species."""
    return {"images": images, "info": metadata["info"], "licenses": metadata["licenses"]}


def write_metadata(output: Output, name: str, metadata: Record | list[Record]) -> None:
    """Write JSON indented by four blanks with sorted keys, as json.dumps would.

    That builds an indented text in Python, field by field, and holds all of it: gigabytes for two million images.
    """
    with output.path(name).open("w", encoding="ascii", newline="\n") as file:
        file.writelines(_pieces(metadata))


def _pieces(value: Any, line: str = "\n") -> Iterator[str]:
    """The parts of an indented JSON text; `line` is a line break with the indentation of the value itself."""
    inner = line + _INDENTATION
    if isinstance(value, dict) and value:
        for position, key in enumerate(sorted(value)):
            yield f"{',' if position else '{'}{inner}{json.dumps(key)}: "
            yield from _pieces(value[key], inner)
        yield f"{line}}}"
    elif isinstance(value, list) and value:
        for start in range(0, len(value), _AT_ONCE):
            yield f"{',' if start else '['}{inner}"
            yield _joined(value[start : start + _AT_ONCE], inner)
        yield f"{line}]"
    else:
        yield json.dumps(value)


def _joined(values: list[Any], line: str) -> str:
    """Neighbours in a list; records without anything nested, which nearly all are, in one go."""
    if not all(map(_is_flat, values)):
        return f",{line}".join("".join(_pieces(value, line)) for value in values)
    inner = line + _INDENTATION
    fields = json.dumps(values, sort_keys=True, separators=(f",{inner}", ": "))[2:-2]
    # JSON has no line break within a text, so this can only be the end of one record and the beginning of the next.
    fields = fields.replace(f"}},{inner}{{", f"{line}}},{line}{{{inner}")
    return f"{{{inner}{fields}{line}}}"


def _is_flat(value: Any) -> bool:
    return (
        isinstance(value, dict) and bool(value) and not any(isinstance(inner, dict | list) for inner in value.values())
    )
