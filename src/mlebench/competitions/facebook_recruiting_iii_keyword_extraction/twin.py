"""Twin of facebook-recruiting-iii-keyword-extraction: questions that mention one thing per tag."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.kit import random_split
from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example

# Tags, the most frequent first, and what a question with the tag is about.
SUBJECTS = {
    "javascript": "the onclick handler",
    "c#": "my LINQ query",
    "python": "a list comprehension",
    "php": '$_POST["x"]',
    "java": "a NullPointerException",
    "jquery": "the $(document).ready call",
    "android": "an Activity",
    "c++": "a std::vector<int>",
    ".net": "the CLR",
    "asp.net-mvc-3": "my Razor view",
    "real-analysis": "a Cauchy sequence ∑",
    "english-language": "the word “naïve”",
    "objective-c": "an NSString",
    "node.js": "a stream",
    "css": "a float",
}
TAGS = list(SUBJECTS)
WEIGHTS = np.array([0.6 ** (rank / 2) for rank in range(len(TAGS))])
COMMON_TAGS = "javascript c# python php java"
KAGGLE_ROWS = 5  # in the unused test table


def _question(rng: np.random.Generator, number: int) -> dict[str, str]:
    drawn = rng.choice(len(TAGS), int(rng.integers(1, 6)), replace=False, p=WEIGHTS / WEIGHTS.sum())
    tags = [TAGS[i] for i in drawn]
    manner = ["quickly", "safely", "on Windows"][int(rng.integers(3))]
    line_break = rng.choice(["\n", "\n\n", "\r\n"])
    ending = rng.choice(["", "<p>Thanks — 你好!</p>", '<p>It says ""no""</p>'])
    code = f"x = \"{number}\";\n\tif (a &lt; b) {{ return 'ok'; }}"
    return {
        "Id": str(number + 1),
        "Title": f"How to use {SUBJECTS[tags[0]]}, {manner}?",
        "Body": f"<p>I have {', '.join(SUBJECTS[tag] for tag in tags)}.</p>{line_break}"
        f"<pre><code>{code}</code></pre>\n{ending}",
        "Tags": " ".join(tags),
    }


def _zip_table(raw: Path, name: str, table: pd.DataFrame) -> None:
    content = table.to_csv(index=False, quoting=csv.QUOTE_ALL)
    zip_members(raw / f"{name}.zip", [(f"{name}.csv", content.encode("utf-8"))])


def make(raw: Path, seed: int, scale: int) -> None:
    """Write tagged questions, some of them with the same body, and an unused test table of Kaggle's own."""
    rng = np.random.default_rng(seed)
    n = 400 * scale
    questions = pd.DataFrame([_question(rng, number) for number in range(n + KAGGLE_ROWS)])
    questions.loc[10, "Id"] = "0011"
    questions.loc[rng.choice(n, n // 20, replace=False), "Body"] = questions["Body"].iloc[0]
    # In the later test part: tags and a title that pandas reads as missing, a tag that no other question has, and an id
    # with leading zeros.
    _, held_out = random_split(np.arange(n), test_size=0.1)
    for place, tags in {2: "null", 5: "nan", 7: "null nan", 9: "rare-tag-of-one-row"}.items():
        questions.loc[held_out[place], "Tags"] = tags
    questions.loc[held_out[3], "Title"] = "NULL"
    questions.loc[held_out[11], "Id"] = "00" + questions["Id"].loc[held_out[11]]
    _zip_table(raw, "Train", questions.head(n))
    hidden = questions.tail(KAGGLE_ROWS)
    _zip_table(raw, "Test", hidden[["Id", "Title", "Body"]])
    hidden[["Id"]].assign(Tags=COMMON_TAGS).to_csv(raw / "SampleSubmission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Tags changed in ways that count and in ways that do not, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", keep_default_na=False)[["Id", "Tags"]]
    known = sorted(set(" ".join(answers["Tags"]).split()))

    def table(tags: Any) -> pd.DataFrame:
        return answers.assign(Tags=tags)

    def spoiled(tags: str) -> str:
        kept = [tag for tag in tags.split() if rng.random() < 0.8]
        return " ".join(kept + [str(rng.choice(known)) for _ in range(int(rng.integers(0, 3)))])

    guesses = [spoiled(tags) for tags in answers["Tags"]]
    noisy = table(guesses)
    yield Example("perfect", answers, "the tags of the users")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: five common tags, and the questions once more")
    yield Example("noisy", noisy, "some tags left out, some of other questions added")
    yield examples.shuffled(noisy, seed)
    # With a blank before it, a lone null no longer reads as missing, so this does not score quite as noisy does.
    turned = table([f" {'  '.join(tags.split()[::-1])} " for tags in guesses])
    yield Example("tag_order", turned, "as noisy, tags in reverse order between more blanks")
    yield Example("repeated_tags", table([f"{tags} {tags}" for tags in guesses]), "each tag twice: as tag_order")
    unseen = table([f"{tags} tag-that-no-answer-has zzz" for tags in guesses])
    yield Example("unseen_tags", unseen, "with tags that no test question has, at no cost: as tag_order")
    yield Example("capitals", table(answers["Tags"].str.upper()), "in capitals, which makes nearly all tags wrong")
    yield Example("one_tag", table("javascript"), "one tag for every question")
    yield Example("all_known_tags", table(" ".join(known)), "all tags for every question: nothing is left out")
    yield Example("commas", table(answers["Tags"].str.replace(" ", ",")), "commas between the tags")
    yield Example("nan", examples.with_cell(answers, "Tags", None), "one question without tags")
    yield Example("null_text", examples.with_cell(answers, "Tags", "null"), "a tag that reads as a missing value")
    yield Example("all_empty", table(None), "no question has tags")
    yield Example("numbers", table(7), "nothing but numbers")
    yield Example("float_ids", noisy.astype({"Id": float}), "as noisy, ids written with .0")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "Id")
    yield examples.unknown_id(answers, "Id", 10**9)
    yield examples.renamed(answers, "Tags", "tags")
    yield examples.renamed(answers, "Id", "id", "no_id_column")
    yield examples.empty()
