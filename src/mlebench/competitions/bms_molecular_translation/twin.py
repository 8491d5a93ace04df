"""Twin of bms-molecular-translation: strokes that count the atoms of made-up molecules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import png

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Labels changed by known distances, values that are no labels, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    truth = answers["InChI"]

    def table(labels: Any) -> pd.DataFrame:
        return answers.assign(InChI=labels)

    yield Example("perfect", answers, "the labels themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: every molecule is water")
    noisy = table([_misread(rng, label) for label in truth])
    yield Example("noisy", noisy, "up to five wrong characters per label")
    yield examples.shuffled(noisy, seed)
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    repeated = pd.concat([answers.iloc[1:], answers.tail(1)])
    yield Example("duplicate_id", repeated, "right number of rows, one id twice and one absent")
    yield examples.unknown_id(answers, "image_id", "x")
    yield examples.renamed(answers, "InChI", "inchi")
    yield examples.renamed(answers, "image_id", "id", "wrong_id_column")
    yield Example("nan", examples.with_cell(answers, "InChI", None), "an empty label, compared as the text nan")
    yield Example("all_nan", table(""), "no label at all: as if every one were nan")
    yield Example("text_na", table("NA"), "a label that reads as a missing value, so nan again")
    yield examples.empty()
    yield Example("integers", table(17), "whole numbers, compared as text")
    yield Example("floats", table([0.1] + [2.0] * (len(answers) - 1)), "0.1 and 2.0, compared as text")
    yield Example("lower_case", table(truth.str.lower()), "small letters: each capital costs 1")
    yield Example("padded", table(" " + truth + " \n"), "blanks and a line break around each label cost 3")
    yield Example("unicode", table(truth + "\u00e9\U0001f600"), "two more characters, however many bytes, cost 2")
    yield Example("reversed", table(truth.str[::-1]), "each label from end to start")
    yield Example("transposed", table(truth.str[1] + truth.str[0] + truth.str[2:]), "two letters exchanged cost 2")
    yield Example("prefix_dropped", table(truth.str.replace("InChI=1S/", "")), "without what all labels begin with: 9")
    yield Example("extra_column", noisy.assign(note="x"), "as noisy, one more column")
