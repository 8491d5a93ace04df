"""Twin of chaii-hindi-and-tamil-question-answering: short articles on where a sight is and when it was built."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.kit import random_split
from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

PREDICTION = "PredictionString"


@dataclass(frozen=True)
class Language:
    """Words and sentences; {sight}, {place} and {year} are filled in."""

    name: str
    sights: list[str]
    places: list[str]
    where: str
    when: str
    ask_where: str
    ask_when: str
    filler: str


HINDI = Language(
    name="hindi",
    sights=["ताज महल", "लाल किला", "हवा महल", "संसद भवन", "संग्रहालय"],
    places=["दिल्ली", "मुंबई", "आगरा", "जयपुर शहर", "New Delhi", "ISRO मुख्यालय"],
    where="{sight} {place} में स्थित है।",
    when='{sight} {year} में बना था, "ऐसा" कहा जाता है।',
    ask_where="{sight} कहाँ स्थित है?",
    ask_when="{sight} कब बना था?",
    filler="यह एक छोटा सा वाक्य है, और कुछ नहीं।",
)
TAMIL = Language(
    name="tamil",
    sights=["மீனாட்சி கோவில்", "பெரிய கோவில்", "கலங்கரை விளக்கம்", "அருங்காட்சியகம்"],
    places=["சென்னை", "மதுரை", "கோவை மாநகரம்", "திருச்சி", "Chennai Port"],
    where="{sight} {place} நகரில் உள்ளது.",
    when="{sight} {year} ஆம் ஆண்டு கட்டப்பட்டது.",
    ask_where="{sight} எங்கே உள்ளது?",
    ask_when="{sight} எப்போது கட்டப்பட்டது?",
    filler="இது ஒரு சிறிய வாக்கியம், வேறு எதுவும் இல்லை.",
)


def _question(rng: np.random.Generator) -> dict[str, str | int]:
    language = HINDI if rng.random() < 0.67 else TAMIL
    sight, place = str(rng.choice(language.sights)), str(rng.choice(language.places))
    year = str(rng.integers(1500, 2020))
    article = [language.where.format(sight=sight, place=place), language.when.format(sight=sight, year=year)]
    article += [language.filler] * int(rng.integers(1, 4))
    rng.shuffle(article)
    context = str(rng.choice(["\n\n", " ", "\r\n", "\n"])).join(article)
    asks_where = rng.random() < 0.6
    answer = place if asks_where else year
    return {
        "id": f"{int(rng.integers(16**9)):09x}",
        "context": context,
        "question": (language.ask_where if asks_where else language.ask_when).format(sight=sight),
        "answer_text": answer,
        "answer_start": context.index(answer),
        "language": language.name,
    }


def make(raw: Path, seed: int, scale: int) -> None:
    """Write questions with answers, and five unused test questions of Kaggle's own."""
    rng = np.random.default_rng(seed)
    n = 240 * scale
    train = pd.DataFrame([_question(rng) for _ in range(n)])
    # Two answers of the later test part: one that pandas reads as missing, and one whose set of words depends on how
    # capitals, a no-break space and repeated words are treated.
    _, held_out = random_split(np.arange(n), test_size=0.1)
    train.loc[held_out[3], "answer_text"] = "NA"
    train.loc[held_out[4], "answer_text"] = "İstanbul STRASSE\u00a0strasse दिल्ली, दिल्ली दिल्ली"
    train.to_csv(raw / "train.csv", index=False)
    hidden = train.head(5).assign(id=[f"22bff3d{i:02d}" for i in range(5)], **{PREDICTION: ""})
    hidden[["id", "context", "question", "language"]].to_csv(raw / "test.csv", index=False)
    hidden[["id", PREDICTION]].to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Answers changed in ways that count and in ways that do not, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", dtype={PREDICTION: str})
    truth = answers[PREDICTION].tolist()

    def table(predictions: Any) -> pd.DataFrame:
        return answers.assign(**{PREDICTION: predictions})

    def each(change: Callable[[str], str]) -> pd.DataFrame:
        """Every answer changed; a missing one stays missing."""
        return table([change(answer) if isinstance(answer, str) else answer for answer in truth])

    def spoiled(answer: str) -> str:
        if rng.random() < 0.4:
            return answer
        words = answer.split() + ["में", "extra"][: int(rng.integers(1, 3))]
        return " ".join(words if rng.random() < 0.5 else words[1:])

    noisy = each(spoiled)
    yield Example("perfect", answers, "the true answers, one of which is empty and scores 0 all the same")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission")
    yield Example("noisy", noisy, "some answers with words too many or too few")
    yield examples.shuffled(noisy, seed)
    changed = each(lambda answer: " ".join(answer.upper().split()[::-1]))
    yield Example("case_and_order", changed, "capitals and the last word first: the sets of words hardly change")
    doubled = each(lambda answer: f"  {answer}\u00a0{answer}  ")
    yield Example("repeated_words", doubled, "each answer twice, with unusual blanks: the score of perfect")
    stopped = table([f"{answer}।" for answer in answers[PREDICTION].fillna("")])
    yield Example("punctuation", stopped, "a full stop right behind the last word, which no longer matches")
    filled = answers[PREDICTION].fillna("x")
    unread = table([("NA", "null", "None", "nan", answer)[i % 5] for i, answer in enumerate(filled)])
    yield Example("na_words", unread, "four in five answers read as missing values")
    yield Example("nan", examples.with_cell(answers, PREDICTION, None), "an empty answer: a set without words")
    yield Example("blank", examples.with_cell(answers, PREDICTION, "   "), "an answer of blanks")
    pairs = zip(noisy[PREDICTION].fillna(""), answers["id"], strict=True)
    quoted = f'"{PREDICTION}","id"\n' + "".join(f'"{answer}","{row}"\n' for answer, row in pairs)
    yield Example("quoted", quoted, "as noisy, all cells quoted, columns in another order")
    yield Example("extra_column", noisy.assign(note="x"), "as noisy, one more column")
    yield Example("all_empty", table(None), "no answer at all")
    yield Example("numbers", table(7), "nothing but numbers")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "id")
    yield examples.unknown_id(answers, "id", "x")
    yield examples.renamed(answers, PREDICTION, "answer_text")
    yield examples.renamed(answers, "id", "Id", "no_id_column")
    yield examples.empty()
