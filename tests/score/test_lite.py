"""The Lite score: every formula on hand-computed cases, gates, bands, groups, and the command."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from graded import write_group

from mlebench.cli import cli
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry, registry
from mlebench.errors import MlebenchError
from mlebench.results.groups import open_group, require_counted
from mlebench.results.records import GroupRecord, RunRecord
from mlebench.results.replays import ReplayRecord
from mlebench.results.trust import note_planned
from mlebench.score.config import Budgets, ScoreConfig, load_config, parse_config
from mlebench.score.group import GroupScore, score_group
from mlebench.score.lite import RunScore, band

LEAF, BIRDS = "leaf-classification", "mlsp-2013-birds"  # multi-class log loss, and area under the ROC curve
REPORT = """# My run
## Model
The model is a random forest of 500 trees.
## Preprocessing
All numbers were scaled to unit variance.
## Decisions
Trees were chosen because they did best.
"""
SUBMISSION = "id,target\n1,0\n"
SHA256 = hashlib.sha256(SUBMISSION.encode()).hexdigest()


def result_line(seed: int, **change: Any) -> str:
    values = {
        "seed": seed,
        "runtime_seconds": 8640,
        "peak_memory_mb": 45056,
        "artifacts": [{"path": "/home/submission/submission.csv", "sha256": SHA256, "bytes": len(SUBMISSION)}],
        "tasks": [{"competition_id": LEAF, "metric": "log loss", "score": 0.5}],
        "replay": {"command": "python solve.py", "seed": seed},
    }
    return f"MLE_BENCH_LITE_RESULT={json.dumps(values | change)}\n"


def metrics(**change: Any) -> str:
    values = {"metric": "log loss", "direction": "lower", "validation_score": 0.4, "validation_method": "5 folds"}
    return json.dumps(values | change)


def good(folder: Path, record: RunRecord) -> dict[str, Any]:
    """A run that leaves everything it should."""
    (folder / "submission" / "metrics.json").write_text(metrics())
    (folder / "submission" / "report.md").write_text(REPORT)
    (folder / "code" / "solve.py").write_text("from sklearn.ensemble import RandomForestClassifier\n")
    (folder / "agent.log").write_text("working\n" + result_line(record.seed))
    return {}


Change = Callable[[Path, RunRecord], Mapping[str, Any] | None]


def changed(change: Change) -> Change:
    def left(folder: Path, record: RunRecord) -> Mapping[str, Any]:
        good(folder, record)
        return change(folder, record) or {}

    return left


def scored(
    tmp_path: Path, left: Change = good, *, strict: bool = False, config: ScoreConfig | None = None, **more: Any
) -> RunScore:
    """The score of one run on leaf-classification at the 80th percentile."""
    fields = {"score": 0.5, "human_percentile": 80.0, "is_lower_better": True, **more}
    report = (lambda *_: fields) if more.get("submission_exists", True) else (lambda *_: more)
    group = write_group(tmp_path / "group", [LEAF], left=left, report_of=report)
    return score_group(require_counted(open_group(group), partial=False), registry, config, strict=strict).runs[0]


def test_the_worked_example(tmp_path: Path) -> None:
    run = scored(tmp_path)
    # A tenth of the time and a tenth of the memory; seed and environment, but no replay; all operations right.
    assert run.metric_quality.value == 80
    assert run.efficiency.value == pytest.approx(90)
    assert run.reproducibility.value == pytest.approx(200 / 3)
    assert run.operational_correctness.value == pytest.approx(100)
    assert run.artifact_validity.value == 100
    assert run.overall == pytest.approx(0.55 * 80 + 0.15 * (90 + 200 / 3 + 100))
    assert run.to_dict()["overall"] == 82.5
    assert run.to_dict()["band"] == "competitive"
    assert run.gates == run.contradictions == ()
    assert run.validation_gap == pytest.approx(0.1)


def replayed(outcome: Any, sha256: str = SHA256) -> Change:
    def left(folder: Path, record: RunRecord) -> None:
        ReplayRecord(outcome, "", "python solve.py", record.seed, "2026", original_sha256=sha256).save(folder)

    return changed(left)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [("identical", 100), ("same score", 250 / 3), ("different", 200 / 3), ("failed", 200 / 3)],
)
def test_replays(outcome: str, expected: float, tmp_path: Path) -> None:
    assert scored(tmp_path, replayed(outcome)).reproducibility.value == pytest.approx(expected)


def test_a_replay_of_another_submission_is_worth_nothing(tmp_path: Path) -> None:
    run = scored(tmp_path, replayed("identical", "0" * 64))
    assert run.reproducibility.value == pytest.approx(200 / 3)
    assert "the replay was of another submission" in run.reproducibility.reasons


def writes(name: str, text: str | None) -> Change:
    def left(folder: Path, _: RunRecord) -> None:
        (folder / name).unlink(missing_ok=True)
        if text is not None:
            (folder / name).write_text(text)

    return changed(left)


def uses(**usage: Any) -> Change:
    return changed(lambda *_: {"usage": {"seconds": 8640.0, "peak_memory_bytes": 44 << 30} | usage})


def test_unknown_memory_counts_as_all_of_it(tmp_path: Path) -> None:
    assert scored(tmp_path, uses(peak_memory_bytes=None)).efficiency.value == pytest.approx(45)


def test_budgets_of_a_configuration(tmp_path: Path) -> None:
    config = parse_config(
        {
            "competitionIds": [LEAF],
            "resourceBudgets": {"maxRuntimeSeconds": 17280},
            "competitions": {LEAF: {"resourceBudgets": {"maxPeakMemoryMb": 90112}}},
        }
    )
    assert scored(tmp_path, config=config).efficiency.value == pytest.approx(50)


@pytest.mark.parametrize("usage", [{"seconds": 86400.1}, {"peak_memory_bytes": (440 << 30) + 1}])
def test_over_budget(usage: dict[str, Any], tmp_path: Path) -> None:
    run = scored(tmp_path, uses(**usage))
    assert run.efficiency.value == 0
    assert run.metric_quality.value == 80, "what it left is still graded"
    assert run.operational_correctness.value == pytest.approx(80)
    assert "was exceeded" in run.efficiency.reasons[0]


@pytest.mark.parametrize(("status", "limit"), [("timeout", "time"), ("memory", "memory")])
def test_a_run_that_was_stopped_is_over_budget(status: str, limit: str, tmp_path: Path) -> None:
    """Also where the configuration would have allowed more than the run had."""
    config = parse_config({"competitionIds": [LEAF], "resourceBudgets": {"maxRuntimeSeconds": 172_800}})
    run = scored(tmp_path, changed(lambda *_: {"status": status, "exit_code": 143}), config=config)
    assert run.efficiency.value == 0
    assert run.efficiency.reasons == (f"the run was stopped at its {limit} limit",)


def test_a_valid_submission_without_a_score(tmp_path: Path) -> None:
    run = scored(tmp_path, score=float("nan"), human_percentile=None, valid_submission=True)
    assert run.metric_quality.value == 0
    assert run.metric_quality.reasons == ("the report has no score",)


def test_unparsed(tmp_path: Path) -> None:
    run = scored(tmp_path, writes("agent.log", "nothing to see\n"))
    assert run.reproducibility.value == 0
    assert run.overall == 39.99
    assert not run.parsed
    assert run.to_dict()["band"] == "where most unassisted agents are"


def test_the_wrong_seed(tmp_path: Path) -> None:
    run = scored(tmp_path, writes("agent.log", result_line(7)))
    assert run.reproducibility.value == 0
    assert run.reproducibility.reasons == ("the declared seed is 7, but 0 was assigned",)
    assert run.contradictions == run.reproducibility.reasons
    assert run.overall == pytest.approx(0.55 * 80 + 0.15 * (90 + 100))


def test_contradictions(tmp_path: Path) -> None:
    artifacts = [
        {"path": "submission.csv", "sha256": "0" * 64, "bytes": 1},
        {"path": "model.bin", "sha256": "0" * 64, "bytes": 1},
    ]
    text = result_line(0, runtime_seconds=60, peak_memory_mb=100, artifacts=artifacts, tasks=[])
    run = scored(tmp_path, writes("agent.log", text))
    assert run.contradictions == (
        "runtime_seconds is 60, measured 8640.0",
        "peak_memory_mb is 100, measured 45056.0",
        "submission.csv has another sha256 than declared",
        "model.bin is declared, but was not left",
    )
    assert run.efficiency.value == pytest.approx(90), "what was measured counts"


def test_tokens_that_were_counted(tmp_path: Path) -> None:
    def left(folder: Path, record: RunRecord) -> dict[str, Any]:
        usage = {"requests": 3, "input_tokens": 9000, "output_tokens": 1000, "usd": 0.25}
        changed = good(folder, record)
        told = {"input_tokens": 500, "output_tokens": 100, "usd": 0.0}
        (folder / "agent.log").write_text(result_line(record.seed, usage=told))
        return {**changed, "model_usage": usage}

    run = scored(tmp_path, left)
    assert run.contradictions == ("usage has 600 tokens, counted 10,000",)
    counted = {"requests": 3, "input_tokens": 9000, "output_tokens": 1000, "usd": 0.25}
    assert run.to_dict()["model_usage"] == counted


@pytest.mark.parametrize("path", ["submission.csv", "submission/submission.csv", "/home/x/submission/submission.csv"])
def test_sizes_that_contradict(path: str, tmp_path: Path) -> None:
    artifacts = [{"path": path, "sha256": SHA256, "bytes": 15}, {"path": "code/solve.py", "sha256": SHA256, "bytes": 1}]
    run = scored(tmp_path, writes("agent.log", result_line(0, artifacts=artifacts)))
    assert run.contradictions == (
        f"{path} has 14 bytes, declared 15",
        "code/solve.py has another sha256 than declared",
    )


def test_very_many_artifacts_take_bounded_time(tmp_path: Path) -> None:
    def left(folder: Path, record: RunRecord) -> dict[str, Any]:
        artifacts = [{"path": f"{'a/' * 300}{n}", "sha256": SHA256, "bytes": 1} for n in range(5_000)]
        (folder / "agent.log").write_text(result_line(0, artifacts=artifacts))
        return {"outputs": {f"code/{'b/' * 300}{n}": SHA256 for n in range(5_000)}}

    start = time.process_time()
    assert scored(tmp_path, left).contradictions[-1] == "4990 more artifacts are not as declared"
    assert time.process_time() - start < 20  # each compared with each takes minutes


def test_contradictions_are_few_and_harmless(tmp_path: Path) -> None:
    artifacts = [{"path": f"../\x1b[31m{number}", "sha256": "0" * 64, "bytes": 1} for number in range(1000)]
    run = scored(tmp_path, writes("agent.log", result_line(0, artifacts=artifacts)))
    told = [each for each in run.contradictions if "artifact" in each or "declared" in each]
    assert len(told) == 11
    assert told[-1] == "990 more artifacts are not as declared"
    assert all(each.isprintable() for each in told)


NO_SUBMISSION: dict[str, Any] = {
    "submission_exists": False,
    "valid_submission": False,
    "score": None,
    "human_percentile": None,
}


def test_no_submission(tmp_path: Path) -> None:
    run = scored(tmp_path, writes("submission/submission.csv", None), **NO_SUBMISSION)
    assert run.overall == 0
    assert run.metric_quality.value == 0
    assert run.artifact_validity.value == 50
    assert run.operational_correctness.value == pytest.approx(100 * (1 + 0 + 0.5 + 1 + 1) / 5)
    assert run.gates == ("overall is 0: submission.csv missing",)


def test_an_invalid_submission(tmp_path: Path) -> None:
    run = scored(tmp_path, valid_submission=False, score=None, human_percentile=None, refusal="A row is missing.")
    assert run.metric_quality.value == 0
    assert run.artifact_validity.value == 50
    assert run.overall == pytest.approx(0.15 * (90 + 200 / 3 + 70))
    assert run.gates == ()


def test_strict_wants_all_three_artifacts(tmp_path: Path) -> None:
    missing = writes("submission/report.md", None)
    lenient = scored(tmp_path / "a", missing)
    assert lenient.overall == pytest.approx(0.55 * 80 + 0.15 * (90 + 200 / 3 + 100 * (1 + 1 + 0.75 + 1 + 0) / 5))
    strict = scored(tmp_path / "b", missing, strict=True)
    assert strict.overall == 0
    assert strict.gates == ("overall is 0: report.md missing",)


# (change, artifact validity, components of operational correctness)
OPERATIONS: dict[str, tuple[Change, float, list[float]]] = {
    "exit code": (changed(lambda *_: {"exit_code": 1}), 100, [0, 1, 1, 1, 1]),
    "no metrics": (writes("submission/metrics.json", None), 75, [1, 1, 0.75, 0, 1]),
    "broken metrics": (writes("submission/metrics.json", "{"), 75, [1, 1, 0.75, 0, 1]),
    "infinite": (writes("submission/metrics.json", metrics(validation_score=float("inf"))), 75, [1, 1, 0.75, 0, 1]),
    "no method": (writes("submission/metrics.json", metrics(validation_method="")), 75, [1, 1, 0.75, 0, 1]),
    "other metric": (writes("submission/metrics.json", metrics(metric="accuracy")), 100, [1, 1, 1, 0, 1]),
    "other direction": (writes("submission/metrics.json", metrics(direction="maximize")), 100, [1, 1, 1, 0, 1]),
    "empty report": (writes("submission/report.md", "\n"), 75, [1, 1, 0.75, 1, 0]),
    "headings only": (
        writes("submission/report.md", "# Model\n# Preprocessing\n# Decisions\n"),
        75,
        [1, 1, 0.75, 1, 0],
    ),
    "other model": (writes("submission/report.md", REPORT.replace("random forest", "ResNet50")), 100, [1, 1, 1, 1, 0]),
    "no model": (writes("submission/report.md", REPORT.replace("random forest", "thing")), 100, [1, 1, 1, 1, 0]),
    "no code": (writes("code/solve.py", None), 100, [1, 1, 1, 1, 0]),
}


@pytest.mark.parametrize("case", OPERATIONS)
def test_operations(case: str, tmp_path: Path) -> None:
    change, validity, parts = OPERATIONS[case]
    run = scored(tmp_path, change)
    assert run.artifact_validity.value == validity
    assert run.operational_correctness.value == pytest.approx(100 * sum(parts) / 5), run.operational_correctness


def test_code_that_was_changed_afterwards(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", [LEAF], left=good, report_of=lambda *_: {"human_percentile": 80.0})
    next(group.glob("*/code/solve.py")).write_text("# another RandomForest\n")
    run = score_group(require_counted(open_group(group), partial=False), registry).runs[0]
    assert run.reproducibility.value == pytest.approx(100 / 3)
    assert "code/ is not what was recorded" in run.reproducibility.reasons


def test_versions_that_nobody_recorded(tmp_path: Path) -> None:
    """They are not those of the mlebench that scores."""
    scored(tmp_path)
    path = next((tmp_path / "group").glob("*/run.json"))
    values = json.loads(path.read_text())
    del values["versions"]
    path.write_text(json.dumps(values))
    run = score_group(require_counted(open_group(tmp_path / "group"), partial=False), registry).runs[0]
    assert run.reproducibility.value == pytest.approx(100 / 3)
    assert "the versions of packages are not recorded" in run.reproducibility.reasons


def test_a_run_wherever_it_is_seen_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From within its folder, and through a link; the right report is that of a folder of the same name."""
    names = [f"{LEAF}_1", f"{LEAF}_10"]
    for place, name in enumerate(names):
        fields = {"score": 0.5, "human_percentile": 80.0 - 30 * place, "submission_path": f"/x/{name}/submission.csv"}
        write_group(tmp_path / name, [LEAF], left=good, report_of=lambda *_, fields=fields: fields | {"run_id": None})
    group = tmp_path / "group"
    shutil.move(tmp_path / names[0], group)
    runs = [next(each.glob("*/run.json")).parent for each in (group, tmp_path / names[1])]
    reports = [json.loads(next(each.parent.glob("*_grading_report.json")).read_text()) for each in runs]
    for run, name in zip(runs, names, strict=True):
        shutil.move(run, group / name)
    # The report of the other run comes first.
    entries = [*reports[1]["competition_reports"], *reports[0]["competition_reports"]]
    next(group.glob("*_grading_report.json")).write_text(json.dumps({"competition_reports": entries}))
    (tmp_path / "link").symlink_to(group / names[0])
    monkeypatch.chdir(group / names[0])
    for path in (Path(), Path("..") / names[0], tmp_path / "link"):
        assert score_group(require_counted(open_group(path), partial=False), registry).mean("metric_quality") == 80


def test_below_the_median_where_only_thresholds_are_known(tmp_path: Path) -> None:
    # 3d-object-detection: median 0.042, the sample scores 0; a quarter of the way is 12.5.
    lyft = "3d-object-detection-for-autonomous-vehicles"
    group = write_group(tmp_path / "group", [lyft], left=good, report_of=lambda *_: {"score": 0.0105})
    run = score_group(require_counted(open_group(group), partial=False), registry).runs[0]
    assert run.metric_quality.value == pytest.approx(12.5)


@pytest.mark.parametrize(
    ("overall", "expected"),
    [
        (100, "top quartile"),
        (85, "top quartile"),
        (84.99, "competitive"),
        (70, "competitive"),
        (69.99, "partial"),
        (40, "partial"),
        (39.99, "where most unassisted agents are"),
        (0, "where most unassisted agents are"),
    ],
)
def test_bands(overall: float, expected: str) -> None:
    assert band(overall) == expected


def group_score(tmp_path: Path, config: ScoreConfig | None = None) -> GroupScore:
    """Two competitions and two seeds; birds has the metric of another competition, so operations are 80 there."""
    percentiles = {(LEAF, 0): 80.0, (LEAF, 1): 60.0, (BIRDS, 0): 40.0, (BIRDS, 1): 20.0}
    group = write_group(
        tmp_path / "group",
        [LEAF, BIRDS],
        (0, 1),
        left=good,
        report_of=lambda each, seed: {"human_percentile": percentiles[each, seed]},
    )
    return score_group(require_counted(open_group(group), partial=False), registry, config)


def test_groups_are_means_over_competitions_then_seeds(tmp_path: Path) -> None:
    found = group_score(tmp_path)
    assert [seed.values["metric_quality"] for seed in found.seeds] == [60, 40]
    assert found.mean("metric_quality") == 50
    assert found.standard_error("metric_quality") == pytest.approx(10)
    assert found.mean("operational_correctness") == pytest.approx(90)
    assert found.mean("overall") == pytest.approx(0.55 * 50 + 0.15 * (90 + 200 / 3 + 90))
    assert found.standard_error("overall") == pytest.approx(5.5)


def test_weights_and_requested_competitions_without_a_run(tmp_path: Path) -> None:
    other = "aerial-cactus-identification"
    config = parse_config({"competitionIds": [LEAF, other], "competitions": {LEAF: {"weight": 3}}})
    found = group_score(tmp_path, config)
    assert [seed.values["metric_quality"] for seed in found.seeds] == [60, 45]
    assert found.seeds[0].missing == (other,)
    assert found.notes == ("1 competition of the group is not requested and does not count.",)


def test_the_default_configuration_is_the_split_lite() -> None:
    config = parse_config({})
    assert config.requested(registry) == tuple(registry.split("lite"))
    assert config.budgets_of(LEAF) == Budgets(86400, 450560)


WRONG: dict[str, tuple[Any, str]] = {
    "list": ([], "it must be an object"),
    "key": ({"competitionIDs": []}, "it has the unknown key 'competitionIDs'"),
    "budget key": ({"resourceBudgets": {"maxGpu": 1}}, "resourceBudgets has the unknown key 'maxGpu'"),
    "competition key": ({"competitions": {LEAF: {"wait": 2}}}, f"competitions.{LEAF} has the unknown key 'wait'"),
    "ids": ({"competitionIds": "all"}, "must be a list of ids"),
    "no ids": ({"competitionIds": []}, "must be a list of ids"),
    "twice": ({"competitionIds": [LEAF, LEAF]}, "has an id twice"),
    "zero": ({"resourceBudgets": {"maxRuntimeSeconds": 0}}, "must be a positive number"),
    "truth": ({"competitions": {LEAF: {"weight": True}}}, "must be a positive number"),
    "no float": ({"resourceBudgets": {"maxRuntimeSeconds": 10**400}}, "must be a positive number, at most"),
    "no sum": ({"competitions": {LEAF: {"weight": 1e308}}}, "must be a positive number, at most 1,000,000,000"),
    "not requested": ({"competitionIds": [LEAF], "competitions": {BIRDS: {}}}, "not in competitionIds"),
}


@pytest.mark.parametrize("case", WRONG)
def test_configurations_are_checked(case: str, tmp_path: Path) -> None:
    values, message = WRONG[case]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(values))
    with pytest.raises(MlebenchError, match=message):
        load_config(path)


@pytest.mark.parametrize(
    ("entry", "message"),
    [("leaf-clasification", "There is no competition"), ("spaceship-titanic", "which is not in the split lite")],
)
def test_entries_of_competitions_that_do_not_count(entry: str, message: str, tmp_path: Path) -> None:
    config = parse_config({"competitions": {entry: {"weight": 2}}})
    with pytest.raises(MlebenchError, match=message):
        group_score(tmp_path, config)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"competitions": {entry: {"resourceBudgets": {"maxRuntimeSeconds": 60}}}}))
    with pytest.raises(MlebenchError, match=message):
        cli.main(["run", "--agent", "sample", "--config", str(path)], standalone_mode=False)


def test_configurations_in_toml(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'competitionIds = ["{LEAF}"]\n[competitions.{LEAF}]\nweight = 2\n')
    assert load_config(path).weight_of(LEAF) == 2


def test_twins(prepared_twin: Callable[[str], LocalCompetition], tmp_path: Path) -> None:
    competition = prepared_twin("spaceship-titanic")
    fields = {"data": "twin (seed 0, scale 1)", "score": 0.6875, "human_percentile": None}
    group = write_group(
        tmp_path / "group",
        [competition.id],
        left=good,
        report_of=lambda *_: fields,
        settings={"data_dir": str(competition.data_dir)},
    )
    elsewhere = score_group(
        require_counted(open_group(group), partial=False), Registry(tmp_path / "nothing"), synthetic=True
    )
    assert elsewhere.mean("metric_quality") is None, "the data folder of a group from elsewhere is not read"
    note_planned(GroupRecord.load(group))
    plain = score_group(require_counted(open_group(group), partial=False), registry)
    assert plain.mean("metric_quality") is plain.mean("overall") is None
    assert plain.to_dict()["band"] is None
    # The sample scores 0.375 and a perfect submission 1.
    found = score_group(
        require_counted(open_group(group), partial=False), Registry(tmp_path / "nothing"), synthetic=True
    )
    assert found.runs[0].synthetic
    assert found.runs[0].metric_quality.reasons[0].startswith("SYNTHETIC: 0.6875 between the sample (0.375)")
    assert found.mean("metric_quality") == pytest.approx(50)


def test_a_group_that_still_runs(tmp_path: Path) -> None:
    def left(folder: Path, record: RunRecord) -> dict[str, Any]:
        good(folder, record)
        return {"status": "running"} if record.competition_id == BIRDS else {}

    group = write_group(tmp_path / "group", [LEAF, BIRDS], left=left, report_of=lambda *_: {"human_percentile": 80.0})
    with pytest.raises(MlebenchError, match="still running: 1 of 2 runs has not ended"):
        score_group(require_counted(open_group(group), partial=False), registry)
    found = score_group(require_counted(open_group(group), partial=True), registry)
    assert found.mean("metric_quality") == 80
    assert "1 of 2 runs has not ended" in found.notes[0]


def test_of_two_runs_with_one_seed_one_still_runs(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", [LEAF, LEAF], left=good, report_of=lambda *_: {"human_percentile": 80.0})
    path = next(group.glob("*/run.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"status": "running"}))
    assert score_group(require_counted(open_group(group), partial=True), registry).mean("metric_quality") == 80


def test_the_command_on_a_copied_folder(tmp_path: Path) -> None:
    group_score(tmp_path)
    shutil.move(tmp_path / "group", tmp_path / "elsewhere")
    ran = run_command("score", "elsewhere", "--details", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "Overall 64.50: partial." in ran.out
    assert "no replay was made" in ran.out
    values = json.loads(run_command("score", "elsewhere", "--json", cwd=tmp_path).out)
    keys = ("overall", "metric_quality", "efficiency", "reproducibility", "operational_correctness")
    for scores in (values, *values["seeds"], *values["runs"]):
        assert all(isinstance(scores[key], float) for key in (*keys, "artifact_validity"))
    assert values["band"] == "partial"
    assert [run["band"] for run in values["runs"]] == ["competitive", "partial", "competitive", "partial"]
    one = next((tmp_path / "elsewhere").glob(f"{LEAF}*0-group"))
    run = json.loads(run_command("score", one, "--json", cwd=tmp_path).out)
    assert len(run["runs"]) == 1


def test_bad_input(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run_command("score", "empty", cwd=tmp_path)
    assert ran.code == 1
    assert "neither a run nor a run group" in ran.err
    own = write_group(tmp_path / "own", ["my-contest"])
    assert "unknown competition 'my-contest'" in run_command("score", own, cwd=tmp_path).err
    ungraded = write_group(tmp_path / "ungraded", [LEAF], graded=False)
    assert "Run: mlebench grade --run-group" in run_command("score", ungraded, cwd=tmp_path).err


def test_a_run_that_nobody_asked_for_artifacts_says_so(tmp_path: Path) -> None:
    def nothing(folder: Path, _: RunRecord) -> dict[str, Any]:
        for name in ("submission/metrics.json", "submission/report.md", "agent.log"):
            (folder / name).unlink(missing_ok=True)
        return {"variant": "published"}

    told = "nobody asked for artifacts: the instructions were the variant published, not lite"
    assert told in scored(tmp_path / "a", changed(nothing)).gates
    asked = scored(tmp_path / "b", changed(lambda *given: nothing(*given) | {"variant": "lite"}))
    assert asked.gates
    assert told not in asked.gates


def test_a_sample_that_is_handed_in_is_named(tmp_path: Path) -> None:
    run = scored(tmp_path, changed(lambda *_: {"sample_handed_in": True}))
    assert "the submission is the sample submission as it is" in run.metric_quality.reasons
