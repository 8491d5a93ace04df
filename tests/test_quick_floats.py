"""Floats as the default parser of pandas 2 reads them."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.files.handles import RawFolder
from mlebench.files.quick_floats import quick_float

digits = st.text("0123456789", min_size=1, max_size=25)
decimals = st.builds(
    lambda sign, whole, fraction, power: f"{sign}{whole}.{fraction}{power}",
    st.sampled_from(["", "-"]),
    digits,
    digits,
    st.just("") | st.integers(-300, 280).map(lambda power: f"e{power}"),
)


def test_by_hand() -> None:
    # 17 digits that a float cannot hold: what is added up is a little off, and so is the quotient.
    assert quick_float("1219354.5887326337") == 1219354.5887326335
    assert quick_float("-7882072.4124908615") == -7882072.4124908606
    assert quick_float("223254714983239E+93") == 223254714983239 * 1e93
    # Zeros in front count among the 17 digits.
    assert quick_float("0.00000000000000004") == 0.0
    assert quick_float("5e-324") == 5e-324


@pytest.mark.parametrize("text", ["0.1", "12345.6789", "-3", "1e5", ".5", "7.", "nan", "inf", " 2.5 "])
def test_short_numbers_are_exact(text: str) -> None:
    assert repr(quick_float(text)) == repr(float(text))


@given(decimals)
def test_is_near(text: str) -> None:
    exact = float(text)
    lost = text.lstrip("-").startswith("0") and exact  # zeros in front push digits out
    if not lost:
        assert quick_float(text) == pytest.approx(exact, rel=1e-14, abs=0)


@pytest.mark.skipif(int(pd.__version__.split(".")[0]) > 2, reason="pandas 3 has no such parser any more")
@given(st.lists(decimals, min_size=1, max_size=50))
def test_agrees_with_pandas_2(texts: list[str]) -> None:
    table = pd.read_csv(io.StringIO("\n".join(["x", *texts, ""])))
    assert table["x"].tolist() == [quick_float(text) for text in texts]


@pytest.mark.parametrize("lean", [False, True])
def test_tables_are_read_with_quick_floats(tmp_path: Path, lean: bool) -> None:
    rows = ["name,size,count,gap", "a,1219354.5887326337,3,", "b,0.5,4,1e-7", 'c,"7882072.4124908615",5,nan']
    (tmp_path / "table.csv").write_text("\n".join([*rows, ""]))
    raw = RawFolder(tmp_path)
    exact, quick = (raw.read_csv("table.csv", lean=lean, quick_floats=each) for each in (False, True))
    assert exact["size"].tolist() == [1219354.5887326337, 0.5, 7882072.4124908615]
    assert quick["size"].tolist() == [1219354.5887326335, 0.5, 7882072.4124908606]
    for name in ("name", "count", "gap"):
        pd.testing.assert_series_equal(quick[name], exact[name])
