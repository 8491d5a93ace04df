"""The rules for submissions: what each accepts, what it refuses, and what it says then."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import InvalidSubmissionError
from mlebench.files.tables import read_csv
from mlebench.kit.rules import (
    aligned,
    as_text,
    class_numbers,
    complete,
    cut_to_whole,
    distributions,
    known_ids,
    numbers,
    one_of,
    probabilities,
    require_columns,
    require_rows,
    same_ids,
    texts,
    truth_values,
    whole_numbers,
)


def table(text: str) -> Any:
    """A table as a submission is read: commas within a line, blanks between the lines."""
    return read_csv(io.BytesIO("\n".join(text.split(" ")).encode()))


def column(cells: str, name: str = "label") -> Any:
    """A column of a submission; `-` is an empty cell."""
    lines = ["id", *(str(number) for number in range(len(cells.split())))]
    values = [name, *("" if cell == "-" else cell for cell in cells.split())]
    return table(" ".join(f"{left},{right}" for left, right in zip(lines, values, strict=True)))[name]


def refused(*words: str) -> Any:
    """Expects a refusal in one whole sentence that holds all these words."""
    pattern = "(?s)" + "".join(f"(?=.*{re.escape(word)})" for word in words) + r".*[.)]$"
    return pytest.raises(InvalidSubmissionError, match=pattern)


ANSWERS = table("id,label a,1 b,0 c,1")


class TestColumns:
    def test_accepted(self) -> None:
        require_columns(ANSWERS, ["label", "id"], exactly=True)
        require_columns(ANSWERS, ["id"])

    def test_missing(self) -> None:
        with refused("lacks the column target;", "it has id, label"):
            require_columns(ANSWERS, ["id", "target"])
        with refused("it has id, 'label ', ' x'."):  # blanks that nobody would see
            require_columns(pd.DataFrame(columns=["id", "label ", " x"]), ["label"])
        with refused("lacks the columns x, y;"):
            require_columns(ANSWERS, ["x", "y"])
        with refused("it has none at all"):
            require_columns(pd.DataFrame(), ["id"])

    def test_many_are_cut_short(self) -> None:
        with refused("c0, c1, c2, c3, c4, c5, c6, c7, … (20 in all)"):
            require_columns(ANSWERS, [f"c{number}" for number in range(20)])

    def test_surplus(self) -> None:
        with refused("must not have the column label: remove it."):
            require_columns(ANSWERS, ["id"], exactly=True)
        with refused("must not have the columns id, label: remove them."):
            require_columns(ANSWERS, [], exactly=True)


class TestRows:
    def test_accepted(self) -> None:
        require_rows(ANSWERS, ANSWERS)

    def test_refused(self) -> None:
        with refused("has 2 rows, but 3 are expected"):
            require_rows(ANSWERS[:2], ANSWERS)
        with refused("has 1 row, but 3 are expected"):
            require_rows(ANSWERS[:1], ANSWERS)
        with refused("has 3 rows, but 1 is expected"):
            require_rows(ANSWERS, ANSWERS[:1])


class TestAligned:
    def test_order_and_further_columns_do_not_matter(self) -> None:
        truth, predicted = aligned(table("note,label,id x,0.3,c y,0.1,a z,0.2,b"), ANSWERS, on="id", target="label")
        assert truth.tolist() == [1, 0, 1]
        assert predicted.tolist() == [0.1, 0.2, 0.3]
        assert truth.index.equals(predicted.index)

    def test_several_targets(self) -> None:
        answers = table("id,x,y a,1,2 b,3,4")
        truth, predicted = aligned(table("y,id,x 8,b,7 6,a,5"), answers, on="id", target=["x", "y"])
        assert truth.to_numpy().tolist() == [[1, 2], [3, 4]]
        assert predicted.to_numpy().tolist() == [[5, 6], [7, 8]]
        assert list(predicted.columns) == ["x", "y"]

    def test_ids_as_decimals(self) -> None:
        _, predicted = aligned(table("id,label 2.0,0.2 1.0,0.1"), table("id,label 1,0 2,0"), on="id", target="label")
        assert predicted.tolist() == [0.1, 0.2]

    def test_ids_as_text_in_a_table_made_by_hand(self) -> None:
        given_ids = pd.DataFrame({"id": pd.Series(["2", "1"], dtype=object), "label": [0.2, 0.1]})
        _, predicted = aligned(given_ids, table("id,label 1,0 2,0"), on="id", target="label")
        assert predicted.tolist() == [0.1, 0.2]

    def test_answers_may_repeat_ids_if_the_rows_match_already(self) -> None:
        answers = table("id,label a,1 a,0")
        _, predicted = aligned(table("id,label a,0.1 a,0.2"), answers, on="id", target="label")
        assert predicted.tolist() == [0.1, 0.2]

    @pytest.mark.parametrize(
        ("submission", "words"),
        [
            ("label 1 2 3", ["lacks the column id"]),
            ("id,guess a,1 b,0 c,1", ["lacks the column label", "id, guess"]),
            ("id,label a,1 b,0", ["2 rows", "3 are expected"]),
            ("id,label a,1 b,0 b,1", ["column id repeats 'b'", "once"]),
            ("id,label a,1 b,0 d,1", ["column id lacks 'c' and has 'd'", "test set"]),
            ("id,label a,1 ,0 c,1", ["column id has empty cells"]),
            ("id,label 1,1 2,0 3,1", ["lacks 'a', 'b', 'c' and has 1, 2, 3,"]),
            ("id,label A,1 b,0 c,1", ["lacks 'a' and has 'A'"]),
        ],
    )
    def test_refused(self, submission: str, words: list[str]) -> None:
        with refused(*words):
            aligned(table(submission), ANSWERS, on="id", target="label")

    @pytest.mark.parametrize(
        ("submission", "words"),
        [
            ("id,label 1,1 x,0 3,1", ["column id must hold numbers, not 'x'"]),
            ("id,label 1,1 2,0 99999999999999999999999,1", ["lacks 3 and has", "9" * 23]),
            ("id,label True,1 False,0 True,1", ["repeats True"]),
            ("id,label 1,1 2.5,0 3,1", ["lacks 2 and has 2.5"]),
        ],
    )
    def test_refused_where_ids_are_numbers(self, submission: str, words: list[str]) -> None:
        with refused(*words):
            aligned(table(submission), table("id,label 1,0 2,0 3,0"), on="id", target="label")

    def test_message_quotes_a_few(self) -> None:
        answers = pd.DataFrame({"id": range(100), "label": 0})
        with refused("lacks 0, 1, 2 and 97 more and has 100, 101, 102 and 97 more"):
            aligned(answers.assign(id=answers["id"] + 100), answers, on="id", target="label")

    def test_message_cuts_long_values(self) -> None:
        answers = pd.DataFrame({"id": pd.Series(["x" * 500], dtype=object), "label": 0})
        with refused("xxx… and has 'y'") as caught:
            aligned(answers.assign(id=pd.Series(["y"], dtype=object)), answers, on="id", target="label")
        assert len(str(caught.value)) < 200

    @given(data=st.data(), count=st.integers(1, 30), kind=st.sampled_from([int, float, str]))
    def test_restores_any_order(self, data: Any, count: int, kind: Callable[[int], Any]) -> None:
        ids = pd.Series([kind(number) for number in range(count)])
        answers = pd.DataFrame({"id": ids.astype(object) if kind is str else ids, "label": range(count)})
        order = data.draw(st.permutations(range(count)))
        truth, predicted = aligned(answers.iloc[list(order)], answers, on="id", target="label")
        assert truth.tolist() == predicted.tolist() == list(range(count))

    @given(st.lists(st.integers(0, 4), min_size=4, max_size=4))
    def test_accepts_permutations_alone(self, ids: list[int]) -> None:
        answers = pd.DataFrame({"id": range(4), "label": range(4)})
        submission = pd.DataFrame({"id": ids, "label": ids})
        if sorted(ids) == [0, 1, 2, 3]:
            assert aligned(submission, answers, on="id", target="label")[1].tolist() == [0, 1, 2, 3]
        else:
            with refused("The column id"):
                aligned(submission, answers, on="id", target="label")


class TestIds:
    @pytest.mark.parametrize("kind", [list, set, tuple, pd.Series, np.array])
    def test_accepted(self, kind: Callable[[list[str]], Any]) -> None:
        same_ids(kind(["a", "b"]), kind(["b", "a"]), "id")
        same_ids(kind(["a", "b", "b"]), ["a", "b"], "id")
        known_ids(kind(["a"]), kind(["a", "b"]), "id")
        known_ids([], ["a", "b"], "id")

    def test_refused(self) -> None:
        with refused("column id has 'x', which the test set does not have"):
            same_ids(["a", "b", "x"], ["a", "b"], "id")
        with refused("column id lacks 'b'"):
            same_ids(["a"], {"a", "b"}, "id")
        with refused("column id has 'x',"):
            known_ids(["x"], ["a", "b"], "id")
        with refused("column id has empty cells"):
            known_ids(["a", None], ["a", "b"], "id")


class TestNumbers:
    @pytest.mark.parametrize(
        ("cells", "values"),
        [
            ("1 2 3", [1, 2, 3]),
            ("0.5 -1e3 7", [0.5, -1000, 7]),
            ("True False True", [1, 0, 1]),
            ("0.1", [0.1]),
        ],
    )
    def test_accepted(self, cells: str, values: list[float]) -> None:
        found = numbers(column(cells))
        assert found.dtype == np.float64
        assert found.tolist() == values

    def test_empty_cells_where_they_are_allowed(self) -> None:
        assert np.array_equal(numbers(column("1 -"), missing=True), [1, math.nan], equal_nan=True)
        assert np.array_equal(numbers(column("True -"), missing=True), [1, math.nan], equal_nan=True)
        assert np.isnan(numbers(column("- -"), missing=True)).all()

    def test_infinities_where_they_are_allowed(self) -> None:
        assert numbers(column("1 inf -inf"), infinite=True).tolist() == [1, math.inf, -math.inf]
        with refused("column label has inf, which is above 1"):
            numbers(column("0.5 inf"), infinite=True, high=1)

    def test_a_table_gives_a_matrix(self) -> None:
        assert numbers(table("x,y 1,2 3,4.5")).tolist() == [[1, 2], [3, 4.5]]
        assert probabilities(table("x,y 1,0 0.5,0.5")).tolist() == [[1, 0], [0.5, 0.5]]

    @pytest.mark.parametrize(
        ("cells", "words"),
        [
            ("1 many 3", ["column label must hold numbers, not 'many'"]),
            ("a b c d e", ["not 'a', 'b', 'c' and 2 more"]),
            ("0.5 -", ["column label has 1 empty cell;", "every row needs a prediction"]),
            ("- 0.5 -", ["2 empty cells;"]),
            ("0.5 inf", ["infinite value"]),
            ("0.5 1.5", ["column label has 1.5, which is above 1"]),
            ("0.5 -0.1", ["column label has -0.1, which is below 0"]),
            ("0.5 True", ["not 'True'"]),
        ],
    )
    def test_refused(self, cells: str, words: list[str]) -> None:
        with refused(*words):
            probabilities(column(cells))

    def test_limits_are_inclusive(self) -> None:
        assert numbers(column("-2 3"), low=-2, high=3).tolist() == [-2, 3]
        with refused("has -2.0, which is below -1.5"):
            numbers(column("-2 3"), low=-1.5)
        with refused("has 3.0, which is above 2"):
            numbers(column("-2 3"), high=2)

    @given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20), st.floats(-5, 5), st.floats(-5, 5))
    def test_lets_through_what_lies_within(self, values: list[float], one: float, other: float) -> None:
        low, high = min(one, other), max(one, other)
        series = pd.Series(values, name="label")
        if all(low <= value <= high for value in values):
            assert numbers(series, low=low, high=high).tolist() == values
        else:
            with refused("The column label has"):
                numbers(series, low=low, high=high)


class TestDistributions:
    def test_accepted(self) -> None:
        assert distributions(table("x,y 0.25,0.75 1,0")).tolist() == [[0.25, 0.75], [1, 0]]
        distributions(table("x,y 0.33333,0.66666"))

    def test_refused(self) -> None:
        with refused("probabilities of 1 of 2 rows do not sum to 1", "0.8"):
            distributions(table("x,y 0.25,0.75 0.4,0.4"))
        with refused("column x has -0.5, which is below 0"):
            distributions(table("x,y -0.5,1.5"))


class TestComplete:
    def test_accepted(self) -> None:
        cells = column("a b")
        assert complete(cells) is cells

    def test_refused(self) -> None:
        with refused("column label has 2 empty cells; every row needs a prediction"):
            complete(column("a - -"))
        with refused("1 empty cell, the first at id 'b'; every row"):
            complete(table("id,label a,x b,").set_index("id")["label"])


class TestTruthValues:
    @pytest.mark.parametrize("cells", ["True False True", "1 0 1", "1.0 0.0 1.0", "true false true", "TRUE FALSE TRUE"])
    def test_accepted(self, cells: str) -> None:
        assert truth_values(column(cells)).tolist() == [True, False, True]

    @pytest.mark.parametrize(
        ("cells", "words"),
        [
            ("True False maybe", ["column label must hold True or False, not 'maybe'"]),
            ("1 0 2", ["not 2"]),
            ("0.5 0 1", ["not 0.5"]),
            ("True - False", ["1 empty cell"]),
            ("yes no yes", ["not 'yes', 'no'"]),
        ],
    )
    def test_refused(self, cells: str, words: list[str]) -> None:
        with refused(*words):
            truth_values(column(cells))


class TestClasses:
    def test_whole_numbers(self) -> None:
        assert whole_numbers(column("1 2.0 -3")).tolist() == [1, 2, -3]
        with refused("column label must hold whole numbers, not 2.5"):
            whole_numbers(column("1 2.5"))
        with refused("more than 18 digits"):  # what scikit-learn takes for a fraction
            whole_numbers(column("1 1e300"))
        assert whole_numbers(column(f"1 {2**63}")).tolist() == [1, 2.0**63]

    def test_class_numbers(self) -> None:
        assert class_numbers(column("1 2.0 3")).tolist() == [1, 2, 3]
        assert class_numbers(column("1 cat 3")).tolist() == ["1", "cat", "3"]
        with refused("whole numbers, not 2.5"):
            class_numbers(column("1 2.5"))
        with refused("1 empty cell"):
            class_numbers(column("1 -"))

    def test_one_of(self) -> None:
        cells = column("cat dog cat")
        assert one_of(cells, {"cat", "dog", "cow"}) is cells
        with refused("column label has 'cow'; it must be one of cat, dog"):
            one_of(column("cat cow"), ["cat", "dog"])
        with refused("column label has an empty cell; it must be one of cat, dog"):
            one_of(column("cat -"), ["cat", "dog"])


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ("a b", ["a", "b"]),
        ("1 2", ["1", "2"]),
        ("0.10 2", ["0.1", "2.0"]),
        ("True False", ["True", "False"]),
        ("a -", ["a", "nan"]),
        ("1 -", ["1.0", "nan"]),
    ],
)
def test_as_text(cells: str, texts: list[str]) -> None:
    assert as_text(column(cells)).tolist() == texts


class TestCutToWhole:
    @pytest.mark.parametrize(
        ("cells", "values"),
        [
            ("1 -2 3", [1, -2, 3]),
            ("1.9 -1.9 -0.9", [1, -1, 0]),
            ("True False", [1, 0]),
            (f"{2**63 - 1} 0", [2**63 - 1, 0]),
        ],
    )
    def test_accepted(self, cells: str, values: list[int]) -> None:
        found = cut_to_whole(column(cells))
        assert found.dtype == np.int64
        assert found.tolist() == values

    def test_texts_are_read_as_python_reads_them(self) -> None:
        assert cut_to_whole(pd.Series(["7", " 8 ", "1_0", "007"], dtype=object)).tolist() == [7, 8, 10, 7]

    @pytest.mark.parametrize(
        ("cells", "words"),
        [
            ("1 many", ["column label must hold whole numbers, not 'many'"]),
            ("1.5 many", ["not '1.5'"]),
            ("1 -", ["column label has 1 empty cell;"]),
            ("1 inf", ["infinite value", "write whole numbers"]),
            ("1 1e300", ["more than 18 digits"]),
            (f"1 {10**30}", ["more than 18 digits"]),
            (f"1 {2**63}", ["more than 18 digits"]),
        ],
    )
    def test_refused(self, cells: str, words: list[str]) -> None:
        with refused(*words):
            cut_to_whole(column(cells))


class TestTexts:
    def test_empty_cells_are_empty_texts(self) -> None:
        assert texts(column("a - 1")) == ["a", "", "1"]
        assert texts(column("- -")) == ["", ""]

    @pytest.mark.parametrize("cells", ["1 2", "1 -", "0.5 2", "True False"])
    def test_a_column_without_text_is_refused(self, cells: str) -> None:
        with refused("column label must hold text"):
            texts(column(cells))

    def test_unless_any_kind_is_welcome(self) -> None:
        assert texts(column("1 2"), any_kind=True) == ["1", "2"]
        assert texts(column("1 - 0.50"), any_kind=True) == ["1.0", "", "0.5"]
        assert texts(column("True False"), any_kind=True) == ["True", "False"]
