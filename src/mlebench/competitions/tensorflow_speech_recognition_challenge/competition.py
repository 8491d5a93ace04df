"""TensorFlow speech recognition: which word is spoken in a one-second clip?"""

import io
import wave

import numpy as np

from mlebench.kit import (
    Competition,
    Files,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    accuracy,
    aligned,
    complete,
    random_split,
    split_together,
)

NOISE = "_background_noise_"
WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"]  # all others are "unknown"

competition = Competition(
    "tensorflow-speech-recognition-challenge",
    "TensorFlow Speech Recognition Challenge",
    category="Audio Classification",
    metric="accuracy",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, twelve_labels: bool = False) -> None:
    """Hold out a tenth of the clips, noise included, and number them; the label of a clip is the name of its folder."""
    import pandas as pd

    files = raw.archive("train.7z")
    clips = sorted(files.names("train/audio/*.wav"), key=lambda clip: "_".join(_label_and_name(clip)))
    if twelve_labels:
        _prepare_as_the_contest(files, clips, public, private)
        return
    train, test = random_split(clips, test_size=0.1)
    public.place({"train/audio/{}/{}".format(*_label_and_name(clip)): files[clip] for clip in train})
    renamed = files.numbered(test, "clip_{:08}.wav")
    public.place({f"test/audio/{name}": clip for name, clip in renamed.items()})
    # As published: the labels are all folders, not the twelve words of the contest, so "silence" is never right.
    answers = pd.DataFrame({"fname": list(renamed), "label": [_label_and_name(clip)[0] for clip in test]})
    public.write_csv("sample_submission.csv", answers.assign(label="silence"))
    private.write_csv("test.csv", answers)


def _prepare_as_the_contest(files: Files, clips: list[str], public: Output, private: Output) -> None:
    """Hold out a tenth of the speakers and of the recordings of noise, of which silent clips are cut."""
    import pandas as pd

    noises = [clip for clip in clips if _label_and_name(clip)[0] == NOISE]
    spoken = [clip for clip in clips if _label_and_name(clip)[0] != NOISE]
    speakers = [_label_and_name(clip)[1].partition("_")[0] for clip in spoken]
    train, test = split_together(spoken, speakers, test_size=0.1)
    train_noises, test_noises = random_split(noises, test_size=0.1)
    public.place({"train/audio/{}/{}".format(*_label_and_name(clip)): files[clip] for clip in train + train_noises})
    words = [_label_and_name(clip)[0] for clip in test]
    shown = [(word if word in WORDS else "unknown", clip) for word, clip in zip(words, test, strict=True)]
    silent = [("silence", cut) for clip in test_noises for cut in _seconds(files.read_bytes(clip))]
    rows = []
    for number, place in enumerate(np.random.RandomState(0).permutation(len(shown) + len(silent)).tolist()):
        name = f"clip_{number:08}.wav"
        if place < len(shown):
            label, clip = shown[place]
            public.place({f"test/audio/{name}": files[clip]})
        else:
            label, content = silent[place - len(shown)]
            public.write_bytes(f"test/audio/{name}", content)
        rows.append((name, label))
    answers = pd.DataFrame(rows, columns=["fname", "label"])
    public.write_csv("sample_submission.csv", answers.assign(label="silence"))
    private.write_csv("test.csv", answers)


def _seconds(recording: bytes) -> list[bytes]:
    """The whole seconds of a recording, each as a file of its own; a shorter recording as it is."""
    with wave.open(io.BytesIO(recording)) as sound:
        form, rate = sound.getparams(), sound.getframerate()
        parts = [sound.readframes(rate) for _ in range(max(1, sound.getnframes() // rate))]
    files = []
    for part in parts:
        file = io.BytesIO()
        with wave.open(file, "wb") as cut:
            cut.setparams(form)
            cut.writeframes(part)
        files.append(file.getvalue())
    return files


def _label_and_name(clip: str) -> list[str]:
    """The folder that holds a clip, and its file name."""
    return clip.split("/")[-2:]


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of clips with the right label."""
    truth, predicted = aligned(submission, answers, on="fname", target="label")
    # As published: whole numbers are only wrong, but fractions and infinite values have no score.
    if complete(predicted).dtype.kind == "f" and (predicted % 1 != 0).any():
        raise InvalidSubmissionError(
            "The column label holds numbers; write a word, such as 'yes', in each row.", code=RefusalCode.NOT_TEXT
        )
    return accuracy(truth, predicted)


competition.v2(twelve_labels=True)
