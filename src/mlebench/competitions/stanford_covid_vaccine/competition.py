"""OpenVaccine: how fast does each base of an mRNA molecule degrade?"""

from mlebench.kit import Competition

competition = Competition(
    "stanford-covid-vaccine",
    "OpenVaccine: COVID-19 mRNA Vaccine Degradation Prediction",
    category="Tabular",
    metric="mean column-wise root mean squared error",
    group="high",
)
