"""Metric names, sections of reports, and models that occur in code."""

from __future__ import annotations

import time
from pathlib import Path
from typing import get_args

import pytest

from mlebench.competition import vocabulary
from mlebench.results.artifacts import Report, model_in_code, read_metrics, read_report, sections
from mlebench.results.metric_names import direction, same_metric

METRICS = sorted({*get_args(vocabulary._Score), *get_args(vocabulary._Loss)})


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_itself(metric: str) -> None:
    assert same_metric(metric, metric)
    assert same_metric(metric.upper().replace(" ", "_"), metric)


@pytest.mark.parametrize(
    ("claimed", "true"),
    [
        ("ROC-AUC", "area under the ROC curve"),
        ("auc", "weighted AUC"),
        ("RMSE", "root mean squared error"),
        ("rmsle", "mean column-wise root mean squared logarithmic error"),
        ("multiclass logloss", "multi-class log loss"),
        ("cross-entropy", "log loss"),
        ("QWK", "quadratic weighted kappa"),
        ("mAP@5", "MAP@5"),
        ("f1_score", "micro F1"),
        ("F1", "macro F1"),
        ("MCC", "Matthews correlation coefficient"),
        ("classification accuracy", "accuracy"),
        ("log MAE", "mean log of the mean absolute error per coupling type"),
    ],
)
def test_other_names(claimed: str, true: str) -> None:
    assert same_metric(claimed, true)


@pytest.mark.parametrize(
    ("claimed", "true"),
    [
        ("MAE", "root mean squared error"),
        ("RMSE", "mean column-wise root mean squared logarithmic error"),
        ("MAE", "mean log of the mean absolute error per coupling type"),
        ("accuracy", "area under the ROC curve"),
        ("F1", "F0.5"),
        ("accuracy", "top-1 classification error"),
        ("", "accuracy"),
    ],
)
def test_other_metrics(claimed: str, true: str) -> None:
    assert not same_metric(claimed, true)


def test_directions() -> None:
    assert direction("Maximize") == direction("higher is better") == "higher"
    assert direction("minimise") == direction("lower-is-better") == "lower"
    assert direction("sideways") is None


def test_sections_include_what_is_below_deeper_headings() -> None:
    text = "# Model choice\nOne.\n## Details\nTwo.\n# Preprocessing steps\n```\n# Decisions\n```\n# Other\nThree."
    found = sections(text)
    assert found["model"].split() == ["One.", "Two."]
    assert "decisions" not in found


@pytest.mark.parametrize(
    "headings",
    [
        ("# Model\n", "# Preprocessing\n", "# Decisions\n"),
        ("## 1. The Model ##\n", "## 2. Pre-processing\n", "## 3. Key decisions\n"),
        ("### Model\n", "### Data pre processing\n", "### Modelling decisions\n"),
        ("Model\n=====\n", "Preprocessing\n---\n", "Decisions\n---\n"),
    ],
)
def test_headings_in_many_forms(headings: tuple[str, str, str], tmp_path: Path) -> None:
    for order in (headings, headings[::-1]):
        (tmp_path / "report.md").write_text("# A run\n" + "".join(f"{each}This says enough.\n\n" for each in order))
        assert read_report(tmp_path).problem is None
        for left_out in order:
            text = "".join(f"{each}This says enough.\n\n" for each in order if each != left_out)
            (tmp_path / "report.md").write_text(text)
            assert len(read_report(tmp_path).missing) == 1


@pytest.mark.parametrize("filling", [" ", "#", "\t", ".", "a "])
def test_long_lines_of_a_report_take_bounded_time(filling: str, tmp_path: Path) -> None:
    start = time.process_time()
    (tmp_path / "report.md").write_text(f"# Model{filling * 1_000_000}x\nA random forest it is.\n")
    assert read_report(tmp_path).missing == ("preprocessing", "decisions")
    assert time.process_time() - start < 10  # every part compared with every other takes hours


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[]", b'{"metric": 1}', b"1" * 5000, b'{"a":' * 5000])
def test_bad_metrics(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "metrics.json").write_bytes(content)
    found = read_metrics(tmp_path)
    assert found.exists
    assert found.problem


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("# Model\nThis is a random forest.\n")
    (tmp_path / "report.md").symlink_to(tmp_path / "secret")
    assert not read_report(tmp_path).exists


@pytest.mark.parametrize(
    ("model", "code", "is_found"),
    [
        ("A LightGBM model.", "import lightgbm as lgb", True),
        ("A k-nearest neighbours vote.", "KNeighborsClassifier(5)", True),
        ("We use `TabNet`.", "from pytorch_tabnet import TabNet", True),
        ("A DeBERTa-v3 with a head.", "AutoModel.from_pretrained('microsoft/deberta-v3-base')", True),
        ("A k-NN classifier.", "KNeighborsClassifier(5)", True),
        ("Gradient-boosted trees.", "HistGradientBoostingClassifier()", True),
        ("A small CNN.", "nn.Conv2d(3, 16, 3)", True),
        ("A small CNN.", "import lightgbm", False),
        ("A ResNet50.", "import lightgbm", False),
        ("Something clever.", "import lightgbm", False),
    ],
)
def test_models_in_code(model: str, code: str, is_found: bool, tmp_path: Path) -> None:
    (tmp_path / "solve.py").write_text(code)
    assert (model_in_code(Report(True, model=model), tmp_path) is None) == is_found
