"""Google Research contrails: which pixels of a satellite scene are contrails?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="google-research-identify-contrails-reduce-global-warming",
    name="Google Research - Identify Contrails to Reduce Global Warming",
    category="Image Segmentation",
    metric="global Dice coefficient",
    group="high",
    answers="answers.csv",
    gigabytes=450,
    known_issues=(
        KnownIssue(
            "The published grader guards the decoding of the truth instead of the prediction, so malformed "
            "run lengths crash it; scores are unaffected, since Dice is symmetric.",
            v2="Refuses malformed run lengths with a reason.",
        ),
        KnownIssue(
            "An empty cell is an error; only a dash stands for an empty mask.",
            v2="Takes it as an empty mask.",
        ),
        KnownIssue(
            "An odd count of numbers is let through in part: one number is an empty mask, and the one "
            "length of three numbers serves both runs.",
            v2="Refuses it.",
        ),
        KnownIssue(
            "Test records come without time and projection, which train and validation records have.",
            v2="Publishes test_metadata.json.",
        ),
        KnownIssue(
            "Records are split at random, so neighbours in time or place can be in both parts; the original "
            "test set was a separate one."
        ),
        KnownIssue("The sample submission has the columns height and width, which the format does not ask for."),
    ),
)
