"""`mlebench prepare`, `status` and `verify`."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Run, run_command
from servers import Answer, FileServer
from small import SMALL
from waiting import PATIENCE, wait_for

TITANIC, CACTUS = "spaceship-titanic", "aerial-cactus-identification"


@pytest.fixture(scope="module")
def prepared(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose data/ holds two prepared twins, one with its archive; not to be changed."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "data" / CACTUS).mkdir(parents=True)
    shutil.copy(mirror / f"{CACTUS}.zip", folder / "data" / CACTUS)
    ran = run_command("prepare", "-c", TITANIC, "-c", CACTUS, "--source", mirror, cwd=folder)
    assert (ran.code, ran.out) == (0, "")
    *lines, summary, after = ran.err.splitlines()
    assert sorted(lines) == [f"{each} prepared from twin (seed 0, scale 1)" for each in (CACTUS, TITANIC)]
    assert re.fullmatch(
        rf"2 of 2 competitions ready in {folder}/data after [\d.]+ s: 2 prepared, from twin \(seed 0, scale 1\)\.",
        summary,
    )
    assert after == f"Next: mlebench run -c {TITANIC} -c {CACTUS} --agent baseline"
    return folder


@pytest.fixture
def changeable(prepared: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    shutil.copytree(prepared, tmp_path / "copy")
    return tmp_path / "copy"


def test_json_events(mirror: Path, run: Run) -> None:
    ran = run("prepare", "-c", TITANIC, "-c", CACTUS, "-c", "practice-wine", "--source", mirror, "--json")
    assert ran.code == 0
    events = [json.loads(line) for line in ran.out.splitlines()]
    stages = [(event["competition_id"], event["stage"]) for event in events]
    assert sorted(stages) == sorted(
        (each, stage) for each in (TITANIC, CACTUS, "practice-wine") for stage in ("prepare", "done")
    )
    done = next(event for event in events if (event["competition_id"], event["stage"]) == (TITANIC, "done"))
    assert (done["done"], done["total"], done["message"]) == (5, 5, "twin (seed 0, scale 1)")
    assert ran.err.startswith("3 of 3 competitions ready in ")


def test_failures_are_kept_apart(mirror: Path, run: Run, tmp_path: Path) -> None:
    shutil.copytree(mirror, tmp_path / "mirror")
    (tmp_path / "mirror" / f"{CACTUS}.zip").write_bytes(b"PK")
    ran = run("prepare", "-c", CACTUS, "-c", TITANIC, "--source", "mirror", "--json")
    assert ran.code == 1
    events = [json.loads(line) for line in ran.out.splitlines()]
    (failed,) = (event for event in events if event["stage"] == "failed")
    assert failed["competition_id"] == CACTUS
    summary, problem = ran.err.splitlines()
    assert summary.startswith(f"1 of 2 competitions ready in {tmp_path}/data after ")
    assert problem == f"error: {CACTUS}: {failed['message']}"


def test_nothing_to_do(mirror: Path, prepared: Path) -> None:
    ran = run_command("prepare", "-c", TITANIC, "-c", CACTUS, "--source", mirror, cwd=prepared)
    assert ran.code == 0
    assert f"{TITANIC} was prepared already, from twin (seed 0, scale 1)\n" in ran.err
    assert "2 prepared already, from twin (seed 0, scale 1)." in ran.err


def test_a_twin_does_not_pass_for_what_was_asked_for(mirror: Path, changeable: Path) -> None:
    """What is there is kept, said, and not called ready; --force replaces it."""
    kept = "What is prepared already is kept: twin (seed 0, scale 1). Asked for is"
    advice = "Add --force to replace it, or choose another folder with --data-dir."
    real = run_command("prepare", "-c", TITANIC, "-c", CACTUS, cwd=changeable)
    assert real.code == 1
    assert f"error: {TITANIC}: {kept} the real data from Kaggle. {advice}\n" in real.err
    assert real.err.splitlines()[-2].startswith("1 of 2 competitions ready")  # the archive in place is that twin
    planned = run_command("prepare", "-c", TITANIC, "--dry-run", cwd=changeable)
    assert (planned.code, planned.err) == (0, f"warning: {TITANIC}: {kept} the real data from Kaggle. {advice}\n")
    assert planned.out.splitlines()[1].split()[:2] == [TITANIC, "keep"]
    (event,) = map(json.loads, run_command("prepare", "-c", TITANIC, "--json", cwd=changeable).out.splitlines())
    assert event == {"competition_id": TITANIC, "stage": "failed", "done": 0, "message": event["message"]}
    assert event["message"].startswith(kept)

    run_command("twin", TITANIC, "others", "--seed", 7, cwd=changeable)
    other = run_command("prepare", "-c", TITANIC, "--source", "others", cwd=changeable)
    assert (other.code, f"{kept} twin (seed 7, scale 1) in others. {advice}\n" in other.err) == (1, True)
    forced = run_command("prepare", "-c", TITANIC, "--source", "others", "--force", cwd=changeable)
    assert (forced.code, f"{TITANIC} prepared from twin (seed 7, scale 1)" in forced.err) == (0, True)


def test_data_of_a_server_is_known_again(mirror: Path, run: Run, tmp_path: Path) -> None:
    with FileServer() as server:
        for place in ("one", "two"):
            server.files[f"/{place}/{TITANIC}.zip"] = (mirror / f"{TITANIC}.zip").read_bytes()
        one, two = (f"{server.url}/{place}" for place in ("one", "two"))
        assert run("prepare", "-c", TITANIC, "--source", one).code == 0
        (tmp_path / "data" / TITANIC / f"{TITANIC}.zip").unlink()
        assert run("prepare", "-c", TITANIC, "--source", f"{one}/?key=secret").code == 0
        ran = run("prepare", "-c", TITANIC, "--source", two)
    assert (ran.code, f"Asked for is what is in {two}. " in ran.err) == (1, True)


def test_an_archive_in_place_does_not_pass_for_another(mirror: Path, run: Run, tmp_path: Path) -> None:
    run("twin", TITANIC, f"data/{TITANIC}", "--seed", 7)
    ran = run("prepare", "-c", TITANIC, "--source", mirror)
    assert ran.code == 1
    assert f"{TITANIC}.zip, which comes first, is twin (seed 7, scale 1); " in ran.err
    assert not (tmp_path / "data" / TITANIC / "prepared").exists()


def test_problems_with_one_cause_are_told_once(run: Run, tmp_path: Path) -> None:
    """As without Kaggle's client, for which one that cannot be loaded stands here."""
    (tmp_path / "kaggle.py").write_text("raise ImportError('No module named kaggle')")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = run("prepare", "--lite", "--workers", 1, PYTHONPATH=path)
    summary, problem = ran.err.splitlines()
    assert (ran.code, summary.startswith("0 of 22 competitions ready")) == (1, True)
    assert problem.startswith("error: 22 competitions (")
    assert problem.count("Downloading from Kaggle needs its client, which cannot be loaded") == 1


def test_dry_run(mirror: Path, prepared: Path) -> None:
    chosen = ("-c", TITANIC, "-c", CACTUS, "-c", "leaf-classification", "-c", "practice-wine")
    plan = json.loads(run_command("prepare", *chosen, "--dry-run", "--json", cwd=prepared).out)
    assert [(each["competition_id"], each["action"], each["source"]) for each in plan] == [
        (TITANIC, "keep", None),
        (CACTUS, "nothing", None),
        ("leaf-classification", "download and prepare", "kaggle"),
        ("practice-wine", "prepare", "built-in"),
    ]
    forced = run_command("prepare", *chosen, "--dry-run", "--force", "--source", mirror, "--json", cwd=prepared).out
    assert [(each["action"], each["source"]) for each in json.loads(forced)] == [
        ("prepare", "mirror"),
        ("prepare", "in place"),
        ("prepare", "mirror"),
        ("prepare", "built-in"),
    ]
    address = run_command("prepare", *chosen, "--dry-run", "--source", "s3://mirror", cwd=prepared).out
    assert "leaf-classification           download and prepare  mirror" in address
    assert "GB to download" in address
    assert not (prepared / "data" / "leaf-classification").exists()


def test_dry_run_before_there_is_anything(run: Run, tmp_path: Path) -> None:
    ran = run("prepare", "-c", TITANIC, "--dry-run", "--data-dir", tmp_path / "not" / "yet")
    assert ran.code == 0
    assert not (tmp_path / "not").exists()


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--lite"], 22),
        (["-a"], 75),
        (["--all", "--lite"], 75),
        (["--split", "dev"], 7),
        (["--split", "dev", "-c", CACTUS, "-c", CACTUS], 8),
        (["-l", "mine.txt"], 2),
        (["--split", "mine.txt"], 2),
        (["-c", TITANIC, "--list", "mine.txt"], 2),
    ],
)
def test_selection(options: list[str], count: int, run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(f"# two\n{TITANIC}\n\n{CACTUS} # images\n")
    ran = run("prepare", *options, "--dry-run", "--json")
    assert len(json.loads(ran.out)) == count


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        ([], 2, "Say which competitions"),
        (["-c", "titanic-spaceship"], 1, "There is no competition 'titanic-spaceship'"),
        (["--split", "tiny"], 1, "There is no split 'tiny'"),
        (["-l", "none.txt"], 2, "'none.txt' does not exist"),
        (["-c", TITANIC, "--source", "none"], 1, "The mirror none does not exist."),
        (["-c", TITANIC, "--workers", "0"], 2, "0 is not in the range"),
    ],
)
def test_wrong_selections(options: list[str], code: int, sentence: str, run: Run) -> None:
    ran = run("prepare", *options)
    assert (ran.code, ran.out) == (code, "")
    assert sentence in ran.err


def test_skip_verification(mirror: Path, run: Run, tmp_path: Path) -> None:
    """An archive that does not say that it is a twin must be the real one."""
    (tmp_path / "mirror").mkdir()
    shutil.copy(mirror / f"{TITANIC}.zip", tmp_path / "mirror")
    with zipfile.ZipFile(tmp_path / "mirror" / f"{TITANIC}.zip", "a") as archive:
        archive.comment = b""
    refused = run("prepare", "-c", TITANIC, "--source", "mirror")
    assert refused.code == 1
    assert "add --skip-verification" in refused.err
    for option in ("--skip-verification", "--overwrite-checksums"):
        accepted = run("prepare", "-c", TITANIC, "--source", "mirror", option, "--force")
        assert (accepted.code, f"{TITANIC} prepared from mirror" in accepted.err) == (0, True)
    (status,) = json.loads(run("status", "--json").out)
    assert status["verified"] is None


def test_keep_raw(mirror: Path, run: Run, tmp_path: Path) -> None:
    assert run("prepare", "-c", TITANIC, "--source", mirror, "--keep-raw").code == 0
    assert (tmp_path / "data" / TITANIC / "raw" / "train.csv").is_file()


def test_status(prepared: Path, tmp_path: Path) -> None:
    lines = run_command("status", cwd=prepared).out.splitlines()
    assert lines[0].split() == "competition downloaded prepared verified data edition MB age in days".split()
    assert lines[1].split()[:4] == [CACTUS, "yes", "yes", "-"]
    assert lines[2].split()[:4] == [TITANIC, "no", "yes", "-"]
    assert lines[-1] == f"2 competitions prepared in {prepared}/data."
    found = json.loads(run_command("status", "-c", CACTUS, "-c", "leaf-classification", "--json", cwd=prepared).out)
    assert [(each["competition_id"], each["prepared"]) for each in found] == [
        (CACTUS, True),
        ("leaf-classification", False),
    ]
    assert found[0]["data"] == "twin (seed 0, scale 1)"
    assert found[0]["bytes"] > 10_000
    assert 0 <= found[0]["age_days"] < 1
    assert json.loads(run_command("status", "--json", cwd=tmp_path).out) == []


def test_verify(changeable: Path) -> None:
    ran = run_command("verify", cwd=changeable)
    assert (ran.code, ran.err) == (0, "")
    *rows, _, closing = ran.out.splitlines()[1:]
    assert [line.split()[:2] for line in rows] == [[CACTUS, "ok"], [TITANIC, "ok"]]
    assert re.fullmatch(r"Checked 2 competitions in [\d.]+ s: all as prepared\.", closing)
    (changeable / "data" / TITANIC / "prepared" / "private" / "test.csv").unlink()
    (changeable / "data" / CACTUS / "prepared" / "public" / "description.md").write_text("changed")
    ran = run_command("verify", "--json", cwd=changeable)
    assert ran.code == 1
    assert [each["passed"] for each in json.loads(ran.out)] == [False, False]
    assert f"error: {TITANIC}: prepared has 4 files" in ran.err
    assert f"error: {CACTUS}: prepared has 6 files" in ran.err


def test_verify_of_a_split_takes_what_is_prepared(prepared: Path) -> None:
    found = json.loads(run_command("verify", "--lite", "--json", cwd=prepared).out)
    assert [each["competition_id"] for each in found] == [CACTUS]


def test_verify_of_what_is_not_prepared(run: Run, tmp_path: Path) -> None:
    ran = run("verify", "-c", TITANIC)
    sentence = f"error: {TITANIC} is not prepared in {tmp_path}/data. Run: mlebench prepare -c {TITANIC}\n"
    assert (ran.code, ran.err) == (1, sentence)
    ran = run("verify", "-c", TITANIC, "--data-dir", "other")
    assert ran.err.endswith(f"Run: mlebench prepare -c {TITANIC} --data-dir other\n")
    ran = run("verify")
    assert (ran.code, ran.err) == (1, f"error: Nothing is prepared in {tmp_path}/data. Run: mlebench prepare -c ID\n")


INTERRUPTED = "error: Interrupted. What was finished is kept; run the same command again to go on."


def begin(source: str, data: Path, workers: int) -> subprocess.Popen[str]:
    """A run over the small competitions, as the first process of a terminal."""
    chosen = [argument for each in SMALL for argument in ("-c", each)]
    command = [sys.executable, "-m", "mlebench", "prepare", *chosen, "--source", source]
    return subprocess.Popen(
        [*command, "--workers", str(workers), "--data-dir", str(data)],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def interrupt(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C, which goes to all processes of a terminal; gives what they say."""
    os.killpg(process.pid, signal.SIGINT)
    return process.communicate(timeout=PATIENCE)[1].strip()


@pytest.fixture
def silent() -> Iterator[FileServer]:
    """A mirror that says nothing, so that no preparation is over before it is interrupted."""
    with FileServer() as server:
        for each in SMALL:
            server.files[f"/{each}.zip"] = b"PK"
            server.always[f"/{each}.zip"] = Answer(stall=600)
        yield server


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted(workers: int, silent: FileServer, tmp_path: Path) -> None:
    process = begin(silent.url, tmp_path, workers)
    wait_for(lambda: len(silent.requests) == workers or process.poll() is not None)
    assert interrupt(process) == INTERRUPTED
    assert process.returncode == 130


@pytest.mark.parametrize("moment", [0.05, 0.15, 0.25])
def test_interrupted_while_its_processes_begin(moment: float, silent: FileServer, tmp_path: Path) -> None:
    process = begin(silent.url, tmp_path, workers=2)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("this system does not tell which processes a process has started")
    # One of them is Python's own.
    wait_for(lambda: len(children.read_text().split()) == 3 or process.poll() is not None, pause=0.001)
    time.sleep(moment)
    assert interrupt(process) == INTERRUPTED
    assert process.returncode == 130


def test_nothing_waits_for_a_key(mirror: Path, tmp_path: Path) -> None:
    """Not even with a closed standard input."""
    script = 'exec "$0" -m mlebench prepare -c spaceship-titanic -c leaf-classification --source "$1" <&-'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable, mirror],
        env={**os.environ, "MLEBENCH_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"2 of 2 competitions ready in {tmp_path} after" in done.stderr


def test_a_plan_counts_what_is_not_known(run: Run) -> None:
    plan = run("prepare", "--all", "--dry-run").out.splitlines()[-1]
    assert " GB to download, but the sizes of " in plan
    assert "not known (3.3 TB for all 75 as published)" in plan
    known = run("prepare", "-c", "tabular-playground-series-may-2022", "--dry-run").out.splitlines()[-1]
    assert known.startswith("0.57 GB to download; ")
