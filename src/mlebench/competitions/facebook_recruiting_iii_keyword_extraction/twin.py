"""Twin of facebook-recruiting-iii-keyword-extraction: questions that mention one thing per tag."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.files.tables import read_csv
from mlebench.kit import random_split
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.submissions import Case, Submissions, Usual

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


def _spoiled(case: Case) -> Iterator[str]:
    """Some tags left out, some of other questions added."""
    known = _known(case.truth)
    for tags in case.truth:
        kept = [tag for tag in tags.split() if case.rng.random() < 0.8]
        yield " ".join(kept + [str(case.rng.choice(known)) for _ in range(int(case.rng.integers(0, 3)))])


def _known(tags: Iterable[str]) -> list[str]:
    return sorted(set(" ".join(tags).split()))


submissions = Submissions(
    targets=["Tags"],
    read={"keep_default_na": False},
    guess=lambda case: list(_spoiled(case)),
    usual=Usual(cells="perfect", wrong_column="tags", no_id_column="id"),
    cells={"null_text": "null"},  # reads as a missing value
    constants={"one_tag": "javascript", "numbers": 7},
    each={"capitals": str.upper, "commas": lambda tags: tags.replace(" ", ",")},
    variants=["all_empty", "float_ids"],
    special=lambda case: {
        "sample": read_csv(case.sample),
        # With a blank before it, a lone null no longer reads as missing, so this does not score quite as noisy does.
        "tag_order": [f" {'  '.join(tags.split()[::-1])} " for tags in case.guess],
        "repeated_tags": case.guess + " " + case.guess,  # as tag_order
        "unseen_tags": case.guess + " tag-that-no-answer-has zzz",  # at no cost: as tag_order
        "all_known_tags": " ".join(_known(case.truth)),
    },
)
