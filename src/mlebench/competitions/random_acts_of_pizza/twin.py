"""Twin of random-acts-of-pizza: soldiers, and those who pay it forward, get a pizza more often."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.submissions import Submissions, Usual

ID, TARGET = "request_id", "requester_received_pizza"
SUBREDDITS = ["AskReddit", "pics", "fünny", "RandomActsOfPizza", "gaming"]
TEXTS = [
    "Hi, I'm broke until payday",
    'My family of 4 is hungry,\nwe "really" need help',
    "Für Pizza tue ich alles 🍕 \\o/",
    "",
    "Student here; tabs\there </b>",
]
HIDDEN = {
    "post_was_edited",
    "request_text",
    TARGET,
    "requester_user_flair",
}  # and what was known at retrieval
ELAPSED = 792.4204050925925  # days between request and retrieval


def _request(rng: np.random.Generator, i: int, won: bool) -> dict[str, Any]:
    days = float(rng.gamma(1, 200))
    subreddits = [str(name) for name in rng.choice(SUBREDDITS, rng.integers(0, 4), replace=False)]
    text = TEXTS[i % len(TEXTS)]
    if won and rng.random() < 0.7:
        text += " I will pay it forward & post a photo"
    asker = "Military family" if won and rng.random() < 0.5 else "Hungry"
    comments, posts = int(rng.integers(0, 500)), int(rng.integers(0, 80))
    stamp = float(1.3e9 + rng.integers(0, 8 * 10**7))
    return {
        "giver_username_if_known": f"kind_{i}" if won and rng.random() < 0.3 else "N/A",
        "number_of_downvotes_of_request_at_retrieval": int(rng.integers(0, 9)),
        "number_of_upvotes_of_request_at_retrieval": int(rng.integers(0, 30)),
        "post_was_edited": [False, True, 1341792540.0][i % 3],
        ID: f"t3_{i * 7919 + 100:x}",
        "request_number_of_comments_at_retrieval": int(rng.integers(0, 40)),
        "request_text": text + ("\n\nEDIT: thanks!" if won else ""),
        "request_text_edit_aware": text,
        "request_title": f"[Request] {asker} in Zürich №{i}",
        "requester_account_age_in_days_at_request": 0.0 if i % 6 == 0 else days,
        "requester_account_age_in_days_at_retrieval": days + ELAPSED,
        "requester_days_since_first_post_on_raop_at_request": 0.0,
        "requester_days_since_first_post_on_raop_at_retrieval": ELAPSED,
        "requester_number_of_comments_at_request": comments,
        "requester_number_of_comments_at_retrieval": comments + 3,
        "requester_number_of_comments_in_raop_at_request": comments // 50,
        "requester_number_of_comments_in_raop_at_retrieval": comments // 50 + 1,
        "requester_number_of_posts_at_request": posts,
        "requester_number_of_posts_at_retrieval": posts + 1,
        "requester_number_of_posts_on_raop_at_request": 0,
        "requester_number_of_posts_on_raop_at_retrieval": 1,
        "requester_number_of_subreddits_at_request": len(subreddits),
        TARGET: won,
        "requester_subreddits_at_request": subreddits,
        "requester_upvotes_minus_downvotes_at_request": int(rng.integers(-20, 900)),
        "requester_upvotes_minus_downvotes_at_retrieval": int(rng.integers(-20, 900)),
        "requester_upvotes_plus_downvotes_at_request": int(rng.integers(0, 2000)),
        "requester_upvotes_plus_downvotes_at_retrieval": int(rng.integers(0, 2000)),
        "requester_user_flair": "shroom" if won else None,
        "requester_username": f"user_{i}",
        "unix_timestamp_of_request": stamp + 3600,
        "unix_timestamp_of_request_utc": stamp,
    }


def _as_tested(request: dict[str, Any]) -> dict[str, Any]:
    return {
        field: value for field, value in request.items() if field not in HIDDEN and not field.endswith("_at_retrieval")
    }


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled and unlabelled requests; the zipped copies beside them are not used by preparation."""
    rng = np.random.default_rng(seed)
    n, m = 160 * scale, 64 * scale
    won = rng.random(n) < 0.3
    held_out = np.random.RandomState(0).permutation(n)  # its first entries become the test part
    won[held_out[:2]] = [True, False]
    train = [_request(rng, i, bool(won[i])) for i in range(n)]
    test = [_as_tested(_request(rng, n + i, False)) for i in range(m)]
    for name, part in (("train", train), ("test", test)):
        (raw / f"{name}.json").write_text(json.dumps(part, indent=2))
        zip_members(raw / f"{name}.json.zip", [(f"{name}.json", b"[]")])
    pd.DataFrame({ID: [request[ID] for request in test], TARGET: 0}).to_csv(raw / "sampleSubmission.csv", index=False)


submissions = Submissions(
    guess=lambda case: 0.3 * case.truth + 0.7 * case.rng.random(case.n),
    usual=Usual(twice=None, unknown="t3_zzz", wrong_column="target", no_id="id", extra_first={"note": "a"}),
    cells={"below_zero": -1e-9, "above_one": 1.0000001, "text": "yes"},
    each={"inverted": lambda received: 1 - received},
    variants=["ties", "booleans", "repeated_id"],
)
