"""Google smartphone decimeter challenge: where exactly was a phone that drove along?"""

import numpy as np

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    great_circle_distances,
    known_ids,
    numbers,
    paired_by_position,
    random_split,
    require_columns,
    require_rows,
)

TRUTH = "ground_truth.csv"
POSITIONS = (b"Fix,", b"NMEA,")  # what lines of a phone's log begin with that say where it was
PLACE = ["LatitudeDegrees", "LongitudeDegrees"]
FAR_AWAY = {"LatitudeDegrees": 37.904611315634504, "LongitudeDegrees": -86.48107806249548}

competition = Competition(
    "smartphone-decimeter-2022",
    "Google Smartphone Decimeter Challenge 2022",
    category="Signal Processing",
    metric="mean of the 50th and 95th percentile distance errors",
    group="high",
    breaks=["no_answers_in_public"],  # as published, files of the test set have the positions
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, positions_of_test: bool = True) -> None:
    """Hold out the drives of a tenth of the days; a test drive loses its true path but nothing else."""
    import pandas as pd

    drives = sorted({name.split("/")[1] for name in raw.names("train/*/*")})
    _, test_days = random_split(sorted({_day(drive) for drive in drives}), test_size=0.1)
    test_drives = [drive for drive in drives if _day(drive) in test_days]
    public.place_folders([drive for drive in drives if drive not in test_drives], raw, "train/{}")
    files = [name for drive in test_drives for name in raw.below(f"train/{drive}")]
    shown = [name for name in files if not name.endswith(f"/{TRUTH}")]
    logs = [] if positions_of_test else [name for name in shown if name.endswith((".nmea", "/gnss_log.txt"))]
    public.place({name.replace("train", "test", 1): raw[name] for name in shown if name not in logs})
    for name in logs:
        if not name.endswith(".nmea"):  # which is nothing but positions
            lines = raw.read_bytes(name).splitlines(keepends=True)
            measured = [line for line in lines if not line.startswith(POSITIONS)]
            public.write_bytes(name.replace("train", "test", 1), b"".join(measured))
    public.place_folder("metadata", raw, below="metadata")

    paths = sorted(name.split("/") for name in files if name.endswith(f"/{TRUTH}"))
    answers = pd.concat([_path(raw, *path[1:3]) for path in paths])
    public.write_csv("sample_submission.csv", answers.assign(**FAR_AWAY))
    private.write_csv("test.csv", answers)


def _day(drive: str) -> str:
    """The date that a drive's name begins with; months and days are not always written with two digits."""
    year, month, day = drive.split("-")[:3]
    return f"{year}-{month:0>2}-{day:0>2}"


def _path(raw: Raw, drive: str, phone: str) -> Table:
    """Where a phone was on a drive, as rows of the answers."""
    # As published: numbers are not always read to their last digit, which shows in the answers.
    truth = raw.read_csv(f"train/{drive}/{phone}/{TRUTH}", as_pandas_2=True)
    return truth.assign(tripId=f"{drive}-{phone}")[["tripId", "UnixTimeMillis", *PLACE]]


@competition.grade
def grade(submission: Table, answers: Table, match_times: bool = False) -> float:
    """Mean over trips of the average of the median and the 95th percentile of the distances, in metres."""
    require_columns(submission, list(answers.columns))
    if match_times:
        rows, true_rows = (
            table.assign(trip_and_time=table["tripId"].astype(str) + " " + table["UnixTimeMillis"].astype(str))
            for table in (submission, answers)
        )
        _, given = aligned(rows, true_rows, on="trip_and_time", target=PLACE)
        submission = answers.assign(**{name: given[name].to_numpy() for name in PLACE})
    require_rows(submission, answers)
    known_ids(submission["tripId"], answers["tripId"], "tripId")
    _require_counts(submission, answers)
    # As published: rows of a trip are paired by their order, and times are not looked at.
    truth, predicted = paired_by_position(submission, answers, on="tripId", stable=True)
    distances = great_circle_distances(truth[PLACE], numbers(predicted[PLACE]))
    starts = np.flatnonzero(~truth["tripId"].duplicated())
    errors = [np.quantile(drive, [0.5, 0.95]).mean() for drive in np.split(distances, starts[1:])]
    return float(np.mean(errors))


def _require_counts(submission: Table, answers: Table) -> None:
    """Every trip has as many rows as in the answers."""
    wanted = answers["tripId"].value_counts(sort=False)
    found = submission["tripId"].value_counts().reindex(wanted.index, fill_value=0)
    for trip in wanted.index[wanted != found]:
        raise InvalidSubmissionError(
            f"The submission has {found[trip]} rows with the tripId {trip!r}, but {wanted[trip]} are expected.",
            code=RefusalCode.WRONG_ROW_COUNT,
        )


competition.v2(positions_of_test=False, match_times=True, breaks=[])
