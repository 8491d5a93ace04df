"""Twin of tensorflow-speech-recognition-challenge: every word is a tone of its own, in a few milliseconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mlebench.twins.kit.archives import seven_zip
from mlebench.twins.kit.sounds import wav
from mlebench.twins.kit.submissions import Submissions, Usual

COMMANDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"]
OTHER_WORDS = ["bed", "bird", "cat", "dog", "eight", "happy", "house", "marvin", "one", "zero"]
WORDS = COMMANDS + OTHER_WORDS
NOISES = ["doing_the_dishes", "dude_miaowing", "exercise_bike", "pink_noise", "running_tap", "white_noise"]
NOISE = "_background_noise_"
RATE = 16000
KAGGLE_CLIP = "clip_000044442.wav"


def _sound(samples: NDArray[np.float64]) -> bytes:
    """A sound of few distinct values, which packs well."""
    return wav(np.clip(samples // 64 * 64, -32768, 32767), RATE)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write an archive of spoken words and noises, and Kaggle's own test clips, which preparation does not use."""
    rng = np.random.default_rng(seed)
    speakers = [f"{number:08x}" for number in rng.integers(0, 2**32, 12 * scale)]
    clips: dict[str, bytes] = {}
    listed = []
    for pitch, word in enumerate(WORDS):
        count = (6 if word in COMMANDS else 3) * scale
        # Each speaker says a word twice; the same file name occurs under several words.
        for speaker in rng.choice(len(speakers), count, replace=False):
            for repetition in range(2):
                length = int(rng.choice([400, 400, 400, 320]))  # some clips are shorter than the others
                tone = 8000 * np.sin(2 * np.pi * (200 + 150 * pitch) * (np.arange(length) / RATE))
                clip = f"{word}/{speakers[speaker]}_nohash_{repetition}.wav"
                clips[clip] = _sound(tone + rng.normal(0, 300, length))
                listed.append(clip)
    clips |= {f"{NOISE}/{name}.wav": _sound(rng.normal(0, 900, 1200)) for name in NOISES}
    texts = {
        f"audio/{NOISE}/README.md": "noise clips\n",
        "LICENSE": "CC BY 4.0\n",
        "README.md": "synthetic speech commands\n",
        "validation_list.txt": "\n".join(listed[::9]) + "\n",
        "testing_list.txt": "\n".join(listed[::10]) + "\n",
    }
    members = {f"audio/{clip}": sound for clip, sound in clips.items()}
    members |= {name: text.encode() for name, text in texts.items()}
    seven_zip(raw / "train.7z", ((f"train/{name}", content) for name, content in members.items()))
    seven_zip(raw / "test.7z", [(f"test/audio/{KAGGLE_CLIP}", _sound(np.zeros(400)))])
    (raw / "sample_submission.csv").write_text(f"fname,label\n{KAGGLE_CLIP},silence\n", encoding="utf-8")
    (raw / "link_to_gcp_credits_form.txt").write_text("none\n", encoding="utf-8")


def _one_of_twelve(label: str) -> str:
    """The label that the contest itself would have given."""
    if label in COMMANDS:
        return label
    return "silence" if label == NOISE else "unknown"


submissions = Submissions(
    guess=lambda case: case.replaced(sorted(WORDS), 0.3),
    usual=Usual(cells="perfect", unknown="x.wav", wrong_column="target", wrong_id_column="file"),
    constants={"one_label": "yes", "outside_labels": "banana"},
    each={"twelve_classes": _one_of_twelve, "padded": " {}".format},
    variants=["upper_case", "numeric", "swapped_columns", "all_nan", "header_only"],
    special=lambda case: {"extra_column": case.answers.assign(confidence=0.5)},
)
