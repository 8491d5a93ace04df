"""Twin of hotel-id-2021-fgvc8: rooms in the colour of their hotel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

TWICE = "ce27d36c9147cc19.jpg"  # the image that the real table lists twice
SAMPLE_HOTELS = "36363 53586 18807 64314 60181"
KAGGLE_TEST = ["99e91ad5f2870678.jpg", "b5cc62ab665591a9.jpg", "d5664a972d5a644b.jpg"]
ROOM = (9, 12, 3)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write rooms in folders by chain, one image under two hotels, and Kaggle's own test images."""
    rng = np.random.default_rng(seed)
    n, hotel_count = 110 * scale, 14 + 6 * scale
    hotels = np.sort(rng.choice(np.arange(18, 64315), hotel_count, replace=False))
    hotels[0] = 36363  # so that the sample submission is right now and then
    chains = rng.choice([0, 4, 22, 6], hotel_count)
    tints = dict(zip(hotels.tolist(), rng.integers(0, 256, (hotel_count, 3)), strict=True))
    rooms = _rooms(rng, n, hotels, chains)
    rooms.to_csv(raw / "train.csv", index=False)
    for chain in sorted(set(rooms["chain"])):
        (raw / f"train_images/{chain}").mkdir(parents=True)
    for image, chain, hotel in zip(rooms["image"], rooms["chain"], rooms["hotel_id"], strict=True):
        pixels = np.clip(tints[hotel] + rng.integers(-30, 31, ROOM), 0, 255).astype(np.uint8)
        (raw / f"train_images/{chain}/{image}").write_bytes(jpeg(pixels))
    (raw / "test_images").mkdir()
    for image in KAGGLE_TEST:
        (raw / "test_images" / image).write_bytes(jpeg(rng.integers(0, 256, ROOM, dtype=np.uint8)))
    sample = pd.DataFrame({"image": KAGGLE_TEST, "hotel_id": SAMPLE_HOTELS})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _rooms(rng: np.random.Generator, n: int, hotels: NDArray[np.int64], chains: NDArray[np.int64]) -> pd.DataFrame:
    """The table of images; half of them are of three hotels, so that others have only one or none."""
    common = rng.random(n) < 0.5
    hotel = np.where(common, rng.integers(0, 3, n), rng.integers(0, len(hotels), n))
    images = [f"{int(rng.integers(0, 2**63)):016x}.jpg" for _ in range(n)]
    times = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3 * 10**8, n), unit="s")
    rooms = pd.DataFrame(
        {
            "image": images,
            "chain": chains[hotel],
            "hotel_id": hotels[hotel],
            "timestamp": times.strftime("%Y-%m-%d %H:%M:%S"),
        }
    )
    rooms = examples.with_cell(rooms, "timestamp", None, row=3)
    twice = rooms.iloc[[5, 9]].assign(image=TWICE)
    return pd.concat([rooms.iloc[:20], twice, rooms.iloc[20:]]).sort_values("image", kind="stable")


def _inserted(case: Case, places: Iterable[int]) -> list[str]:
    """For each image the five most frequent other hotels with the true one at a place, cut after five."""
    rows = zip(case.truth, places, strict=True)
    others = {hotel: [other for other in _frequent(case) if other != hotel][:5] for hotel in case.truth.unique()}
    return [" ".join([*others[hotel][:place], hotel, *others[hotel][place:]][:5]) for hotel, place in rows]


def _frequent(case: Case) -> list[str]:
    """Equally frequent hotels stay in order of appearance, which pandas' own counting does not promise."""
    train = examples.table(case.prepared, "public/train.csv", dtype=str)
    return [hotel for hotel, _ in Counter(train["hotel_id"]).most_common()]


submissions = Submissions(
    read={"dtype": str},
    guess=lambda case: _inserted(case, [int(case.rng.integers(0, 7)) for _ in range(case.n)]),
    usual=Usual(twice=None, unknown="x.jpg", wrong_column="hotel", wrong_id_column="id", extra={"chain": 0}),
    cells={"nan_single": Cell(None, of="perfect")},  # all are read as 123.0 and wrong
    each={
        "second": "0 {}".format,
        "rank_6": "1 2 3 4 5 {}".format,  # too late
        "repeated": "{0} 1 {0} 2 {0}".format,  # counts once
        "late_repeat": "1 1 {0} {0} 2".format,
        "double_space": "1  {}".format,  # an empty item has rank 2
        "leading_space": " {}  1".format,  # an empty item has rank 1
        "comma": "{},1".format,
        "float": "{}.0".format,  # as text another hotel
        "leading_zero": "0{}".format,  # lost when the column is read as numbers
    },
    special=lambda case: {
        "perfect5": _inserted(case, [0] * case.n),
        "frequent": " ".join(_frequent(case)[:5]),
        "nan": [None, None, *case.guess[2:]],  # wrong, not refused
    },
)
