"""The leaderboard of agents: published rows, rows of one's own, and the folder of a submission."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from graded import medals, report, write_grading_report, write_group

from mlebench.agents import find_agent
from mlebench.agents.disclosure import load_disclosure, told_by_agent
from mlebench.analysis.aggregate import aggregate
from mlebench.analysis.export import export
from mlebench.analysis.leaderboards import HEADER, as_csv, as_markdown, own_row, published_rows, ranked
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.names import EXPERIMENTS_FILE
from mlebench.results.sources import experiment_groups, read_source, read_sources

LOW = registry.split("low")
DISCLOSURE = """
models = "none"
scaffold = "a script"
solutions_in_prompt = false
held_out_signal = false
source_code = "yes"
"""


def some_medals(competition_id: str, seed: int) -> dict[str, Any]:
    """Medals in 17, 18 and 18 of 22 competitions, as in the row 80.30 ± 1.52."""
    gold = LOW.index(competition_id) < 17 + (seed > 0)
    return {"any_medal": gold, "gold_medal": gold, "score": 0.95 if gold else 0.5}


@pytest.fixture
def lite_group(tmp_path: Path) -> Path:
    """Three seeds of the split lite."""
    return write_group(tmp_path / "runs" / "mine", LOW, (0, 1, 2), agent="my-agent", report_of=some_medals)


def test_published_rows() -> None:
    rows = published_rows()
    assert len(rows) == 30
    assert sum(not row.comparable for row in rows) == 2
    assert all(row.notes for row in rows if not row.comparable)
    placed = ranked(rows, "all")
    assert [rank for rank, _ in placed][:5] == [1, 2, 3, 4, 4]
    assert [rank for rank, _ in placed][-2:] == [None, None]
    padded = [row.agent for row in rows if row.cells["low"].padded]
    assert padded == ["PiEvolve", "PiEvolve", "Leeroo", "LoongFlow"]


def test_marks_and_notes_are_in_every_form(tmp_path: Path) -> None:
    low = registry.split("low")
    path = write_grading_report(tmp_path / "low.json", medals(low[:-1], "g" * (len(low) - 1)))
    row, _ = own_row(read_source(path), registry, {"held_out_signal": True}, pad_missing=True)
    assert row.cells["low"].padded, "one missing run is enough for the star"
    assert list(row.cells) == ["low"]
    assert ",95.45*," in as_csv([row]), "one seed has no standard error"
    assert as_csv([row]).splitlines()[1].endswith(",Test-set feedback")
    below = as_markdown([row]).splitlines()[3:]
    assert below == ["", "* Missing runs count as failures.", "", "low (?): Test-set feedback."]


def test_a_row_as_published(lite_group: Path) -> None:
    row, _ = own_row(read_source(lite_group), registry, {})
    assert str(row.cells["low"]) == "80.30 ± 1.52"
    assert set(row.cells) == {"low"}
    assert as_markdown([row], header=False) == (
        "| my-agent | ? | 80.30 ± 1.52 | N/A | N/A | N/A | 24 | 2026-01-01 | ✗ | ✓ |\n"
    )
    assert HEADER[-2:] == ("Source Code Available", "Grading Reports Available")
    assert [each.split()[0] for each in row.missing] == ["models", "scaffold", "solutions_in_prompt", "held_out_signal"]
    # 80.3030… is the number of three published rows, of which two decimals are known: all four are first.
    placed = ranked([*published_rows(), row], "low")
    assert [(rank, each.is_yours) for rank, each in placed][:5] == [*([(1, False)] * 3), (1, True), (5, False)]


def test_the_date_is_that_of_the_last_report(tmp_path: Path) -> None:
    times = {each: "2026-02-01T00:00:00" if place % 2 else "2026-02-03T00:00:00Z" for place, each in enumerate(LOW)}
    group = write_group(tmp_path / "mine", LOW, report_of=lambda each, _: {"created_at": times[each]})
    assert own_row(read_source(group), registry, {})[0].date == "2026-02-03"


def test_many_reports_keep_their_order(tmp_path: Path) -> None:
    """The eleventh of them lacks a competition; which seeds are dropped must be the same in what was exported."""
    for number in range(11):
        entries = [report(each, score=number / 100) for each in LOW[number == 10 :]]
        write_grading_report(tmp_path / "others" / f"{number:02d}_grading_report.json", entries)
    disclosed = {"agent": "a", "models": "b", "scaffold": "c", "internet": False, "hardware": "d", "hours": 24.0}
    disclosed |= {"solutions_in_prompt": False, "held_out_signal": False}
    source = read_source(tmp_path / "others")
    row, result = own_row(source, registry, disclosed)
    export(tmp_path / "out", "mine", source, row, result, disclosed)
    runs = tmp_path / "out" / "runs"
    again = aggregate(read_sources(experiment_groups("mine", runs / EXPERIMENTS_FILE, runs)), registry)
    assert again.splits["low"].competitions == result.splits["low"].competitions


def test_groups_that_would_be_written_elsewhere(lite_group: Path, tmp_path: Path) -> None:
    record = json.loads((lite_group / "metadata.json").read_text())
    (lite_group / "metadata.json").write_text(json.dumps(record | {"run_group": "../../../elsewhere"}))
    with pytest.raises(MlebenchError, match="is damaged"):
        read_source(lite_group)


def test_fewer_seeds_are_not_enough(tmp_path: Path) -> None:
    group = write_group(tmp_path / "mine", LOW, (0, 1), report_of=some_medals)
    row, _ = own_row(read_source(group), registry, {})
    assert "3 seeds (there are 2)" in row.missing


def test_other_editions_and_feedback_are_not_ranked(tmp_path: Path) -> None:
    group = write_group(tmp_path / "mine", LOW, (0, 1, 2), report_of=lambda *_: {"edition": "v2"})
    row, _ = own_row(read_source(group), registry, {"held_out_signal": True})
    assert not row.comparable
    assert row.notes == "Test-set feedback; Edition v2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model = 'x'", "unknown field 'model'"),
        ("hours = 'many'", "hours in .* must be a number"),
        ("internet = 1", "internet in .* must be true or false"),
        ("models = [", "not valid TOML"),
        ('models = "\\u001b]0;mine\\u0007"', "models in .* must be a text on one line"),
    ],
)
def test_disclosures_are_checked(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "disclosure.toml").write_text(text)
    with pytest.raises(MlebenchError, match=message):
        load_disclosure(tmp_path / "disclosure.toml")


def test_the_command(lite_group: Path, tmp_path: Path) -> None:
    ran = run_command("leaderboard", "--reports", lite_group, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "ranked by low" in ran.out
    assert "> my-agent" in ran.out
    assert "the row of my-agent lacks: models" in ran.err
    rows = list(csv.reader(run_command("leaderboard", "--csv", cwd=tmp_path).out.splitlines()))
    assert len(rows) == 31
    assert rows[1][:3] == ["Famou-Agent 2.0", "Gemini-3-Pro-Preview", "80.30 ± 1.52"]
    mine = json.loads(run_command("leaderboard", "--reports", lite_group, "--mine", "--json", cwd=tmp_path).out)
    assert [(each["rank"], each["agent"]) for each in mine] == [(1, "my-agent")]


def test_export(lite_group: Path, tmp_path: Path) -> None:
    refused = run_command("leaderboard", "export", lite_group, "--output-dir", "out", cwd=tmp_path)
    assert refused.code == 1
    assert "It lacks: models (the models it uses)" in refused.err
    (lite_group / "disclosure.toml").write_text(DISCLOSURE)
    ran = run_command(
        "leaderboard", "export", lite_group, "--output-dir", "out", "--experiment-id", "mine-2026", cwd=tmp_path
    )
    assert ran.code == 0, ran.err
    out = tmp_path / "out"
    assert "| my-agent | none | 80.30 ± 1.52 |" in (out / "row.md").read_text()
    assert (out / "runs" / "run_group_experiments.csv").read_text() == "experiment_id,run_group\nmine-2026,mine\n"
    assert json.loads((out / "disclosure.json").read_text())["internet"] is False
    again = run_command("aggregate", "--experiment-id", "mine-2026", "--runs-dir", "out/runs", cwd=tmp_path)
    assert "80.30 ± 1.52" in again.out, again.err
    assert run_command("leaderboard", "export", lite_group, "--output-dir", "out", cwd=tmp_path).code == 1


def test_groups_of_one_seed_each_in_a_folder(tmp_path: Path) -> None:
    for seed in range(3):
        write_group(tmp_path / "runs" / f"group-{seed}", LOW, (seed,), report_of=some_medals)
    result = aggregate(read_source(tmp_path / "runs"), registry)
    assert result.splits["low"].num_seeds_averaged == 3


def test_what_run_records_is_disclosed(tmp_path: Path) -> None:
    recorded = {"models": "gpt-5", "scaffold": "mine (config.yaml with sha256 123)", "held_out_signal": False}
    settings = {"disclosure": recorded}
    group = write_group(tmp_path / "runs" / "mine", LOW, (0, 1, 2), report_of=some_medals, settings=settings)
    row, _ = own_row(read_source(group), registry, {})
    assert row.undisclosed == ("solutions_in_prompt",)
    ran = run_command("leaderboard", "--reports", group, "--mine", cwd=tmp_path)
    assert f"Run: mlebench leaderboard disclose {group} solutions_in_prompt=…" in ran.err
    assert run_command("leaderboard", "disclose", group, cwd=tmp_path).code == 1
    told = run_command("leaderboard", "disclose", group, "solutions_in_prompt=no", "models=gpt-5.1", cwd=tmp_path)
    assert told.code == 0, told.err
    row, _ = own_row(read_source(group), registry, {})
    assert (row.missing, row.models) == ((), "gpt-5.1")


def test_what_is_true_of_one_group_is_true_of_the_row(tmp_path: Path) -> None:
    for seed in range(3):
        settings = {"disclosure": {"held_out_signal": seed == 0}}
        write_group(tmp_path / "runs" / f"group-{seed}", LOW, (seed,), report_of=some_medals, settings=settings)
    row, _ = own_row(read_source(tmp_path / "runs"), registry, {})
    assert row.notes == "Test-set feedback"


@pytest.mark.parametrize(
    "entry", ["gpt-5", "model=gpt-5", "hours=many", "internet=perhaps", "models= ", "models=\x1b[2J"]
)
def test_entries_are_checked(entry: str, tmp_path: Path) -> None:
    group = write_group(tmp_path / "mine", LOW[:1])
    ran = run_command("leaderboard", "disclose", group, entry, cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: ")
    assert not (group / "disclosure.json").exists()


def test_run_takes_disclosures_from_the_manifest_and_its_options(tmp_path: Path) -> None:
    agent = tmp_path / "agents" / "mine"
    agent.mkdir(parents=True)
    (agent / "start.sh").write_text("true\n")
    (agent / "config.yaml").write_text("mine:\n  disclosure: {models: gpt-5, held_out_signal: false}\n")
    told = told_by_agent(find_agent("mine", [tmp_path / "agents"]))
    assert told["models"] == "gpt-5"
    assert told["scaffold"].startswith("mine (config.yaml with sha256 ")
    assert told_by_agent(find_agent("command")) == {}
    (agent / "config.yaml").write_text("mine:\n  disclosure: {model: gpt-5}\n")
    with pytest.raises(MlebenchError, match="has the unknown field 'model'"):
        find_agent("mine", [tmp_path / "agents"])


def test_no_cell_of_a_table_is_a_formula(lite_group: Path) -> None:
    row, _ = own_row(read_source(lite_group), registry, {"agent": "=HYPERLINK(1)", "models": "@SUM(1)"})
    cells = next(csv.reader([as_csv([row]).splitlines()[1]]))
    assert cells[:2] == ["'=HYPERLINK(1)", "'@SUM(1)"]
