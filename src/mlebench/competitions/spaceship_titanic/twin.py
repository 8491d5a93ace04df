"""Twin of spaceship-titanic: passengers in pairs, of whom the sleeping ones vanish more often."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Submissions, Usual


def make(raw: Path, seed: int, scale: int) -> None:
    """Write train.csv, and Kaggle's own test and sample files, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n = 400 * scale
    age = rng.integers(0, 80, n).astype(float)
    age[rng.random(n) < 0.05] = np.nan
    home = rng.choice(np.array(["Earth", "Europa", "Mars", None], dtype=object), n)
    asleep = rng.choice([True, False], n)
    cabins = zip(rng.choice(list("ABCDEFG"), n), rng.choice(list("PS"), n), strict=True)
    passengers = pd.DataFrame(
        {
            "PassengerId": [f"{i // 2 + 1:04d}_{i % 2 + 1:02d}" for i in range(n)],
            "HomePlanet": home,
            "CryoSleep": asleep,
            "Cabin": [f"{deck}/{i}/{side}" for i, (deck, side) in enumerate(cabins)],
            "Destination": rng.choice(["TRAPPIST-1e", "55 Cancri e"], n),
            "Age": age,
            "VIP": rng.choice([True, False], n),
            "RoomService": rng.gamma(1, 200, n).round(),
            "FoodCourt": rng.gamma(1, 200, n).round(),
            "ShoppingMall": 0.0,
            "Spa": 0.0,
            "VRDeck": 0.0,
            "Name": [f"Given{i} Family{i % 50}" for i in range(n)],
        }
    )
    passengers["Transported"] = rng.random(n) < np.where(asleep, 0.8, 0.35)
    passengers.to_csv(raw / "train.csv", index=False)
    others = passengers.head(20)
    others.drop(columns="Transported").to_csv(raw / "test.csv", index=False)
    others[["PassengerId"]].assign(Transported=False).to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: case.truth ^ (case.rng.random(case.n) < 0.3),
    usual=Usual(cells="perfect", twice=None, wrong_column="Target"),
)
