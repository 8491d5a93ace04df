"""LMSYS chatbot arena: which of two chatbots does a person prefer?"""

from mlebench.kit import Competition

competition = Competition(
    "lmsys-chatbot-arena",
    "LMSYS - Chatbot Arena Human Preference Predictions",
    category="Text (Other)",
    metric="multi-class log loss",
    group="medium",
    answers="answers.csv",
)
