"""Twin of billion-word-imputation: news built from a handful of words, some lines of which are awkward."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Sentences with right, wrong and missing words, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    sample = examples.table(prepared, "private/sample_submission.csv")

    def with_a_word(sentence: str) -> str:
        tokens = sentence.split()
        place = int(rng.integers(1, len(tokens)))
        return " ".join([*tokens[:place], str(rng.choice(["the", "old", ",", "été"])), *tokens[place:]])

    pairs = zip(answers["sentence"], sample["sentence"], strict=True)
    guesses = [truth if rng.random() < 0.4 else with_a_word(given) for truth, given in pairs]
    noisy = sample.assign(sentence=guesses)
    yield Example("perfect", answers, "the whole sentences")
    # Its text as it stands: the sample quotes every sentence, which pandas would not.
    text = (prepared / "private/sample_submission.csv").read_bytes().decode("utf-8")
    yield Example("sample", text, "the sample submission: the test sentences unchanged")
    yield Example("noisy", noisy, "some sentences right, the others with any word anywhere")
    yield examples.shuffled(noisy, seed)
    lower = answers.assign(sentence=answers["sentence"].str.lower())
    yield Example("lowercase", lower, "no capitals: each one missing costs 1")
    padded = answers.assign(sentence="  " + answers["sentence"] + " ")
    yield Example("blanks", padded, "three blanks around each sentence cost 3")
    yield Example("one_word", answers.assign(sentence="word"), "a single word for every sentence")
    yield Example("number_in_text", examples.with_cell(noisy, "sentence", "123"), "one of the sentences is a number")
    yield Example("float_ids", noisy.astype({"id": float}), "as noisy, ids written with .0")
    further = noisy.assign(note=1)[["note", "sentence", "id"]]
    yield Example("extra_column", further, "as noisy, one more column, another order")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "id")
    yield examples.unknown_id(answers, "id", 10**9)
    yield Example("text_id", examples.with_cell(answers, "id", "x"), "an id that is a word")
    yield examples.renamed(answers, "sentence", "text")
    yield examples.renamed(answers, "id", "Id", "no_id_column")
    yield Example("nan", examples.with_cell(answers, "sentence", None), "an empty sentence")
    yield Example("na_text", examples.with_cell(answers, "sentence", "NA"), "a sentence that reads as a missing value")
    yield Example("numbers", answers.assign(sentence=1), "nothing but numbers")
    yield examples.empty()
