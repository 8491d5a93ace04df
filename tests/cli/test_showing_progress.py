"""What is shown while a command works: in a real terminal, and where there is none."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run
from live_terminal import COLOUR, Terminal
from servers import Answer, FileServer
from waiting import wait_for

from mlebench.base import progress
from mlebench.cli import progress as shown
from mlebench.competition.local import LocalCompetition

TITANIC = "spaceship-titanic"
SLOW = '''"""A competition whose preparation takes its time."""

import time

from mlebench.kit import Competition, Output, Raw, Table, accuracy

competition = Competition("slow-contest", "Slow", category="Tabular", metric="accuracy")


@competition.raw_data
def raw(folder):
    rows = "".join(f"{number},{number % 2}\\n" for number in range(400_000))
    (folder / "train.csv").write_text("id,target\\n" + rows)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    for number, _ in enumerate(raw.lines("train.csv")):
        if number % 100_000 == 0:
            time.sleep(0.5)
    table = raw.read_csv("train.csv").head(20)
    time.sleep(1.0)
    public.write_csv("train.csv", table.head(10))
    public.write_csv("sample_submission.csv", table.tail(10).assign(target=0))
    private.write_csv("test.csv", table.tail(10))


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    return accuracy(answers["target"], submission["target"])
'''


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a slow competition."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "slow-contest").mkdir()
    (folder / "slow-contest" / "competition.py").write_text(SLOW)
    (folder / "slow-contest" / "description.md").write_text("# Slow\n\nSay 0 or 1.\n")
    return folder


@pytest.mark.parametrize("columns", [40, 120])
def test_stages_and_a_clock_in_a_terminal(columns: int, own: Path, tmp_path: Path) -> None:
    terminal = Terminal("prepare", "-c", "slow-contest", "--competitions-dir", own, cwd=tmp_path, columns=columns)
    assert terminal.wait() == 0, terminal.text
    live = [line for line in terminal.lines if re.search(r" \d:\d\d ?$", line)]
    assert len({line.split()[-1] for line in live}) >= 3, live  # the clock ticks
    assert all(len(line) <= columns for line in live), live
    assert any(line.startswith("slow-contes") and " read " in line for line in live), live
    assert any(re.search(r"\d+%" if columns < 60 else r"[\d.]+ MiB of [\d.]+ MiB", line) for line in live), live
    assert any(" prepare " in line for line in live), live
    assert not terminal.hides_cursor
    assert terminal.lines[-1].endswith("--agent baseline --competitions-dir " + str(own)) or columns < 120
    assert "1 of 1 competition ready" in terminal.text


def test_several_at_once(own: Path, mirror: Path, tmp_path: Path) -> None:
    """The stages of other processes are shown too, below a line that counts."""
    chosen = ("-c", "slow-contest", "-c", TITANIC, "-c", "practice-wine")
    options = ("--competitions-dir", own, "--source", mirror, "--workers", 2)
    terminal = Terminal("prepare", *chosen, *options, cwd=tmp_path, columns=80, NO_COLOR="1")
    assert terminal.wait() == 0, terminal.text
    # The two others may be ready before anything is drawn.
    assert any(re.match(r"Preparing: [12] of 3 competitions", line) for line in terminal.lines)
    assert any(line.startswith("slow-contest") and "read train.csv" in line for line in terminal.lines)
    assert not COLOUR.search(terminal.output)


def test_a_download_tells_its_size(mirror: Path, tmp_path: Path) -> None:
    with FileServer() as server:
        server.files[f"/{TITANIC}.zip"] = (mirror / f"{TITANIC}.zip").read_bytes()
        server.always[f"/{TITANIC}.zip"] = Answer(stall=2.5)
        terminal = Terminal("prepare", "-c", TITANIC, "--source", server.url, cwd=tmp_path, columns=100)
        assert terminal.wait() == 0, terminal.text
    clocks = {line.split()[-1] for line in terminal.lines if f"{TITANIC} " in line and " download " in line}
    assert {"0:00", "0:01"} <= clocks, terminal.lines


@pytest.mark.parametrize(
    ("end", "code", "sentence"),
    [
        (lambda terminal: terminal.press("\x03"), 130, "Interrupted."),
        (lambda terminal: terminal.send(signal.SIGTERM), 143, "Ended by SIGTERM."),
    ],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_ended_in_a_terminal(end: Callable[[Terminal], None], code: int, sentence: str, tmp_path: Path) -> None:
    with FileServer() as server:
        server.files[f"/{TITANIC}.zip"] = b"PK"
        server.always[f"/{TITANIC}.zip"] = Answer(stall=600)
        terminal = Terminal("prepare", "-c", TITANIC, "--source", server.url, cwd=tmp_path)
        terminal.wait_until(lambda text: " download " in text)
        end(terminal)
        assert terminal.wait() == code, terminal.text
    assert not terminal.hides_cursor
    assert "Traceback" not in terminal.text
    after = terminal.text.rpartition("error: ")[2].split()
    assert " ".join(after) == f"{sentence} What was finished is kept; run the same command again to go on."


def without_signs(lines: list[str]) -> list[str]:
    """The lines without the signs of life, which a log gets after half a minute: a very slow machine has some."""
    return [line for line in lines if not re.search(r", \d:\d\d so far", line)]


def test_a_dumb_terminal(own: Path, tmp_path: Path) -> None:
    terminal = Terminal("prepare", "-c", "slow-contest", "--competitions-dir", own, cwd=tmp_path, TERM="dumb")
    assert terminal.wait() == 0, terminal.text
    assert "\x1b" not in terminal.output
    assert len(without_signs(terminal.lines)) <= 4, terminal.lines


def test_verify_ends_in_a_closing_line(titanic: LocalCompetition, tmp_path: Path) -> None:
    terminal = Terminal("verify", "-c", TITANIC, "--data-dir", titanic.data_dir, cwd=tmp_path)
    assert terminal.wait() == 0, terminal.text
    assert not terminal.hides_cursor
    table = next(place for place, line in enumerate(terminal.lines) if line.startswith("competition"))
    assert TITANIC in terminal.lines[table + 1], terminal.lines
    assert re.fullmatch(r"Checked 1 competition in [\d.]+ s: all as prepared\.", terminal.lines[-1])


def test_without_a_terminal_there_are_few_lines(own: Path, run: Run) -> None:
    ran = run("prepare", "-c", "slow-contest", "--competitions-dir", own)
    assert ran.code == 0
    lines = without_signs(ran.err.splitlines())
    assert len(lines) == 3, lines
    assert "\n".join(lines).startswith("slow-contest prepared from built-in\n1 of 1 competition ready")


def test_a_log_never_looks_hung(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Without a terminal a line now and then says what is going on, more and more rarely."""
    monkeypatch.setattr(shown, "_FIRST_SIGN", 0.02)
    monkeypatch.setattr(shown, "_RAREST_SIGN", 0.3)
    text, began = "", time.monotonic()

    def signs() -> list[str]:
        nonlocal text
        text += capfd.readouterr().err
        return text.splitlines()

    with (
        shown.show_progress("Preparing", total=2),
        progress.task("leaf-classification"),
        progress.stage("read", "train.csv", total=4_000_000, unit="bytes") as stage,
    ):
        stage.advance(1_000_000)
        wait_for(lambda: len(signs()) >= 8, signs)
    lines, took = signs(), time.monotonic() - began
    assert len(lines) <= 8 + took / 0.3, "the first seven come within less than 0.7 s, then one every 0.3 s"
    expected = r"Preparing: 0 of 2 competitions, \d:\d\d so far: leaf-classification read train\.csv, "
    assert all(re.match(expected, line) for line in lines), lines


def test_counting_takes_ten_lines_at_most(capfd: pytest.CaptureFixture[str]) -> None:
    with shown.show_progress("Grading", "submission") as display:
        for done in range(1, 501):
            display.count(done, 500)
    lines = capfd.readouterr().err.splitlines()
    assert (len(lines), lines[0], lines[-1]) == (
        10,
        "Grading: 50 of 500 submissions",
        "Grading: 500 of 500 submissions",
    )


def test_the_speed_of_a_download() -> None:
    step = progress.Step("leaf-classification", "download", "", 3_000_000_000, 5_000_000_000, "bytes")
    active = shown._Active(step, began=0.0, stage_began=10.0, done_before=1_000_000_000)
    assert active.speed(now=30.0) == "95.4 MiB/s, 0:20 left"
    assert active.amount() == "2.8 GiB of 4.7 GiB"
    assert active.amount(short=True) == "60% of 4.7 GiB"
