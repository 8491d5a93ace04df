"""How a competition states what edition v2 changes, and what follows from it everywhere else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from covered import COVERED

from mlebench.base.codes import NoMedalCode
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry, registry
from mlebench.data.prepare import prepare
from mlebench.data.prepare_events import Event
from mlebench.data.record import DatasetRecord
from mlebench.errors import MlebenchError
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import RawFolder
from mlebench.grade.grading import grade_csv
from mlebench.grade.report import CompetitionReport
from mlebench.kit import Competition, group_split, grouped_by, known_from_train, split_together, stratified_by

TABLE = pd.DataFrame({"id": range(40), "owner": [number // 4 for number in range(40)], "kind": list("abbb") * 10})


def declared(tmp_path: Path) -> Competition:
    competition = Competition("own", "Own", category="Tabular", metric="accuracy", folder=tmp_path)

    @competition.prepare
    def prepare_it(raw: Any, public: Output, private: Output, word: str = "one") -> None:
        public.write_text("word.txt", word)
        public.write_text("old/secret.txt", word)
        public.place({"old/placed.txt": raw["raw.txt"], "placed.txt": raw["raw.txt"]})

    @competition.grade
    def grade_it(submission: Any, answers: Any, bonus: float = 0.0) -> float:
        return 1 + bonus

    return competition


def test_parameters_and_files_left_out(tmp_path: Path) -> None:
    competition = declared(tmp_path)
    competition.v2(word="two", bonus=1.0, leave_out=["old/*"], text_columns=["word"])
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "raw.txt").write_text("raw")
    found = {}
    for edition in competition.editions:
        public = tmp_path / edition
        competition.prepare_fn(edition)(RawFolder(tmp_path / "raw"), Output(public), Output(tmp_path / "private"))
        found[edition] = {path.relative_to(public).as_posix(): path.read_text() for path in public.rglob("*.txt")}
    assert found["v1"] == {
        "word.txt": "one", "old/secret.txt": "one", "old/placed.txt": "raw", "placed.txt": "raw",
    }  # fmt: skip
    assert found["v2"] == {"word.txt": "two", "placed.txt": "raw"}
    assert not (tmp_path / "v2" / "old").exists()
    assert (competition.grade_fn()(None, None), competition.grade_fn("v2")(None, None)) == (1, 2)
    assert competition.grade_fn("v2") is competition.grade_fn("v2")
    assert LocalCompetition(competition, tmp_path, "v2").text_columns == ("word",)


def test_a_competition_that_states_nothing_is_the_same(tmp_path: Path) -> None:
    competition = declared(tmp_path)
    assert competition.editions == ("v1", "v2")
    assert not competition.differs("v2")
    assert competition.prepare_fn("v2") is competition.prepare_fn("v1")


def test_mistakes_in_a_statement(tmp_path: Path) -> None:
    competition = declared(tmp_path)
    competition.v2(wrod="two")
    with pytest.raises(MlebenchError, match="sets 'wrod', which is a parameter of neither prepare nor grade"):
        competition.prepare_fn("v2")
    with pytest.raises(MlebenchError, match="states twice"):
        competition.v2(word="two")


def test_splits() -> None:
    train, test = grouped_by("owner")(TABLE, test_size=0.2)
    assert not set(train["owner"]) & set(test["owner"])
    assert train.equals(group_split(TABLE, "owner", 0.2)[0])
    train, test = stratified_by("kind")(TABLE, test_size=0.2)
    assert test["kind"].value_counts().to_dict() == {"b": 6, "a": 2}
    assert len(train) + len(test) == len(TABLE)
    rare = TABLE.assign(kind=[f"{number}" if number < 5 else "x" for number in range(40)])
    assert len(stratified_by("kind")(rare, test_size=0.1)[1]) == 4
    train, test = known_from_train("kind")(rare, test_size=0.5)
    assert set(test["kind"]) <= set(train["kind"])
    assert sorted([*train["id"], *test["id"]]) == list(range(40))
    first, second = split_together(list(range(40)), TABLE["owner"].tolist(), test_size=0.2)
    assert not {number // 4 for number in first} & {number // 4 for number in second}
    assert sorted(first + second) == list(range(40))


def test_v2_is_there_for_every_competition() -> None:
    editions = {competition_id: registry.get_competition(competition_id).declaration for competition_id in COVERED}
    assert all(declaration.editions == ("v1", "v2") for declaration in editions.values())
    assert sum(declaration.differs("v2") for declaration in editions.values()) == 63
    for declaration in editions.values():
        repaired = any(issue.v2 for issue in declaration.known_issues)
        assert declaration.differs("v2") == repaired, declaration.id
        declaration.prepare_fn("v2")  # whose parameters are then known to exist


def test_pizza_is_in_no_group() -> None:
    v1, v2 = Registry(), Registry(edition="v2")
    assert set(v1.split("low")) - set(v2.split("low")) == {"random-acts-of-pizza"}
    assert len(v2.split("all")) == 74
    assert v2.get_competition("random-acts-of-pizza").no_medal_code() is NoMedalCode.HUMANS_HAD_LEAK


Prepared = Callable[[str], LocalCompetition]


@pytest.fixture
def pizza(prepared_twin: Prepared) -> LocalCompetition:
    """Both editions of a twin, which pass for real data."""
    competition = prepared_twin("random-acts-of-pizza").in_edition("v2")
    events: list[Event] = []
    prepare(competition, notify=events.append)
    assert (events[-1].edition, events[-1].differs_from_v1) == ("v2", True)
    return competition


def test_reports_say_why_there_is_no_medal(pizza: LocalCompetition, monkeypatch: pytest.MonkeyPatch) -> None:
    synthetic = grade_csv(pizza.sample_submission, pizza)
    assert synthetic.no_medal_code is NoMedalCode.NOT_REAL_DATA
    record = DatasetRecord.load(pizza.prepared_dir)
    assert record is not None
    real = replace(record, source="kaggle", twin=None)
    monkeypatch.setattr(DatasetRecord, "load", staticmethod(lambda folder: real))
    report = grade_csv(pizza.sample_submission, pizza)
    assert report.edition == "v2"
    assert report.no_medal_code is NoMedalCode.HUMANS_HAD_LEAK
    assert (report.gold_threshold, report.any_medal, report.human_percentile) == (None, False, None)
    again = CompetitionReport.from_dict(json.loads(json.dumps(report.to_dict())))
    assert again == report
    older = {name: value for name, value in report.to_dict().items() if name not in ("no_medal_code", "edition")}
    assert CompetitionReport.from_dict(older).edition == "v1"


def test_editions_side_by_side(pizza: LocalCompetition) -> None:
    first = pizza.in_edition("v1")
    assert {first.prepared_dir.name, pizza.prepared_dir.name} == {"prepared", "prepared-v2"}
    fields = ["giver_username_if_known" in (each.public_dir / "test.json").read_text() for each in (first, pizza)]
    assert fields == [True, False]
    assert "giver_username_if_known" not in (pizza.public_dir / "description.md").read_text()


def test_text_columns_are_read_as_they_are_written(tmp_path: Path) -> None:
    from mlebench.grade.reading import read_submission

    path = tmp_path / "submission.csv"
    path.write_text("id,word,value\n1,NA,\n2,007,1.5\n3,,NA\n")
    assert read_submission(path)["word"].isna().sum() == 2
    text = read_submission(path, text_columns=["word"])
    assert text["word"].tolist() == ["NA", "007", ""]
    assert text["value"].isna().tolist() == [True, False, True]
