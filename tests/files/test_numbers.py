"""Texts as numbers: what no parser may stumble over."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

from mlebench.files.tables import to_numbers

# pandas 2 ends the process on the first two.
TEXTS = [
    "961e77934828710379",
    "-96e7793482871037912",
    "1e-77934828710379123",
    "961e77934828710379x",
    "1e5",
    "none",
    " 2 ",
]
NUMBERS = "[inf, -inf, 0.0, nan, 100000.0, nan, 2.0]"


def test_exponents_without_bounds() -> None:
    """In a process of its own, which a fault would end."""
    imports = "import pandas as pd; from mlebench.files.tables import to_numbers"
    code = f"{imports}; print(to_numbers(pd.Series({TEXTS})).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, NUMBERS), done.stderr


@pytest.mark.parametrize("values", [[1, 2], [1.5, None], ["1", None], [True, False]])
def test_the_rest_is_what_pandas_makes_of_it(values: list[object]) -> None:
    column = pd.Series(values, index=[7, 3], name="x")
    pd.testing.assert_series_equal(to_numbers(column), pd.to_numeric(column, errors="coerce"))
