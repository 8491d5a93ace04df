"""TensorFlow speech recognition: which word is spoken in a one-second clip?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="tensorflow-speech-recognition-challenge",
    name="TensorFlow Speech Recognition Challenge",
    category="Audio Classification",
    metric="accuracy",
    group="medium",
    known_issues=(
        KnownIssue(
            "The true labels are the 30 words and _background_noise_, not the twelve labels of the original "
            "task: unknown and silence are never right, and the sample submission scores 0.",
            v2="Maps further words to unknown and noise to silence, with silence clips cut from the noise.",
        ),
        KnownIssue(
            "Speakers are on both sides, where the contest tested mostly on new ones.",
            v2="Splits by speaker.",
        ),
        KnownIssue("A noise recording of about a minute can be a single test clip, recognisable by its length."),
        KnownIssue("The corpus is public, so test clips can be matched with their labels byte for byte."),
    ),
)
