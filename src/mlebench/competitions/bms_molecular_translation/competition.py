"""Bristol-Myers Squibb molecular translation: which InChI does the drawing of a molecule stand for?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="bms-molecular-translation",
    name="Bristol-Myers Squibb - Molecular Translation",
    category="Image To Text",
    metric="mean Levenshtein distance",
    better="lower",
    group="high",
    known_issues=(
        KnownIssue(
            "The extra InChI strings are handed out without a look at the new test set, so an answer could "
            "be among them; the organisers kept them apart from their own data, and none is expected to be.",
            v2="Drops extra strings that are answers.",
        ),
        KnownIssue("The original page does not mention extra_approved_InChIs.csv."),
        KnownIssue(
            "The split is by picture. Should a molecule have two pictures, which is not believed to happen, "
            "it could be in both parts."
        ),
    ),
)
