"""Freesound audio tagging 2019: which of 80 everyday sounds are heard in a clip?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    lwlrap,
    numbers,
    require_columns,
)

# The labels of the test clips came out after the contest, in an archive that Kaggle does not have.
META = "FSDKaggle2019.meta"
META_URL = f"https://zenodo.org/records/3612637/files/{META}.zip"

competition = Competition(
    "freesound-audio-tagging-2019",
    "Freesound Audio Tagging 2019",
    category="Audio Classification",
    metric="label-weighted label-ranking average precision",
    group="medium",
    gigabytes=30,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Keep the original split; the test clips are those of the private leaderboard."""
    clips = raw.supplement(META_URL).read_csv(f"{META}/test_post_competition.csv")
    test = clips[clips["usage"] == "Private"]
    classes = raw.read_csv("sample_submission.csv").columns.drop("fname")
    # Labels outside the classes are ignored.
    heard = test["labels"].str.get_dummies(",").reindex(columns=classes, fill_value=0)
    private.write_csv("test.csv", test[["fname"]].join(heard))
    public.place({name: raw[name] for name in raw.names() if META not in name.partition("/")[0]})


@competition.grade
def grade(submission: Table, answers: Table, columns_by_name: bool = False) -> float:
    """Label-weighted label-ranking average precision of the scores."""
    expected = list(answers.columns)
    require_columns(submission, expected, exactly=not columns_by_name)
    if not columns_by_name and list(submission.columns) != expected:
        raise InvalidSubmissionError(
            "The columns must be in the order of the sample submission, with fname first.",
            code=RefusalCode.WRONG_COLUMN_ORDER,
        )
    truth, predicted = aligned(submission, answers, on="fname", target=expected[1:])
    if all(kind.kind == "b" for kind in predicted.dtypes):
        raise InvalidSubmissionError(
            "The scores must be numbers, such as 0 and 1, not True and False.", code=RefusalCode.NOT_A_NUMBER
        )
    return lwlrap(truth, numbers(predicted))


competition.v2(columns_by_name=True)
