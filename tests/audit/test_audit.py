"""The audit finds what is planted and leaves clean competitions alone; its command says so and prices it."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from clean_worlds import FAMILIES, VARIANTS, make
from command import run_command
from planted_leaks import PLANTS

from mlebench.audit.auditing import MOST_FINDINGS, Audit, audit, audit_or_problem
from mlebench.audit.detectors.together import _distinct
from mlebench.audit.finding import KINDS, SEVERITIES
from mlebench.audit.matching import Aligned, match
from mlebench.audit.table import Table, texts
from mlebench.audit.targets import Items
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.twins import write_twin

# A sample by default; all kinds with MLEBENCH_AUDIT=all, and many seeds in benchmarks/audit.
EVERYTHING = os.environ.get("MLEBENCH_AUDIT") == "all"
SAMPLE = (
    "answers_in_nested_zip",
    "column_md5",
    "ids_with_parity",
    "answers_as_pickle",
    "text_in_png",
    "rows_of_sample_sorted",
    "duplicates_with_new_ids",
)
KNOWN = {
    "cassava-leaf-disease-classification": ("leak", "answers_in_public", "target"),
    "hubmap-kidney-segmentation": ("leak", "answers_in_public", ".json"),
    "random-acts-of-pizza": ("leak", "predictive_artifact", "giver_username_if_known"),
    "denoising-dirty-documents": ("leak", "answers_in_public", "train_cleaned"),
    "invasive-species-monitoring": ("suspicious", "missing_inputs", "test.7z"),
    "champs-scalar-coupling": ("suspicious", "missing_inputs", "molecule_name"),
    "multi-modal-gesture-recognition": ("leak", "answers_in_public", ".mat"),
    "smartphone-decimeter-2022": ("leak", "answers_in_public", "nmea"),
    "siim-isic-melanoma-classification": ("leak", "answers_in_public", "target"),
    "ranzcr-clip-catheter-line-classification": ("suspicious", "unseen_labels", "CVC - Normal"),
    "tensorflow-speech-recognition-challenge": ("suspicious", "unseen_labels", "label"),
}
SAMPLED_TWINS = tuple(KNOWN)[:4]


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.simplefilter("ignore")


def audited(folder: Path, family: str, variant: str, kind: str | None = None) -> Audit:
    world = make(folder, family, 11, variant, n=300)
    if kind is not None:
        PLANTS[kind][0](world)
    return audit(world.write())


@pytest.mark.parametrize("kind", list(PLANTS) if EVERYTHING else SAMPLE)
def test_a_planted_leak_is_found_and_priced(kind: str, tmp_path: Path) -> None:
    family = PLANTS[kind][1][0]
    found = audited(tmp_path, family, "plain", kind)
    leaks = [finding for finding in found.findings if finding.severity == "leak"]
    assert leaks, found
    assert len(found.findings) <= MOST_FINDINGS
    worth = leaks[0].worth
    assert worth is not None
    assert worth.sample_score is not None
    lower = family in ("regression", "onehot")
    if kind.startswith("sample_"):  # the sample may have all of it itself
        assert worth.score <= worth.sample_score if lower else worth.score >= worth.sample_score
    else:
        assert worth.score < worth.sample_score if lower else worth.score > worth.sample_score


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("family", "variant"),
    [(family, variant) for family in FAMILIES for variant in VARIANTS]
    if EVERYTHING
    else [("binary", "strong"), ("multiclass", "repeated"), ("regression", "trend"), ("pictures", "metadata")],
)
def test_a_clean_competition_raises_no_alarm(family: str, variant: str, tmp_path: Path) -> None:
    found = audited(tmp_path, family, variant)
    raised = {(finding.kind, finding.severity) for finding in found.findings if finding.severity != "note"}
    assert raised <= ({("duplicates", "suspicious")} if variant == "repeated" else set())
    assert not [note for note in found.notes if note.startswith("the search")]


@pytest.mark.every_case
@pytest.mark.parametrize("competition_id", KNOWN if EVERYTHING else SAMPLED_TWINS)
def test_what_is_known_of_twins_is_found(competition_id: str, tmp_path: Path) -> None:
    competition = Registry(tmp_path).get_competition(competition_id)
    write_twin(competition, competition.home)
    prepare(competition)
    severity, kind, where = KNOWN[competition_id]
    found = audit(competition).findings
    assert any(entry.severity == severity and entry.kind == kind and where in entry.where for entry in found), found


def test_rows_that_ask_for_several_columns_of_train_say_which(tmp_path: Path) -> None:
    competition = Registry(tmp_path).get_competition("rsna-2022-cervical-spine-fracture-detection")
    write_twin(competition, competition.home)
    prepare(competition)
    assert [found.where for found in audit(competition).findings if found.severity == "leak"] == []


def test_the_command_prints_the_schema_and_fails_on_a_leak(tmp_path: Path) -> None:
    prepared = run_command("prepare", "-c", "practice-wine", "--data-dir", tmp_path, cwd=tmp_path)
    assert prepared.code == 0
    clean = run_command("audit", "-c", "practice-wine", "--data-dir", tmp_path, "--json", cwd=tmp_path)
    assert clean.code == 0, clean.out
    public = tmp_path / "practice-wine" / "prepared" / "public"
    private = public.parent / "private" / "test.csv"
    (public / ".old").mkdir()
    (public / ".old" / "x.dat").write_bytes(private.read_bytes())
    (public / "pipe").unlink(missing_ok=True)
    os.mkfifo(public / "pipe")
    leaking = run_command("audit", "-c", "practice-wine", "--data-dir", tmp_path, "--json", cwd=tmp_path)
    assert leaking.code == 1
    [competition] = json.loads(leaking.out)["competitions"]
    assert set(competition) == {"competition_id", "edition", "findings", "failed_searches"}
    assert competition["failed_searches"] == []
    for finding in competition["findings"]:
        assert set(finding) == {"kind", "severity", "where", "evidence", "worth"}
        assert finding["kind"] in KINDS
        assert finding["severity"] in SEVERITIES
        assert finding["worth"] is None or set(finding["worth"]) == {"score", "sample_score"}
    assert competition["findings"][0]["where"].startswith(".old/x.dat")
    assert competition["findings"][0]["worth"]["score"] < 0.001
    missing = run_command("audit", "-c", "practice-wine", "-c", "practice-digits", "--data-dir", tmp_path, cwd=tmp_path)
    assert missing.code == 1
    assert "practice-wine (v1" in missing.out
    assert "practice-digits is not prepared" in missing.err


def test_damaged_data_is_one_sentence(tmp_path: Path) -> None:
    competition = make(tmp_path, "binary", 1, n=60).write()
    competition.sample_submission.write_bytes(b"\xff\xfe\0\0\x01")
    problem = audit_or_problem(competition).problem
    assert problem is not None
    assert "cannot be audited" in problem


def test_a_damaged_archive_and_a_link_are_passed_over(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 1, n=120)
    world.files["broken.zip"] = b"PK\x03\x04 nothing"
    competition = world.write()
    (competition.public_dir / "link.csv").symlink_to(competition.answers)
    found = audit(competition)
    assert any("broken.zip" in note for note in found.notes)
    assert not found.leaks


def test_scores_that_nobody_reaches_honestly(tmp_path: Path) -> None:
    report = {
        "competition_id": "google-quest-challenge",
        "score": 0.99,
        "gold_threshold": 0.42,
        "silver_threshold": 0.40,
        "bronze_threshold": 0.38,
        "median_threshold": 0.36,
        "any_medal": True,
        "gold_medal": True,
        "silver_medal": False,
        "bronze_medal": False,
        "above_median": True,
        "submission_exists": True,
        "valid_submission": True,
        "is_lower_better": False,
        "created_at": "2026-01-01T00:00:00",
        "submission_path": "submission.csv",
    }
    reports = [report | {"score": score} for score in (0.40, 0.99, 1.0)]
    path = tmp_path / "grading.json"
    path.write_text(json.dumps({"competition_reports": reports}))
    ran = run_command("audit", "--results", path, "--json", "--data-dir", tmp_path, cwd=tmp_path)
    assert ran.code == 1, ran.err
    found = json.loads(ran.out)
    assert {(entry["score"], entry["code"]) for entry in found["suspicious"]} >= {
        (0.99, "beyond_humans"),
        (1.0, "perfect"),
    }
    assert not [entry for entry in found["suspicious"] if entry["score"] == 0.4]
    folder = tmp_path / "runs" / "of_others"
    folder.mkdir(parents=True)
    path.rename(folder / "2026-01-01T00-00-00-GMT_grading_report.json")
    by_name = run_command("audit", "--results", "of_others", "--json", "--data-dir", tmp_path, cwd=tmp_path)
    assert json.loads(by_name.out)["suspicious"] == found["suspicious"]
    missing = run_command("audit", "--results", "latest", "--data-dir", tmp_path, cwd=tmp_path)
    assert missing.code == 1
    assert missing.err.startswith("error: There is no run group in runs. ")


def test_power_is_that_of_chance_for_noise() -> None:
    from mlebench.audit.strength import by_groups, by_neighbours, groups_of, monotone

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=500), (rng.random(500) < 0.4).astype(float)
    assert max(monotone(x, y, 2).digits, by_neighbours(x, y, 2).digits) < 3
    assert by_groups(groups_of(rng.integers(0, 5, 500).astype(object)), y, 2).digits < 3
    assert monotone(y + 0.0, y, 2).power == 1.0


def test_contents_of_recordings_that_tell_on_both_sides_are_no_leak(
    prepared_twin: Callable[[str], LocalCompetition],
) -> None:
    """A byte of theirs has a few values among those to predict and more in train, and tells as much there."""
    audited = audit_or_problem(prepared_twin("the-icml-2013-whale-challenge-right-whale-redux"))
    assert (audited.problem, audited.leaks) == (None, 0)


def test_rows_that_repeat_are_one_observation() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 9, (20, 6))[rng.integers(0, 20, 500)]
    columns = [Aligned("t", str(place), texts(rows[:, place]), np.arange(500), "id") for place in range(6)]
    assert len(_distinct(columns)) == len({tuple(row) for row in rows.tolist()})
    assert len(_distinct(columns[:2])) == 500, "two codes may be all that there is"


def test_a_column_of_ids_is_one_whatever_it_is_called() -> None:
    """An id of orders is no order of rows."""
    ids = texts(f"k{number}" for number in range(40))
    items = Items((), {name: (row,) for row, name in enumerate(ids)}, 40, ids, {"sample": np.arange(40)})
    [keyed] = match(Table("x.csv", {"order_id": ids, "value": texts(range(40))}), items)
    assert (keyed.by, keyed.in_order, keyed.has_keys) == ("order_id", False, True)
    assert not any(column.in_order for column in keyed.columns)
    [in_rows] = match(Table("x.csv", {"value": texts(range(40))}), items)
    assert in_rows.in_order
    assert not in_rows.has_keys
    assert all(column.in_order for column in in_rows.columns)
