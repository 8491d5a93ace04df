"""Google smartphone decimeter challenge: where exactly was a phone that drove along?"""

from mlebench.kit import Competition

competition = Competition(
    "smartphone-decimeter-2022",
    "Google Smartphone Decimeter Challenge 2022",
    category="Signal Processing",
    metric="mean of the 50th and 95th percentile distance errors",
    group="high",
)
