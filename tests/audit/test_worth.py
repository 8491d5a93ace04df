"""What a finding is worth decides about it, what train teaches is honest, and searches that fail are said."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.audit import auditing, detectors
from mlebench.audit.column_values import Relation
from mlebench.audit.detectors.joint import _honest_power, _linear
from mlebench.audit.finding import Found, Kind, Prediction
from mlebench.audit.judging import judge
from mlebench.audit.pricing import Pricing
from mlebench.audit.sounds import heard
from mlebench.audit.strength import monotone
from mlebench.audit.table import texts

_TRUTH = np.array([1.0, 0.0] * 50)


def _log_loss(submission: pd.DataFrame, answers: Any) -> float:
    guess = np.clip(submission["y"].to_numpy(float), 1e-15, 1 - 1e-15)
    return float(-np.log(np.where(answers == 1, guess, 1 - guess)).mean())


def _worth_of(kind: Kind, wrong: int) -> Found:
    sample = pd.DataFrame({"id": np.arange(100), "y": 0.5})
    competition = SimpleNamespace(
        grader=SimpleNamespace(raw_score=_log_loss),
        declaration=SimpleNamespace(better="lower"),
        human_leaderboard=lambda: None,
    )
    task: Any = SimpleNamespace(sample=sample, answers=_TRUTH, competition=competition, key_columns=("id",))
    guess = np.where(np.arange(100) < wrong, 1 - _TRUTH, _TRUTH)
    prediction = Prediction("y", "y", np.arange(100), texts(guess))
    with Pricing(task) as pricing:
        return auditing._priced(Found(kind, "leak", "a: b", "Words.", predictions=(prediction,)), pricing)


def test_a_dependence_that_is_worth_nothing_is_no_leak() -> None:
    assert _worth_of("predictive_artifact", 60).severity == "suspicious"
    assert _worth_of("answers_in_public", 60).severity == "leak"


def test_errors_that_are_dear_do_not_hide_what_a_leak_is_worth() -> None:
    found = _worth_of("predictive_artifact", 20)
    assert found.severity == "leak"
    assert found.worth is not None and found.worth.score < 0.6 < float(found.worth.sample_score or 0)


def test_what_train_teaches_about_test_is_honest() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(300, 4)), rng.normal(size=(150, 4))
    y, truth = (x.sum(axis=1) > 0).astype(float), (z.sum(axis=1) > 0).astype(float)
    noisy = np.where(rng.random(300) < 0.3, 1 - y, y)
    assert _honest_power(_linear, (x, noisy), (z, truth), 2, can_learn=False) < 0.5
    assert _honest_power(_linear, (x, noisy), (z, truth), 2, can_learn=True) > 0.75
    assert _honest_power(_linear, (x, noisy), (z, rng.permutation(truth)), 2, can_learn=True) < 0.5


def test_a_search_that_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(survey: Any) -> Any:
        raise ValueError("no such thing")

    monkeypatch.setattr(detectors, "detectors", lambda: {"broken": broken})
    failed: list[str] = []
    assert list(auditing._detected(None, failed)) == []
    assert failed == ["The search broken failed: ValueError: no such thing."]
    assert auditing.Audit("a", "v1", failed_searches=tuple(failed)).to_dict()["failed_searches"] == failed


def _chunk(name: bytes, body: bytes, order: str = "<") -> bytes:
    return name + struct.pack(f"{order}I", len(body)) + body


def test_sounds_are_the_same_whatever_their_tags_say() -> None:
    body = bytes(range(200))
    plain = b"RIFF\0\0\0\0WAVE" + _chunk(b"data", body)
    tagged = (
        b"RIFF\0\0\0\0WAVE" + _chunk(b"LIST", b"INFO" + b"x" * 40) + _chunk(b"data", body) + _chunk(b"id3 ", b"y" * 8)
    )
    assert heard(plain) == heard(tagged) == body
    assert heard(b"FORM\0\0\0\0AIFF" + _chunk(b"NAME", b"abcd", ">") + _chunk(b"SSND", body, ">")) == body
    assert heard(b"fLaC\x04\0\0\x03abc\x80\0\0\x02xy" + body) == body
    assert heard(b"ID3\x04\0\0\0\0\0\x05hello" + body) == body
    assert heard(b"ID3\x04\0\0\0\0\0\x05hello" + body + b"TAG" + b"z" * 125) == body
    assert heard(b"any other file") == b"any other file"


def test_a_handful_of_a_rare_class_at_the_top_is_chance_where_train_has_the_feature() -> None:
    rng = np.random.default_rng(5)
    rare = np.arange(300) < 30
    known = monotone(rng.normal(size=300) + 1.45 * rare, rare.astype(float), 2)
    assert 0.6 < known.power < 0.8
    few = np.arange(45) < 5
    parted = monotone(np.arange(45, 0, -1.0), few.astype(float), 2)

    def verdict(train_size: int) -> str | None:
        relations = [Relation(one, "plain", "rises or falls with the answers") for one in (parted, known)]
        return judge(relations[0], 45, relations[1], train_size, has_train=True, is_artifact=False, same_name=False)

    assert parted.power == 1.0
    assert verdict(300) is None
