"""Twin of hotel-id-2021-fgvc8: rooms in the colour of their hotel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Ranked lists with the true hotel at every rank, lists written in odd ways, and broken tables."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", dtype=str)[["image", "hotel_id"]]
    train = examples.table(prepared, "public/train.csv", dtype=str)
    # Equally frequent hotels stay in order of appearance, which pandas' own counting does not promise.
    frequent = [hotel for hotel, _ in Counter(train["hotel_id"]).most_common()]

    def predicted(ranking: Callable[[str], str]) -> pd.DataFrame:
        return answers.assign(hotel_id=[ranking(hotel) for hotel in answers["hotel_id"]])

    def inserted(hotel: str, place: int) -> str:
        """The five most frequent other hotels with the true one at a place, cut after five."""
        others = [other for other in frequent if other != hotel][:5]
        return " ".join([*others[:place], hotel, *others[place:]][:5])

    yield Example("perfect", answers, "only the true hotel, so that the column is read as whole numbers")
    yield Example("perfect5", predicted(lambda hotel: inserted(hotel, 0)), "the true hotel before four others")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: the same five hotels everywhere")
    noisy = predicted(lambda hotel: inserted(hotel, int(rng.integers(0, 7))))
    yield Example("noisy", noisy, "five hotels, the true one at a random rank or left out")
    yield examples.shuffled(noisy, seed)
    yield Example("frequent", answers.assign(hotel_id=" ".join(frequent[:5])), "the five hotels with most images")
    variants: dict[str, tuple[Callable[[str], str], str]] = {
        "second": (lambda hotel: f"0 {hotel}", "the true hotel at rank 2"),
        "rank_6": (lambda hotel: f"1 2 3 4 5 {hotel}", "the true hotel at rank 6, which is too late"),
        "repeated": (lambda hotel: f"{hotel} 1 {hotel} 2 {hotel}", "the true hotel three times, which counts once"),
        "late_repeat": (lambda hotel: f"1 1 {hotel} {hotel} 2", "a wrong hotel twice, then the true one twice"),
        "double_space": (lambda hotel: f"1  {hotel}", "an empty item between two blanks has rank 2"),
        "leading_space": (lambda hotel: f" {hotel}  1", "an empty item before the first blank has rank 1"),
        "comma": (lambda hotel: f"{hotel},1", "commas do not separate hotels"),
        "float": (lambda hotel: f"{hotel}.0", "the true hotel with a decimal point, as text another one"),
        "leading_zero": (lambda hotel: f"0{hotel}", "a zero in front, lost when the column is read as numbers"),
    }
    for name, (ranking, note) in variants.items():
        yield Example(name, predicted(ranking), note)
    yield Example("extra_column", noisy.assign(chain=0), "as noisy, one more column")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.unknown_id(answers, "image", "x.jpg")
    yield examples.renamed(answers, "hotel_id", "hotel")
    yield examples.renamed(answers, "image", "id", "wrong_id_column")
    gaps = examples.with_cell(examples.with_cell(noisy, "hotel_id", None), "hotel_id", None, row=1)
    yield Example("nan", gaps, "two empty predictions among texts: wrong, not refused")
    one_gap = examples.with_cell(answers, "hotel_id", None)
    yield Example("nan_single", one_gap, "an empty prediction among single ids: all are read as 123.0 and wrong")
    yield examples.empty()
