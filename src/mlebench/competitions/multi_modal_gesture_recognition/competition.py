"""Multi-modal gesture recognition: which Italian gestures follow one another in a recording?"""

from mlebench.kit import Competition

competition = Competition(
    "multi-modal-gesture-recognition",
    "Multi-modal Gesture Recognition",
    category="Video Classification",
    metric="Levenshtein distance per true gesture",
    group="medium",
    sample="randomPredictions.csv",
)
