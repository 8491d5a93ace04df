"""SETI Breakthrough Listen: is there a simulated alien signal in a radio observation?"""

from mlebench.kit import Competition

competition = Competition(
    "seti-breakthrough-listen",
    "SETI Breakthrough Listen - E.T. Signal Search",
    category="Signal Processing",
    metric="area under the ROC curve",
    group="medium",
)
