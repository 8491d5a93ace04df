"""UW-Madison GI tract: where are stomach and bowels in a slice of an abdominal scan?"""

from mlebench.kit import Competition

competition = Competition(
    "uw-madison-gi-tract-image-segmentation",
    "UW-Madison GI Tract Image Segmentation",
    category="Image Segmentation",
    metric="weighted Dice and 3D Hausdorff score",
    group="medium",
)
