"""Masks of the items to predict that are left as pictures, as arrays, or in a channel of the pictures."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clean_worlds import World
from numpy.typing import NDArray
from PIL import Image
from test_outlines import HEIGHT, WIDTH, Boxes, mask_of, with_boxes
from test_values import searched

SEARCHES = ("pictured", "arrays")
Pixels = NDArray[np.uint8]


def masks_of(boxes: Boxes) -> dict[str, Pixels]:
    return {name: mask_of(box).astype(np.uint8) for name, box in boxes.items()}


def png(pixels: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def half(pixels: Pixels) -> Pixels:
    picture = Image.fromarray(pixels * 255).resize((WIDTH // 2, HEIGHT // 2), Image.Resampling.NEAREST)
    return np.asarray(picture)


SHADES: dict[str, Callable[[Pixels], NDArray[Any]]] = {
    "of 0 and 255": lambda mask: mask * 255,
    "of 0 and 1": lambda mask: mask,
    "inverted": lambda mask: 255 - mask * 255,
    "smaller": half,
    "in colours": lambda mask: np.stack([mask * 200, mask * 90, mask * 30], axis=-1),
}


def others(masks: dict[str, Pixels]) -> dict[str, Pixels]:
    """Masks of the same kind that have nothing to do with the items: each is that of another one."""
    drawn = list(masks.values())
    return dict(zip(masks, drawn[1:] + drawn[:1], strict=True))


def leaks(world: World) -> set[str]:
    return {found.where for found in searched(world, *SEARCHES) if found.severity == "leak"}


@pytest.mark.parametrize("shade", SHADES)
@pytest.mark.parametrize("name", ["test_masks/{}.png", "old/{}_mask.png"])
@pytest.mark.parametrize("are_own", [True, False])
def test_pictures_of_masks_beside_the_pictures_are_a_leak(shade: str, name: str, are_own: bool, tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path)
    for item, mask in masks_of(train).items():  # train has them as well, and these are its labels
        world.files[f"train_masks/{item}.png"] = png(SHADES[shade](mask))
    left = masks_of(test) if are_own else {}
    for item, mask in left.items():
        world.files[name.format(item)] = png(SHADES[shade](mask))
    assert bool(leaks(world)) is are_own


@pytest.mark.parametrize("shade", SHADES)
def test_pictures_of_other_masks_are_none(shade: str, tmp_path: Path) -> None:
    world, _, test = with_boxes(tmp_path)
    rng = np.random.default_rng(4)
    for item in test:
        left, top = int(rng.integers(0, 20)), int(rng.integers(0, 12))
        box = left, top, left + int(rng.integers(4, 12)), top + int(rng.integers(4, 12))
        world.files[f"predicted/{item}.png"] = png(SHADES[shade](mask_of(box).astype(np.uint8)))
    assert not leaks(world)


@pytest.mark.parametrize("form", ["by name", "in order", "smaller in order", "as numbers"])
@pytest.mark.parametrize("are_own", [True, False])
def test_arrays_of_masks_are_a_leak(form: str, are_own: bool, tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path)
    masks = masks_of(test) if are_own else masks_of(train)
    out = io.BytesIO()
    if form == "by name":
        with zipfile.ZipFile(out, "w") as archive:
            for item, mask in masks.items():
                np.save(member := io.BytesIO(), mask)
                archive.writestr(f"{item}.npy", member.getvalue())
        world.files["masks.npz"] = out.getvalue()
    else:
        stack = np.stack([half(mask) if form.startswith("smaller") else mask for mask in masks.values()])
        np.save(out, stack.astype(np.float32) if form == "as numbers" else stack)
        world.files["stack.npy"] = out.getvalue()
    assert bool(leaks(world)) is are_own


def with_alpha(world: World, masks: dict[str, Pixels], side: str, opaque: int = 255) -> None:
    for item, mask in masks.items():
        name = f"{side}_files/{item}.png"
        pixels = np.asarray(Image.open(io.BytesIO(world.files[name])).convert("RGB"))
        alpha = np.where(mask > 0, opaque, opaque - 1).astype(np.uint8)
        world.files[name] = png(np.dstack([pixels, alpha]))


@pytest.mark.parametrize("alpha", ["mask", "mask, also in train", "of others", "opaque"])
def test_masks_in_the_transparency_are_a_leak_where_train_has_none(alpha: str, tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path)
    own = masks_of(test)
    plain = {name: np.ones_like(mask) for name, mask in masks_of(train).items()}
    with_alpha(
        world,
        {"of others": others(own), "opaque": dict.fromkeys(own, next(iter(plain.values())))}.get(alpha, own),
        "test",
    )
    with_alpha(world, masks_of(train) if alpha == "mask, also in train" else plain, "train")
    assert bool(leaks(world)) is (alpha == "mask")


def test_masks_that_few_pictures_happen_to_show_are_none(tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path)
    rng = np.random.default_rng(5)
    for side, boxes in (("train", train), ("test", test)):
        for number, (item, mask) in enumerate(masks_of(boxes).items()):
            pixels = 90 - 8 * mask
            if number % 5:  # the others are noisy
                pixels = pixels + rng.integers(0, 3, pixels.shape).astype(np.uint8)
            world.files[f"{side}_files/{item}.png"] = png(pixels)
    assert not leaks(world)


@pytest.mark.parametrize("are_own", [True, False])
def test_masks_in_the_folders_of_items_that_have_several_files(are_own: bool, tmp_path: Path) -> None:
    world, train, test = with_boxes(tmp_path)
    rng = np.random.default_rng(6)
    world.files = {}
    for side, boxes in (("train", train), ("test", test)):
        for item, mask in masks_of(boxes).items():
            files = {"band_1": 90 - 8 * mask + rng.integers(0, 2, mask.shape), "band_2": rng.normal(size=mask.shape)}
            if side == "train" or are_own:
                files["mask"] = mask
            for name, array in files.items():
                np.save(out := io.BytesIO(), array)
                world.files[f"{side}/{item}/{name}.npy"] = out.getvalue()
    assert bool(leaks(world)) is are_own
