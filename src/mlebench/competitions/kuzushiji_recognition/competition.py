"""Kuzushiji recognition: which characters stand where on a page of an old Japanese book?"""

from mlebench.kit import Competition

competition = Competition(
    "kuzushiji-recognition",
    "Kuzushiji Recognition",
    category="Object Detection",
    metric="micro F1 of located characters",
    group="medium",
)
