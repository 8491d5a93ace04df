"""iNaturalist 2019: which of 1,010 similar species does a photograph show?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="inaturalist-2019-fgvc6",
    name="iNaturalist 2019 at FGVC6",
    category="Image Classification",
    metric="top-1 classification error",
    better="lower",
    group="medium",
    answers="answers.csv",
    sample="kaggle_sample_submission.csv",
    known_issues=(
        KnownIssue(
            "val2019.json is public, but the pictures that it lists are in neither archive.",
            v2="Adds the validation pictures to the train archive.",
        ),
        KnownIssue(
            "The public archives are plain tar files in spite of their name .tar.gz, and their members lack "
            "the leading folder that the JSON files name.",
            v2="Keeps the leading folder and compresses the archives.",
        ),
        KnownIssue("The sample submission was meant to be random, but gives every image the same category."),
        KnownIssue("Test images keep their raw ids and owners, who often photograph the same species."),
    ),
)
