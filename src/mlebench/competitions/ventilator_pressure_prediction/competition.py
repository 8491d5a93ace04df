"""Ventilator pressure: how does the pressure in a test lung rise and fall during a breath?"""

from mlebench.kit import Competition

competition = Competition(
    "ventilator-pressure-prediction",
    "Google Brain - Ventilator Pressure Prediction",
    category="Tabular",
    metric="mean absolute error",
    group="medium",
)
