"""INGV volcanic eruptions: how long after ten minutes of tremor will the volcano erupt?"""

from mlebench.kit import Competition

competition = Competition(
    "predict-volcanic-eruptions-ingv-oe",
    "INGV - Volcanic Eruption Prediction",
    category="Signal Processing",
    metric="mean absolute error",
    group="high",
    gigabytes=15,
)
