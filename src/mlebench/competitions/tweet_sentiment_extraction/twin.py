"""Twin of tweet-sentiment-extraction: chatter with one phrase that carries the sentiment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

PHRASES = {
    "positive": ["love", "great", "happy!", "AWESOME", "thanks :)", "so much fun", "nice,", "yay"],
    "negative": ["hate", "sad", "miss you", "sucks!!!", "tired", "booo", "so sorry", "****"],
}
CHATTER = [
    "i", "the", "going", "to", "work", "today", "http://twitpic.com/4w75p", "@user", "#fail", "lol", "don`t",
    'it"s', "café", "ï¿½", "NYC,", "2", "3.50", "morning", "w/", "naïve", "…", "RT", "&", "<3",
]  # fmt: skip


def _tweet(rng: np.random.Generator, number: int) -> dict[str, str | None]:
    sentiment = str(rng.choice(["neutral", "positive", "negative"], p=[0.4, 0.31, 0.29]))
    words = rng.choice(CHATTER, int(rng.integers(2, 12))).tolist()
    selected = None
    if sentiment != "neutral":
        selected = str(rng.choice(PHRASES[sentiment]))
        words.insert(int(rng.integers(len(words) + 1)), selected)
    text = " ".join(words)
    selected = selected or text
    if number % 11 == 0:
        text = f" {text}"  # as many real tweets begin
    if number % 37 == 5:
        text = text.replace(" ", "  ", 1)
    if number % 53 == 7:
        text += '\nsecond, "line"'
    if number % 61 == 9 and len(selected) > 2:
        selected = selected[1:]  # some real labels begin inside a word
    tweet = f"{int(rng.integers(2**40)):010x}"
    return {"textID": tweet, "text": text, "selected_text": selected, "sentiment": sentiment}


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled tweets, and an unused test table of Kaggle's own."""
    rng = np.random.default_rng(seed)
    tweets = [_tweet(rng, number) for number in range(400 * scale)]
    # Both rows are in the later train part: the real file has one without a text, and a number must stay as it is.
    for number, text in ((3, None), (4, "17")):
        tweets[number] |= {"text": text, "selected_text": text, "sentiment": "neutral"}
    train = pd.DataFrame(tweets)
    train.to_csv(raw / "train.csv", index=False)
    hidden = train.tail(10)
    hidden.drop(columns="selected_text").to_csv(raw / "test.csv", index=False)
    hidden[["textID"]].assign(selected_text="").to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Selections changed in ways that count and in ways that do not, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    tweets = examples.table(prepared, "private/test.csv", keep_default_na=False)
    answers = tweets[["textID", "selected_text"]]
    truth, texts = answers["selected_text"].tolist(), tweets["text"].tolist()

    def table(selections: Iterable[Any]) -> pd.DataFrame:
        return answers.assign(selected_text=list(selections))

    yield Example("perfect", answers, "the selections themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: nothing selected")
    chances = rng.random(len(answers))
    guesses = zip(texts, truth, chances, strict=True)
    noisy = table(text if chance < 0.4 else selected for text, selected, chance in guesses)
    yield Example("noisy", noisy, "right, but for two tweets in five the whole text")
    yield examples.shuffled(noisy, seed)
    yield Example("whole_text", table(texts), "the text of every tweet")
    yield Example("first_word", table(" ".join(text.split()[:1]) for text in texts), "one word per tweet, the first")
    yield Example("upper_case", table(selected.upper() for selected in truth), "in capitals: the score of perfect")
    doubled = table(f"{selected} {selected}" for selected in truth)
    yield Example("repeated", doubled, "each selection twice: the score of perfect")
    turned = table(" ".join(selected.split()[::-1]) for selected in truth)
    yield Example("reversed_words", turned, "the last word first: the score of perfect")
    blanks = table("\t" + "\u00a0".join(selected.split()) + "\n" for selected in truth)
    yield Example("odd_blanks", blanks, "tabs, no-break spaces and line breaks: the score of perfect")
    bare = table("".join(sign for sign in selected if sign.isalnum() or sign == " ") for selected in truth)
    yield Example("no_punctuation", bare, "letters, digits and blanks only")
    yield Example("numeric", table(range(len(answers))), "whole numbers")
    yield Example("floats", table(np.arange(len(answers)) + 0.5), "decimal fractions")
    yield Example("na_word", table(["NA"] * len(answers)), "a word that reads as a missing value, so nothing selected")
    yield Example("blank_strings", table([" "] * len(answers)), "a blank for every tweet")
    yield Example("extra_column", tweets, "the answers with text and sentiment")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "textID")
    yield examples.unknown_id(answers, "textID", "x")
    yield examples.renamed(answers, "selected_text", "text")
    yield examples.renamed(answers, "textID", "id", "wrong_id_column")
    yield Example("nan", table([None, *truth[1:]]), "one empty selection, which scores 0")
    yield examples.empty()
