"""Comparison of agents: hand-computed tests, equal agents, pairing, and conditions that differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.comparison.simulation import KINDS, coverage, rejections, unlike
from command import run_command
from graded import medals, report, write_grading_report, write_group

from mlebench.analysis.compare import Comparison, compare
from mlebench.analysis.statistics import flip_interval, holm, mcnemar, sign_flip, sign_test
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.sources import read_source

LOW = registry.split("low")


def between(*paths: Path) -> list[Comparison]:
    return compare([read_source(path) for path in paths], registry)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two agents on 22 competitions: one has medals in the first 12, the other in the first 6."""
    better = medals(LOW, "g" * 12 + "-" * 10, human_percentile=60.0)
    worse = medals(LOW, "g" * 6 + "-" * 16, human_percentile=50.0)
    return write_grading_report(tmp_path / "better.json", better), write_grading_report(tmp_path / "worse.json", worse)


def test_hand_computed(two: tuple[Path, Path]) -> None:
    (found,) = between(*two)
    assert (found.medals_first_only, found.medals_second_only) == (6, 0)
    assert found.mcnemar is not None
    assert found.mcnemar.p_value == pytest.approx(2 * 0.5**6)
    assert found.medals is not None
    assert found.medals.difference == pytest.approx(100 * 6 / 22)
    assert found.percentile is not None
    assert (found.percentile.difference, found.percentile.lower, found.percentile.upper) == (10, 10, 10)
    assert found.sign_flip is not None
    assert found.sign_flip.p_value < 0.001
    assert len(found.wins) == 22
    assert found.losses == []


def test_an_agent_against_itself(two: tuple[Path, Path], tmp_path: Path) -> None:
    again = tmp_path / "again.json"
    again.write_text(two[0].read_text())
    (found,) = between(two[0], again)
    assert found.mcnemar is not None
    assert found.sign_flip is not None
    assert (found.mcnemar.p_value, found.sign_flip.p_value, found.sign_test.p_value) == (1, 1, 1)
    assert found.wins == found.losses == []


def test_holm_over_three_agents(two: tuple[Path, Path], tmp_path: Path) -> None:
    third = write_grading_report(tmp_path / "third.json", medals(LOW, "-" * 22, human_percentile=50.0))
    found = between(*two, third)
    assert [(each.first, each.second) for each in found] == [
        ("better", "worse"),
        ("better", "third"),
        ("worse", "third"),
    ]
    tests = [each.mcnemar for each in found if each.mcnemar]
    assert [each.adjusted for each in tests] == holm([each.p_value for each in tests])


def test_sign_flips_are_exact_for_few_and_agree_for_many() -> None:
    values = [3.0, -1.0, 2.0, 0.5]
    flips = [abs(sum((1 - 2 * s) * v for s, v in zip(signs, values, strict=True))) for signs in np.ndindex(2, 2, 2, 2)]
    assert sign_flip(values) == pytest.approx(sum((each > 4.5) + (each == 4.5) / 2 for each in flips) / 16)
    assert sign_flip([*values, 0.0, 0.0]) == sign_flip(values)
    many = np.random.default_rng(0).normal(0.3, 1, 14)
    every = (1 - 2 * (np.arange(2**14)[:, None] >> np.arange(14) & 1)) @ many
    assert sign_flip(many) == pytest.approx(float((abs(every) >= abs(many.sum()) - 1e-9).mean()), abs=0.02)


def test_mcnemar_by_hand() -> None:
    assert mcnemar(1, 8) == pytest.approx(2 * (1 + 9) / 2**9)
    assert mcnemar(0, 0) == 1


def test_the_interval_of_a_known_spread() -> None:
    found = flip_interval(np.random.default_rng(1).normal(0, 10, 400))
    assert found.lower is not None
    assert found.upper is not None
    assert found.upper - found.lower == pytest.approx(2 * 1.96 * 10 / 20, rel=0.1)


def test_an_interval_is_what_the_test_does_not_reject() -> None:
    values = np.array([4.0, -1.0, 7.0, 2.0, 3.5, 0.5, 6.0])
    found = flip_interval(values)
    assert found.lower is not None
    assert found.upper is not None
    for inside, outside in ((found.lower + 1e-6, found.lower - 1e-6), (found.upper - 1e-6, found.upper + 1e-6)):
        assert sign_flip(values - inside) >= 0.05
        assert sign_flip(values - outside) < 0.05


def test_few_competitions_that_differ_have_no_interval() -> None:
    assert flip_interval([10.0, 12.0, 8.0, 9.0]).lower is None
    assert flip_interval([10.0, 12.0, 8.0, 9.0] + [0.0] * 18).upper is None
    assert flip_interval([10.0, 12.0, 8.0, 9.0, 11.0]).excludes_zero


@pytest.mark.parametrize("competitions", [7, 10, 22])
@pytest.mark.parametrize("kind", ["plain", "drawing"])
def test_the_interval_misses_the_truth_as_seldom_as_it_says(kind: str, competitions: int) -> None:
    held = coverage(unlike(kind, 8.0), 600, competitions, 1, np.random.default_rng(5))
    assert held.missed <= 8.0  # 5 plus three standard deviations; resampling competitions misses 11 to 18


def test_a_verdict_names_its_measure_and_the_medals_beside_it(tmp_path: Path) -> None:
    """Steady is ahead in percentiles, the gambler in medals: both are said, and that they disagree."""
    steady = [report(each, "gold" if place < 7 else None, human_percentile=60.0) for place, each in enumerate(LOW)]
    gambler = [report(each, "gold" if place < 11 else None, human_percentile=45.0) for place, each in enumerate(LOW)]
    (found,) = between(
        write_grading_report(tmp_path / "steady.json", steady), write_grading_report(tmp_path / "gambler.json", gambler)
    )
    assert found.verdict.startswith(
        "steady is better than gambler by mean percentile, 15.00 points over 22 competitions (sign flips, p = "
    )
    assert found.verdict.endswith("Any medal: steady 31.8 %, gambler 50.0 %.")
    assert (
        "The measures disagree: steady is ahead by competitions won and by mean percentile, gambler is ahead by medals."
        " Name the measure with the verdict." in found.warnings
    )


def test_a_verdict_on_mixed_data_uses_every_competition(tmp_path: Path) -> None:
    """Three of seven are twins: percentiles exist for four, wins for all."""
    ids = [each for each in LOW if registry.get_competition(each).declaration.better == "higher"][:7]
    paths = []
    for name, score, percentile in (("one", 0.6, 60.0), ("two", 0.5, 50.0)):
        real = [report(each, "gold", score=score, human_percentile=percentile) for each in ids[:4]]
        twins = [report(each, score=score, data="twin (seed 0, scale 1)") for each in ids[4:]]
        paths.append(write_grading_report(tmp_path / f"{name}.json", real + twins))
    (found,) = between(*paths)
    assert found.measure == "competitions won"
    assert found.verdict == (
        "one is better than two by competitions won, 7 to 0 over 7 competitions (sign test, p = 0.00781). "
        "Any medal of 4 competitions: one 100.0 %, two 100.0 %."
    )
    assert any(each.startswith("3 of 7 competitions are twins") for each in found.warnings)
    assert found.percentile_measure == "percentile of 4 competitions"
    assert [each.medals_in_words for each in found.competitions].count(None) == 3, "a twin has no medals to win"


def test_a_verdict_says_when_nothing_could_be_shown(tmp_path: Path) -> None:
    paths = [
        write_grading_report(
            tmp_path / f"{percentile}.json", [report(each, human_percentile=percentile) for each in LOW[:4]]
        )
        for percentile in (90.0, 10.0)
    ]
    (found,) = between(*paths)
    assert not found.can_show
    assert found.verdict.startswith(
        "No difference can be shown over 4 competitions: they differ in 4, too few for any outcome to be significant."
    )


def test_runs_whose_seeds_are_all_the_same_are_paired_in_their_order(tmp_path: Path) -> None:
    first = [report(each, seed=seed) for seed in (0, 1, 2) for each in LOW]
    second = [report(each, seed=0) for _ in range(3) for each in LOW]
    (found,) = between(
        write_grading_report(tmp_path / "one.json", first), write_grading_report(tmp_path / "two.json", second)
    )
    assert found.pairs == 66
    assert "All runs of two have the same seed: runs are paired in their order." in found.warnings


def test_what_is_missing_may_count_as_failed(tmp_path: Path) -> None:
    whole = write_grading_report(tmp_path / "whole.json", medals(LOW, "g" * 22, human_percentile=80.0))
    part = write_grading_report(tmp_path / "part.json", medals(LOW[:12], "g" * 12, human_percentile=80.0))
    (kept,) = between(whole, part)
    assert (kept.pairs, kept.wins) == (12, [])
    (found,) = compare([read_source(whole), read_source(part)], registry, pad_missing=True)
    assert (found.pairs, len(found.wins)) == (22, 10)
    assert "Missing runs count as failures: 0 of whole, 10 of part." in found.warnings
    (chosen,) = compare([read_source(whole), read_source(part)], registry, competition_ids=LOW[:5])
    assert chosen.pairs == 5


@pytest.mark.parametrize("kind", KINDS)
def test_equal_agents_are_told_apart_as_often_as_the_level_says(kind: str) -> None:
    found = rejections(KINDS[kind], 1000, 22, 3, np.random.default_rng(3))  # benchmarks/comparison does it more often
    assert all(3.0 <= share <= 7.0 for share in found.values()), found


def test_the_other_tests_seldom_tell_equal_agents_apart() -> None:
    found = rejections(KINDS["plain"], 200, 30, 3, np.random.default_rng(3), others=True)
    assert all(share <= 10.0 for share in found.values()), found


@pytest.mark.parametrize(
    ("wins", "losses", "p_value"), [(5, 0, 1 / 32), (0, 6, 1 / 64), (3, 3, 1), (0, 0, 1), (2, 1, 5 / 8)]
)
def test_the_sign_test_by_hand(wins: int, losses: int, p_value: float) -> None:
    assert sign_test(wins, losses) == pytest.approx(p_value)


def test_pairs_are_by_seed(tmp_path: Path) -> None:
    first = write_group(tmp_path / "first", LOW[:6], (0, 1), agent="one")
    second = write_group(tmp_path / "second", LOW[:7], (1, 2), agent="two")
    (found,) = between(first, second)
    assert found.pairs == 6
    assert found.warnings[0] == "Only what both have is compared: 6 runs of one and 8 of two are not."
    assert any(each.startswith("Not comparable in seeds: one has 0, 1") for each in found.warnings)
    with pytest.raises(MlebenchError, match="no competition and seed in common"):
        between(first, write_group(tmp_path / "third", LOW[:6], (5,), agent="two"))


CHANGED: dict[str, tuple[dict[str, Any], str]] = {
    "limits": ({"limits": {"seconds": 3600.0, "memory_bytes": 440 << 30}}, "24 h, 440 GiB, two has 1 h, 440 GiB"),
    "hardware": ({"hardware": {"cpus": 8, "gpus": []}}, "36 CPUs, no GPU, two has 8 CPUs, no GPU"),
    "variant of the instructions": ({"variant": "lite"}, "published, two has lite"),
    "network": ({"network": "full"}, "none, two has full"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_conditions_that_differ(name: str, tmp_path: Path) -> None:
    change, words = CHANGED[name]
    first = write_group(tmp_path / "first", LOW[:6], agent="one")
    second = write_group(tmp_path / "second", LOW[:6], agent="two", **change)
    (found,) = between(first, second)
    assert found.warnings == (f"Not comparable in {name}: one has {words}.",)


def test_feedback(tmp_path: Path) -> None:
    first = write_group(tmp_path / "first", LOW[:6], agent="one")
    second = write_group(tmp_path / "second", LOW[:6], agent="two")
    (second / "disclosure.toml").write_text("held_out_signal = true\n")
    (found,) = between(first, second)
    assert found.warnings == ("two had feedback from the test set, so its numbers prove nothing.",)


def test_editions_are_not_compared(tmp_path: Path) -> None:
    first = write_group(tmp_path / "first", LOW[:6], agent="one")
    second = write_group(tmp_path / "second", LOW[:6], agent="two", report_of=lambda *_: {"edition": "v2"})
    with pytest.raises(MlebenchError, match="of the editions v1 and v2"):
        between(first, second)


def test_twins_have_scores_only(tmp_path: Path) -> None:
    data = {"data": "twin (seed 0, scale 1)"}
    first = write_grading_report(tmp_path / "a.json", [report(each, score=0.6, **data) for each in LOW[:6]])
    second = write_grading_report(tmp_path / "b.json", [report(each, score=0.5, **data) for each in LOW[:6]])
    (found,) = between(first, second)
    assert found.mcnemar is None
    assert found.percentile is None
    assert len(found.wins) + len(found.losses) == 6


def test_failures_on_twins_are_no_percentiles(tmp_path: Path) -> None:
    """What both failed in says nothing; the verdict is that of the sign test, as for all twins."""
    data = {"data": "twin (seed 0, scale 1)"}
    ids = [each for each in LOW if registry.get_competition(each).declaration.better == "higher"][:9]
    paths = [
        write_grading_report(
            tmp_path / f"{score}.json",
            [report(ids[0], score=None, **data), *(report(each, score=score, **data) for each in ids[1:])],
        )
        for score in (0.6, 0.5)
    ]
    (found,) = between(*paths)
    assert found.percentile is None
    assert found.sign_flip is None
    assert found.wins == sorted(ids[1:])
    assert "0.6 is better than 0.5 by competitions won, 8 to 0 over 9 competitions (sign test" in found.verdict


def test_on_twins_a_competition_is_won_by_seeds(tmp_path: Path) -> None:
    """One good submission and two failures are not better than three fair ones."""
    data, one = {"data": "twin (seed 0, scale 1)"}, "mlsp-2013-birds"
    first = [report(one, score=each, **data) for each in (0.9, None, None)]
    second = [report(one, score=each, **data) for each in (0.8, 0.8, 0.8)]
    (found,) = between(
        write_grading_report(tmp_path / "a.json", first), write_grading_report(tmp_path / "b.json", second)
    )
    assert (found.wins, found.losses) == ([], [one])


def test_other_leaderboards(tmp_path: Path) -> None:
    first = write_group(tmp_path / "first", LOW[:6], agent="one")
    second = write_group(
        tmp_path / "second",
        LOW[:6],
        agent="two",
        report_of=lambda each, _: {"gold_threshold": 0.95} if each == LOW[2] else {},
    )
    (found,) = between(first, second)
    assert found.warnings == (f"Not comparable in leaderboards: {LOW[2]} had other thresholds for medals.",)


def test_the_command(two: tuple[Path, Path], tmp_path: Path) -> None:
    ran = run_command("compare", *two, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "better against worse: 22 competitions, 22 pairs of runs, better in 22, worse in 0" in ran.out
    assert "exact McNemar" in ran.out
    assert "The conditions of better and worse are not recorded" in ran.err
    values = json.loads(run_command("compare", *two, "--json", cwd=tmp_path).out)
    assert values[0]["mcnemar"]["p_value"] == pytest.approx(0.03125)
    assert run_command("compare", two[0], cwd=tmp_path).code == 2
