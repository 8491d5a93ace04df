"""Freesound audio tagging 2019: which of 80 everyday sounds are heard in a clip?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="freesound-audio-tagging-2019",
    name="Freesound Audio Tagging 2019",
    category="Audio Classification",
    metric="label-weighted label-ranking average precision",
    group="medium",
    gigabytes=30,
    known_issues=(
        KnownIssue(
            "Preparation needs a second download, the labels released on Zenodo after the contest; the true "
            "labels are public there."
        ),
        KnownIssue(
            "The original text says that the test folder holds the clips of the public leaderboard; those "
            "scored here are the clips of the private one."
        ),
        KnownIssue(
            "The columns must stand in one order, and a further column ends in a bare error.",
            v2="Selects columns by name.",
        ),
    ),
)
