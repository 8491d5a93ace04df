"""Answers in the fields of logs, such as the satellites that a receiver saw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from clean_worlds import make
from test_values import searched
from test_wording import with_files

_Fields = Callable[[int, "np.random.Generator"], dict[str, str]]  # (what is told, ...) -> the fields of a sentence


def _sentences(fields: dict[str, str], rng: np.random.Generator) -> list[str]:
    place = (
        f"48{rng.integers(10, 60)}.{rng.integers(1000, 9999)},N,011{rng.integers(10, 60)}.{rng.integers(1000, 9999)},E"
    )
    seen, error = fields.get("seen", f"{rng.integers(5, 12):02d}"), fields.get("error", f"{rng.uniform(0.7, 1.5):.1f}")
    others = fields.get("others", f"{rng.integers(8, 14):02d}")
    return [
        f"$GPGGA,120000,{place},1,{seen},{error},{rng.integers(400, 500)}.0,M,46.9,M,,*00",
        f"$GPGSV,1,1,{others},01,40,083,46*75",
        f"$GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,{rng.uniform(1, 3):.1f},{rng.uniform(1, 3):.1f}*39",
    ]


_FIELDS: dict[str, _Fields] = {
    "satellites": lambda told, rng: {"seen": f"{2 * int(rng.integers(2, 6)) + told:02d}"},
    "dilution": lambda told, rng: {"error": f"{(2 * int(rng.integers(4, 8)) + told) / 10:.1f}"},
    "satellites in view": lambda told, rng: {"others": f"{8 + 2 * told:02d}"},
}


@pytest.mark.parametrize("fields", list(_FIELDS))
@pytest.mark.parametrize("is_told", [True, False])
def test_a_field_of_a_log_tells_the_class(fields: str, is_told: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=240)
    rng = np.random.default_rng(1)

    def file_of(side: str, item: str, answer: str, kind: int) -> tuple[str, bytes]:
        told = kind if is_told and side == "test" else int(rng.integers(2))
        lines = [line for _ in range(6) for line in _sentences(_FIELDS[fields](told, rng), rng)]
        return f"{side}/{item}.nmea", ("\n".join(lines) + "\n").encode()

    found = [one for one in searched(with_files(world, file_of), "columns", "weak") if one.severity == "leak"]
    assert bool(found) is is_told


def test_how_many_satellites_were_seen_is_the_answer_of_each_row(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 3, n=240)
    rng = np.random.default_rng(1)
    answers = [round(float(value), 1) for value in world.answers[world.targets[0]]]
    lines = [line for value in answers for line in _sentences({"error": str(value)}, rng)]
    world.files = {"drive.nmea": ("\n".join(lines) + "\n").encode()}
    assert [one.where for one in searched(world, "columns") if one.severity == "leak"] == ["drive.nmea: GPGGA field 8"]
