"""NFL player contact: when do players touch each other, or the ground, during a play?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="nfl-player-contact-detection",
    name="1st and Future - Player Contact Detection",
    category="Video Classification",
    metric="Matthews correlation coefficient",
    group="high",
    gigabytes=5,
    known_issues=(
        KnownIssue("The split is by play, as in the original, so plays of one game can be in both parts."),
        KnownIssue("Whole numbers other than 0 and 1 are taken as further classes.", v2="Refuses them."),
        KnownIssue("The videos are most of the download, about 5 GB; none of them carries labels."),
    ),
)
