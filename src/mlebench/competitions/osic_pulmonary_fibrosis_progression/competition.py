"""OSIC pulmonary fibrosis: how will a patient's lung capacity decline, and how sure is that?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    PreparationError,
    Raw,
    RefusalCode,
    Table,
    aligned,
    complete,
    known_ids,
    modified_laplace,
    numbers,
    random_split,
    require_columns,
)

SCORED_VISITS = 3  # the last ones of each patient

competition = Competition(
    "osic-pulmonary-fibrosis-progression",
    "OSIC Pulmonary Fibrosis Progression",
    category="Image Regression",
    metric="modified Laplace log likelihood",
    group="medium",
    gigabytes=20,
    breaks=[
        "incomplete_refused",  # as published, missing rows are left out of the mean
        "wrong_values_refused",  # as published, an empty Confidence counts as 0, and only scored rows are looked at
    ],
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the patients; of these, the first visit is public and every week is asked for."""
    import pandas as pd

    visits = raw.read_csv("train.csv").set_index("Patient")
    train, test = random_split(sorted(visits.index.unique()), test_size=0.1)
    hidden = visits.loc[test].reset_index()
    if hidden.duplicated(["Patient", "Weeks"]).any():
        raise PreparationError("A test patient has two visits in one week, so it is unclear which one is the answer.")
    public.write_csv("train.csv", visits.loc[train].reset_index())
    public.write_csv("test.csv", hidden.sort_values("Weeks").groupby("Patient", as_index=False).first())
    weeks = pd.DataFrame({"Weeks": range(hidden["Weeks"].min(), hidden["Weeks"].max() + 1)})
    asked = pd.DataFrame({"Patient": test}).merge(weeks, how="cross")
    ids = asked["Patient"] + "_" + asked["Weeks"].astype(str)
    answers = asked.merge(hidden, how="left", on=["Patient", "Weeks"]).assign(Patient_Week=ids, Confidence=100)
    private.write_csv("test.csv", answers)
    public.write_csv("sample_submission.csv", pd.DataFrame({"Patient_Week": ids, "FVC": 2000, "Confidence": 100}))
    public.split_folders(train, test, raw, "train/{}")


@competition.grade
def grade(submission: Table, answers: Table, every_row: bool = False) -> float:
    """Modified Laplace log likelihood of the last visits of each patient."""
    if every_row:
        _, given = aligned(submission, answers, on="Patient_Week", target=["FVC", "Confidence"])
        numbers(given)
    require_columns(submission, ["Patient_Week", "FVC", "Confidence"])
    known_ids(submission["Patient_Week"], answers["Patient_Week"], "Patient_Week")
    predicted = submission.assign(
        FVC=numbers(submission["FVC"], missing=True, infinite=True),
        Confidence=numbers(submission["Confidence"].fillna(0), infinite=True),
    )
    visits = answers.dropna(subset=["FVC"]).sort_values("Weeks").groupby("Patient").tail(SCORED_VISITS)
    truth = visits.set_index("Patient_Week")["FVC"]
    # As published: rows that are missing are left out of the mean.
    scored = predicted[predicted["Patient_Week"].isin(truth.index)].set_index("Patient_Week")
    if scored.empty:
        raise InvalidSubmissionError(
            "No row of the submission is scored: predict every week of the sample submission.",
            code=RefusalCode.NOTHING_TO_SCORE,
        )
    # As published: a scored id may be there twice only if it is the only one.
    if scored.index.nunique() > 1 and not scored.index.is_unique:
        # Which weeks are scored is part of the answers: the first id that is there twice is named, scored or not.
        repeated = submission["Patient_Week"][submission["Patient_Week"].duplicated()].iloc[0]
        raise InvalidSubmissionError(
            f"The column Patient_Week repeats {repeated!r}; every id may occur once.",
            code=RefusalCode.DUPLICATE_IDS,
            where=lambda table: table["Patient_Week"].duplicated(),
        )
    forecast, spread = complete(scored["FVC"]), scored["Confidence"]
    return modified_laplace(truth[scored.index], forecast, spread, least_deviation=70, largest_error=1000)


competition.v2(every_row=True, breaks=[])
