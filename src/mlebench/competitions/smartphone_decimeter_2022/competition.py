"""Google smartphone decimeter challenge: where exactly was a phone that drove along?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="smartphone-decimeter-2022",
    name="Google Smartphone Decimeter Challenge 2022",
    category="Signal Processing",
    metric="mean of the 50th and 95th percentile distance errors",
    better="lower",
    group="high",
    known_issues=(
        KnownIssue(
            "The answers leak: supplemental/span_log.nmea of the public test drives is the track of the "
            "reference receiver.",
            v2="Drops it from the test drives, with every other recorded position of receiver or phone.",
        ),
        KnownIssue(
            "Rows of a trip are paired by position and their times are not looked at, so a right submission "
            "in another order scores badly.",
            v2="Matches rows by trip and time, each once.",
        ),
        KnownIssue(
            "Empty and infinite coordinates are not looked for; they only turn the score into NaN.",
            v2="Refuses them with a reason.",
        ),
        KnownIssue(
            "The original page speaks of a column phone; it is tripId, with a hyphen between drive and "
            "phone where Kaggle's own sample has a slash."
        ),
        KnownIssue(
            "A test drive comes with all its phones, which can be combined and of which each counts as a "
            "trip; in the original test it had one."
        ),
    ),
)
