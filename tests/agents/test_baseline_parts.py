"""Parts of the baseline agent that no twin shows: work that is late or dies, large tables, odd files."""

from __future__ import annotations

import io
import os
import time
import wave
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from mlebench.agents.baseline import tables
from mlebench.agents.baseline.columns import as_numbers
from mlebench.agents.baseline.files import DataFiles
from mlebench.agents.baseline.layout_files import asked_for
from mlebench.agents.baseline.pictures import picture_features
from mlebench.agents.baseline.resources import cores_of, spread
from mlebench.agents.baseline.sounds import read_sound, sound_features
from mlebench.agents.baseline.tables import read_some, read_table


def test_work_that_is_late_is_ended() -> None:
    begun = time.monotonic()
    done = list(spread(time.sleep, [0.0, 1000.0, 0.0], 2, begun + 1))
    assert sorted(work.item for work in done) == [0.0, 0.0]
    assert time.monotonic() - begun < 500


def test_a_process_that_dies_costs_one_item() -> None:
    def work(number: int) -> int:
        if number == 1:
            os._exit(9)
        if number == 2:
            raise ValueError("two is odd")
        return 10 * number

    done = {work.item: work for work in spread(work, [0, 1, 2, 3, 4], 2, time.monotonic() + 300)}
    assert {number: found.result for number, found in done.items()} == {0: 0, 1: None, 2: None, 3: 30, 4: 40}
    assert "died" in done[1].problem
    assert done[2].problem == "two is odd"


def test_cores_are_those_that_were_given() -> None:
    assert cores_of({"OMP_NUM_THREADS": "1"}) == 1
    assert 1 <= cores_of({"OMP_NUM_THREADS": "x"}) <= (os.cpu_count() or 1)


def test_a_large_table_is_drawn_from_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PIECE", 1000)
    pd.DataFrame({"row": range(20_000)}).to_csv(tmp_path / "train.csv", index=False)
    drawn, seen, is_whole = read_some(tmp_path / "train.csv", 500, 0, time.monotonic() + 300)
    assert (seen, is_whole) == (20_000, True)
    assert 400 <= len(drawn) <= 500
    assert drawn["row"].mean() == pytest.approx(10_000, rel=0.1)
    late, seen, is_whole = read_some(tmp_path / "train.csv", 500, 0, time.monotonic() - 1)
    assert (seen, is_whole) == (1000, False)
    assert 0 < len(late) < 100


@pytest.mark.parametrize(
    "text", ['[{"a": 1, "b": ["x", "y"]}]', '{"a": 1, "b": ["x", "y"]}\n', '{"a": [1], "b": ["x y"]}']
)
def test_json_tables(text: str, tmp_path: Path) -> None:
    path = tmp_path / ("t.jsonl" if text.endswith("\n") else "t.json")
    path.write_text(text)
    assert read_table(path).to_dict("list") == {"a": [1], "b": ["x y"]}


def test_pictures_in_archives_are_found(tmp_path: Path) -> None:
    py7zr = pytest.importorskip("py7zr")
    picture = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(picture, "PNG")
    with zipfile.ZipFile(tmp_path / "train.zip", "w") as archive:
        archive.writestr("a/1.png", picture.getvalue())
    with py7zr.SevenZipFile(tmp_path / "test.7z", "w") as packed:
        packed.writestr(picture.getvalue(), "b/2.png")
    (tmp_path / "broken.7z").write_bytes(b"not an archive")
    files = DataFiles(tmp_path)
    assert sorted(file.where for found in files.media["picture"].values() for file in found) == [
        "test/b/2.png",
        "train/a/1.png",
    ]
    for name in ("1", "2.png"):
        file = files.named("picture", name, "train")
        assert file is not None
        assert file.read() == picture.getvalue()
    (problem,) = files.problems
    assert problem.startswith("broken.7z cannot be opened")


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "I;16", "F", "CMYK"])
def test_pictures_of_all_kinds_have_the_same_features(mode: str) -> None:
    file = io.BytesIO()
    Image.new("L", (9, 5), 128).convert("I" if mode == "I;16" else mode).save(file, "TIFF")
    assert picture_features(file.getvalue()).shape == picture_features(_png(30, 40)).shape
    assert np.isfinite(picture_features(file.getvalue())).all()


def _png(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "blue").save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_sounds_of_all_widths(width: int) -> None:
    tone = 0.5 * np.sin(np.arange(2000) / 5)
    whole = (tone * (2 ** (8 * width - 1) - 1)).astype(np.int64)
    data = b"".join(
        int(value + 128 if width == 1 else value).to_bytes(width, "little", signed=width > 1) * 2 for value in whole
    )
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setnchannels(2)
        recording.setsampwidth(width)
        recording.setframerate(8000)
        recording.writeframes(data)
    assert read_sound(file.getvalue()) == pytest.approx(whole)
    assert np.isfinite(sound_features(file.getvalue())).all()


@pytest.mark.parametrize(
    ("sentence", "label"),
    [
        ("Give the probability that it shows a cat.", "cat"),
        ("Predict 1 for a dog and 0 for a cat.", "dog"),
        ("Say what it is.", "dog"),
    ],
)
def test_which_label_is_asked_for(sentence: str, label: str) -> None:
    assert asked_for(["cat", "dog"], sentence) == label


def test_no_competition_is_known_by_name() -> None:
    """The agent reads what is there; a rule for one competition would not be a baseline."""
    from mlebench.competition.registry import Registry

    folder = Path(tables.__file__).parent
    text = " ".join(path.read_text(encoding="utf-8").lower() for path in folder.glob("*.py"))
    ids = [*Registry().split("all"), *Registry().split("dev")]
    assert not [name for name in ids if name in text]
    words = ["timit", "rec_id", "pizza", "whale", "cactus", "sentence_id", "token_id", "train_cleaned", "species"]
    assert not [word for word in words if word in text]


def test_a_text_like_a_number_with_an_endless_exponent_is_none() -> None:
    """Under pandas 2 it would end the process."""
    texts = pd.Series(["1e3", "961e77934828710379", "-7", None, "a"])
    numbers = as_numbers(texts)
    assert [number if number == number else None for number in numbers] == [1000, None, -7, None, None]
