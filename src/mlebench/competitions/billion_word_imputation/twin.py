"""Twin of billion-word-imputation: news built from a handful of words, some lines of which are awkward."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mlebench.files.tables import read_csv
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

ARTICLES = ["the", "a", "this", "every", "El"]
ADJECTIVES = ["old", "quiet", "red", "co-operative", "naïve", "fast", "£3m", "so-called"]
NOUNS = ["minister", "dog", "café", "bank", "team", "storm", "résumé", "U.S.", "city", "€"]
VERBS = ["saw", "moved", "said", "beat", "opened", "did n't like", "bought", "will watch"]
ENDINGS = [
    "on Monday", "in 2009", "at 10 : 30", "-- again --", "for $ 1,000", "'s best", "( again )", "last night , too",
]  # fmt: skip
AWKWARD = [
    # Too short to lose a word ...
    "Yes .",
    ".",
    "",
    # ... and blanks of all kinds, which separate tokens; three tokens are just enough.
    "  Two   blanks  here and\tone tab . ",
    "Only three .",
    "Hard\u00a0space and\u3000wide one .",
    "The “curly” 日本 \U0001f600 emoji ,  left .",
]


def _sentence(rng: np.random.Generator) -> str:
    def any_of(phrases: list[str]) -> str:
        return phrases[int(rng.integers(len(phrases)))]

    phrases = [any_of(ARTICLES).capitalize()]
    phrases += [any_of(kind) for kind in (ADJECTIVES, NOUNS, VERBS, ARTICLES, NOUNS)]
    if rng.random() < 0.6:
        phrases.append(any_of(ENDINGS))
    if rng.random() < 0.15:
        phrases = ['"', *phrases, ",", '"', "he", "said"]
    if rng.random() < 0.05:
        phrases.insert(3, '"x"y')
    return " ".join(phrases) + " ."


def make(raw: Path, seed: int, scale: int) -> None:
    """Write sentences to learn from, and an unused test file of Kaggle's own."""
    rng = np.random.default_rng(seed)
    n = 4000 * scale
    lines = [_sentence(rng) for _ in range(n)]
    for i in rng.choice(n, n // 8, replace=False):
        lines[i] = AWKWARD[int(rng.integers(len(AWKWARD)))]
    # The last line has no line break.
    zip_members(raw / "train_v2.txt.zip", [("train_v2.txt", "\n".join(lines).encode("utf-8"))])
    test = ['"id","sentence"']
    for number in range(1, 6):
        tokens = _sentence(rng).replace('"', '""').split()
        test.append(f'{number},"{" ".join(tokens[:2] + tokens[3:])}"')
    text = "".join(line + "\n" for line in test)
    zip_members(raw / "test_v2.txt.zip", [("test_v2.txt", text.encode("utf-8"))])


def _imputed(case: Case) -> Iterator[str]:
    """Some sentences right, the others with any word anywhere."""
    for truth, given in zip(case.truth, read_csv(case.sample)["sentence"], strict=True):
        if case.rng.random() < 0.4:
            yield truth
            continue
        tokens = given.split()
        place = int(case.rng.integers(1, len(tokens)))
        yield " ".join([*tokens[:place], str(case.rng.choice(["the", "old", ",", "été"])), *tokens[place:]])


submissions = Submissions(
    sample="private/sample_submission.csv",
    guess=lambda case: list(_imputed(case)),
    usual=Usual(cells="perfect", wrong_column="text", no_id_column="Id", extra_first={"note": 1}),
    cells={"number_in_text": Cell("123", of="noisy"), "na_text": "NA", "text_id": Cell("x", column="id")},
    # Each capital that is missing and each blank that is added costs 1.
    constants={"one_word": "word", "numbers": 1},
    each={"lowercase": str.lower, "blanks": "  {} ".format},
    variants=["float_ids"],
)
