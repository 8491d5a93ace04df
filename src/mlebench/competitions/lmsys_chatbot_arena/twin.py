"""Twin of lmsys-chatbot-arena: chatbots that string words together, of which the longer answer mostly wins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.competitions.lmsys_chatbot_arena.competition import OUTCOMES
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

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


def _guess(case: Case) -> Any:
    weights = 0.25 + case.truth.to_numpy() * 1.2 + case.rng.random(case.truth.shape)
    return weights / weights.sum(axis=1, keepdims=True)


def _special(case: Case) -> dict[str, Any]:
    noisy, guess, wrong = case.noisy, case.guess.to_numpy(), np.roll(case.truth.to_numpy(), 1, axis=1)
    first_rows = {"one_certain_wrong": wrong[0], "negative": (-0.1, 0.6, 0.5), "above_one": (1.2, -0.1, -0.1)}
    return {
        "perfect_floats": case.truth.astype(float),
        "columns_reordered": noisy[["winner_tie", "id", "winner_model_b", "winner_model_a"]].assign(note="x"),
        "all_wrong": wrong,  # clipped
        **{name: np.array([row, *guess[1:]]) for name, row in first_rows.items()},
        "sum_within_rounding": guess * (1 + 4e-7),  # accepted and not rescaled
        "sum_off_little": guess * (1 + 2e-6),  # refused
        "three_decimals": noisy.round(3),
        "unnormalised": noisy.assign(winner_tie=noisy["winner_tie"] / 2),
    }


submissions = Submissions(
    guess=_guess,
    usual=Usual("noisy", unknown=1, wrong_column=("winner_tie", "tie"), no_id="Id"),
    cells={"text": Cell("high", column="winner_tie")},
    special=_special,
)
