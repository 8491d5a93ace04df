"""Twin of champs-scalar-coupling: clouds of a few atoms whose coupling falls with their distance."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

CONSTANT = "scalar_coupling_constant"
# How strong each type is at close range; the last letter is the element that hydrogen couples with.
STRENGTH = {
    "1JHC": 95.0,
    "1JHN": 47.0,
    "2JHC": -1.0,
    "2JHH": -10.0,
    "2JHN": 3.0,
    "3JHC": 4.0,
    "3JHH": 5.0,
    "3JHN": 1.0,
}
PAIR = ["molecule_name", "atom_index_0", "atom_index_1", "type"]
ATOM = ["molecule_name", "atom_index"]
COLUMNS = {
    "train": [*PAIR, CONSTANT],
    "test": PAIR,
    "structures": [*ATOM, "atom", "x", "y", "z"],
    "dipole_moments": ["molecule_name", "X", "Y", "Z"],
    "magnetic_shielding_tensors": [*ATOM, "XX", "YX", "ZX", "XY", "YY", "ZY", "XZ", "YZ", "ZZ"],
    "mulliken_charges": [*ATOM, "mulliken_charge"],
    "potential_energy": ["molecule_name", "potential_energy"],
    "scalar_coupling_contributions": [*PAIR, "fc", "sd", "pso", "dso"],
}

Rows: TypeAlias = dict[str, list[tuple[Any, ...]]]


def _atoms(rng: np.random.Generator) -> tuple[list[str], NDArray[np.float64]]:
    """Elements and places: carbon, perhaps nitrogen, hydrogens, perhaps fluorine."""
    elements = ["C", "N"][: rng.integers(1, 3)] + ["H"] * int(rng.integers(3, 6))
    if rng.random() < 0.2:
        elements.append("F")
    places = rng.normal(0, 1.2, (len(elements), 3)).round(10)
    places[0] = [0.0, 1e-05 * rng.integers(1, 9), -0.0126981359]  # a tiny number is rewritten with an exponent
    return elements, places


def _pairs(rng: np.random.Generator, elements: list[str]) -> list[tuple[int, int, str]]:
    """Up to eight pairs of a hydrogen and an atom before it, with their types; fluorine comes after all of them."""
    pairs = []
    for first in (index for index, element in enumerate(elements) if element == "H"):
        for second in range(first):
            types = [each for each in STRENGTH if each.endswith(f"H{elements[second]}")]
            pairs.append((first, second, str(rng.choice(types))))
    return [pairs[kept] for kept in sorted(rng.permutation(len(pairs))[:8])]


def _xyz(elements: list[str], places: NDArray[np.float64]) -> str:
    lines = [f"{element} {x} {y} {z}" for element, (x, y, z) in zip(elements, places, strict=True)]
    return "\n".join([str(len(elements)), "", *lines, ""])


def _add_molecule(rng: np.random.Generator, rows: Rows, name: str, raw: Path, *, known: bool) -> None:
    """Add the rows of one molecule to all tables; of one that is not known, only its atoms and pairs."""
    elements, places = _atoms(rng)
    (raw / f"structures/{name}.xyz").write_text(_xyz(elements, places), encoding="ascii")
    atoms = enumerate(zip(elements, places, strict=True))
    rows["structures"] += [(name, index, element, *place) for index, (element, place) in atoms]
    pairs = _pairs(rng, elements)
    if not known:
        rows["test"] += [(name, *pair) for pair in pairs]
        return
    for first, second, kind in pairs:
        distance = float(np.linalg.norm(places[first] - places[second]))
        contact = STRENGTH[kind] / (0.5 + distance) + rng.normal(0, 0.3)
        parts = [contact, *rng.normal(0, 0.1, 3)]
        rows["train"].append((name, first, second, kind, round(sum(parts), 6)))
        rows["scalar_coupling_contributions"].append((name, first, second, kind, *np.round(parts, 6)))
    rows["dipole_moments"].append((name, *rng.normal(0, 1, 3).round(4)))
    rows["potential_energy"].append((name, -round(float(rng.uniform(40, 420)), 5)))
    for index in range(len(elements)):
        rows["magnetic_shielding_tensors"].append((name, index, *rng.normal(30, 60, 9).round(4)))
        rows["mulliken_charges"].append((name, index, round(float(rng.normal(0, 0.3)), 6)))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write molecules of which some are Kaggle's own test set: their structures are known, but no constants."""
    rng = np.random.default_rng(seed)
    n = 70 * scale
    numbers = np.sort(rng.choice(np.arange(1, 133885), n, replace=False))
    names = [f"dsgdb9nsd_{number:06d}" for number in numbers]
    unknown = set(rng.choice(names, 8 * scale, replace=False))
    (raw / "structures").mkdir()
    rows: Rows = {table: [] for table in COLUMNS}
    # Nearly sorted by name, so that it shows whether preparation sorts the molecules.
    for position in np.argsort(np.arange(n) + rng.normal(0, 1.5, n)):
        name = names[position]
        _add_molecule(rng, rows, name, raw, known=name not in unknown)
    tables = {table: pd.DataFrame(rows[table], columns=columns) for table, columns in COLUMNS.items()}
    train, test = tables["train"], tables["test"]
    train.insert(0, "id", range(len(train)))
    test.insert(0, "id", range(len(train), len(train) + len(test)))
    parts = tables["scalar_coupling_contributions"].sort_values(["type", "molecule_name"], kind="stable")
    tables["scalar_coupling_contributions"] = parts
    tables["sample_submission"] = test[["id"]].assign(**{CONSTANT: 0.0})
    for name, table in tables.items():
        table.to_csv(raw / f"{name}.csv", index=False)


def _guess(case: Case) -> Any:
    """The answers with noise, more of it across one bond."""
    return case.truth + case.rng.normal(0, 1, case.n) * np.where(case.full["type"].str.startswith("1"), 5, 0.7)


def _repeated_rows(case: Case) -> dict[str, Any]:
    """Rows given twice are accepted, and both count."""
    other = examples.with_cell(case.noisy.head(1), CONSTANT, 1000)
    return {"extra_row": pd.concat([case.noisy, case.noisy.head(1)]), "extra_row_other": pd.concat([case.noisy, other])}


submissions = Submissions(
    guess=_guess,
    usual=Usual(wrong_column="value", no_id_column="Id", extra_first={"note": "x", "type": "1JHC"}),
    cells={"text_id": Cell("x", column="id", of="perfect"), "infinite": "inf", "text": "high"},
    constants={"huge": 1e200},
    each={
        "almost_perfect": lambda value: value + 1e-6,
        "below_floor": lambda value: value * (1 + 1e-15) + 1e-14,  # errors much smaller than 1e-9
        "integers": round,
        "negated": lambda value: -value,
    },
    variants=["float_ids"],
    special=lambda case: {
        **_repeated_rows(case),
        # As noisy, but one type exactly right: minus infinity.
        "one_type_perfect": case.truth.where(case.full["type"] == case.full["type"].mode()[0], case.guess),
    },
)
