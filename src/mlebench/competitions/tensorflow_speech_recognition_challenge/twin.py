"""Twin of tensorflow-speech-recognition-challenge: every word is a tone of its own, in a few milliseconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import seven_zip
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.sounds import wav

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Labels right and wrong, those of the original rules, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    labels = answers["label"]
    yield Example("perfect", answers, "the answers themselves, noise recordings included")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: silence, which is never right")
    noisy = examples.guessed(answers, "label", sorted(WORDS), 0.3, rng)
    yield Example("noisy", noisy, "three in ten labels replaced by random words")
    yield examples.shuffled(noisy, seed)
    twelve = answers.assign(label=labels.map(_one_of_twelve))
    yield Example("twelve_classes", twelve, "unknown and silence for all but ten words, as the contest had it")
    yield Example("one_label", answers.assign(label="yes"), "the same word everywhere")
    yield Example("upper_case", answers.assign(label=labels.str.upper()), "right words in capital letters")
    yield Example("padded", answers.assign(label=" " + labels), "right words behind a blank")
    yield Example("outside_labels", answers.assign(label="banana"), "a word that nobody says")
    yield Example("numeric", answers.assign(label=range(len(answers))), "whole numbers as labels")
    yield Example("extra_column", answers.assign(confidence=0.5), "the answers with one more column")
    yield Example("swapped_columns", answers[["label", "fname"]], "the answers, columns in another order")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "fname")
    yield examples.unknown_id(answers, "fname", "x.wav")
    yield examples.renamed(answers, "label", "target")
    yield examples.renamed(answers, "fname", "file", "wrong_id_column")
    yield Example("nan", examples.with_cell(answers, "label", None), "an empty label")
    yield Example("all_nan", answers.assign(label=None), "no label at all")
    yield examples.header_only(answers)
    yield examples.empty()
