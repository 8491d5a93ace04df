"""Pictures of one session, with one background, on both sides."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make
from PIL import Image
from test_values import searched

SIDE = 32


def with_sessions(folder: Path, kind: str, form: str) -> World:
    """Pictures of sessions before a background each, which decide the answer or not, or are on one side."""
    world = make(folder, "pictures", 3, n=240)
    rng = np.random.default_rng(0)
    world.files = {}
    backgrounds = rng.uniform(30, 220, (400, 6, 6))
    for side, frame in (("train", world.train), ("test", world.answers)):
        for item, label in zip(frame[world.key], frame["target"], strict=True):
            session = 2 * int(rng.integers(20)) + int(label if kind != "of no label" else rng.integers(2))
            if kind == "on one side" and side == "test":
                session += 100
            if kind == "of a class":
                session = int(label)
            drawn = Image.fromarray(backgrounds[session].astype(np.uint8))
            pixels = np.array(drawn.resize((SIDE, SIDE), Image.Resampling.BILINEAR), dtype=float)
            pixels[8:-8, 8:-8] = rng.normal(120, 50, (SIDE - 16, SIDE - 16))  # what the picture is of
            if kind == "of none":
                pixels = rng.normal(120, 40, pixels.shape)
            out = io.BytesIO()
            noisy = np.clip(pixels + rng.normal(0, 1, pixels.shape), 0, 255)
            Image.fromarray(noisy.astype(np.uint8)).save(out, form)
            world.files[f"{side}_files/{item}.{form.lower()}"] = out.getvalue()
    return world


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("kind", ["deciding", "of no label", "on one side", "of a class", "of none"])
def test_sessions_that_decide_the_answer_are_a_leak(kind: str, form: str, tmp_path: Path) -> None:
    found = searched(with_sessions(tmp_path, kind, form), "sessions")
    assert [(one.kind, one.severity) for one in found] == [("groups", "leak")] * (kind == "deciding")
