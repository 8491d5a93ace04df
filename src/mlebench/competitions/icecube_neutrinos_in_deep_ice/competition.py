"""IceCube: from which direction did a neutrino come into the ice?"""

from mlebench.kit import Competition

competition = Competition(
    "icecube-neutrinos-in-deep-ice",
    "IceCube - Neutrinos in Deep Ice",
    category="Tabular",
    metric="mean angular error",
    group="medium",
    gigabytes=100,
)
