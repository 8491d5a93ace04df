"""The view over HTTP: what it shows of groups in any state, and that nothing but the right browser gets anything."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run_command
from graded import report, write_grading_report, write_group
from view.groups import ATTACK, end, hostile_group, running_group, say, write_plan
from view.server import View, serving
from waiting import wait_for

from mlebench.competition.local import LocalCompetition
from mlebench.results.names import GROUP_FILE
from mlebench.results.trust import Named
from mlebench.runs.group import create_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits
from mlebench.view.control import control, runner_of
from mlebench.view.reading import open_below, read_piece, search
from mlebench.view.snapshots import SnapshotGrader
from mlebench.view.watching import Groups


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with a group under way, one that has ended, a damaged one and a hostile one."""
    runs = tmp_path_factory.mktemp("runs")
    secret = runs.parent / "secret" / "secret.txt"
    secret.parent.mkdir(exist_ok=True)
    secret.write_text("the secret of the host")
    running_group(runs / "2026-04-01_live")
    write_group(runs / "2026-01-01_ended", ["spaceship-titanic"], (0, 1))
    hostile_group(runs / "2026-02-01_hostile", secret)
    (runs / "2026-03-01_damaged").mkdir()
    (runs / "2026-03-01_damaged" / GROUP_FILE).write_text('{"plan": [', encoding="utf-8")
    (runs / "notes").mkdir()
    return runs


@pytest.fixture(scope="module")
def view(folder: Path) -> Iterator[View]:
    with serving(folder) as served:
        yield served


def test_only_the_browser_that_opened_the_address_sees_anything(folder: Path) -> None:
    """Another user of the machine reaches the port, and gets one sentence."""
    with serving(folder) as view:
        token = view.keys.token
        for path in ("/", "/g/2026-04-01_live", "/g/2026-04-01_live/events", "/static/view.js", "/nothing"):
            answer = view.ask(path, with_cookie=False)
            assert (answer.status, answer.text.count("\n")) == (403, 1)
        assert view.ask("/?token=wrong", with_cookie=False).status == 403
        assert view.ask("/", with_cookie=False, headers={"Cookie": f"mlebench-view-{view.port}=guessed"}).status == 403
        assert view.ask("/", with_cookie=False, headers={"Cookie": "a=;;;=="}).status == 403
        cookie = view.let_in()
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert token not in cookie
        assert view.ask("/").status == 200
        assert view.ask(f"/?token={token}", with_cookie=False).status == 403, "an address opens one browser"
        assert view.ask(f"/?token={token}").status == 200, "which may open it again"


def test_no_other_site_and_no_other_name_gets_anything(view: View) -> None:
    view.let_in()
    own = f"http://127.0.0.1:{view.port}"
    for headers in (
        {"Host": f"evil.example:{view.port}"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{view.port + 1}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        answer = view.ask("/", headers=headers)
        assert answer.status in (403, 421), headers
        assert "live" not in answer.text
    assert view.ask("/", headers={"Origin": own, "Sec-Fetch-Site": "same-origin"}).status == 200


def test_every_answer_says_what_a_browser_may_do_with_it(view: View) -> None:
    for path in ("/", "/g/2026-04-01_live", "/g/2026-01-01_ended/report", "/static/view.css", "/nothing"):
        headers = view.ask(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert not [name for name in headers if name.startswith("access-control")]


def test_all_groups_are_listed_the_newest_first(view: View) -> None:
    text = view.ask("/").text
    places = [text.index(name) for name in ("_live", "_damaged", "_hostile", "_ended")]
    assert places == sorted(places)
    assert "4 run groups" in text
    assert "metadata.json is damaged or was written by another version of mlebench." in text
    assert "notes" not in text
    answer = view.ask("/g/2026-03-01_damaged")
    assert answer.status == 404
    assert "is damaged" in answer.text


def test_a_group_under_way(view: View) -> None:
    text = view.ask("/g/2026-04-01_live").text
    assert "2 of 4 runs ended, 1 running, 1 waiting." in text
    assert '<span class="state planned">1 waiting</span>' in text
    assert "about 30 min left" in text, "it has outlasted the others, and its limit is an hour"
    assert "30 min of 1 h" in text
    assert "4 GiB of 8 GiB" in text
    assert 'waiting</span> <span class="note">for a GPU' in text
    assert "epoch 2" in text, "the last line of a log"
    assert '<span class="state failed">failed</span>' in text


def test_news_arrive_as_they_are_written(folder: Path, tmp_path: Path) -> None:
    live = tmp_path / "live"
    plan = running_group(live)
    with serving(tmp_path) as view, view.listening("/g/live/events") as news:
        assert next_news(news)["sentence"] == "2 of 4 runs ended, 1 running, 1 waiting."
        say(live, plan[2], "usage", seconds=2400.0, memory=5 << 30, submission=True)
        (live / plan[3].folder / "run.json").write_text('{"half": ', encoding="utf-8")  # a record half written
        rows = next_news(news)["rows"]
        assert isinstance(rows, list)
        assert [(row["run"], row["time"], row["submission"]) for row in rows] == [
            (plan[2].folder, "40 min of 1 h", "yes")
        ]
        end(live, plan[2], "timeout", code="time-limit")
        end(live, plan[3], "success")
        told = next_news(news)
        while told["sentence"] != "All 4 runs have ended.":
            told = next_news(news)
        shutil.rmtree(live)
        lines = [news.readline()]
        while b"gone" not in lines[-1]:
            lines.append(news.readline())
        assert b"This run group was moved or removed." in news.readline()
    with serving(tmp_path) as view:
        answer = view.ask("/g/live")
        assert (answer.status, "There is no run group live." in answer.text) == (404, True)


def test_a_group_that_nobody_runs(tmp_path: Path) -> None:
    """It was killed: its runs say that they run, and no process holds it."""
    plan = write_plan(tmp_path / "killed", ["spaceship-titanic", "leaf-classification"])
    say(tmp_path / "killed", plan[0], "state", status="running")
    log = tmp_path / "killed" / plan[0].folder / "events.jsonl"
    log.write_text(log.read_text().replace('"time": "20', '"time": "19'), encoding="utf-8")
    standing = Groups(tmp_path).watched("killed").standing()
    assert standing.sentence.endswith("Nobody runs this group: it was interrupted.")
    assert "no sign of life for" in standing.rows[0].about
    assert standing.sentence.startswith("0 of 2 runs ended, 1 interrupted, 1 not begun.")
    assert [row.state for row in standing.rows] == ["interrupted", "not begun"], "nothing contradicts the sentence"


def test_a_run_with_its_log_and_record(view: View, folder: Path) -> None:
    (run,) = (path.name for path in (folder / "2026-04-01_live").glob("aerial-*"))
    text = view.ask(f"/g/2026-04-01_live/{run}").text
    assert "epoch 1\nepoch 2" in text
    piece = json.loads(view.ask(f"/g/2026-04-01_live/{run}?log=8").text)
    assert (piece["text"], piece["end"], piece["size"]) == ("epoch 2\n", 16, 16)
    assert view.ask(f"/g/2026-04-01_live/{run}?search=EPOCH+2").text == "2: epoch 2"
    assert view.ask(f"/g/2026-04-01_live/{run}/agent.log").text == "epoch 1\nepoch 2\n"
    ended = next(path.name for path in (folder / "2026-01-01_ended").glob("spaceship*"))
    assert "mlebench replay" in view.ask(f"/g/2026-01-01_ended/{ended}").text
    report = view.ask("/g/2026-01-01_ended/report")
    assert "Runs by competition" in report.text
    assert f'href="{ended}/run.json"' in report.text
    assert '"run_id"' in view.ask(f"/g/2026-01-01_ended/{ended}/run.json").text


def test_nothing_of_an_agent_becomes_markup_and_no_link_is_followed(view: View, folder: Path) -> None:
    group = folder / "2026-02-01_hostile"
    text, link, files = (next(group.glob(f"{name}*")).name for name in ("space", "leaf", "dog"))
    base = "/g/2026-02-01_hostile"
    for path in ("/", base, f"{base}/{text}", f"{base}/{text}?search=script", f"{base}/{files}"):
        answer = view.ask(path)
        assert answer.status == 200, path
        if answer.headers["content-type"].startswith("text/html"):
            assert "<script>document" not in answer.text
            assert "<img" not in answer.text
        assert "\x1b" not in answer.text
        assert "\u202e" not in answer.text
    for path in (
        f"{link}/agent.log",
        f"{link}/code/secret.txt",
        f"{link}/submission/submission.csv",
        f"{link}/..%2f..%2fsecret%2fsecret.txt",
        f"{link}/%2e%2e/%2e%2e/%2e%2e/secret/secret.txt",
        "..%2fsecret",
    ):
        answer = view.ask(f"{base}/{path}")
        assert answer.status == 404, path
        assert "the secret" not in answer.text
    assert "the secret" not in view.ask(f"{base}/{link}").text
    assert "the secret" not in view.ask(f"{base}/{link}?log=0").text
    page = view.ask(f"{base}/{files}/code/page.html")
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"] == "attachment"
    assert "sandbox" in page.headers["content-security-policy"]
    log = view.ask(f"{base}/{text}/agent.log")
    assert log.headers["content-type"].startswith("text/plain")
    assert ATTACK in log.text, "a file is as it is, and no browser takes it for a page"


def test_a_line_of_two_gigabytes_costs_little(folder: Path) -> None:
    import tracemalloc

    endless = next((folder / "2026-02-01_hostile").glob("aerial*"))
    tracemalloc.start()
    try:
        piece = read_piece(endless, ("agent.log",))
        assert (piece.size, len(piece.text) < 10_000) == (2 << 30, True)
        assert read_piece(endless, ("agent.log",), 0).text.startswith("the beginning")
        assert [number for number, _ in search(endless, ("agent.log",), "the beginning")] == [1]
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_piece_of_a_log_ends_with_a_line(tmp_path: Path) -> None:
    (tmp_path / "agent.log").write_bytes(b"one\ntwo\nthree\n")
    assert read_piece(tmp_path, ("agent.log",), 0, most=6).text == "one\n"
    assert read_piece(tmp_path, ("agent.log",), None, most=9).text == "three\n"
    assert read_piece(tmp_path, ("agent.log",), 99).text == ""
    assert read_piece(tmp_path, ("none.log",)).size == 0
    for parts in ((), ("..",), ("a", ""), ("a/b",), ("nul\0",)):
        with pytest.raises(OSError, match="No such file"):
            open_below(tmp_path, parts)


def test_ten_thousand_groups(tmp_path: Path) -> None:
    write_plan(tmp_path / "2026-00000", ["spaceship-titanic"])
    for number in range(1, 10_000):
        (tmp_path / f"2026-{number:05d}").mkdir()
        os.link(tmp_path / "2026-00000" / GROUP_FILE, tmp_path / f"2026-{number:05d}" / GROUP_FILE)
    first, count = Groups(tmp_path).page(0)
    assert (count, len(first), first[0].name) == (10_000, 50, "2026-09999")
    last, _ = Groups(tmp_path).page(199)
    assert last[-1].name == "2026-00000"
    assert Groups(tmp_path).page(10**6)[0] == []


HOLD = """
import fcntl, signal, sys, time
file = open(sys.argv[1], "w"); fcntl.flock(file, fcntl.LOCK_EX)
def note(number, _): print(signal.Signals(number).name, flush=True); number == signal.SIGTERM and sys.exit()
signal.signal(signal.SIGINT, note); signal.signal(signal.SIGTERM, note)
print("held", flush=True)
while True: time.sleep(0.05)
"""


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="who holds a lock is known on Linux only")
def test_control_needs_permission_and_a_confirmation(tmp_path: Path) -> None:
    running_group(tmp_path / "live")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with serving(tmp_path) as view:
        assert "Yes, do it" not in view.ask("/g/live").text
        answer = view.ask("/g/live/control", method="POST", body="action=stop&confirmed=yes", headers=form)
        assert (answer.status, "read-only" in answer.text) == (403, True)
    command = [sys.executable, "-c", HOLD, str(tmp_path / "live" / ".lock")]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder,
        serving(tmp_path, allow_control=True) as view,
    ):
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert runner_of(tmp_path / "live") == holder.pid
        page = view.ask("/g/live").text
        key = page.split('name="key" value="')[1].split('"')[0]
        assert view.ask("/g/live/control", method="POST", body="action=stop&confirmed=yes", headers=form).status == 403
        assert view.ask("/g/live/control", method="POST", body=f"action=stop&key={key}", headers=form).status == 400
        assert view.ask("/g/live/control", method="POST", body="x" * 9000, headers=form).status == 413
        assert (
            "being run already"
            in view.ask(
                "/g/live/control", method="POST", body=f"action=resume&confirmed=yes&key={key}", headers=form
            ).text
        )
        answer = view.ask("/g/live/control", method="POST", body=f"action=drain&confirmed=yes&key={key}", headers=form)
        assert "nothing new begins" in answer.text
        assert holder.stdout.readline() == "SIGINT\n"
        view.ask("/g/live/control", method="POST", body=f"action=stop&confirmed=yes&key={key}", headers=form)
        assert holder.stdout.readline() == "SIGTERM\n"
    assert runner_of(tmp_path / "live") is None
    with pytest.raises(Exception, match="No process of yours on this machine runs this group"):
        control(tmp_path / "live", "drain")


def test_the_command(tmp_path: Path) -> None:
    running_group(tmp_path / "live")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ran = run_command("view", tmp_path, "--port", port, cwd=tmp_path)
        assert (ran.code, f"Port {port} cannot be used: Address already in use." in ran.err) == (1, True)
    ran = run_command("view", tmp_path / "nowhere", cwd=tmp_path)
    assert (ran.code, "There is no folder" in ran.err) == (1, True)
    command = [sys.executable, "-m", "mlebench", "view", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        line = served.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:")
        port = line.split(":")[2].split("/")[0]
        wait_for(lambda: _status(int(port)) == 403)
        served.terminate()
    assert served.returncode is not None


def _status(port: int) -> int | None:
    try:
        return View(port, None).ask("/", with_cookie=False).status  # type: ignore[arg-type]
    except OSError:
        return None


def test_the_same_in_a_terminal(tmp_path: Path) -> None:
    plan = running_group(tmp_path / "live")
    command = [sys.executable, "-m", "mlebench", "runs", "--runs-dir", str(tmp_path), "watch", "live"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        lines = [watching.stdout.readline() for _ in range(4)]
        assert f"{plan[1].competition_id} seed 0: failed after 2 min, 1 GiB, no submission: exit code 1\n" in lines
        assert f"{plan[2].competition_id} seed 0: started\n" in lines
        end(tmp_path / "live", plan[2], "success", submission="submission/submission.csv")
        assert watching.stdout.readline() == f"{plan[2].competition_id} seed 0: success after 2 min, 1 GiB\n"
        end(tmp_path / "live", plan[3], "timeout")
        assert f"{plan[3].competition_id} seed 0: timeout" in watching.stdout.readline()
        assert watching.stdout.readline() == "tester: 4 of 4 runs ended, 0 running, 0 waiting.\n"
    assert watching.returncode == 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert "4 of 4" in watching.communicate(timeout=120)[0], "one that has ended is shown once"


def test_snapshots_are_graded_as_they_appear(
    tmp_path: Path, data_dir: Path, prepared_practice: Callable[[str], LocalCompetition]
) -> None:
    competition = prepared_practice("practice-wine")
    (planned,) = write_plan(tmp_path / "live", [competition.id])
    say(tmp_path / "live", planned, "state", status="running")
    grader = SnapshotGrader(Named(data_dir))
    groups = Groups(tmp_path, grades=grader)
    watched = groups.watched("live")
    assert watched.standing().rows[0].score == ""
    folder = tmp_path / "live" / planned.folder / "snapshots" / "000600s"
    folder.mkdir(parents=True)
    shutil.copy(competition.sample_submission, folder / "submission.csv")
    grader.start(groups)
    try:
        wait_for(lambda: grader.snapshot("live", planned.folder))
    finally:
        grader.stop()
    grade = grader.snapshot("live", planned.folder)
    assert grade is not None
    assert grade.words.endswith("after 10 min")
    wait_for(lambda: watched.standing().rows[0].score)
    assert not (tmp_path / "live" / "snapshots.json").exists(), "nothing is written into the group"


def test_summary_and_matrix_follow_what_is_written(tmp_path: Path) -> None:
    """A run that ends, a report that is written and a snapshot change the parts that the report page has too."""
    live = tmp_path / "live"
    plan = running_group(live)
    groups = Groups(tmp_path)
    watched = groups.watched("live")
    first, results = watched.results()
    cells = {address.split("/")[-1]: cell for address, cell in results.cells.items()}
    assert {name: cells[planned.folder]["words"] for name, planned in zip("abcd", plan, strict=True)} == {
        "a": "seed 0, not graded, 2 min",
        "b": "seed 0, failed, 2 min",
        "c": "seed 0, running",
        "d": "seed 0, waiting, waiting for a GPU",
    }
    assert "nothing is graded yet" in results.summary
    end(live, plan[2], "timeout", code="time-limit")
    reports = [report(planned.competition_id, run_id=planned.run_id, seed=0) for planned in plan[:3]]
    reports[2] |= {"score": None, "valid_submission": False}
    write_grading_report(live / "2026-01-01_grading_report.json", reports)
    wait_for(lambda: watched.standing().version > first.version)
    _, results = watched.results()
    news = results.since(first.version)
    words = {address.split("/")[-1]: cell["words"] for address, cell in news["cells"].items()}
    assert words.keys() == {planned.folder for planned in plan[:3]}, "what has not changed is not sent"
    assert words[plan[2].folder] == "seed 0, timed out, 2 min"
    assert news["means"][plan[2].competition_id] == "0.0000", "a run without a valid submission counts as 0"
    assert "provisional: 3 of 4 runs count so far" in news["summary"]
    assert results.since(watched.standing().version)["cells"] == {}


def test_a_damaged_report_costs_the_numbers_and_not_the_board(tmp_path: Path) -> None:
    plan = running_group(tmp_path / "live")
    damaged = tmp_path / "live" / "2026-01-01_grading_report.json"
    damaged.write_text('{"competition_reports": [{}]}', encoding="utf-8")
    with serving(tmp_path) as view:
        answer = view.ask("/g/live")
        assert (answer.status, "has no field" in answer.text) == (200, True)
        assert "epoch 2" in answer.text, "the runs are there"
        write_grading_report(damaged, [report(plan[0].competition_id, run_id=plan[0].run_id, seed=0)])
        wait_for(lambda: "provisional: 1 of 4 runs counts so far" in view.ask("/g/live").text)


def test_a_browser_that_was_away_is_told_all_that_it_missed(tmp_path: Path) -> None:
    plan = running_group(tmp_path / "live")
    with serving(tmp_path) as view:
        since = view.ask("/g/live").text.split("events?since=")[1].split('"')[0]
        end(tmp_path / "live", plan[2], "failed", code="exit-code")
        end(tmp_path / "live", plan[3], "success")
        for path, headers in ((f"?since={since}", {}), ("?since=0", {"Last-Event-ID": since})):
            with view.listening(f"/g/live/events{path}", headers) as news:
                told: set[str] = set()
                while told != {planned.folder for planned in plan[2:]}:
                    told |= {row["run"] for row in next_news(news)["rows"]}


def next_news(news: http.client.HTTPResponse) -> dict[str, Any]:
    """The next message of a stream of server-sent events."""
    while True:
        line = news.readline()
        if line.startswith(b"data: "):
            found = json.loads(line[6:])
            assert isinstance(found, dict)
            return found


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="who holds a lock is known on Linux only")
def test_a_real_group_is_drained_resumed_and_stopped(
    tmp_path: Path, prepared_practice: Callable[[str], LocalCompetition]
) -> None:
    settings = RunSettings(
        agent="command",
        data_dir=prepared_practice("practice-wine").data_dir,
        limits=Limits(seconds=300),
        grace=1.0,
        agent_options={"command": 'sleep 2; cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'},
        sandbox="process",
    )
    group = create_group(tmp_path / "runs", ["practice-wine"], range(8), settings)
    name = group.folder.name

    def statuses() -> Counter[str]:
        return Counter(row.status for row in Groups(tmp_path / "runs").watched(name).standing().rows)

    def unheld() -> bool:
        return runner_of(group.folder) is None

    command = [sys.executable, "-m", "mlebench", "run", "--resume", str(group.folder), "--workers", "1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with serving(tmp_path / "runs", allow_control=True) as view, subprocess.Popen(command, **quiet) as runner:  # type: ignore[call-overload]

        def act(action: str) -> str:
            key = view.ask(f"/g/{name}").text.split('name="key" value="')[1].split('"')[0]
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            body = f"action={action}&confirmed=yes&key={key}"
            return view.ask(f"/g/{name}/control", method="POST", body=body, headers=form).text

        wait_for(lambda: statuses()["running"])
        assert "drain: let what runs finish" in view.ask(f"/g/{name}").text
        assert "nothing new begins" in act("drain")
        runner.wait(timeout=180)
        drained = statuses()
        assert drained["success"] >= 1, "what ran could finish"
        assert drained["planned"] >= 1, "and nothing new began"
        assert drained.keys() == {"success", "planned"}
        page = view.ask(f"/g/{name}").text
        assert "Nobody runs this group: it was interrupted." in page
        assert "resume: go on with the runs" in page
        assert "Resuming: the runs that have not ended begin again" in act("resume")
        wait_for(lambda: statuses()["success"] > drained["success"] and statuses()["running"])
        assert "the runs under way are ended" in act("stop")
        wait_for(unheld)
        wait_for(lambda: not statuses()["running"])
        assert statuses()["planned"] + statuses()["cancelled"] >= 1
        victim = tmp_path / "victim"
        (group.folder / "resume.log").unlink()
        (group.folder / "resume.log").symlink_to(victim)
        assert "folder cannot be written" in act("resume")
        assert not victim.exists(), "a link in the place of the log is not followed"


def test_new_lines_and_names_of_an_agent_make_no_news(tmp_path: Path) -> None:
    """A last line or a competition that looks like a server-sent event, and a report full of markup, stay text."""
    live = tmp_path / "live"
    plan = running_group(live)
    forged = 'x\\n\\ndata: {"sentence": "owned"}\\n\\nevent: gone\r\rdata: 1\u2028\u2029'
    (live / plan[2].folder / "agent.log").write_text(f"{forged}\n", encoding="utf-8")
    say(live, plan[3], "state", status="waiting", waiting_for="a\r\n\r\nevent: gone\ndata: <script>alert(1)</script>")
    mark = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    write_grading_report(
        live / "2026-01-01_grading_report.json",
        [report(plan[0].competition_id, run_id=plan[0].run_id, seed=0, score=None, refusal=mark, data=mark)],
    )
    with serving(tmp_path) as view, view.listening("/g/live/events?since=0") as news:
        lines = [news.readline()]
        while not lines[-1].startswith(b"data: "):
            lines.append(news.readline())
        lines.append(news.readline())
        assert [line.split(b":")[0] for line in lines] == [b"id", b"data", b"\n"], "one message, whatever it quotes"
        found = json.loads(lines[1][6:])
        assert found["sentence"].startswith("2 of 4 runs ended")
        assert "<script>" not in found["summary"]
        assert "<img" not in found["summary"]
        text = view.ask("/g/live").text
        assert "<script>alert" not in text
        assert "<img" not in text


def test_a_link_swapped_in_while_it_is_looked_at(tmp_path: Path) -> None:
    """A run folder, a record and a report that become links to elsewhere are not followed, and stop nothing."""
    live, outside = tmp_path / "runs" / "live", tmp_path / "outside"
    plan = running_group(live)
    outside.mkdir()
    (outside / "agent.log").write_text("the secret of the host\n")
    (outside / "secret.json").write_text(json.dumps({"competition_reports": [], "secret": "the secret of the host"}))
    with serving(tmp_path / "runs") as view:
        assert "epoch 2" in view.ask("/g/live").text
        shutil.rmtree(live / plan[2].folder)
        (live / plan[2].folder).symlink_to(outside)
        (live / "2026-01-01_grading_report.json").symlink_to(outside / "secret.json")
        (live / plan[0].folder / "report.json").symlink_to(outside / "secret.json")
        wait_for(lambda: "0 running" in view.ask("/g/live").text)
        for path in ("/g/live", f"/g/live/{plan[2].folder}", f"/g/live/{plan[2].folder}?log=0"):
            answer = view.ask(path)
            assert "the secret" not in answer.text, path
            assert "Traceback" not in answer.text
        for path in (f"{plan[2].folder}/agent.log", "2026-01-01_grading_report.json", f"{plan[0].folder}/report.json"):
            answer = view.ask(f"/g/live/{path}")
            assert (answer.status, "the secret" in answer.text) == (404, False), path


def test_another_site_cannot_control_a_group_even_with_its_key(tmp_path: Path) -> None:
    """What a browser says about where a form comes from counts, also if the key of the form has leaked."""
    running_group(tmp_path / "live")
    with serving(tmp_path, allow_control=True) as view:
        key = view.ask("/g/live").text.split('name="key" value="')[1].split('"')[0]
        body = f"action=resume&confirmed=yes&key={key}"
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        for told in (
            {"Origin": "http://evil.example"},
            {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Host": f"evil.example:{view.port}"},
        ):
            answer = view.ask("/g/live/control", method="POST", body=body, headers={**form, **told})
            assert answer.status in (403, 421), told
        other = view.ask("/g/live/control", method="POST", body=body, headers=form, with_cookie=False)
        assert other.status == 403
        assert view.ask(f"/g/live/control?{body}").status == 404, "a link does nothing"
    assert not (tmp_path / "live" / "resume.log").exists()
