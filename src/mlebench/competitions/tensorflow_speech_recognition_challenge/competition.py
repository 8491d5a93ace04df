"""TensorFlow speech recognition: which word is spoken in a one-second clip?"""

from mlebench.kit import Competition

competition = Competition(
    "tensorflow-speech-recognition-challenge",
    "TensorFlow Speech Recognition Challenge",
    category="Audio Classification",
    metric="accuracy",
    group="medium",
)
