"""Where a submission breaks a rule: the line of the file, never anything about the answers."""

from __future__ import annotations

import io
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from mlebench.base.codes import RefusalCode
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grading import grade_csv, validate_submission
from mlebench.grade.places import line_of_row, located
from mlebench.grade.reading import read_submission
from mlebench.kit import distributions, numbers, one_of, whole_numbers
from mlebench.kit.rules import cut_to_whole, known_ids
from mlebench.services.check_submission import check


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    return prepared_twin("spaceship-titanic")


def changed(titanic: LocalCompetition, path: Path, change: Callable[[list[str]], object]) -> Path:
    """The sample submission with some of its lines changed; the header is line 0."""
    lines = titanic.sample_submission.read_text().splitlines()
    change(lines)
    path.write_text("\n".join(lines) + "\n")
    return path


def setting(**cells: str) -> Callable[[list[str]], None]:
    """Change lines: `line7="maybe"` gives line 7 another prediction, `id7` another id."""

    def change(lines: list[str]) -> None:
        for place, value in cells.items():
            number = int(place.lstrip("lined")) - 1
            identifier, predicted = lines[number].split(",")
            lines[number] = f"{value},{predicted}" if place.startswith("id") else f"{identifier},{value}"

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (setting(line7="maybe", line9="maybe"), "s.csv:7: The column Transported must hold True or False"),
        (setting(line12=""), "s.csv:12: The column Transported has 1 empty cell;"),
        (setting(id5="x"), "s.csv:5: The column PassengerId lacks"),
        (setting(id6="", id8=""), "s.csv:6: The column PassengerId has empty cells"),
        (lambda lines: lines.__setitem__(9, lines[2]), "s.csv:10: The column PassengerId repeats"),
        (lambda lines: lines.__setitem__(4, lines[4] + ",1"), "s.csv:5: s.csv cannot be read as CSV: line 5"),
        (lambda lines: lines.pop(), "The submission has 39 rows"),
    ],
)
def test_file_and_line(
    titanic: LocalCompetition, tmp_path: Path, change: Callable[[list[str]], object], said: str
) -> None:
    path = changed(titanic, tmp_path / "s.csv", change)
    valid, message = validate_submission(path, titanic)
    assert not valid
    assert message.startswith(said)
    assert grade_csv(path, titanic).refusal == message


def test_lines_are_those_of_an_editor(titanic: LocalCompetition, tmp_path: Path) -> None:
    """Blank lines and cells of several lines count; a byte order mark and Windows' line ends do not."""

    def change(lines: list[str]) -> None:
        setting(line9="")(lines)
        lines[5] = '"several\nlines",False'
        lines.insert(3, "")
        lines.insert(3, "   ")

    path = changed(titanic, tmp_path / "s.csv", change)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    table = pd.read_csv(path)
    row = int(table["Transported"].isna().to_numpy().argmax())
    assert line_of_row(path, row) == 9 + 3
    assert path.read_text(encoding="utf-8-sig").splitlines()[11].endswith(",")


def test_a_byte_that_is_not_utf8(titanic: LocalCompetition, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    lines = titanic.sample_submission.read_bytes().splitlines(keepends=True)
    lines[7] = b"Zo\xeb,True\n"
    path.write_bytes(b"".join(lines))
    assert validate_submission(path, titanic)[1].startswith("s.csv:8: s.csv is not UTF-8 text (a byte 0xeb")


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("1 2 x", lambda table: numbers(table["p"]), 4),
        ("1 inf 2", lambda table: numbers(table["p"]), 3),
        ("0.5 1.5 0.7", lambda table: numbers(table["p"], high=1), 3),
        ("1 2 2.5", lambda table: whole_numbers(table["p"]), 4),
        ("1 y 2", lambda table: cut_to_whole(table["p"]), 3),
        ("cat dog cow", lambda table: one_of(table["p"], ["cat", "dog"]), 4),
        ("a b c", lambda table: known_ids(table["p"], ["a", "c"], "p"), 3),
        ("0.5 1 0.5", lambda table: distributions(table.assign(q=0.5)[["p", "q"]]), None),
    ],
)
def test_every_rule_finds_its_cell(
    text: str, rule: Callable[[pd.DataFrame], object], line: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["p", *text.split()]) + "\n")
    table = pd.read_csv(path)
    with pytest.raises(InvalidSubmissionError) as refused:
        rule(table.iloc[::-1].reset_index(drop=True))  # graders see rows in another order
    found = located(refused.value, path, table)
    assert found.place == (None if line is None else f"s.csv:{line}")
    assert str(found) == (f"{found.place}: " if line else "") + refused.value.sentence


def test_a_row_that_does_not_sum_to_one(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("id,p,q\na,0.5,0.5\nb,0.5,0.6\n")
    table = pd.read_csv(path)
    with pytest.raises(InvalidSubmissionError) as refused:
        distributions(table[["p", "q"]])
    assert located(refused.value, path, table).place == "s.csv:3"


def test_a_place_survives_the_way_back_from_a_worker() -> None:
    error = InvalidSubmissionError(
        "No.", where=lambda table: table, code=RefusalCode.NOT_WHOLE, column="a", value="x", file="s.csv", line=3
    )
    found = pickle.loads(pickle.dumps(error))
    assert str(found) == "s.csv:3: No."
    assert (found.code, found.column, found.value, found.line) == (RefusalCode.NOT_WHOLE, "a", "x", 3)


def test_the_whole_message_is_of_bounded_length() -> None:
    error = InvalidSubmissionError("x" * 5000, file=f"{'n' * 100}.csv", line=3)
    assert len(str(error)) == InvalidSubmissionError.longest


def test_agents_get_the_line_only_with_the_whole_sentence(titanic: LocalCompetition, tmp_path: Path) -> None:
    path = changed(titanic, tmp_path / "submission.csv", setting(line7="maybe"))
    expected = "submission.csv:7: The column Transported must hold True or False, not 'maybe'."
    assert check(path, titanic) == (False, expected)
    # Where the sample does not name the ids, the missing one is private: it is struck out, and the line is not told.
    shutil.copytree(titanic.home, tmp_path / titanic.id)
    copied = LocalCompetition(titanic.declaration, tmp_path)
    copied.sample_submission.write_text("PassengerId,Transported\n")
    path = changed(titanic, tmp_path / "submission.csv", setting(id5="x"))
    valid, message = check(path, copied)
    assert not valid
    assert message == "The column PassengerId lacks … and has 'x', which the test set does not have."


def test_a_refusal_stands_when_its_row_cannot_be_found(tmp_path: Path) -> None:
    table = pd.DataFrame({"a": [1, 2]})
    refusal = InvalidSubmissionError("No.", where=lambda found: found["a"].str.strip() == "x")
    assert str(located(refusal, tmp_path / "s.csv", table)) == "No."


@pytest.mark.parametrize(
    ("competition_id", "column", "cell", "said"),
    [
        ("tgs-salt-identification-challenge", "rle_mask", "1 2 3 4 5", "s.csv:4: '1 2 3 4 5' has a start without"),
        ("kuzushiji-recognition", "labels", "U+306F 1", "s.csv:4: A page has 2 values"),
        ("vinbigdata-chest-xray-abnormalities-detection", "PredictionString", "1 2", "s.csv:4: The prediction '1 2'"),
        ("vinbigdata-chest-xray-abnormalities-detection", "PredictionString", "1 0.5 1 1 x 9", "s.csv:4: In a predict"),
        ("tensorflow2-question-answering", "PredictionString", " x:9", "s.csv:4: A PredictionString is start:end"),
        ("multi-modal-gesture-recognition", "Sequence", "2 x", "s.csv:4: The column Sequence must hold"),
        ("AI4Code", "cell_order", "none", "s.csv:4: The cell_order of"),
    ],
)
def test_a_cell_that_cannot_be_read(
    prepared_twin: Callable[[str], LocalCompetition],
    tmp_path: Path,
    competition_id: str,
    column: str,
    cell: str,
    said: str,
) -> None:
    competition = prepared_twin(competition_id)
    sample = pd.read_csv(competition.sample_submission, dtype=str, keep_default_na=False)
    sample.loc[2, column] = cell
    sample.to_csv(tmp_path / "s.csv", index=False)
    refusal = grade_csv(tmp_path / "s.csv", competition).refusal
    assert refusal is not None
    assert refusal.startswith(said), refusal


VOTES = "seizure_vote,lpd_vote,gpd_vote,lrda_vote,grda_vote,other_vote"
KINDS = "toxic,severe_toxic,obscene,threat,insult,identity_hate"
LATER = "case1_day1_slice_0002,stomach,1 1"
CAR = "1 1 1 1 1 1 {yaw} car"


# A competition, the rows of answers and of a submission that it refuses, and the line that is wrong.
@pytest.mark.parametrize(
    ("competition_id", "answers", "submission", "line"),
    [
        (
            "hms-harmful-brain-activity-classification",
            [f"eeg_id,{VOTES}", "1,1,0,0,0,0,0", "2,1,0,0,0,0,0", "3,1,0,0,0,0,0"],
            [f"eeg_id,{VOTES}", "3,1,0,0,0,0,0", "2,0.5,0,0,0,0,0", "1,0.5,0,0,0,0,0"],
            3,
        ),
        (
            "lmsys-chatbot-arena",
            ["id,winner_model_a,winner_model_b,winner_tie", "1,1,0,0", "2,0,1,0"],
            ["id,winner_model_a,winner_model_b,winner_tie", "2,0.5,0.5,0", "1,0.5,0.5,0.1"],
            3,
        ),
        (
            "jigsaw-toxic-comment-classification-challenge",
            [f"id,{KINDS}", "a,0,0,0,0,0,0", "b,1,1,1,1,1,1", "c,-1,-1,-1,-1,-1,-1"],
            [f"id,{KINDS}", "c,0,0,0,0,0,0", "a,0,0,0,0,0,0", "c,1,1,1,1,1,1"],
            4,
        ),
        (
            "detecting-insults-in-social-commentary",
            ["Insult,Date,Comment", "0,,one", "1,,two", "0,,two"],
            ["Insult,Comment", "0,two", "1,one", "0,one"],
            3,
        ),
        ("iwildcam-2019-fgvc6", ["Id,Category", "a,1", "b,2"], ["Id,Category", "b,2", "a,1_0"], 3),
        ("iwildcam-2019-fgvc6", ["Id,Category", "a,1", "b,1", "b,2"], ["Id,Category", "b,1", "a,1", "a,2"], 3),
        ("tweet-sentiment-extraction", ["textID,selected_text", "a,x", "b,"], ["textID,selected_text", "a,", "b,"], 3),
        ("multi-modal-gesture-recognition", ["Id,Sequence", "1,2 3", "2,4"], ["Id,Sequence", "2,4", "1,"], 3),
        ("multi-modal-gesture-recognition", ["Id,Sequence", "1,2 3", "2,4"], ["Id,Sequence", "2,4", "1,4.5"], 3),
        ("inaturalist-2019-fgvc6", ["id,predicted", "1,2", "2,4"], ["id,predicted", "2,4 5", "1,  "], 3),
        ("inaturalist-2019-fgvc6", ["id,predicted", "1,2", "2,4"], ["id,predicted", "2,4 5", "1,x 3"], 3),
        ("inaturalist-2019-fgvc6", ["id,predicted", "1,2", "2,4"], ["id,predicted", "2,4 5", f"1,{10**30} 3"], 3),
        ("inaturalist-2019-fgvc6", ["id,predicted", "1,2", "2,4"], ["id,predicted", "2,4", f"1,{2**63}"], 3),
        ("inaturalist-2019-fgvc6", ["id,predicted", "1,2", "2,4"], ["id,predicted", "2,4", f"{10**30},2"], 3),
        (
            "vinbigdata-chest-xray-abnormalities-detection",
            ["image_id,class_id,x_min,y_min,x_max,y_max", "a,1,0,0,1,1", "b,1,0,0,1,1"],
            ["image_id,PredictionString", "b,1 1 0 0 1 1", "a,1 1 0 0 1 1 nan 1 0 0 1 1"],
            3,
        ),
        (
            "siim-covid19-detection",
            ["id,PredictionString", "a_image,opacity 1 0 0 9 9", "b_image,none 1 0 0 1 1"],
            ["id,PredictionString", "b_image,none 1 0 0 1 1", "a_image,opacity nan 0 0 1 1"],
            3,
        ),
        (
            "3d-object-detection-for-autonomous-vehicles",
            ["Id,PredictionString", f"a,1.0 {CAR.format(yaw=0)}", f"b,1.0 {CAR.format(yaw=0)}"],
            ["Id,PredictionString", f"b,1.0 {CAR.format(yaw=0)}", f"a,1.0 {CAR.format(yaw='inf')}"],
            3,
        ),
        (
            "smartphone-decimeter-2022",
            ["tripId,UnixTimeMillis,LatitudeDegrees,LongitudeDegrees", "a,1,0,0", "a,2,0,0"],
            ["tripId,UnixTimeMillis,LatitudeDegrees,LongitudeDegrees", "a,1,0,0", "A,2,0,0"],
            3,
        ),
        (
            "uw-madison-gi-tract-image-segmentation",
            ["id,class,predicted,image_width,image_height", f"case1_day1_slice_0001,,,4,5\n{LATER},5,4"],
            ["id,class,predicted", f"case2_day1_slice_0001,,\n{LATER}", "case1_day1_slice_0001,,"],
            3,
        ),
    ],
)
def test_a_row_that_a_competition_refuses(
    competition_id: str, answers: list[str], submission: list[str], line: int, tmp_path: Path
) -> None:
    competition = registry.get_competition(competition_id)
    path = tmp_path / "s.csv"
    path.write_text("\n".join(submission) + "\n")
    table = read_submission(path)
    with pytest.raises(InvalidSubmissionError) as refused:
        competition.grader.raw_score(table, pd.read_csv(io.StringIO("\n".join(answers))))
    assert located(refused.value, path, table).place == f"s.csv:{line}", refused.value


def test_which_weeks_are_scored_is_not_told() -> None:
    """The first id that is repeated is named, whether it is scored or not."""
    answers = pd.DataFrame({"Patient": "a", "Weeks": [1, 2, 3], "FVC": [None, 2000.0, 2100.0]})
    answers["Patient_Week"] = "a_" + answers["Weeks"].astype(str)
    weeks = ["a_1", "a_1", "a_2", "a_2", "a_3"]
    submission = pd.DataFrame({"Patient_Week": weeks, "FVC": 2000, "Confidence": 100})
    with pytest.raises(InvalidSubmissionError, match="repeats 'a_1'"):
        registry.get_competition("osic-pulmonary-fibrosis-progression").grader.raw_score(submission, answers)
