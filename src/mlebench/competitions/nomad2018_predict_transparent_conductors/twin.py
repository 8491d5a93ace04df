"""Twin of nomad2018-predict-transparent-conductors: alloys of three metals, with tiny unit cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.archives import zip_csv, zip_members
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Text, Usual, at

FORMATION, BANDGAP = "formation_energy_ev_natom", "bandgap_energy_ev"
RULE = "#" + "=" * 55


def _materials(rng: np.random.Generator, n: int) -> pd.DataFrame:
    aluminium = rng.integers(0, 33, n) / 32
    gallium = (rng.integers(0, 33, n) / 32 * (1 - aluminium)).round(4)
    return pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "spacegroup": rng.choice([12, 33, 167, 194, 206, 227], n),
            "number_of_total_atoms": rng.choice([10.0, 20.0, 30.0, 40.0, 80.0], n),
            "percent_atom_al": aluminium,
            "percent_atom_ga": gallium,
            "percent_atom_in": (1 - aluminium - gallium).round(4),
            "lattice_vector_1_ang": rng.uniform(3, 24, n).round(4),
            "lattice_vector_2_ang": rng.uniform(2, 11, n).round(4),
            "lattice_vector_3_ang": rng.uniform(5, 26, n).round(4),
            "lattice_angle_alpha_degree": rng.normal(90, 0.5, n).round(4),
            "lattice_angle_beta_degree": rng.choice([90.0, 90.0025, 106.1384], n),
            "lattice_angle_gamma_degree": rng.choice([90.0, 120.0, 59.9968], n),
        }
    )


def _with_energies(rng: np.random.Generator, materials: pd.DataFrame) -> pd.DataFrame:
    n = len(materials)
    al, ga, indium = (materials[f"percent_atom_{metal}"] for metal in ("al", "ga", "in"))
    formation = np.abs(0.05 + 0.2 * indium * al + 0.1 * ga + rng.normal(0, 0.02, n)).round(4)
    bandgap = (0.5 + 4 * al + 1.5 * ga + rng.uniform(0, 0.3, n)).round(4)
    return materials.assign(**{FORMATION: formation, BANDGAP: bandgap})


def _geometry(rng: np.random.Generator, material: int) -> bytes:
    lines = [RULE, f"#Synthetic structure {material}", RULE]
    lines += [f"lattice_vector {_point(vector)}" for vector in np.diag(rng.uniform(3, 20, 3))]
    elements = rng.choice(["Al", "Ga", "In", "O"], 3)
    lines += [f"atom {_point(rng.uniform(-5, 15, 3))} {element}" for element in elements]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _point(coordinates: NDArray[np.float64]) -> str:
    return " ".join(f"{x:.7f}" for x in coordinates)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write tables and geometries of labelled materials, and Kaggle's own, which preparation does not use."""
    rng = np.random.default_rng(seed)
    train = _with_energies(rng, _materials(rng, 205 * scale))
    train.loc[3, FORMATION] = 0.0
    test = _materials(rng, 12)
    for name, part in (("train", train), ("test", test)):
        zip_csv(raw / f"{name}.csv.zip", part)
        zip_members(raw / f"{name}.zip", [(f"{name}/{i}/geometry.xyz", _geometry(rng, i)) for i in part["id"]])
    zip_csv(raw / "sample_submission.csv.zip", test[["id"]].assign(**{FORMATION: 0.1779, BANDGAP: 1.8892}))


def _guess(case: Case) -> dict[str, Any]:
    formation = case.answers[FORMATION] + case.rng.uniform(0, 0.1, case.n)
    return {FORMATION: formation, BANDGAP: case.answers[BANDGAP] * case.rng.uniform(0.8, 1.25, case.n)}


submissions = Submissions(
    guess=_guess,
    usual=Usual(twice=None, wrong_column=(BANDGAP, "bandgap"), wrong_column_2=(FORMATION, "formation")),
    cells={**at(2, negative=-0.01), **at(0, BANDGAP, infinite=np.inf), **at(1, BANDGAP, text="big")},
    constants={"zeros": 0},
    variants=["header_only"],
    special=lambda case: {
        "no_id": Text(case.noisy[[BANDGAP, FORMATION]].to_csv(index=False)),  # accepted
        "huge": case.noisy.assign(**{BANDGAP: 1e30}),  # accepted
        "unknown_id": Cell("x", column="id"),  # accepted: ids are not read
    },
)
