"""Twin of AI4Code: notebooks in which every heading names the function that the code below it calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

STEPS = ["load", "plot", "clean", "train", "merge", "score", "tune", "split", "encode", "submit"]
HEX_DIGITS = list("0123456789abcdef")


def _hex_id(rng: np.random.Generator, digits: int) -> str:
    return "".join(rng.choice(HEX_DIGITS, digits))


def _ancestors(rng: np.random.Generator, ids: list[str]) -> pd.DataFrame:
    """Families of notebooks: one too large for the test set, the others of one to five."""
    n = len(ids)
    sizes = [n // 4 + 3]
    while sum(sizes) < n:
        sizes.append(min(int(rng.choice([1, 1, 1, 2, 3, 5])), n - sum(sizes)))
    family = np.repeat(np.arange(len(sizes)), sizes)
    rng.shuffle(family)
    ancestors = [_hex_id(rng, 8) for _ in sizes]
    parents = [_parent(rng, ids) for _ in ids]
    return pd.DataFrame({"id": ids, "ancestor_id": [ancestors[each] for each in family], "parent_id": parents})


def _parent(rng: np.random.Generator, ids: list[str]) -> str | None:
    """A notebook that is not in the data, one that is, or most often none."""
    if rng.random() < 0.2:
        return _hex_id(rng, 14)
    if rng.random() < 0.1:
        return ids[int(rng.integers(len(ids)))]
    return None


def _notebook(rng: np.random.Generator, number: int) -> tuple[dict[str, dict[str, str]], str]:
    """The content of a JSON file, and the true order of its cells."""
    steps = rng.permutation(len(STEPS))[: int(rng.integers(1, 6))]
    code: list[str] = []
    markdown: list[str] = []
    order: list[str] = []
    source: dict[str, str] = {}
    for place, step in enumerate(steps):
        name = STEPS[step]
        code_cell, heading = _hex_id(rng, 8), _hex_id(rng, 8)
        # Quotes, an accent and a dash: JSON must escape them, and files must be copied as they are.
        source[heading] = f'## {name.title()} the "data" — étape {place}\n\nSee `{name}_{number}`, 100% sure'
        source[code_cell] = f"df = {name}_{number}(df)\nprint(df.shape)  # {place}"
        order += [heading, code_cell]
        markdown.append(heading)
        code.append(code_cell)
    if rng.random() < 0.3:
        farewell = _hex_id(rng, 8)
        source[farewell] = "Thanks for reading 🙏"
        order.append(farewell)
        markdown.append(farewell)
    shown = code + [markdown[i] for i in rng.permutation(len(markdown))]
    content = {
        "cell_type": {cell: "code" if cell in code else "markdown" for cell in shown},
        "source": {cell: source[cell] for cell in shown},
    }
    return content, " ".join(order)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write notebooks with their orders and ancestors, and two unused test notebooks of Kaggle's own."""
    rng = np.random.default_rng(seed)
    n = 120 * scale
    ids = sorted({_hex_id(rng, 14) for _ in range(n + 5)})[:n]
    _ancestors(rng, ids).to_csv(raw / "train_ancestors.csv", index=False)
    (raw / "train").mkdir()
    (raw / "test").mkdir()
    orders = []
    for number, notebook in enumerate(ids):
        content, order = _notebook(rng, number)
        (raw / f"train/{notebook}.json").write_text(json.dumps(content))
        if number < 2:
            (raw / f"test/{notebook[::-1]}.json").write_text(json.dumps(content))
        orders.append(order)
    train = pd.DataFrame({"id": ids, "cell_order": orders})
    train.to_csv(raw / "train_orders.csv", index=False)
    hidden = train.head(2).assign(id=[notebook[::-1] for notebook in ids[:2]])
    hidden.to_csv(raw / "sample_submission.csv", index=False)


def _neighbours_swapped(case: Case) -> Iterator[str]:
    for order in case.truth:
        cells = order.split()
        for _ in range(len(cells) // 2):
            i = int(case.rng.integers(len(cells) - 1))
            cells[i], cells[i + 1] = cells[i + 1], cells[i]
        yield " ".join(cells)


def _wrong_cells(case: Case) -> dict[str, Cell]:
    longest = max(case.truth, key=lambda order: len(order.split()))
    cells = longest.split()
    orders = {
        "missing_cell": cells[1:],
        "extra_cell": [*cells, "00000000"],
        "unknown_cell": ["zzzzzzzz", *cells[1:]],
        "repeated_cell": [cells[1], *cells[1:]],
    }
    return {name: Cell(" ".join(order), row=case.truth.tolist().index(longest)) for name, order in orders.items()}


submissions = Submissions(
    answers="private/test_orders.csv",
    read={"dtype": str},
    guess=lambda case: list(_neighbours_swapped(case)),
    usual=Usual(cells="perfect", wrong_column="order", no_id_column="Id", extra_first={"note": "x"}),
    constants={"numbers": 1},
    each={"reversed": lambda x: " ".join(x.split()[::-1]), "spaces": lambda x: f"  {x.replace(' ', '   ')} "},
    variants=["header_only"],
    special=_wrong_cells,
)
