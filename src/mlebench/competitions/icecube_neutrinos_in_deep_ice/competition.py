"""IceCube: from which direction did a neutrino come into the ice?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="icecube-neutrinos-in-deep-ice",
    name="IceCube - Neutrinos in Deep Ice",
    category="Tabular",
    metric="mean angular error",
    better="lower",
    group="medium",
    gigabytes=100,
    known_issues=(
        KnownIssue(
            "The bytes of the two metadata tables change with the version of the Parquet writer, so that "
            "the published checksums need not match.",
            v2="Checks Parquet files by content.",
        ),
        KnownIssue("The sample submission is a CSV file, where the original text speaks of Parquet."),
    ),
)
