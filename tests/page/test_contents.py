"""What a page tells: numbers, notes, links and charts, without a browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from command import run_command
from graded import write_group
from page.groups import HOSTILE, hostile_group

from mlebench.analysis.aggregate import aggregate
from mlebench.competition.leaderboard import Leaderboard, Thresholds
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.page.charts import Dot, human_chart, over_time_chart
from mlebench.page.charts.standing import position
from mlebench.page.document import render, stylesheet
from mlebench.page.facts import PRACTICE, TWINS, PageFacts, gather, some_twins
from mlebench.page.sections import all_sections
from mlebench.results.records import RunRecord
from mlebench.results.sources import read_source

THREE = ["spaceship-titanic", "leaf-classification", "aerial-cactus-identification"]
TRACEBACK = """Traceback (most recent call last):
  File "agent.py", line 1, in <module>
    1 / 0
ZeroDivisionError: division by zero
"""
MADE_AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def facts_of(*folders: Path, partial: bool = False) -> PageFacts:
    return gather(folders, registry, partial=partial)


def test_a_page_has_one_edition(tmp_path: Path) -> None:
    first = write_group(tmp_path / "first", THREE)
    second = write_group(tmp_path / "second", THREE, edition="v2", report_of=lambda *_: {"edition": "v2"})
    with pytest.raises(MlebenchError, match="of the editions v1 and v2"):
        facts_of(first, second)
    (facts, *_) = facts_of(second).competitions
    assert facts.competition.edition == "v2"


def page_of(*folders: Path, partial: bool = False) -> str:
    return render(facts_of(*folders, partial=partial), folders[0])


def words(html: str) -> str:
    """The text of a page, without its style and its script."""
    html = re.sub(r"<(style|script|select)\b.*?</\1>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html)))


# What HTML ends by itself, and before which elements.
ENDED_BY = {
    "dd": ("dd", "dt"),
    "dt": ("dd", "dt"),
    "li": ("li",),
    "td": ("td", "th", "tr"),
    "th": ("td", "th", "tr"),
    "tr": ("tr",),
}


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and what was not closed or not opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self.open and tag in ENDED_BY.get(self.open[-1], ()):
            self.open.pop()
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] in ENDED_BY and self.open[-1] != tag:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def medals(competition_id: str, seed: int) -> Mapping[str, Any]:
    """Gold in the first competition, bronze in the second for seed 0, else nothing."""
    colour = "gold" if competition_id == THREE[0] else "bronze" if (competition_id, seed) == (THREE[1], 0) else None
    flags = {f"{name}_medal": name == colour for name in ("gold", "silver", "bronze", "any")}
    return flags | {"any_medal": colour is not None, "above_median": colour is not None}


@pytest.fixture
def group(tmp_path: Path) -> Path:
    return write_group(tmp_path / "group", THREE, (0, 1), report_of=medals, started_at="2026-01-01T00:00:00+00:00")


def test_the_headline_is_that_of_aggregate(group: Path) -> None:
    told = words(page_of(group))
    medal = aggregate(read_source(group), registry).splits["reported"].shares["any_medal"]
    assert medal.mean == pytest.approx(50.0)
    assert f"Any medal {medal.mean:.2f} ± {medal.standard_error:.2f} % 3 competitions, mean ± standard error" in told
    assert "provisional" not in told
    assert "gold 2 silver 0 bronze 1" in told
    assert "6 of 6" in told
    assert "3 competitions, 2 seeds (0, 1)" in told
    assert "seed 0: 1 gold, 1 bronze, 1 below median" in told
    assert "No published agent stands beside these numbers" in told


def test_every_run_has_its_facts_and_links_that_lead_somewhere(group: Path) -> None:
    html = page_of(group)
    parsed = Parsed(html)
    assert not parsed.wrong
    assert not parsed.open
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [str(attributes["href"]) for tag, attributes in parsed.elements if tag == "a"]
    assert all(link[1:] in ids for link in links if link.startswith("#"))
    files = [link for link in links if not link.startswith("#")]
    assert len([link for link in files if link.endswith("/run.json")]) == 6
    assert len([link for link in files if link.endswith("/submission/submission.csv")]) == 6
    assert all((group / unquote(link)).exists() for link in files)


def test_charts_have_names_and_load_nothing(group: Path) -> None:
    html = page_of(group)
    assert "://" not in html
    elements = Parsed(html).elements
    charts = [attributes for tag, attributes in elements if tag == "svg"]
    assert len(charts) >= 6
    assert all(attributes.get("role") == "img" and attributes.get("aria-label") for attributes in charts)
    assert not any("style" in attributes or "src" in attributes for _, attributes in elements)
    assert [tag for tag, _ in elements].count("script") == 1


def test_scores_stand_among_the_humans(tmp_path: Path) -> None:
    competition = registry.get_competition("leaf-classification")
    board = competition.human_leaderboard()
    assert board is not None
    limits = {f"{name}_threshold": getattr(board.thresholds, name) for name in ("gold", "silver", "bronze", "median")}
    known = write_group(tmp_path / "known", [competition.id], report_of=lambda *_: {**limits, "score": 0.05})
    html = page_of(known)
    assert 'class="humans"' in html
    assert all(f'class="threshold {name}"' in html for name in ("gold", "silver", "bronze", "median"))
    assert f"Thresholds: gold {limits['gold_threshold']:.6g}" in words(html)
    other = page_of(write_group(tmp_path / "other", [competition.id]))
    assert 'class="humans"' not in other, "the thresholds of its report are those of another leaderboard"
    assert "Only the thresholds are known." in other


@pytest.mark.parametrize("value", [0.0, 1.0, -3e99, 1e300, 5e-324, float("inf"), float("-inf"), float("nan")])
def test_any_number_can_be_drawn(value: float) -> None:
    usual = Thresholds(0.9, 0.8, 0.7, 0.5)
    for limits in (usual, Thresholds(value, value, value, value)):
        board = Leaderboard("higher", limits, 10, (value, 0.5, value))
        for known in (board, None):
            chart = human_chart(known, limits, [Dot(50.0, value, 0, "a run")], "name", lower_is_better=True)
            assert "a run" in chart
            assert not re.search(r"\b(nan|inf)\b", chart)
        assert human_chart(None, limits, [], "name", lower_is_better=False)
        assert over_time_chart([(0, "one", [(60.0, value), (90.0, 0.5)])], limits, "name", lower_is_better=False)


def test_the_same_facts_make_the_same_page(group: Path) -> None:
    first, second = (
        render(PageFacts(each.groups, each.competitions, made_at=MADE_AT), group) for each in [facts_of(group)] * 2
    )
    assert first == second
    assert "2026-01-02 03:04 UTC" in first


def test_practice_and_twins_prove_nothing(tmp_path: Path) -> None:
    practice = page_of(write_group(tmp_path / "practice", ["practice-wine"]))
    assert practice.index(PRACTICE) < practice.index("Any medal")
    data = {"data": "twin (seed 0, scale 1)"}
    twin = page_of(write_group(tmp_path / "twin", THREE[:1], report_of=lambda *_: {**data, "any_medal": True}))
    assert twin.index(TWINS) < twin.index("Any medal")
    assert "Any medal – synthetic data" in words(twin)
    assert 'class="badge gold"' not in twin


def test_what_models_cost_is_shown_as_it_was_counted(tmp_path: Path) -> None:
    usage: dict[str, Any] = {"requests": 3, "input_tokens": 9000, "output_tokens": 1000, "usd": 0.25}
    usage["by_model"] = {"m-2": {"requests": 3, "input_tokens": 9000, "output_tokens": 1000, "usd": 0.25}, "x": 7}
    html = page_of(write_group(tmp_path / "group", THREE[:2], model_usage=usage))
    assert "Cost 0.50 USD 20,000 tokens, counted in 2 runs" in words(html)
    assert "models 10,000 tokens, 0.2500 USD" in words(html)
    assert "m-2 3 0 9,000 1,000 0 s 0.2500" in words(html)


def test_twins_beside_other_data_cost_neither_medals_nor_score(tmp_path: Path) -> None:
    on_twin = {"data": "twin (seed 0, scale 1)", "human_percentile": None}
    on_real = {"data": "kaggle", "any_medal": True, "gold_medal": True, "human_percentile": 90.0}
    group = write_group(
        tmp_path / "mixed", THREE, report_of=lambda name, _: on_twin if name == THREE[0] else dict(on_real)
    )
    facts = facts_of(group).groups[0]
    assert not facts.is_twin
    assert facts.headline is not None
    assert facts.headline.num_competitions_per_seed == 2
    assert facts.headline.shares["any_medal"].mean == 100
    assert facts.lite is not None
    assert facts.lite.mean("metric_quality") == 90
    assert facts.lite.notes == ("1 of 3 runs is on a twin and does not count.",)
    assert some_twins(1, 3) in page_of(group)


def test_each_competition_stands_among_its_own_rivals(tmp_path: Path) -> None:
    def report_of(name: str, _: int) -> dict[str, Any]:
        return {"data": "twin (seed 0, scale 1)"} if name == THREE[0] else {}

    beside_twins = words(page_of(write_group(tmp_path / "twins", [THREE[0], "practice-wine"], report_of=report_of)))
    assert "Against the leaderboard of pipelines" in beside_twins
    assert not re.search(r"\b[Hh]umans\b", beside_twins), "on twins nobody competes"
    beside_real = words(page_of(write_group(tmp_path / "real", [THREE[1], "practice-wine"])))
    assert "Against humans and pipelines" in beside_real
    assert beside_real.count("The curve is that of pipelines, not people.") == 1


def test_snapshots_become_a_score_over_time(group: Path) -> None:
    assert "mlebench run --snapshot-every" in page_of(group)
    run_id = facts_of(group).runs[0].run.record.run_id
    snapshots = [{"seconds": 60 * minute, "score": 0.1 * minute, "medal": None} for minute in range(1, 5)]
    (group / "snapshots.json").write_text(json.dumps({run_id: snapshots}), encoding="utf-8")
    told = words(page_of(group))
    assert "1 min 0.1, 2 min 0.2, 3 min 0.3, 4 min 0.4, 2 h 24 min 0.5" in told
    assert "tester: 50.0 % after 2 h 24 min." in told


def test_failures_are_counted_and_shown(tmp_path: Path) -> None:
    def left(place: Path, record: RunRecord) -> Mapping[str, Any]:
        (place / "submission" / "submission.csv").unlink()
        (place / "agent.log").write_text(TRACEBACK, encoding="utf-8")
        return {"status": "failed", "exit_code": 1}

    told = words(page_of(write_group(tmp_path / "group", THREE[:2], left=left)))
    assert "2 runs without a medal: crash 2." in told
    assert "crash: ZeroDivisionError" in told
    assert "agent.log Traceback (most recent call last):" in told


def test_a_group_that_is_not_graded(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", THREE, graded=False)
    told = words(page_of(group))
    assert "Not graded: 3 of 3 runs that ended; they do not count." in told
    assert "Any medal – nothing is graded yet" in told
    assert "not graded" in told


def test_a_group_that_is_graded_in_part(group: Path) -> None:
    (report,) = group.glob("*grading_report*.json")
    content = json.loads(report.read_text())
    content["competition_reports"] = content["competition_reports"][:4]
    report.write_text(json.dumps(content))
    told = words(page_of(group))
    assert "Not graded: 2 of 6 runs that ended" in told
    assert "4 of 6" in told
    assert "provisional: 4 of 6 runs count so far" in told
    assert "have not ended" not in told, "they ended, and nobody graded them"
    lite = facts_of(group).groups[0].lite
    assert lite is not None
    assert [seed.missing for seed in lite.seeds] == [(), ()], "what is not graded does not count as a failure"


def test_a_group_that_is_running_needs_to_be_told(group: Path, tmp_path: Path) -> None:
    planned = facts_of(group).runs[-1].run
    record = json.loads((planned.folder / "run.json").read_text()) | {"status": "running"}
    (planned.folder / "run.json").write_text(json.dumps(record))
    with pytest.raises(MlebenchError, match=r"still running: 1 of 6 runs has not ended\. Wait, or use --partial"):
        page_of(group)
    told = words(page_of(group, partial=True))
    assert told.count("has not ended and does not count") == 1
    assert "Still running: 1 of 6 runs has not ended and does not count." in told
    assert "provisional: 5 of 6 runs count so far" in told
    ran = run_command("report", group, cwd=tmp_path)
    assert ran.code == 1
    assert "use --partial" in ran.err


def test_a_group_without_a_finished_run(group: Path) -> None:
    for run in facts_of(group).runs:
        shutil.rmtree(run.run.folder)
    told = words(page_of(group, partial=True))
    assert "6 of 6 runs have not ended" in told
    assert "planned" in told


def test_one_run_is_enough(group: Path) -> None:
    told = words(page_of(facts_of(group).runs[0].run.folder))
    assert "1 competition, 1 seed (0)" in told
    assert "mlebench · Run tester on spaceship-titanic, seed 0" in told
    assert "100.00 % 1 competition, one seed, so there is no standard error" in told
    assert "± 0.00" not in told


def test_a_comparison(group: Path, tmp_path: Path) -> None:
    other = write_group(tmp_path / "other", THREE, (0, 1), agent="rival", network="full")
    told = words(page_of(group, other))
    assert "tester against rival" in told
    assert "Not comparable in network: tester has none, rival has full." in told
    assert "exact McNemar" in told
    assert "tester is better in 2, worse in 0." in told
    third = write_group(tmp_path / "third", THREE, (0, 1), agent="rival")
    html = page_of(group, other, third)
    assert "tester, rival (1) and rival (2) compared" in words(html)
    assert "rival (1) against rival (2) No difference can be shown over 3 competitions: none" in words(html)
    assert html.count('<details class="named">') == 3, "of several pairs, the tables of each are folded away"
    assert html.index("Not comparable in network") < html.index("Every two groups"), "before any verdict"
    alone = write_group(tmp_path / "alone", ["AI4Code"], agent="loner")
    assert "tester and loner have no competition and seed in common." in words(page_of(group, alone))


def test_groups_have_one_colour_each(group: Path, tmp_path: Path) -> None:
    others = [write_group(tmp_path / name, THREE, (0, 1), agent=name) for name in ("other", "third")]
    html = page_of(group, *others)
    for place in range(3):
        assert f'<dl class="cards group-{place} compact">' in html
    any_medal = next(chart for chart in re.findall("<svg.*?</svg>", html) if "Any medal in percent, mean" in chart)
    assert re.findall(r'class="dot (group-\d)"', any_medal) == ["group-0", "group-1", "group-2"]
    failures = html[html.index('<section id="failures"') :]
    assert failures.index('class="key group-2"') < failures.index("<svg"), "a legend says whose they are"


def test_long_names_are_cut_and_seeds_are_not(group: Path, tmp_path: Path) -> None:
    name = "a-name-without-an-end" * 8
    html = page_of(group, write_group(tmp_path / "other", THREE, (0, 1), agent=name))
    assert words(html).count(name) == 1, "only provenance has all of it"
    assert ">a-name-without-…, seed 0</text>" in html


def test_where_nobody_competes_there_is_no_median(tmp_path: Path) -> None:
    none = {f"{name}_threshold": None for name in ("gold", "silver", "bronze", "median")}
    told = words(page_of(write_group(tmp_path / "group", THREE[:1], report_of=lambda *_: none)))
    assert "seed 0: 1 valid" in told
    assert "Without thresholds" in told


def test_names_from_right_to_left_do_not_turn_numbers_around(tmp_path: Path) -> None:
    html = page_of(write_group(tmp_path / "group", THREE, agent="وكيل جديد 7"))
    assert "<h1><bdi>وكيل جديد</bdi> 7</h1>" in html
    assert "<title>وكيل جديد 7 – mlebench</title>" in html, "a title has no markup"


def test_a_report_with_a_score_that_is_not_a_number(tmp_path: Path) -> None:
    scores = {THREE[0]: float("nan"), THREE[1]: float("inf"), THREE[2]: 1e-300}
    group = write_group(tmp_path / "group", THREE, (0, 1), report_of=lambda name, seed: {"score": scores[name]})
    told = words(page_of(group))
    assert "the report has no score" in told
    assert not re.search(r"\bnan\b", told, re.IGNORECASE)


def test_scores_over_time_keep_their_value_until_the_next(group: Path) -> None:
    lines = [(0, "one", [(60.0, 0.1), (120.0, 0.1), (180.0, 0.9)])]
    chart = over_time_chart(lines, None, "name", lower_is_better=False)
    (path,) = re.findall(r'<path class="score-line group-0 dash-0" d="([^"]+)"', chart)
    assert re.fullmatch(r"M[\d.]+ [\d.]+H[\d.]+V[\d.]+", path), "no slope between two snapshots"


def test_the_style_needs_no_new_browser() -> None:
    style = stylesheet()
    assert "light-dark(" not in style
    light, system, chosen = (
        set(re.findall(r"(--[\w-]+):", rules)) for rules in re.findall(r":root[^{]*{([^}]*)}", style)[:3]
    )
    assert light == system == chosen, "every colour has a dark one"
    used = set(re.findall(r"var\((--[\w-]+)", style)) - {"--c", "--on", "--text", "--edge"}
    assert used == light, "every colour is used, and none is written anywhere else"
    assert not re.search(r"#[0-9a-f]{3,6}\b", style[style.index("body {") :])


def test_nothing_that_an_agent_wrote_becomes_markup(tmp_path: Path) -> None:
    group = hostile_group(tmp_path)
    html = page_of(group)
    parsed = Parsed(html)
    assert not parsed.wrong
    names = [tag for tag, _ in parsed.elements]
    assert names.count("script") == 1
    assert "img" not in names
    attributes = {name for _, each in parsed.elements for name in each}
    assert not {name for name in attributes if name.startswith("on")}
    links = [str(each["href"]) for tag, each in parsed.elements if tag == "a"]
    assert all(link.startswith("#") or not re.match(r"[a-z]+:", link, re.IGNORECASE) for link in links)
    assert not any(link.endswith(".html") for link in links), "a page that an agent left is not linked"
    assert any("javascript%3Aalert" in link for link in links)
    for character in ("\x1b", "\x00", "\u202e", "\u2066", "\ud800"):
        assert character not in html
    assert HOSTILE in words(html), "it is shown as text"


def test_links_to_elsewhere_are_not_followed(group: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret of the host")
    run = facts_of(group).runs[0].run
    (run.folder / "agent.log").symlink_to(tmp_path / "secret.txt")
    html = page_of(group)
    assert "the secret of the host" not in html
    assert "/agent.log" not in html


def test_a_copied_group_needs_no_data(group: Path, tmp_path: Path) -> None:
    copied = tmp_path / "elsewhere" / "copy"
    shutil.copytree(group, copied)
    ran = run_command("report", copied, "--data-dir", tmp_path / "nothing", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert (copied / "report.html").is_file()


def test_bad_input_is_answered_in_a_sentence(group: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(group, copied)
    unknown = write_group(tmp_path / "unknown", ["my-contest"])
    for folders, sentence in (
        ((tmp_path / "none",), "is neither a run nor a run group"),
        ((group, group), "is given twice"),
        ((unknown,), "a run on the unknown competition 'my-contest'"),
    ):
        with pytest.raises(MlebenchError, match=sentence):
            page_of(*folders)
    for arguments, sentence in (
        ((group, copied), "have the same id"),
        ((group, "-o", "/proc/none/page.html"), "cannot be written to"),
    ):
        ran = run_command("report", *arguments, cwd=tmp_path)
        assert (ran.code, sentence in ran.err) == (1, True), ran.err


def test_published_agents_stand_beside_a_whole_split(tmp_path: Path) -> None:
    lite = registry.split("low")
    told = words(page_of(write_group(tmp_path / "group", lite, (0, 1), report_of=lambda *_: {"any_medal": True})))
    assert "Among published agents: any medal on lite, the 22 of low complexity" in told
    assert "tester 100.0 ± 0.0 %" in told
    assert "All 30 published agents" in told
    one_seed = words(page_of(write_group(tmp_path / "one", lite, report_of=lambda *_: {"any_medal": True})))
    assert "tester 100.0 %" in one_seed, "one seed has no standard error"
    assert "tester 100.0 ±" not in one_seed
    practice = words(page_of(write_group(tmp_path / "practice", ["practice-wine"])))
    assert "published agent" not in practice, "nothing published is on practice competitions"
    assert "Against the leaderboard of pipelines" in practice
    assert not re.search(r"\b[Hh]umans?\b", practice.replace("human percentile", "")), "pipelines are no humans"


def test_the_matrix_has_a_cell_for_every_run(group: Path, tmp_path: Path) -> None:
    def left(place: Path, record: RunRecord) -> Mapping[str, Any]:
        (place / "submission" / "submission.csv").unlink()
        return {"status": "timeout" if record.seed else "failed", "exit_code": 1}

    bad = write_group(tmp_path / "bad", THREE[:1], (0, 1), agent="rival", left=left)
    html = page_of(group, bad)
    cells = re.findall(r'<a class="([\w -]+)" href="#(run=[^"]+)"', html)
    assert len({anchor for _, anchor in cells}) == 8
    outcomes = [name for name, _ in cells]
    assert (outcomes.count("gold"), outcomes.count("bronze")) == (2, 1)
    assert (outcomes.count("failed"), outcomes.count("timed-out")) == (1, 1)
    assert "seed 1, timed out" in words(html)
    assert f'id="run={THREE[0]}/1/2"' in html, "an address says the competition, the seed and the group"
    told = words(page_of(write_group(tmp_path / "third", THREE[:1], (0, 1), left=left, report_of=lambda *_: {})))
    assert "a run without a valid submission counts as 0" in told
    assert "failed 2" not in told


def test_where_a_score_is_on_the_axis_of_medals() -> None:
    limits = Thresholds(0.9, 0.8, 0.7, 0.5)
    places = [
        position(score, percentile, limits, lower_is_better=False)
        for score, percentile in (
            (0.1, 10.0),
            (0.5, 50.0),
            (0.6, 70.0),
            (0.7, 80.0),
            (0.85, 95.0),
            (0.9, 98.0),
            (1.0, None),
        )
    ]
    assert places == pytest.approx([0.2, 1.0, 1.5, 2.0, 3.5, 4.8, 4.5])
    assert position(0.2, 60.0, Thresholds(0.1, 0.15, 0.2, 0.4), lower_is_better=True) == 2.0
    assert position(0.5, None, Thresholds(0.5, 0.5, 0.5, 0.5), lower_is_better=True) == 0.5, "all thresholds are one"


def test_what_an_agent_tells_of_its_steps_and_calls(tmp_path: Path) -> None:
    def left(place: Path, record: RunRecord) -> Mapping[str, Any]:
        steps = [
            {"time": 60, "kind": "model call", "tokens": 1200, "validation_score": None, "text": "a plan"},
            {"time": 120.5, "kind": "train", "tokens": 0, "validation_score": 0.75, "text": HOSTILE},
        ]
        lines = [json.dumps(step) for step in steps]
        (place / "logs" / "steps.jsonl").write_text("\n".join([*lines, "{half", "[1]", '{"kind": 3}', "9" * 5000]))
        calls = [
            {"model": "m-1", "input_tokens": 10, "output_tokens": 5, "latency": 1.5, "status": 200, "usd": 0.25}
        ] * 2
        (place / "model_calls.jsonl").write_text("\n".join(json.dumps(call) for call in calls))
        (place / "code" / "train.py").write_text("print('trained')\n")
        return {"network_attempts": ({"host": "example.org", "port": 443},)}

    facts = facts_of(write_group(tmp_path / "group", THREE[:1], left=left))
    (run,) = facts.runs
    assert [(step.kind, step.seconds, step.validation_score) for step in run.steps] == [
        ("model call", 60.0, None),
        ("train", 120.5, 0.75),
    ]
    assert (run.usd, run.calls[0].calls) == (0.5, 2)
    told = words(render(facts, tmp_path))
    assert "Steps of the agent (2)" in told
    assert "m-1 2 0 20 10 3 s 0.5000" in told
    assert "Cost 0.50 USD 30 tokens, counted in 1 run" in told
    assert "Network attempts (1)" in told
    assert "print('trained')" in told
    assert f"mlebench replay {run.run.folder}" in told


def test_other_logs_of_steps(tmp_path: Path) -> None:
    journal = {
        "nodes": [{"ctime": 100.0, "metric": {"value": 0.5}, "is_buggy": False, "plan": "trees"}, 7, {"ctime": 1}]
    }
    events = [
        {"source": "agent", "action": "run", "timestamp": "2026-01-01T00:00:10", "message": "ls"},
        {"source": "environment", "observation": "run"},
        {"source": "agent", "action": "finish", "timestamp": "2026-01-01T00:00:30", "message": "done"},
    ]

    def left(place: Path, record: RunRecord) -> None:
        if record.seed:
            (place / "logs" / "trajectory.json").write_text(json.dumps(events))
        else:
            (place / "logs" / "aide").mkdir()
            (place / "logs" / "aide" / "journal.json").write_text(json.dumps(journal))

    aide, openhands = facts_of(write_group(tmp_path / "group", THREE[:1], (0, 1), left=left)).runs
    assert [(step.kind, step.seconds, step.validation_score) for step in aide.steps][:1] == [("solution", 99.0, 0.5)]
    assert [(step.kind, step.seconds) for step in openhands.steps] == [("run", 0.0), ("finish", 20.0)]


def test_memory_is_against_the_smaller_of_budget_and_machine(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", THREE[:1], hardware={"cpus": 8, "memory_bytes": 88 << 30, "gpus": []})
    assert facts_of(group).runs[0].memory_share == 50.0


def test_a_section_is_one_module(group: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package brings a section: a module with a SECTION, named as an entry point."""
    site = tmp_path / "site"
    (site / "hours-1.0.dist-info").mkdir(parents=True)
    (site / "hours-1.0.dist-info" / "METADATA").write_text("Name: hours\nVersion: 1.0\n")
    (site / "hours-1.0.dist-info" / "entry_points.txt").write_text("[mlebench.page_sections]\nhours = hours\n")
    (site / "hours.py").write_text(
        """
from mlebench.page.sections import Section
from mlebench.page.tables import note, section


def draw(page, folder):
    seconds = sum(run.seconds or 0.0 for run in page.runs)
    return section("hours", "Hours of all runs", note(f"Together {seconds / 3600:.1f} hours."))


SECTION = Section(place=55, anchor="hours", name="Hours", draw=draw)
"""
    )
    monkeypatch.syspath_prepend(site)
    all_sections.cache_clear()
    try:
        html = page_of(group)
    finally:
        all_sections.cache_clear()
    assert '<a href="#hours">Hours</a>' in html
    assert html.index('id="budget"') < html.index('id="hours"') < html.index('id="time"')
    assert "Hours of all runs" in words(html)
