"""Twin of lmsys-chatbot-arena: chatbots that string words together, of which the longer answer mostly wins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.competitions.lmsys_chatbot_arena.competition import OUTCOMES
from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

MODELS = [
    "gpt-4-1106-preview", "gpt-3.5-turbo-0613", "llama-2-13b-chat", "vicuna-7b", "koala-13b", "claude-2.1",
    "mistral-7b-instruct",
]  # fmt: skip
WORDS = (
    "the model answers this question with care and some detail about history code music numbers cooking travel".split()
)
ODD = [
    'quote "inside", comma', "line\nbreak", "日本語の質問 \U0001f600", "emoji \ud83d lone surrogate",
    "tab\tand \\ backslash", "", None, "café", "crlf\r\nend", "<b>&amp;</b>",
]  # fmt: skip
COLUMNS = ["id", "model_a", "model_b", "prompt", "response_a", "response_b", *OUTCOMES]


def _words(rng: np.random.Generator, count: int) -> str:
    return " ".join(rng.choice(WORDS, count))


def _cell(turns: list[str | None]) -> str:
    return json.dumps(turns, separators=(",", ":"))


def _battle(rng: np.random.Generator, number: int) -> list[object]:
    """Everything about a conversation but its id."""
    turns = range(rng.choice([1, 1, 1, 2, 3]))
    length_a, length_b = rng.integers(2, 30, 2)
    prompts: list[str | None] = [_words(rng, int(rng.integers(3, 12))) for _ in turns]
    responses_a: list[str | None] = [_words(rng, length_a) for _ in turns]
    responses_b: list[str | None] = [_words(rng, length_b) for _ in turns]
    if number % 7 == 3:
        responses_a[0] = ODD[number // 7 % len(ODD)]
    if number % 9 == 4:
        prompts[0] = ODD[number // 9 % 5]
    lead = (length_a - length_b) / 6 + rng.normal(0, 1)
    a_wins, b_wins = bool(lead > 0.6), bool(lead < -0.6)
    model_a, model_b = rng.choice(len(MODELS), 2, replace=False)
    return [
        MODELS[model_a],
        MODELS[model_b],
        _cell(prompts),
        _cell(responses_a),
        _cell(responses_b),
        int(a_wins),
        int(b_wins),
        int(not a_wins and not b_wins),
    ]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write judged conversations, and the first three as Kaggle's own test set, which is not used."""
    rng = np.random.default_rng(seed)
    n = 300 * scale
    ids = np.sort(rng.choice(4_294_947_231, n, replace=False))  # up to nearly 2 ** 32
    battles = pd.DataFrame([[name, *_battle(rng, number)] for number, name in enumerate(ids)], columns=COLUMNS)
    # JSON as other programs write it: letters unescaped, and a line break that JSON does not allow.
    battles.loc[5, "response_a"] = '["raw unicode été, not escaped\nnewline"]'
    battles.to_csv(raw / "train.csv", index=False)
    shown = battles.head(3)
    shown[["id", "prompt", "response_a", "response_b"]].to_csv(raw / "test.csv", index=False)
    shown[["id"]].assign(**dict.fromkeys(OUTCOMES, 1 / 3)).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, sums at the limit of what is accepted, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")[["id", *OUTCOMES]]
    truth = answers[OUTCOMES].to_numpy()
    yield Example("perfect", answers, "the answers themselves, whole numbers")
    floats = answers.astype(dict.fromkeys(OUTCOMES, float))
    yield Example("perfect_floats", floats, "the answers themselves, written 0.0 and 1.0")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: a third each")
    weights = 0.25 + truth * 1.2 + rng.random(truth.shape)
    guess = weights / weights.sum(axis=1, keepdims=True)
    noisy = answers.assign(**dict(zip(OUTCOMES, guess.T, strict=True)))

    def first_row(*values: float) -> pd.DataFrame:
        changed = guess.copy()
        changed[0] = values
        return noisy.assign(**dict(zip(OUTCOMES, changed.T, strict=True)))

    def scaled(factor: float) -> pd.DataFrame:
        return noisy.assign(**dict(zip(OUTCOMES, (guess * factor).T, strict=True)))

    yield Example("noisy", noisy, "probabilities that lean towards the truth")
    yield examples.shuffled(noisy, seed)
    reordered = noisy[["winner_tie", "id", "winner_model_b", "winner_model_a"]].assign(note="x")
    yield Example("columns_reordered", reordered, "as noisy, columns in another order and one more")
    wrong = np.roll(truth, 1, axis=1)
    all_wrong = answers.assign(**dict(zip(OUTCOMES, wrong.T, strict=True)))
    yield Example("all_wrong", all_wrong, "certain of a wrong outcome in all rows: clipped")
    yield Example("one_certain_wrong", first_row(*wrong[0]), "as noisy, certain of a wrong outcome in one row")
    yield Example("sum_within_rounding", scaled(1 + 4e-7), "rows sum to 1.0000004: accepted and not rescaled")
    yield Example("sum_off_little", scaled(1 + 2e-6), "rows sum to 1.000002: refused")
    yield Example("three_decimals", noisy.round(3), "as noisy, rounded: not all rows sum to 1 any more")
    unbalanced = noisy.assign(winner_tie=noisy["winner_tie"] / 2)
    yield Example("unnormalised", unbalanced, "probabilities of a tie halved: rows sum to less than 1")
    yield Example("negative", first_row(-0.1, 0.6, 0.5), "a probability below 0 in a row that sums to 1")
    yield Example("above_one", first_row(1.2, -0.1, -0.1), "a probability above 1 in a row that sums to 1")
    yield Example("text", examples.with_cell(noisy, "winner_tie", "high"), "a prediction that is not a number")
    yield examples.missing_row(noisy)
    yield examples.extra_row(noisy)
    yield examples.duplicate_id(noisy, "id")
    yield examples.renamed(noisy, "winner_tie", "tie")
    yield examples.renamed(noisy, "id", "Id", "no_id")
    yield examples.unknown_id(noisy, "id", 1)
    yield Example("nan", examples.with_cell(noisy, "winner_model_a", None), "an empty prediction")
    yield examples.empty()
