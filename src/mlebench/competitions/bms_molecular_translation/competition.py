"""Bristol-Myers Squibb molecular translation: which InChI does the drawing of a molecule stand for?"""

from mlebench.kit import Competition

competition = Competition(
    "bms-molecular-translation",
    "Bristol-Myers Squibb - Molecular Translation",
    category="Image To Text",
    metric="mean Levenshtein distance",
    group="high",
)
