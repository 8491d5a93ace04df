"""Aggregation over seeds: hand-computed cases, the published pairing, and everything that must not be averaged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from graded import medals, report, write_grading_report, write_group

from mlebench.analysis.aggregate import aggregate, estimate, pass_at_k
from mlebench.analysis.seeds import pair_by_seed
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.measures import human_percentile
from mlebench.results.model_usage import ModelUsage
from mlebench.results.records import RunRecord
from mlebench.results.sources import read_source, read_sources

LOW = registry.split("low")
FOUR = ("aerial-cactus-identification", "leaf-classification", "spooky-author-identification", "mlsp-2013-birds")


@pytest.fixture
def three_seeds(tmp_path: Path) -> list[Path]:
    """Three grading reports of four competitions."""
    chosen = ["gsb-", "g--x", "gg--"]
    return [write_grading_report(tmp_path / f"{n}_grading_report.json", medals(FOUR, c)) for n, c in enumerate(chosen)]


def test_hand_computed_shares(three_seeds: list[Path]) -> None:
    done = aggregate(read_sources(three_seeds), registry).splits["reported"]
    shares = done.shares
    assert (done.num_seeds_averaged, done.num_competitions_per_seed) == (3, 4)
    # 75, 25 and 50 % of four competitions: mean 50, standard deviation 25.
    assert shares["any_medal"].mean == pytest.approx(50)
    assert shares["any_medal"].standard_error == pytest.approx(25 / 3**0.5)
    assert shares["any_medal"].ci_lower == pytest.approx(50 - 1.96 * 25 / 3**0.5)
    assert shares["any_medal"].ci_upper == pytest.approx(50 + 1.96 * 25 / 3**0.5)
    assert shares["any_medal"].t_upper == pytest.approx(50 + 4.30265272991 * 25 / 3**0.5)
    assert shares["gold"].mean == pytest.approx(100 * 4 / 12)
    assert shares["silver"].mean == pytest.approx(100 / 12)
    assert shares["bronze"].mean == pytest.approx(100 / 12)
    assert shares["valid_submissions"].mean == pytest.approx(100 * 11 / 12)
    assert shares["submission_exists"].mean == 100
    # Medals per competition: 3, 2, 1, 0 of 3.
    assert done.pass_at_k == pytest.approx({1: 50, 2: 100 * (1 + 1 + 2 / 3) / 4, 3: 75})


def test_one_seed_has_no_error_and_no_t_interval() -> None:
    only = estimate([40.0])
    assert (only.standard_error, only.ci_lower, only.ci_upper, only.t_lower) == (0, 40, 40, None)


@pytest.mark.parametrize(("n", "c", "k", "expected"), [(3, 0, 3, 0), (3, 3, 1, 1), (3, 1, 1, 1 / 3), (5, 2, 2, 0.7)])
def test_pass_at_k(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected)


def test_published_pairing_keeps_the_smallest_count(tmp_path: Path) -> None:
    many = medals(FOUR[:1], "g") + medals(FOUR[:1], "-") + medals(FOUR[:1], "-") + medals(FOUR[1:2], "-") * 2
    source = read_source(write_grading_report(tmp_path / "a.json", many))
    paired = pair_by_seed(source.reports, FOUR[:2])
    assert len(paired.seeds) == 2
    assert [each and each.report.any_medal for each in paired.of(FOUR[0])] == [True, False]
    assert "1 report was dropped" in paired.notes[0]
    padded = pair_by_seed(source.reports, FOUR[:2], pad_missing=True)
    assert padded.of(FOUR[1])[2] is None
    assert len(pair_by_seed(source.reports, FOUR[:2], num_seeds=1).seeds) == 1
    with pytest.raises(MlebenchError, match="3 seeds that a competition has, fewer than 5"):  # as the published script
        pair_by_seed(source.reports, FOUR[:2], num_seeds=5, pad_missing=True)
    with pytest.raises(MlebenchError, match="fewer than 3"):
        pair_by_seed(source.reports, FOUR[:2], num_seeds=3)


def test_pairing_by_seed_where_reports_carry_it(tmp_path: Path) -> None:
    entries = [
        report(FOUR[0], "gold", seed=7),
        report(FOUR[0], seed=3),
        report(FOUR[1], seed=3),
        report(FOUR[1], seed=7),
    ]
    source = read_source(write_grading_report(tmp_path / "a.json", entries))
    paired = pair_by_seed(source.reports, FOUR[:2])
    assert [[each.seed for each in seed.values() if each] for seed in paired.seeds] == [[3, 3], [7, 7]]
    one_seed_each = [report(FOUR[0], seed=1), report(FOUR[1], seed=2)]
    source = read_source(write_grading_report(tmp_path / "b.json", one_seed_each))
    with pytest.raises(MlebenchError, match="no seed that every competition has"):
        pair_by_seed(source.reports, FOUR[:2])


def test_groups_with_one_seed_each_are_several_seeds(tmp_path: Path) -> None:
    groups = [write_group(tmp_path / name, FOUR[:2]) for name in ("one", "two", "three")]
    done = aggregate(read_sources(groups), registry)
    assert done.splits["reported"].num_seeds_averaged == 3
    assert done.cost is not None
    assert done.cost.hours == pytest.approx(6 * 2.4)


def test_what_the_gateway_counted_stands_beside_what_agents_report(tmp_path: Path) -> None:
    def left(folder: Path, record: RunRecord) -> dict[str, Any]:
        usd = None if record.competition_id == FOUR[1] else 0.25
        return {"model_usage": {"requests": 3, "input_tokens": 1000, "output_tokens": 200, "usd": usd, "by_model": {}}}

    known = aggregate(read_sources([write_group(tmp_path / "known", FOUR[:1], (0, 1), left=left)]), registry).cost
    assert known is not None
    assert known.counted == ModelUsage(6, 2000, 400, 0.5)
    assert (known.runs_counted, known.usd) == (2, None)
    group = write_group(tmp_path / "unknown", FOUR[:2], left=left)
    unknown = aggregate(read_sources([group]), registry).cost
    assert unknown is not None
    assert unknown.counted == ModelUsage(6, 2000, 400, None), "with an unknown price the sum is unknown"
    assert ", 2,400 tokens, price unknown." in run_command("aggregate", group, cwd=tmp_path).out


def test_nan_tokens_and_text_infinities(tmp_path: Path) -> None:
    entries = [report(FOUR[0], score=float("nan"), valid_submission=False), report(FOUR[1], score="-inf")]
    path = write_grading_report(tmp_path / "a.json", entries)
    assert "NaN" in path.read_text()
    first, second = read_source(path).reports
    assert first.report.score is None
    assert second.report.score == float("-inf")


TIMES: dict[str, Any] = {
    "without a zone": "2026-03-01T12:00:00.123456",
    "UTC": "2026-03-01T12:00:00Z",
    "another zone": "2026-03-01 12:00:00+02:00",
    "a day": "2026-03-01",
    "seconds": 1772366400,
}


def test_times_in_all_forms(tmp_path: Path) -> None:
    entries = [report(each, created_at=time) for each, time in zip(LOW, TIMES.values(), strict=False)]
    found = read_source(write_grading_report(tmp_path / "a.json", entries)).reports
    assert {each.report.created_at.date().isoformat() for each in found} == {"2026-03-01"}
    latest = max(found, key=lambda each: each.report.created_at)  # naive times could not be compared with others
    assert latest.competition_id == LOW[0]


def test_files_count_in_the_order_of_their_paths(tmp_path: Path) -> None:
    first = write_grading_report(tmp_path / "1.json", medals(FOUR[:2], "g-"))
    second = write_grading_report(tmp_path / "2.json", medals(FOUR[:1], "-"))
    means = [
        aggregate(read_sources(each), registry).splits["reported"].shares["any_medal"].mean
        for each in ([first, second], [second, first])
    ]
    assert means == [50, 50]  # the report of the second file is dropped, not the one of the first


def test_a_published_group_that_was_graded_again_counts_once(tmp_path: Path) -> None:
    for name, chosen in (("2026-01-01_grading_report", "x-"), ("2026-01-02_grading_report", "g-")):
        write_grading_report(tmp_path / "runs" / "group" / f"{name}.json", medals(FOUR[:2], chosen))
    (tmp_path / "runs" / "group" / "metadata.json").write_text(json.dumps({"runs": {}}))
    for path in (tmp_path / "runs", tmp_path / "runs" / "group"):
        done = aggregate(read_source(path), registry).splits["reported"]
        assert (done.num_seeds_averaged, done.shares["any_medal"].mean) == (1, 50)


def test_thresholds_that_others_do_not_tell_of_failures(tmp_path: Path) -> None:
    none = dict.fromkeys(("gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold"))
    entries = [report(FOUR[1], "gold"), report(FOUR[1], score=None, **none)]
    done = aggregate(read_source(write_grading_report(tmp_path / "a.json", entries)), registry).splits["reported"]
    assert done.shares["any_medal"].mean == 50
    assert done.human_percentile is not None
    with pytest.raises(MlebenchError, match="different leaderboards"):
        aggregate(read_source(write_grading_report(tmp_path / "b.json", [entries[0], entries[0] | none])), registry)


def test_complete_splits_are_named(tmp_path: Path) -> None:
    path = write_grading_report(tmp_path / "a.json", medals(LOW, "g" * 11 + "-" * 11))
    done = aggregate(read_source(path), registry)
    assert list(done.splits) == ["low"]
    assert done.splits["low"].shares["any_medal"].mean == 50


def test_splits_are_those_of_the_edition(tmp_path: Path) -> None:
    """random-acts-of-pizza is not in `low` under v2, and its score has no place among humans there."""
    without_pizza = [competition_id for competition_id in LOW if competition_id != "random-acts-of-pizza"]
    entries = [report(competition_id, edition="v2", human_percentile=None) for competition_id in without_pizza]
    result = aggregate(read_source(write_grading_report(tmp_path / "a.json", entries)), registry)
    assert (result.edition, result.splits["low"].num_competitions_per_seed) == ("v2", 21)
    pizza = report("random-acts-of-pizza", score=0.9, edition="v2", human_percentile=None)
    (saved,) = read_source(write_grading_report(tmp_path / "b.json", [pizza])).reports
    assert human_percentile(saved, registry.get_competition("random-acts-of-pizza").declaration) is None


def test_normalised_score_and_percentile(tmp_path: Path) -> None:
    # leaf-classification is a loss: gold 0.0, sample 4.59512; halfway between them.
    entry = report("leaf-classification", score=4.59512 / 2, gold_threshold=0.0, human_percentile=30.0)
    invalid = report("mlsp-2013-birds", score=None)
    done = aggregate(read_source(write_grading_report(tmp_path / "a.json", [entry, invalid])), registry)
    found = done.splits["reported"]
    assert found.normalised_score is not None
    assert found.normalised_score.mean == pytest.approx(0.25)
    assert found.human_percentile is not None
    assert found.human_percentile.mean == pytest.approx(15)


def mixed(**change: Any) -> list[dict[str, Any]]:
    return [report(FOUR[0]), report(FOUR[0], **change), report(FOUR[1])]


REFUSED: dict[str, tuple[list[dict[str, Any]], str]] = {
    "twins": (mixed(data="twin (seed 0, scale 1)"), "graded on twins"),
    "editions": (mixed(edition="v2"), "editions v1 and v2"),
    "leaderboards": (mixed(gold_threshold=0.95), "different leaderboards"),
    "run ids": ([report(FOUR[0], run_id="a"), report(FOUR[1], run_id="a")], "The run a is reported twice"),
    "unknown": ([report("my-contest")], "unknown competition 'my-contest'"),
    "nothing": ([], "no reports"),
    "field": ([{"competition_id": "x"}], "has no field any_medal"),
    "flag": (mixed(any_medal="yes"), "form of a report"),
}


def test_competitions_on_twins_do_not_count_beside_others(tmp_path: Path) -> None:
    twin = {"data": "twin (seed 0, scale 1)"}
    entries = [report(FOUR[0], "gold"), report(FOUR[1], **twin), report(FOUR[2])]
    source = read_sources([write_grading_report(tmp_path / "a.json", entries)])
    found = aggregate(source, registry)
    assert found.splits["reported"].shares["any_medal"].mean == 50
    assert "1 of 3 competitions was graded on a twin and does not count." in found.notes
    chosen = aggregate(source, registry, competition_ids=[FOUR[0]])  # what was not asked for is not looked at
    assert chosen.splits["chosen"].shares["any_medal"].mean == 100
    with pytest.raises(MlebenchError, match="graded on twins"):
        aggregate(source, registry, competition_ids=[FOUR[1]])


def test_padding_invents_no_split_that_was_not_tried(tmp_path: Path) -> None:
    low = registry.split("low")
    source = read_source(write_grading_report(tmp_path / "low.json", medals(low[:-1], "g" * (len(low) - 1))))
    found = aggregate(source, registry, pad_missing=True)
    assert "all" not in found.splits
    assert found.splits["low"].padded == 1


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    entries, message = REFUSED[case]
    path = write_grading_report(tmp_path / "a.json", entries)
    with pytest.raises(MlebenchError, match=message):
        aggregate(read_sources([path]), registry)


def test_a_competition_without_a_report_is_an_error(three_seeds: list[Path]) -> None:
    with pytest.raises(MlebenchError, match="18 of 22 competitions have no report"):
        aggregate(read_sources(three_seeds), registry, splits=["low"])
    padded = aggregate(read_sources(three_seeds), registry, splits=["low"], pad_missing=True)
    assert padded.splits["low"].shares["any_medal"].mean == pytest.approx(50 * 4 / 22)


def test_the_same_file_or_group_twice(tmp_path: Path) -> None:
    path = write_grading_report(tmp_path / "reports" / "a_grading_report.json", medals(FOUR, "----"))
    with pytest.raises(MlebenchError, match="is given twice"):
        read_sources([path, tmp_path / "reports"])
    first, second = (write_group(tmp_path / each / "group", FOUR[:1]) for each in "ab")
    with pytest.raises(MlebenchError, match="have the same id group"):
        read_sources([first, second])


def test_a_group_that_still_runs_or_was_not_graded(tmp_path: Path) -> None:
    running = write_group(tmp_path / "running", FOUR[:2], status="running")
    with pytest.raises(MlebenchError, match="is still running: 2 of 2 runs have not ended"):
        read_source(running)
    ungraded = write_group(tmp_path / "ungraded", FOUR[:2], graded=False)
    with pytest.raises(MlebenchError, match="mlebench grade --run-group"):
        read_source(ungraded)


def test_faults_of_the_machine_are_named(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", FOUR[:2], status="infrastructure")
    assert "2 runs count as failures" in aggregate(read_source(group), registry).notes[-1]


def test_score_over_time(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", FOUR[:1], (0, 1))
    first, second = read_source(group).reports
    snapshots = {
        first.run_id: [{"seconds": 60, "score": 0.2, "medal": None}, {"seconds": 120, "score": 0.9, "medal": "gold"}],
        second.run_id: [{"seconds": 120, "score": 0.1, "medal": None}],
    }
    (group / "snapshots.json").write_text(json.dumps(snapshots))
    rows = aggregate(read_source(group), registry).over_time
    # At the end the second one has what it handed in, which earned no medal, but its percentile is known.
    assert [(row["seconds"], row["any_medal"], row["runs"]) for row in rows] == [(60, 0, 2), (120, 50, 2), (8640, 0, 2)]
    assert [row["human_percentile"] is not None for row in rows] == [True, True, True]
    assert rows[0]["human_percentile"] < rows[1]["human_percentile"]


def test_the_command(three_seeds: list[Path], tmp_path: Path) -> None:
    ran = run_command("aggregate", *three_seeds, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert re.search(r"^any_medal % +50.00 ± 14.43$", ran.out, re.MULTILINE)
    values = json.loads(run_command("aggregate", *three_seeds, "--json", cwd=tmp_path).out)
    assert values["splits"]["reported"]["any_medal"]["mean"] == 50
    assert values["splits"]["reported"]["num_competitions_per_seed"] == 4


def test_an_experiment(three_seeds: list[Path], tmp_path: Path) -> None:
    for number, path in enumerate(three_seeds):
        folder = tmp_path / "runs" / f"group-{number}"
        folder.mkdir(parents=True)
        path.rename(folder / "2026_grading_report.json")
        (folder / "metadata.json").write_text(json.dumps({"run_group": folder.name, "created_at": "", "runs": {}}))
    rows = "".join(f"mine,group-{number}\n" for number in range(3))
    (tmp_path / "runs" / "run_group_experiments.csv").write_text(f"experiment_id,run_group\nother,x\n{rows}")
    ran = run_command("aggregate", "--experiment-id", "mine", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "50.00 ± 14.43" in ran.out
    wrong = run_command("aggregate", "--experiment-id", "nope", cwd=tmp_path)
    assert wrong.code == 1
    assert "has no experiment 'nope'. It has: other, mine." in wrong.err
