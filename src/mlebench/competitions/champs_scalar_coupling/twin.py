"""Twin of champs-scalar-coupling: clouds of a few atoms whose coupling falls with their distance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Constants with errors large, tiny and none, repeated ids, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    everything = examples.table(prepared, "private/answers.csv")
    answers, kinds = everything[["id", CONSTANT]], everything["type"]
    truth = answers[CONSTANT]

    def table(values: Any) -> pd.DataFrame:
        return answers.assign(**{CONSTANT: values})

    noise = rng.normal(0, 1, len(answers)) * np.where(kinds.str.startswith("1"), 5, 0.7)
    noisy = table(truth + noise)
    yield Example("perfect", answers, "the answers themselves: minus infinity")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: 0 everywhere")
    yield Example("noisy", noisy, "the answers with noise, more of it across one bond")
    yield examples.shuffled(noisy, seed)
    yield Example("almost_perfect", table(truth + 1e-6), "a millionth too high")
    yield Example("below_floor", table(truth * (1 + 1e-15) + 1e-14), "errors much smaller than 1e-9")
    one_right = table(truth.where(kinds == kinds.mode()[0], noisy[CONSTANT]))
    yield Example("one_type_perfect", one_right, "as noisy, but one type exactly right: minus infinity")
    yield Example("integers", table(truth.round().astype(int)), "rounded to whole numbers")
    yield Example("negated", table(-truth), "all signs wrong")
    yield Example("huge", table(1e200), "1e200 everywhere")
    yield Example("float_ids", noisy.astype({"id": float}), "as noisy, ids written with .0")
    more = noisy.assign(type="1JHC", note="x")[["note", "type", CONSTANT, "id"]]
    yield Example("extra_column", more, "as noisy, two more columns and another order")
    yield examples.missing_row(answers)
    again = pd.concat([noisy, noisy.head(1)])
    yield Example("extra_row", again, "a row repeated at the end: accepted, counts twice")
    other = pd.concat([noisy, examples.with_cell(noisy.head(1), CONSTANT, 1000)])
    yield Example("extra_row_other", other, "a second value for one id: accepted, both count")
    yield examples.duplicate_id(answers, "id")
    yield examples.unknown_id(answers, "id", 10**9)
    yield Example("text_id", examples.with_first(answers, "id", "x"), "an id that is a word")
    yield examples.renamed(answers, CONSTANT, "value")
    yield examples.renamed(answers, "id", "Id", "no_id_column")
    yield Example("nan", examples.with_cell(noisy, CONSTANT, None), "an empty prediction")
    yield Example("infinite", examples.with_cell(noisy, CONSTANT, "inf"), "an infinite prediction")
    yield Example("text", examples.with_cell(noisy, CONSTANT, "high"), "a prediction that is not a number")
    yield examples.empty()
