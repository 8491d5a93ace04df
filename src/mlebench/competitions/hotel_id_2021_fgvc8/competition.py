"""Hotel-ID 2021: in which hotel was a photograph of a room taken?"""

from mlebench.kit import Competition

competition = Competition(
    "hotel-id-2021-fgvc8",
    "Hotel-ID to Combat Human Trafficking 2021 - FGVC8",
    category="Image Classification",
    metric="MAP@5",
    group="medium",
    gigabytes=25,
)
