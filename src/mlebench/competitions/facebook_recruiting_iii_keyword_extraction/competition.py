"""Facebook recruiting III: which tags did users give a Stack Exchange question?"""

from mlebench.kit import Competition

competition = Competition(
    "facebook-recruiting-iii-keyword-extraction",
    "Facebook Recruiting III - Keyword Extraction",
    category="Text Classification",
    metric="micro F1",
    group="medium",
)
