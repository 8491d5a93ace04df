"""What the competitions on photographs of species share: how species are divided and how metadata is written."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from mlebench.competitions.families.species import Item, _pieces, split_by_species, write_metadata
from mlebench.errors import PreparationError
from mlebench.files.output_folder import Output

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


def metadata(species: list[int]) -> dict[str, Any]:
    return {
        "images": [{"id": number} for number in range(len(species))],
        "annotations": [{"image_id": number, "category_id": each} for number, each in enumerate(species)],
    }


def ids(items: list[Item]) -> list[int]:
    return [image["id"] for image, _ in items]


@given(VALUES)
def test_metadata_is_written_like_python_does(value: Any) -> None:
    assert "".join(_pieces(value)) == json.dumps(value, indent=4, sort_keys=True)


def test_many_records_are_written_like_python_does() -> None:
    """Records of which some hold the seam between records as text, more than are written at once."""
    value = {"images": [{"id": number, "name": '},\n            {"' * (number % 3)} for number in range(2500)]}
    value["images"][1700]["box"] = [1, {}]
    assert "".join(_pieces(value)) == json.dumps(value, indent=4, sort_keys=True)


def test_metadata_file_is_ascii_without_a_final_line_end(tmp_path: Path) -> None:
    write_metadata(Output(tmp_path), "deep/x.json", [{"name": "Née", "id": 1}])
    expected = b'[\n    {\n        "id": 1,\n        "name": "N\\u00e9e"\n    }\n]'
    assert (tmp_path / "deep/x.json").read_bytes() == expected


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60))
def test_each_species_is_divided_as_published(species: list[int]) -> None:
    train: list[int] = []
    test: list[int] = []
    for each in dict.fromkeys(species):
        members = [number for number, other in enumerate(species) if other == each]
        if len(members) == 1:
            train += members
        elif len(members) < 5:
            train += members[:-1]
            test += members[-1:]
        else:
            kept, held_out = train_test_split(members, test_size=0.2, random_state=0)
            train += kept
            test += held_out
    random.Random(0).shuffle(test)
    found = split_by_species(metadata(species), 0.2)
    assert (ids(found[0]), ids(found[1])) == (train, test)


def test_images_and_annotations_must_be_parallel() -> None:
    mixed = metadata([1, 1, 1])
    mixed["annotations"].reverse()
    with pytest.raises(PreparationError, match="The image 0 has the annotation of 2"):
        split_by_species(mixed, 0.2)
