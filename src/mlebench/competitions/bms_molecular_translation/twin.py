"""Twin of bms-molecular-translation: strokes that count the atoms of made-up molecules."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import png
from mlebench.twins.kit.submissions import Submissions, Usual

WATER = "InChI=1S/H2O/h1H2"


@dataclass(frozen=True)
class Molecule:
    """A chain or ring of carbon with some oxygen and nitrogen."""

    carbon: int
    oxygen: int
    nitrogen: int
    ring: bool

    @classmethod
    def random(cls, rng: np.random.Generator) -> Molecule:
        """Any small molecule."""
        return cls(int(rng.integers(1, 12)), int(rng.integers(0, 4)), int(rng.integers(0, 3)), rng.random() < 0.3)

    @property
    def inchi(self) -> str:
        """A text with the layers of an InChI; chemists would object to it."""
        hydrogen = 2 * self.carbon + 2 + self.nitrogen - 2 * self.ring
        formula = f"C{self.carbon}H{hydrogen}{_atoms('N', self.nitrogen)}{_atoms('O', self.oxygen)}"
        bonds = "-".join(map(str, range(1, self.carbon + 1)))
        bonds += f"({self.carbon + 1})" * (self.oxygen > 0) + "-1" * self.ring
        hydrogens = f"{self.carbon}H,1-{self.carbon - 1}H2" if self.carbon > 1 else "1H4"
        hydrogens += ",1H3" * (self.oxygen > 0)
        stereo = f"/t1-,{self.carbon}+/m0/s1" * self.ring
        return f"InChI=1S/{formula}/c{bonds}/h{hydrogens}{stereo}"

    def picture(self, rng: np.random.Generator, *, optimize: bool = True) -> bytes:
        """A black-and-white drawing with a zigzag of carbon, lines for the rest, and speckles."""
        pixels = np.full((int(rng.integers(20, 28)), int(rng.integers(26, 32))), 255, np.uint8)
        for atom in range(self.carbon):
            pixels[4 + 3 * (atom % 2), 2 + 2 * atom : 4 + 2 * atom] = 0
        pixels[12, : 3 * self.oxygen] = 0
        pixels[14, : 3 * self.nitrogen] = 0
        if self.ring:
            pixels[16:18, :8] = 0
        pixels[rng.random(pixels.shape) < 0.01] = 0
        return png(pixels, optimize=optimize)


def _atoms(element: str, count: int) -> str:
    """The element with its count, as in a formula."""
    return "" if count == 0 else element if count == 1 else f"{element}{count}"


def _hashed(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()[:12]


def _place(folder: Path, image: str, content: bytes) -> None:
    """Write a picture into the three nested folders that its id begins with."""
    path = folder / image[0] / image[1] / image[2] / f"{image}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled drawings, InChI strings without drawings, and an unused test set of Kaggle's own."""
    rng = np.random.default_rng(seed)
    ids = [_hashed(f"{seed}-{number}") for number in range(90 * scale)]
    # Ids are text, also when they look like a whole number or like a float.
    ids[5] = f"0000{seed:02d}687605"[:12]
    ids[6] = f"12e4{seed:02d}000000"[:12]
    labels = []
    for image in ids:
        molecule = Molecule.random(rng)
        _place(raw / "train", image, molecule.picture(rng))
        labels.append(molecule.inchi)
    pd.DataFrame({"image_id": ids, "InChI": labels}).to_csv(raw / "train_labels.csv", index=False)
    hidden = [_hashed(f"t{seed}-{number}") for number in range(3)]
    for image in hidden:
        _place(raw / "test", image, Molecule(3, 1, 0, ring=False).picture(rng, optimize=False))
    pd.DataFrame({"image_id": hidden, "InChI": WATER}).to_csv(raw / "sample_submission.csv", index=False)
    # DOS line ends, quotes without need and no final line break: the file must be handed on as it is.
    extra = ["InChI", *(f'"{Molecule(carbon, 1, 0, ring=True).inchi}"' for carbon in range(2, 12))]
    (raw / "extra_approved_InChIs.csv").write_bytes("\r\n".join(extra).encode("ascii"))


def _misread(rng: np.random.Generator, label: str) -> str:
    """Up to five characters replaced, left out or put in."""
    characters = list(label)
    for _ in range(int(rng.integers(0, 6))):
        mistake, place = int(rng.integers(3)), int(rng.integers(len(characters)))
        if mistake == 0:
            characters[place] = "7"
        elif mistake == 1:
            del characters[place]
        else:
            characters.insert(place, "(")
    return "".join(characters)


submissions = Submissions(
    guess=lambda case: [_misread(case.rng, label) for label in case.truth],
    usual=Usual(cells="perfect", twice="last_row", wrong_column="inchi", wrong_id_column="id", extra={"note": "x"}),
    constants={"text_na": "NA", "integers": 17},
    each={
        "padded": " {} \n".format,  # costs 3
        "unicode": "{}\u00e9\U0001f600".format,  # two characters, however many bytes
        "reversed": lambda label: label[::-1],
        "transposed": lambda label: label[1] + label[0] + label[2:],  # costs 2
        "prefix_dropped": lambda label: label.replace("InChI=1S/", ""),  # costs 9
    },
    variants=["all_nan", "lower_case"],
    special=lambda case: {"floats": [0.1] + [2.0] * (case.n - 1)},
)
