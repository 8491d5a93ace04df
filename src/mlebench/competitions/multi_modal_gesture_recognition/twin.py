"""Twin of multi-modal-gesture-recognition: recordings with real sound and skeletons, and stand-ins for videos."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import seven_zip
from mlebench.twins.kit.packed import tar_gz, zipped
from mlebench.twins.kit.sounds import wav
from mlebench.twins.kit.submissions import Case, Submissions, Usual

GESTURES = [
    "vattene", "vieniqui", "perfetto", "furbo", "cheduepalle", "chevuoi", "daccordo", "seipazzo", "combinato",
    "freganiente", "ok", "cosatifarei", "basta", "prendere", "noncenepiu", "fame", "tantotempo", "buonissimo",
    "messidaccordo", "sonostufo",
]  # fmt: skip
PARTS = ["training1", "training2", "training3", "training4", "validation1", "validation2", "validation3"]
DAY = (2013, 5, 20)
FRAMES = 4  # of each gesture


def _bytes(rng: np.random.Generator, count: int) -> bytes:
    return rng.integers(0, 255, count, dtype=np.uint8).tobytes()


def _matlab(rng: np.random.Generator, gestures: Sequence[int]) -> bytes:
    """The structure Video with a point per frame as skeleton, and the gestures with their first and last frames."""
    from scipy.io import savemat

    frames = FRAMES * max(1, len(gestures))
    labels = np.zeros((1, len(gestures)), dtype=[("Name", "O"), ("Begin", "O"), ("End", "O")])
    for place, gesture in enumerate(gestures):
        labels[0, place] = (GESTURES[gesture - 1], FRAMES * place + 1, FRAMES * (place + 1))
    skeleton = rng.normal(0, 1, (frames, 3)) + np.repeat(gestures or [0], FRAMES)[:, None]
    video = {
        "NumFrames": frames,
        "FrameRate": 20,
        "MaxDepth": 3975,
        "Frames": np.round(skeleton, 4),
        "Labels": labels,
    }
    buffer = io.BytesIO()
    savemat(buffer, {"Video": video}, do_compression=True)
    # SciPy writes the time and the platform into the first 116 bytes; this text takes their place.
    return b"MATLAB 5.0 MAT-file".ljust(116) + buffer.getvalue()[116:]


def _recording(rng: np.random.Generator, name: str, gestures: Sequence[int]) -> bytes:
    tones = [np.sin(np.arange(40) * (0.05 + 0.1 * gesture)) for gesture in gestures] or [np.zeros(40)]
    matlab = _matlab(rng, gestures)
    videos = {kind: kind.encode() + _bytes(rng, 20) for kind in ("color", "depth", "user")}
    members = {f"{name}_audio.wav": wav(np.concatenate(tones) * 9000, 16000)}
    members |= {f"{name}_{kind}.mp4": content for kind, content in videos.items()}
    members[f"{name}_data.mat"] = matlab
    return zipped(members.items(), DAY)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write archives of recordings, the sequences of the training ones, and files that are only handed on."""
    rng = np.random.default_rng(seed)
    rows = []
    first = 1
    for part in PARTS:
        count = (8 if part == "training4" else 3) * scale
        numbers = list(range(first, first + count))
        rng.shuffle(numbers)  # neither the archives nor the table are in the order of the ids
        members = []
        for number in numbers:
            gestures = _gestures(rng, number, with_extremes=part == "training4")
            name = f"Sample{number:05d}"
            is_labelled = part.startswith("training")
            members.append((f"{name}.zip", _recording(rng, name, gestures if is_labelled else [])))
            if is_labelled:
                rows.append((f"{number:04d}", _sequence(gestures)))
        tar_gz(raw / f"{part}.tar.gz", members)
        first += count if part != "training3" else count + _gap(scale)
    pd.DataFrame(rows, columns=["Id", "Sequence"]).to_csv(raw / "training.csv", index=False)
    _write_unlabelled(raw, [f"{number:04d}" for number in range(first - 9 * scale, first)])
    for name in ("devel01-40.7z", "valid_all_files_combined.7z"):
        seven_zip(raw / name, [("data.bin", _bytes(rng, 60))])
    (raw / "sample_code_mmrgc.zip").write_bytes(zipped([("sample_code/readme.txt", b"matlab scripts")], DAY))


def _gap(scale: int) -> int:
    """How many ids are left out between train and test; fewer in a large twin, since an id has four digits."""
    ids = 107 * scale  # up to the end of the test part
    return 90 * scale if ids < 10_000 else max(0, 9_999 - 26 * scale)


def _gestures(rng: np.random.Generator, number: int, *, with_extremes: bool) -> list[int]:
    order = rng.permutation(np.arange(1, 21))
    gestures = [int(gesture) for gesture in order[: int(rng.integers(5, 21))]]
    if with_extremes and number % 8 == 0:
        return gestures + gestures[:3]  # some gestures occur twice
    if with_extremes and number % 4 == 0:
        return gestures[:1]
    return gestures


def _write_unlabelled(raw: Path, ids: Sequence[str]) -> None:
    """The contest's own test ids and sample submission, which preparation replaces."""
    table = pd.DataFrame({"Id": ids})
    table.to_csv(raw / "test.csv", index=False)
    table.assign(Sequence="1 2 3").to_csv(raw / "randomPredictions.csv", index=False)


def _sequence(labels: Iterable[object]) -> str:
    return " ".join(map(str, labels))


def _blurred(rng: np.random.Generator, gestures: Sequence[int]) -> list[int]:
    """A guess that misses a tenth of the gestures, mistakes a fifth of the others and may hear one too many."""
    seen = (gesture for gesture in gestures if rng.random() > 0.1)
    guess = [gesture if rng.random() > 0.2 else int(rng.integers(1, 21)) for gesture in seen]
    if rng.random() < 0.5:
        guess.insert(int(rng.integers(0, len(guess) + 1)), 7)
    return guess or [1]


def _sequences(case: Case, change: Callable[[list[str]], Iterable[object]]) -> list[str]:
    """The gestures of noisy, written in another way."""
    return [_sequence(change(sequence.split())) for sequence in case.guess]


submissions = Submissions(
    sample="public/randomPredictions.csv",
    read={"dtype": str},
    guess=lambda case: [_sequence(_blurred(case.rng, [int(n) for n in sequence.split()])) for sequence in case.truth],
    usual=Usual("noisy", unknown="9999", wrong_column="Labels", no_id="id"),
    constants={"single_gesture": 11},
    each={
        "reversed": lambda sequence: " ".join(sequence.split()[::-1]),
        "swapped": lambda sequence: " ".join(sequence.split()[1::-1] + sequence.split()[2:]),  # costs two edits
        "too_long": lambda sequence: " ".join([sequence] * 3),  # a score above 1
        "out_of_vocabulary": lambda sequence: " ".join(str(int(number) + 100) for number in sequence.split()),
        "negative": lambda sequence: " ".join(f"-{number}" for number in sequence.split()),  # accepted
    },
    special=lambda case: {
        "plain_ids": case.noisy.assign(Id=case.ids.astype(int)),
        "sample_ids": case.noisy.assign(Id="Sample0" + case.ids),
        "spaces": "  " + case.guess.str.replace(" ", "   ") + " ",
        "commas": case.guess.str.replace(" ", ","),
        "leading_zeros": _sequences(case, lambda numbers: [number.zfill(2) for number in numbers]),
        "floats": _sequences(case, lambda numbers: [f"{number}.0" for number in numbers]),
    },
)
