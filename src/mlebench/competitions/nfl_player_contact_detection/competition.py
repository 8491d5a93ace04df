"""NFL player contact: when do players touch each other, or the ground, during a play?"""

from mlebench.kit import Competition

competition = Competition(
    "nfl-player-contact-detection",
    "1st and Future - Player Contact Detection",
    category="Video Classification",
    metric="Matthews correlation coefficient",
    group="high",
    gigabytes=5,
)
