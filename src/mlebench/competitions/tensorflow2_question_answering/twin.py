"""Twin of tensorflow2-question-answering: small articles, one paragraph of which has the subject that is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

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


def _zero_padded(answer: str) -> str:
    return ":".join(f"{int(number):05d}" for number in answer.split(":")) if ":" in answer else answer


def _guess(case: Case) -> Any:
    """Two answers in five removed or replaced."""
    guesses = np.array(case.truth.tolist(), dtype=object)
    spoiled = case.rng.random(case.n) < 0.4
    guesses[spoiled] = case.rng.choice(["", "1:5", "YES", "0:3"], spoiled.sum())
    return guesses


def _last_spans(case: Case) -> list[str]:
    """The last of several short spans, which is right as well."""
    last = dict(zip(case.ids, case.truth, strict=True))
    for line in (case.prepared / "private/test.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        for span in answer["annotations"][0]["short_answers"][-1:]:
            last[f"{answer['example_id']}_short"] = f"{span['start_token']}:{span['end_token']}"
    return list(last.values())


def _special(case: Case) -> dict[str, Any]:
    is_short = case.ids.str.endswith("_short").to_numpy()
    return {
        "last_span": _last_spans(case),
        "long_only": np.where(is_short, "", case.truth),
        "negative_span": Cell("-1:-1", int(np.argmin(is_short))),
        "lower_yes": Cell("yes", int(np.argmax(is_short))),
        "numeric_column": range(case.n),
        "extra_column": case.answers.assign(score=1),
        "nan": Cell(None, case.truth.tolist().index(next(filter(None, case.truth)))),
    }


submissions = Submissions(
    answers="private/gold_submission.csv",
    read={"keep_default_na": False},
    guess=_guess,
    usual=Usual(cells="perfect", unknown="12_long", wrong_column="answer", wrong_id_column="id"),
    cells={"three_parts": "1:2:3", "no_colon": "17", "words": "a:b", "half_span": "5:", "float_span": "1.0:2.0"},
    constants={"all_answered": "1:2", "all_yes": "YES"},
    each={
        "spaces": lambda answer: answer and f" {answer.replace(':', ' : ')} ",  # harmless
        "blank_strings": lambda answer: answer or "  ",
        "na_word": lambda answer: answer or "NA",
        "leading_zeros": _zero_padded,
    },
    special=_special,
)
