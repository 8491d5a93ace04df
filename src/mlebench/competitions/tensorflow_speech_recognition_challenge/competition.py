"""TensorFlow speech recognition: which word is spoken in a one-second clip?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    accuracy,
    aligned,
    complete,
    random_split,
)

competition = Competition(
    "tensorflow-speech-recognition-challenge",
    "TensorFlow Speech Recognition Challenge",
    category="Audio Classification",
    metric="accuracy",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the clips, noise included, and number them; the label of a clip is the name of its folder."""
    import pandas as pd

    files = raw.archive("train.7z")
    clips = sorted(files.names("train/audio/*.wav"), key=lambda clip: "_".join(_label_and_name(clip)))
    train, test = random_split(clips, test_size=0.1)
    public.place({"train/audio/{}/{}".format(*_label_and_name(clip)): files[clip] for clip in train})
    renamed = files.numbered(test, "clip_{:08}.wav")
    public.place({f"test/audio/{name}": clip for name, clip in renamed.items()})
    # As published: the labels are all folders, not the twelve words of the contest, so "silence" is never right.
    answers = pd.DataFrame({"fname": list(renamed), "label": [_label_and_name(clip)[0] for clip in test]})
    public.write_csv("sample_submission.csv", answers.assign(label="silence"))
    private.write_csv("test.csv", answers)


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
