"""HuBMAP kidney: where are the glomeruli in a microscope picture of kidney tissue?"""

from mlebench.kit import Competition

competition = Competition(
    "hubmap-kidney-segmentation",
    "HuBMAP - Hacking the Kidney",
    category="Image Segmentation",
    metric="mean Dice coefficient",
    group="medium",
)
