"""The words of declarations: metrics that are known, what people call them, and metrics of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.competition.vocabulary import LOSSES, SCORES, Metric, OwnMetric, nearest_metrics, short_names
from mlebench.errors import MlebenchError
from mlebench.kit import Competition
from mlebench.registry import Registry


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("rmse", "root mean squared error"),
        ("RMSE", "root mean squared error"),
        ("AUC", "area under the ROC curve"),
        ("roc_auc", "area under the ROC curve"),
        ("MAE", "mean absolute error"),
        ("QWK", "quadratic weighted kappa"),
        ("acuracy", "accuracy"),
    ],
)
def test_an_unknown_metric_is_refused_where_it_is_declared(name: str, meant: str) -> None:
    with pytest.raises(MlebenchError, match=f"There is no metric '{name}'. Did you mean '{meant}'") as caught:
        Competition("mine", "Mine", category="Tabular", metric=name)  # type: ignore[arg-type]
    assert f"{__file__}:" in str(caught.value)
    assert "OwnMetric" in str(caught.value)


def test_a_metric_of_ones_own() -> None:
    own = Competition("mine", "Mine", category="Tabular", metric=OwnMetric("profit per customer"))
    assert (own.metric, own.better) == ("profit per customer", "higher")
    loss = Competition("mine", "Mine", category="Tabular", metric=OwnMetric("cost"), better="lower")
    assert loss.better == "lower"


def test_a_known_metric_decides_the_direction() -> None:
    losses: tuple[Metric, ...] = ("root mean squared error", "log loss")
    for metric in losses:
        assert Competition("mine", "Mine", category="Tabular", metric=metric).better == "lower"


def test_a_folder_with_an_unknown_metric_says_where(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "competition.py").write_text(
        "from mlebench.kit import Competition\n\n"
        "competition = Competition('mine', 'Mine', category='Tabular', metric='rmse')\n"
    )
    with pytest.raises(MlebenchError, match=r"mine/competition\.py:3: There is no metric 'rmse'"):
        Registry(tmp_path / "data").with_competitions_dir(tmp_path).get_competition("mine")


def test_the_longest_words_decide_what_a_metric_is_called() -> None:
    assert short_names("root mean squared error") == {"rmse"}
    assert short_names("mean squared error") == {"mse"}
    assert short_names("accuracy") == set()
    assert nearest_metrics("nothing of the kind") == []
    assert SCORES.isdisjoint(LOSSES)
