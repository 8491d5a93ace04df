"""Twin of tweet-sentiment-extraction: chatter with one phrase that carries the sentiment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Submissions, Usual

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


submissions = Submissions(
    read={"keep_default_na": False},
    guess=lambda case: np.where(case.rng.random(case.n) < 0.4, case.full["text"], case.truth),
    usual=Usual(cells="perfect", unknown="x", wrong_column="text", wrong_id_column="id"),
    constants={"na_word": "NA", "blank_strings": " "},
    each={
        # These four score as perfect does.
        "upper_case": str.upper,
        "repeated": lambda text: f"{text} {text}",
        "reversed_words": lambda text: " ".join(text.split()[::-1]),
        "odd_blanks": lambda text: "\t" + "\u00a0".join(text.split()) + "\n",
        "no_punctuation": lambda text: "".join(sign for sign in text if sign.isalnum() or sign == " "),
    },
    variants=["numeric"],
    special=lambda case: {
        "whole_text": case.full["text"],
        "first_word": [" ".join(text.split()[:1]) for text in case.full["text"]],
        "floats": np.arange(case.n) + 0.5,
        "extra_column": case.full,
    },
)
