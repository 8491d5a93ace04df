"""What checks found stands in the page and on the leaderboard; files of strangers are data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graded import write_group

from mlebench import api
from mlebench.results.checks import CheckResult, in_words
from mlebench.results.groups import open_group

COMPETITION = "spaceship-titanic"


def checked_group(folder: Path) -> Path:
    group = write_group(folder, [COMPETITION], (0, 1))
    first, second = (run.record.run_id for run in open_group(group).runs)
    passage = {"file": "s.py", "line": 3, "code": ["a = <b>1</b>", "b = 2"], "kernel_line": 7, "kernel_code": ["x = 1"]}
    copied = {"run_id": first, "disqualified": True, "highest_similarity": 0.93, "kernel": "k/someone__nb.py"}
    (group / "plagiarism.json").write_text(
        json.dumps({"submissions": [{**copied, "passages": [passage]}, {"run_id": second, "disqualified": False}]}),
        encoding="utf-8",
    )
    finding = {"rule": "external_model", "strength": "strong", "message": "It asks <i>.", "file": "/a/s.py", "line": 4}
    verdicts = {"manual_predictions": False, "external_model": True, "outside_resources": None}
    (group / "violations.json").write_text(
        json.dumps({"submissions": [{"run_id": first, "verdicts": verdicts, "findings": [finding]}]}), encoding="utf-8"
    )
    return group


def test_the_page_shows_checks_and_passages_side_by_side(tmp_path: Path) -> None:
    group = checked_group(tmp_path / "group")
    page = Path(str(api.report(group, output=tmp_path / "page.html"))).read_text(encoding="utf-8")
    for words in (
        "violations failed, plagiarism failed",
        "violations not checked, plagiarism passed",
        "someone__nb.py",
    ):
        assert words in page
    assert "a = &lt;b&gt;1&lt;/b&gt;" in page and "x = 1" in page and "It asks &lt;i&gt;." in page
    assert 'class="sides"' in page and "s.py:4" in page


def test_without_checks_the_page_has_no_section(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", [COMPETITION])
    page = Path(str(api.report(group, output=tmp_path / "page.html"))).read_text(encoding="utf-8")
    assert 'id="checks"' not in page and "not checked" in page


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"submissions": 3}', '{"submissions": [1, {"run_id": 2}]}', "[" * 100_000, "\udc80"]
)
def test_a_file_in_another_form_is_no_check(tmp_path: Path, content: str) -> None:
    group = write_group(tmp_path / "group", [COMPETITION])
    (group / "plagiarism.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    (run,) = open_group(group).runs
    assert set(run.checks.values()) == {CheckResult.NEVER}
    assert run.report is not None and not run.report.is_disqualified


def test_counts_in_words() -> None:
    assert in_words({"violations": {"passed": 2, "unclear": 1}, "plagiarism": {}}) == (
        "violations 2 passed, 1 unclear; plagiarism not checked"
    )
