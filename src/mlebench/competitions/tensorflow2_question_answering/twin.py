"""Twin of tensorflow2-question-answering: small articles, one paragraph of which has the subject that is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

PREDICTION = "PredictionString"
SUBJECTS = ["lake", "actor", "treaty", "planet", "engine", "novel", "bridge", "senator"]
# Slashes, quotes, backslashes and letters beyond ASCII, which JSON writers treat in different ways.
WORDS = [
    "the", "a", "of", "in", "is", "was", "and", "city", "river", "king", "year", "war", "music", "film", "first",
    "north", "café", "São", "naïve", "1969", "3/4", "``", "''", '"', "\\", "O'Neill", "A/B", "–", "team", "12,500",
    "&amp;", "state", "song",
]  # fmt: skip
TEST_KEYS = ["example_id", "question_text", "document_text", "long_answer_candidates"]


def _span(start: int, end: int) -> dict[str, int]:
    return {"start_token": start, "end_token": end}


def _annotation(number: int, identity: int, kind: float, place: int, passage: dict[str, Any]) -> dict[str, Any]:
    """No answer if `kind` is small; then a long one, spans inside it, and at last YES or NO, rarely with a span."""
    answered = kind > 0.45
    start, end = (passage["start_token"], passage["end_token"]) if answered else (-1, -1)
    middle = (start + end) // 2
    spans = []
    if kind > 0.99:
        spans = [_span(middle, middle + 1)]
    elif 0.65 < kind <= 0.97:
        spans = [_span(middle, middle + 2)]
        if kind > 0.88:
            spans.append(_span(middle + 2, middle + 3))
    return {
        "yes_no_answer": ("YES", "NO")[number % 2] if kind > 0.97 else "NONE",
        "long_answer": {"start_token": start, "candidate_index": place if answered else -1, "end_token": end},
        "short_answers": spans,
        "annotation_id": identity,
    }


def _example(rng: np.random.Generator, number: int) -> dict[str, Any]:
    title = SUBJECTS[number % len(SUBJECTS)]
    tokens = ["Page", "-", "wiki", "<H1>", title, "</H1>"]
    passages = []
    subjects = rng.choice(SUBJECTS, int(rng.integers(2, 4)), replace=False)
    for place, subject in enumerate(subjects):
        start = len(tokens)
        words = rng.choice(WORDS, int(rng.integers(5, 11))).tolist()
        words[len(words) // 2] = subject
        tokens += ["<P>", *words, "</P>"]
        passages.append({"start_token": start, "top_level": place % 2 == 0, "end_token": len(tokens)})
    kind = rng.random()
    place = int(rng.integers(len(subjects)))
    # Every second annotation has a number that only fits into 64 bits without a sign.
    large = number % 2 == 1
    identity = int(rng.integers(2**63, 2**64 - 1, dtype=np.uint64) if large else rng.integers(2**62))
    return {
        "document_text": " ".join(tokens),
        "long_answer_candidates": passages,
        "question_text": f'which {subjects[place]} was the "best" / first ?' if kind > 0.45 else "who is naïve",
        "annotations": [_annotation(number, identity, kind, place, passages[place])],
        "document_url": f"https://en.wikipedia.org//w/index.php?title={title}&amp;oldid={800000000 + number}",
        "example_id": int(rng.integers(-(2**63), 2**63 - 1)),
    }


def make(raw: Path, seed: int, scale: int) -> None:
    """Write annotated examples, and an unused test file of Kaggle's own."""
    rng = np.random.default_rng(seed)
    # Preparation splits 1000 lines at a time, so there are more than that.
    train = [_example(rng, number) for number in range(1130 * scale)]
    lines = [json.dumps(example, ensure_ascii=number % 3 == 0) for number, example in enumerate(train)]
    (raw / "simplified-nq-train.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    hidden = [{key: example[key] for key in TEST_KEYS} for example in train[:3]]
    for example in hidden:
        example["example_id"] = str(example["example_id"])
    test = "".join(json.dumps(example) + "\n" for example in hidden)
    (raw / "simplified-nq-test.jsonl").write_text(test, encoding="utf-8")
    rows = sorted(f"{example['example_id']}_{kind}" for example in hidden for kind in ("long", "short"))
    pd.DataFrame({"example_id": rows, PREDICTION: ""}).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Answers right, wrong and written in odd ways, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    gold = examples.table(prepared, "private/gold_submission.csv", keep_default_na=False)
    truth = gold[PREDICTION].tolist()

    def table(predictions: Any) -> pd.DataFrame:
        return gold.assign(**{PREDICTION: predictions})

    def each(change: Callable[[str], str]) -> pd.DataFrame:
        return table([change(answer) for answer in truth])

    def with_one(value: str | None, row: int = 0) -> pd.DataFrame:
        return examples.with_cell(gold, PREDICTION, value, row)

    is_short = gold["example_id"].str.endswith("_short").to_numpy()
    yield Example("perfect", gold, "an answer for each row that has one")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: no answer anywhere")
    guesses = np.array(truth, dtype=object)
    spoiled = rng.random(len(gold)) < 0.4
    guesses[spoiled] = rng.choice(["", "1:5", "YES", "0:3"], spoiled.sum())
    noisy = table(guesses)
    yield Example("noisy", noisy, "two answers in five removed or replaced")
    yield examples.shuffled(noisy, seed)
    last = dict(zip(gold["example_id"], truth, strict=True))
    for line in (prepared / "private/test.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        for span in answer["annotations"][0]["short_answers"][-1:]:
            last[f"{answer['example_id']}_short"] = f"{span['start_token']}:{span['end_token']}"
    yield Example("last_span", table(list(last.values())), "the last of several short spans, which is right as well")
    yield Example("all_answered", table("1:2"), "the same wrong span in every row")
    yield Example("all_yes", table("YES"), "YES in every row, long ones too")
    yield Example("long_only", table(np.where(is_short, "", truth)), "long answers only")
    spaced = each(lambda answer: answer and f" {answer.replace(':', ' : ')} ")
    yield Example("spaces", spaced, "blanks around every number, which are harmless")
    yield Example("blank_strings", each(lambda answer: answer or "  "), "two blanks where there is no answer")
    yield Example("na_word", each(lambda answer: answer or "NA"), "NA where there is no answer, which reads as missing")
    yield Example("leading_zeros", each(_zero_padded), "numbers of five digits")
    yield Example("negative_span", with_one("-1:-1", int(np.argmin(is_short))), "a long answer of -1:-1")
    yield Example("lower_yes", with_one("yes", int(np.argmax(is_short))), "a yes in small letters")
    yield Example("three_parts", with_one("1:2:3"), "a span of three numbers")
    yield Example("no_colon", with_one("17"), "a span of one number")
    yield Example("words", with_one("a:b"), "a span of letters")
    yield Example("half_span", with_one("5:"), "a span without an end")
    yield Example("float_span", with_one("1.0:2.0"), "a span of decimal fractions")
    yield Example("numeric_column", table(range(len(gold))), "nothing but numbers")
    yield Example("extra_column", gold.assign(score=1), "the answers with one more column")
    yield examples.missing_row(gold)
    yield examples.extra_row(gold)
    yield examples.duplicate_id(gold, "example_id")
    yield examples.unknown_id(gold, "example_id", "12_long")
    yield examples.renamed(gold, PREDICTION, "answer")
    yield examples.renamed(gold, "example_id", "id", "wrong_id_column")
    answered = next(row for row, answer in enumerate(truth) if answer)
    yield Example("nan", with_one(None, answered), "one answer not given")
    yield examples.empty()


def _zero_padded(answer: str) -> str:
    return ":".join(f"{int(number):05d}" for number in answer.split(":")) if ":" in answer else answer
