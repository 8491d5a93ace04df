"""iNaturalist 2019: which of 1,010 similar species does a photograph show?"""

from mlebench.kit import Competition

competition = Competition(
    "inaturalist-2019-fgvc6",
    "iNaturalist 2019 at FGVC6",
    category="Image Classification",
    metric="top-1 classification error",
    group="medium",
    answers="answers.csv",
    sample="kaggle_sample_submission.csv",
)
