"""Twin of h-and-m-personalized-fashion-recommendations: customers who mostly buy clothes of one colour."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.files.tables import read_csv
from mlebench.twins.kit import examples
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

ARTICLES = 40
COLOURS = ["Black", "White", "Off White", "Red"]
SHADES = np.array([[20, 20, 20], [240, 240, 240], [220, 210, 190], [200, 20, 20]])
NAMES = ["Strap top", "Jerry jogger bottoms", 'Dress "Été", long', "Jeans, slim\nfit", "Größe XL Blouse"]
TEXTS = [
    "Jersey top with narrow shoulder straps.",
    'Soft "brushed" cotton, ribbed hems, 95% cotton',
    None,
    "First line,\nsecond line with ünïcode",
    "Trousers in a weave; zip fly",
]
DAYS = np.arange("2020-08-29", "2020-09-23", dtype="datetime64[D]")


def make(raw: Path, seed: int, scale: int) -> None:
    """Write articles with pictures, customers, of whom two never buy, and 25 days of purchases."""
    rng = np.random.default_rng(seed)
    products = np.sort(rng.choice(np.arange(108775, 953763), ARTICLES // 2, replace=False))
    articles = [f"0{product}{variant:03d}" for product in products for variant in (1, 15)]
    colours = rng.integers(0, len(COLOURS), ARTICLES)
    _article_table(rng, articles, colours).to_csv(raw / "articles.csv", index=False)
    customers = sorted(_hash(f"{seed}-{number}") for number in range(60 * scale))
    tastes = rng.integers(0, len(COLOURS), len(customers))
    _customer_table(rng, customers).to_csv(raw / "customers.csv", index=False)
    purchases = _purchases(rng, articles, colours, customers, tastes, 1100 * scale)
    header = "t_dat,customer_id,article_id,price,sales_channel_id"
    (raw / "transactions_train.csv").write_text("\n".join([header, *purchases, ""]), encoding="ascii")
    sample = pd.DataFrame({"customer_id": customers, "prediction": " ".join(articles[:12])})
    sample.to_csv(raw / "sample_submission.csv", index=False)
    for number, article in enumerate(articles):
        if number % 4 == 3:
            continue  # some articles have no picture
        pixels = SHADES[colours[number]] + rng.integers(-15, 16, (8, 8, 3))
        path = raw / f"images/{article[:3]}/{article}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jpeg(np.clip(pixels, 0, 255).astype(np.uint8)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _article_table(rng: np.random.Generator, articles: list[str], colours: NDArray[np.int64]) -> pd.DataFrame:
    n = len(articles)
    return pd.DataFrame(
        {
            "article_id": articles,
            "product_code": [article[:7] for article in articles],
            "prod_name": [NAMES[number % len(NAMES)] for number in range(n)],
            "product_type_no": rng.choice([253, 272, 306, -1], n),
            "product_type_name": rng.choice(["Vest top", "Bra", "Trousers"], n),
            "product_group_name": "Garment Upper body",
            "graphical_appearance_no": 1010016,
            "graphical_appearance_name": "Solid",
            "colour_group_code": [f"{colour:02d}" for colour in colours],
            "colour_group_name": [COLOURS[colour] for colour in colours],
            "perceived_colour_value_id": 4,
            "perceived_colour_value_name": "Dark",
            "perceived_colour_master_id": 5,
            "perceived_colour_master_name": "Black",
            "department_no": rng.integers(1000, 9999, n),
            "department_name": "Jersey Basic",
            "index_code": rng.choice(list("ABD"), n),
            "index_name": "Ladieswear",
            "index_group_no": 1,
            "index_group_name": "Ladieswear",
            "section_no": rng.integers(10, 70, n),
            "section_name": "Womens Everyday Basics",
            "garment_group_no": "1002",
            "garment_group_name": "Jersey Basic",
            "detail_desc": [TEXTS[number % len(TEXTS)] for number in range(n)],
        }
    )


def _customer_table(rng: np.random.Generator, customers: list[str]) -> pd.DataFrame:
    n = len(customers)
    age = rng.integers(16, 90, n).astype(float)
    age[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "customer_id": customers,
            "FN": np.where(rng.random(n) < 0.4, 1.0, np.nan),
            "Active": np.where(rng.random(n) < 0.4, 1.0, np.nan),
            "club_member_status": rng.choice(np.array(["ACTIVE", "PRE-CREATE", "LEFT CLUB", None]), n),
            "fashion_news_frequency": rng.choice(np.array(["NONE", "Regularly", "Monthly", None]), n),
            "age": age,
            "postal_code": [_hash(f"p{number % 9}") for number in range(n)],
        }
    )


def _purchases(
    rng: np.random.Generator,
    articles: list[str],
    colours: NDArray[np.int64],
    customers: list[str],
    tastes: NDArray[np.int64],
    n: int,
) -> list[str]:
    """Lines of the transaction table, in order of days; some occur twice, for two pieces of one article."""
    buyers = rng.integers(2, len(customers), n)
    liked = [np.flatnonzero(colours == colour) for colour in range(len(COLOURS))]
    liked = [choice if len(choice) else np.arange(len(articles)) for choice in liked]
    bought = np.array(
        [rng.choice(liked[tastes[buyer]]) if rng.random() < 0.8 else rng.integers(0, len(articles)) for buyer in buyers]
    )
    days = np.sort(rng.integers(0, len(DAYS), n))
    # On the last day one customer buys more than the twelve articles that a prediction may name.
    buyers[-20:], days[-20:] = len(customers) - 1, len(DAYS) - 1
    bought[-20:] = rng.choice(len(articles), 20, replace=False)
    repeated = rng.integers(0, n, n * 4 // 110)
    prices = rng.gamma(2, 0.015, n)
    lines = []
    for row in np.sort(np.concatenate([np.arange(n), repeated])):
        # Every third price has more digits than a float can hold, and a few are written with an exponent.
        price = repr(float(prices[row])) if row % 3 else f"{prices[row]:.20f}"
        if row % 17 == 0:
            price = "5.08e-05"
        fields = DAYS[days[row]], customers[buyers[row]], articles[bought[row]], price, 1 + row % 2
        lines.append(",".join(map(str, fields)))
    return lines


def _past(case: Case) -> tuple[pd.DataFrame, list[str]]:
    """What was bought until now, and the best sellers among it."""
    past = examples.table(case.prepared, "public/transactions_train.csv", dtype=str)
    return past, list(past["article_id"].value_counts().index[:12])


def _wanted(case: Case) -> list[list[str]]:
    """What every customer of the sample buys, and the best sellers for those who buy nothing."""
    _, best = _past(case)
    buys = dict(zip(case.full["customer_id"], case.full["prediction"].str.split(" "), strict=True))
    return [list(dict.fromkeys(buys.get(customer, best))) for customer in read_csv(case.sample)["customer_id"]]


def _perfect(case: Case) -> pd.DataFrame:
    return read_csv(case.sample, dtype=str).assign(prediction=[" ".join(articles[:12]) for articles in _wanted(case)])


def _habits(case: Case) -> list[str]:
    """What a customer bought last, filled up with the best sellers."""
    past, best = _past(case)
    newest_first = past.iloc[::-1].groupby("customer_id")["article_id"].unique().to_dict()
    return [" ".join([*newest_first.get(customer, []), *best][:12]) for customer in case.ids]


def _special(case: Case) -> dict[str, Any]:
    perfect, noisy, wanted = case.answers, case.noisy, _wanted(case)
    single = case.table([articles[0] for articles in wanted])
    is_scored = case.ids.isin(case.full["customer_id"])
    scored, unscored = case.answers.index[is_scored], case.answers.index[~is_scored]
    nobody = pd.DataFrame({"customer_id": ["nobody"], "prediction": ["1"]})
    return {
        "zero_padded": [" ".join(f"0{article}" for article in articles[:12]) for articles in wanted],  # none matches
        "single": single,  # read as numbers
        "single_zero_padded": "0" + single["prediction"],  # reading as numbers removes the zero
        "single_nan": examples.with_first(single, "prediction", None),  # read as fractions: none matches
        "padded_right": [" ".join(["x", "y", *articles][:12]) for articles in wanted],
        "more_than_12": [" ".join([*(f"w{number}" for number in range(11)), *articles]) for articles in wanted],
        "repeated": [" ".join([*articles[:1] * 3, *articles[1:]]) for articles in wanted],  # repeats take ranks
        "double_space": ["  ".join(articles[:12]) for articles in wanted],  # each second rank is empty
        "only_scored": perfect[is_scored],  # accepted
        "extra_customer": pd.concat([perfect, nobody]),  # ignored
        "missing_row": noisy.drop(index=scored[0]),
        "missing_unscored": noisy.drop(index=unscored[:1]),  # accepted
        "extra_row": pd.concat([perfect, perfect.loc[scored[:1]]]),  # all after it are compared with a neighbour
        "extra_row_last": pd.concat([perfect, perfect.loc[scored[-1:]]]),  # nobody comes after it
        "unknown_id": Cell("unknown", row=scored[0], column="customer_id"),
        "nan": noisy["prediction"].mask(noisy.index.isin(scored[:3]), None),  # accepted, no hits for them
    }


submissions = Submissions(
    read={"dtype": str},
    perfect=_perfect,
    guess=_habits,
    usual=Usual("noisy", twice=None, wrong_column="predictions", extra={"note": 1}),
    special=_special,
)
