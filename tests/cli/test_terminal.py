"""What people see: tables that fit a terminal, colour where it belongs, help without cuts; pipes get everything."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command import Run
from graded import medals, report, write_grading_report, write_group
from small import SMALL

from mlebench.cli import cli
from mlebench.cli.help import SectionedGroup
from mlebench.cli.output import print_problems
from mlebench.cli.tables import columns_of, cut, fitted, folded
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry
from mlebench.competition.skeleton import write_skeleton

if os.name != "nt":
    from terminal import on_terminal, seen

unix_only = pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
LONG = "google-research-identify-contrails-reduce-global-warming"
WORDS = re.compile(r"[a-z]{4,}", re.IGNORECASE)


@pytest.fixture
def folder(tmp_path: Path, titanic: LocalCompetition) -> Path:
    """A folder with data, submissions, run groups and reports."""
    (tmp_path / "data").symlink_to(titanic.data_dir)
    ids = [*registry.split("low")[:8], LONG]
    write_grading_report(tmp_path / "ours.json", medals(ids, "ggsbb--xg", human_percentile=60.0))
    write_grading_report(tmp_path / "theirs.json", medals(ids, "g-------x", human_percentile=20.0))
    for name in ("one", "two"):
        write_group(
            tmp_path / "runs" / name,
            ids,
            (0, 1),
            agent=name,
            report_of=lambda each, _: report(each, human_percentile=9),
        )
    lines = titanic.sample_submission.read_text().splitlines()
    lines[3] = lines[3].replace("False", "perhaps")
    (tmp_path / "bad.csv").write_text("\n".join(lines) + "\n")
    good = {"competition_id": titanic.id, "submission_path": str(titanic.sample_submission)}
    listed = [good, good | {"submission_path": "bad.csv"}, good | {"submission_path": "nowhere.csv"}]
    (tmp_path / "list.jsonl").write_text("\n".join(map(json.dumps, listed)) + "\n{broken\n")
    (write_skeleton("my-contest", tmp_path / "own") / "twin.py").unlink()
    return tmp_path


def commands(sample: Path) -> list[list[object]]:
    """Every command that shows a table or facts."""
    return [
        ["list"],
        ["status"],
        ["verify", "-c", "spaceship-titanic"],
        ["grade", "--submission", "list.jsonl", "--output-dir", "reports", "--workers", 1],
        ["grade-sample", sample, "spaceship-titanic"],
        ["grade-sample", "bad.csv", "spaceship-titanic"],
        ["info", "spaceship-titanic", "--description", "--checksums"],
        ["agents"],
        ["doctor"],
        ["runs"],
        ["runs", "show", "one"],
        ["score", "runs/one"],
        ["aggregate", "runs/one", "--pad-missing"],
        ["compare", "ours.json", "theirs.json"],
        ["failures", "runs/one", "runs/two"],
        ["leaderboard", "--reports", "ours.json", "--pad-missing"],
        ["validate", "bad.csv", "spaceship-titanic"],
        ["info", "spaceship-titanik"],
        ["check", "my-contest", "--competitions-dir", "own"],
        ["verify", "--split", "systemcard", "--edition", "v3"],
        ["grade", "--run-group", "runs/one", "--output-dir", "reports"],
    ]


@unix_only
@pytest.mark.parametrize("columns", [80, 120])
def test_everything_fits_a_terminal(folder: Path, titanic: LocalCompetition, columns: int) -> None:
    asked = commands(titanic.sample_submission)
    for arguments, text in zip(asked, on_terminal(asked, columns=columns, cwd=folder), strict=True):
        lines = seen(text)
        # A path is not broken, so that it can be copied; the terminal goes on with it in the next line.
        too_long = [line for line in lines if len(line) > columns and " " in line.strip()]
        assert not too_long, (arguments, too_long)
        assert len(lines) > 1


@unix_only
def test_what_a_terminal_shows(folder: Path, titanic: LocalCompetition) -> None:
    sample = titanic.sample_submission
    asked: list[list[object]] = [
        ["list"],
        ["list", "--wide", "--split", "low"],
        ["grade", "--submission", "list.jsonl", "--output-dir", "reports", "--workers", 1],
        ["grade-sample", sample, titanic.id],
        ["grade-sample", titanic.id, sample, "--json"],
        ["leaderboard", "--reports", "ours.json", "--pad-missing"],
        ["check", "my-contest", "--competitions-dir", "own"],
        ["runs", "show", "one"],
    ]
    listed, wide, graded, sampled, as_json, board, checked, runs = on_terminal(asked, columns=80, cwd=folder)
    lines = seen(listed)
    assert lines[0].split() == ["id", "group", "category"]
    assert sum(line.startswith("Not shown: metric") and line.endswith("--wide shows all.") for line in lines) == 1
    # A long id goes on in the next line, behind a hyphen: nothing of it is lost.
    ids = "\n".join(line[: lines[0].index("group")].rstrip() for line in lines).replace("-\n", "-").split()
    assert [each for each in registry.split("all") if each not in ids] == []
    assert "median" in seen(wide)[0]
    assert max(map(len, seen(wide))) > 120
    assert "bad.csv" in graded
    refusals = " ".join(seen(graded))
    assert "refused: bad.csv:4: The column Transported must hold True or False, not 'perhaps'." in refusals
    assert "error: list.jsonl:4: not valid JSON" in refusals
    facts = " ".join(seen(sampled))
    for fact in (
        "score: 0.375 (higher is better)",
        "medal: none: this data is synthetic",
        "gold 0.82066",
        "edition v1",
    ):
        assert fact in re.sub(" +", " ", facts)
    assert json.loads("\n".join(seen(as_json)))["score"] == 0.375, "the arguments were the other way round"
    assert any("> " in line for line in seen(board))
    assert "\x1b[31mfailed " in checked
    assert "reason" not in runs, "a column without anything in it is not shown"


@unix_only
def test_colour_is_where_it_belongs(folder: Path, titanic: LocalCompetition) -> None:
    asked: list[list[object]] = [["status"], ["info", "nothing"]]
    without = "".join(on_terminal(asked, columns=80, cwd=folder, NO_COLOR="1"))
    assert not re.search(r"\x1b\[[\d;]*m", without)
    assert "\x1b" not in "".join(on_terminal(asked, columns=80, cwd=folder, TERM="dumb"))
    coloured, error = on_terminal(asked, columns=80, cwd=folder)
    assert "\x1b[32myes" in coloured
    assert error.startswith("\x1b[31m\x1b[1merror\x1b[0m: There is no competition")


def test_a_pipe_gets_all_columns_and_no_colour(run: Run) -> None:
    piped = run("list", "--split", "practice").out
    assert piped.splitlines()[0].split() == "id group category metric better teams gold median GB".split()
    assert "\x1b" not in piped
    assert run("list", "--split", "practice", COLUMNS="40").out == piped
    forced = run("list", "--split", "practice", FORCE_COLOR="1").out
    assert "\x1b[1m" in forced
    assert [line.split() for line in re.sub(r"\x1b\[[\d;]*m", "", forced).splitlines()] == [
        line.split() for line in piped.splitlines()
    ]


@unix_only
def test_nothing_that_a_terminal_would_obey(folder: Path) -> None:
    hostile = "bad\x1b]0;owned\x07\x1b[2J"
    (folder / f"{hostile}.csv").write_text("x\n1\n")
    record = {"competition_id": "spaceship-titanic", "submission_path": f"{hostile}.csv"}
    (folder / "list.jsonl").write_text(json.dumps(record))
    asked = [["grade", "--submission", "list.jsonl", "--output-dir", "reports", "--workers", 1]]
    (text,) = on_terminal(asked, columns=80, cwd=folder)
    assert "\x1b]" not in text
    assert "\x07" not in text
    assert "\x1b[2J" not in text
    assert "bad\\x1b]0;owned" in "".join(seen(text)).replace(" ", "")


@unix_only
def test_facts_fit_one_screen(tmp_path: Path) -> None:
    ids = [each.id for each in registry.all_competitions()]
    shown = on_terminal([["info", each] for each in ids], columns=80, cwd=tmp_path)
    heights = {each: len(seen(text)) - 1 for each, text in zip(ids, shown, strict=True)}
    assert max(heights.values()) <= 24, heights
    assert not any("md5" in text for text in shown)


def every_command(command: click.Command, *names: str) -> Iterator[tuple[str, ...]]:
    yield names
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from every_command(each, *names, name)


def test_help_reads_well_in_80_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for names in every_command(cli):
        cli.main([*names, "--help"], prog_name="mlebench", standalone_mode=False)
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= 80, names
        cuts = re.findall(r"\S*\.\.\.", text.replace("[ARGS]...", ""))
        assert not cuts, names
        broken = [line for line in text.splitlines() if line.endswith("-")]
        assert not broken, "an option is broken at its hyphen"


def test_every_command_is_in_a_section() -> None:
    assert isinstance(cli, SectionedGroup)
    sections = cli.sections()
    assert "More commands" not in sections
    assert sorted(name for names in sections.values() for name in names) == sorted(cli.commands)


def test_help_and_pipes_do_without_rich() -> None:
    code = (
        "import sys; from mlebench.cli import cli; cli.main(sys.argv[1:], standalone_mode=False);"
        "assert not {'rich', 'jinja2', 'starlette', 'pandas'} & set(sys.modules)"
    )
    for arguments in (["--help"], ["list"]):
        subprocess.run([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, check=True)


def test_a_command_imports_no_other() -> None:
    code = (
        "import sys; from mlebench.cli import cli; cli.main(['validate', '--help'], standalone_mode=False);"
        "assert not {f'mlebench.cli.{name}' for name in ('run', 'audit', 'view', 'prepare')} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_file_and_the_id_in_any_order(run: Run, titanic: LocalCompetition, swapped: bool) -> None:
    arguments: list[object] = [titanic.sample_submission, titanic.id]
    ran = run("validate", *(reversed(arguments) if swapped else arguments), "--data-dir", titanic.data_dir)
    assert (ran.code, ran.out) == (0, "Submission is valid.\n")


def test_json_of_what_is_written(run: Run, tmp_path: Path) -> None:
    made = json.loads(run("twin", SMALL[0], "twins", "--json").out)
    assert Path(tmp_path / made["archive"]).stat().st_size == made["bytes"]
    assert made["submissions"] is None
    for arguments in (["new", "mine"], ["agents", "new", "own"]):
        written = json.loads(run(*arguments, "--json").out)
        assert written["files"]
        assert all((tmp_path / each).exists() for each in written["files"])


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_live_table_of_runs_fits(columns: int) -> None:
    from rich.console import Console

    from mlebench.cli.live import live_tables

    rows = [
        [LONG, "0", "running", "12 min", "1.2 GB", "", "epoch 3 of 100: validation loss 0.123456, learning rate 1e-05"],
        ["AI4Code", "11", "timeout", "24.0 h", "12.3 GB", "sample", "Killed"],
        ["leaf-classification", "2", "planned", "-", "", "", ""],
    ]
    console = Console(width=columns, file=io.StringIO(), record=True)
    for table in live_tables(rows, columns):
        console.print(table)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    assert max(map(len, lines)) <= columns
    for text in ("running", "timeout", "planned", "AI4Code", "12 min", "24.0 h", "leaf-", "classification", "warming"):
        assert text in "\n".join(lines), "nothing of it is cut"


class TestProblems:
    def test_one_cause_is_told_once(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = [(each, f"{each} is not prepared. Run: mlebench prepare -c {each}") for each in "abc"]
        print_problems([*found, ("d", "The disk is full.")])
        assert capsys.readouterr().err == (
            "error: 3 competitions (a, b, c): ID is not prepared. Run: mlebench prepare -c ID\n"
            "error: d: The disk is full.\n"
        )

    def test_an_id_within_another_is_not_touched(self, capsys: pytest.CaptureFixture[str]) -> None:
        print_problems([("wine", "practice-wine is larger."), ("beer", "practice-beer is larger.")], what="line")
        assert capsys.readouterr().err.splitlines() == [
            "error: wine: practice-wine is larger.",
            "error: beer: practice-beer is larger.",
        ]


class TestLayout:
    ROWS = (("a-very-long-name-of-something", "12345.678", "some words that say more"), ("short", "1", "few"))

    def layouts(self, width: int, **more: object) -> list[tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]]:
        columns = columns_of(["name", "number", "text"], self.ROWS, right=["number"], shorten={"text": 6})
        found = fitted(columns, width, drop=["text"])
        return [(tuple(column.name for column in each.columns), each.widths, each.left_out) for each in found]

    def test_natural_where_there_is_room(self) -> None:
        assert self.layouts(66) == [(("name", "number", "text"), (29, 9, 24), ())]

    def test_prose_gives_way_first_then_its_column(self) -> None:
        assert self.layouts(50) == [(("name", "number", "text"), (29, 9, 8), ())]
        (names, widths, left_out) = self.layouts(18)[0]
        assert (names, left_out) == (("name", "number"), ("text",))
        assert widths[1] == 9

    def test_numbers_are_never_cut(self) -> None:
        for width in range(5, 70):
            for names, widths, _ in self.layouts(width):
                assert "number" not in names or widths[names.index("number")] >= 9

    @pytest.mark.parametrize("width", range(10, 40))
    def test_words_stay_whole(self, width: int) -> None:
        text = "mean column-wise area under the ROC curve of 0.123456 or -1e-05"
        lines = folded(text, width)
        assert all(len(line) <= width for line in lines)
        assert " ".join(lines).split() == text.split() or "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert {"0.123456", "-1e-05"} <= set(" ".join(lines).split())
        shortened = cut(text, width)
        assert len(shortened) <= width
        assert shortened.rstrip("…").split() == text.split()[: len(shortened.split())]

    def test_many_columns_become_several_tables(self) -> None:
        header = ["name", *(f"column-{number}" for number in range(10))]
        columns = columns_of(header, [["row", *("1.00 ± 0.10" for _ in range(10))]], right=header[1:])
        found = fitted(columns, 40)
        assert len(found) > 1
        assert all(each.columns[0].name == "name" for each in found)
        assert [column.name for each in found for column in each.columns[1:]] == header[1:]
        assert all(sum(each.widths) + 2 * (len(each.widths) - 1) <= 40 for each in found)
