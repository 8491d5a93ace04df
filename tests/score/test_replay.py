"""Replays of real runs: exact, by seed, from a cached copy, and nondeterministic within tolerance."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import shutil
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command import run_command

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.groups import open_group, require_counted
from mlebench.results.records import GroupRecord
from mlebench.runs.grading import grade_group
from mlebench.runs.group import create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Limits
from mlebench.score.copies import Search, remove_copies
from mlebench.score.group import score_group
from mlebench.score.replay import replay

WINE = "practice-wine"
NAMES = [name for name, sandbox in SANDBOXES.items() if sandbox.availability().works]
STRONGEST_ON_HOST = [name for name in NAMES if name != "docker"][-1]
# An agent copies its program into code/, runs it there, and says how to do so again.
AGENT = """
import json, os, shutil, subprocess, sys
code, seed = os.environ["CODE_DIR"], int(os.environ["SEED"])
shutil.copy(os.path.join(os.environ["AGENT_DIR"], "solve.py"), code)
subprocess.run([sys.executable, "solve.py"], cwd=code, check=True)
{extra}
print("MLE_BENCH_LITE_RESULT=" + json.dumps(dict(seed=seed, runtime_seconds=1, peak_memory_mb=50, artifacts=[],
    tasks=[], replay=dict(command="{command}", seed=seed))))
"""
# Nothing but the standard library, so that it runs in every image.
SOLVE = """
import csv, os, random, time
out = os.environ["SUBMISSION_DIR"]
assert not os.path.exists(f"{{out}}/submission.csv"), "an earlier submission"
with open(os.path.join(os.environ["DATA_DIR"], "sample_submission.csv")) as file:
    header, *rows = csv.reader(file)
rng = random.Random({seed})
with open(f"{{out}}/submission.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(header)
    for row in rows:
        values = [rng.uniform(1, 3) for _ in row[1:]]
        values = [value / sum(values) for value in values]
        {change}
        writer.writerow([row[0], *values])
"""


def run_agent(
    folder: Path,
    data_dir: Path,
    *,
    seed: str = 'int(os.environ["SEED"])',
    change: str = "",
    command: str = "python3 solve.py",
    extra: str = "",
    sandbox: str = STRONGEST_ON_HOST,
) -> Path:
    """The folder of a real run with the seed 3."""
    agent = folder / "agent"
    agent.mkdir()
    (agent / "agent.py").write_text(AGENT.format(command=command, extra=extra))
    (agent / "solve.py").write_text(SOLVE.format(seed=seed, change=change))
    settings = RunSettings(
        agent="command",
        data_dir=data_dir,
        sandbox=sandbox,
        limits=Limits(seconds=60.0, memory_bytes=2 << 30),
        agent_options={"command": "python3 agent.py", "code": str(agent)},
        grace=1.0,
    )
    group = create_group(folder / "runs", [WINE], [3], settings)
    assert run_group(group, workers=1)
    grade_group(group.results())
    (record,) = group.run_records()
    run = group.folder_of(group.record.plan[0])
    assert record.status == "success", record
    return run


@pytest.fixture(scope="module")
def data(prepared_practice: Callable[[str], LocalCompetition]) -> Path:
    return prepared_practice(WINE).data_dir


def worth(run: Path) -> float:
    """The reproducibility of the run's score."""
    value = score_group(require_counted(open_group(run), partial=False), registry).runs[0].reproducibility.value
    assert value is not None
    return value


@pytest.mark.parametrize("sandbox", NAMES)
def test_exact(sandbox: str, data: Path, tmp_path: Path) -> None:
    run = run_agent(tmp_path, data, sandbox=sandbox)
    before = (run / "submission" / "submission.csv").read_bytes()
    assert worth(run) == pytest.approx(200 / 3)
    record = replay(run)
    assert record.outcome == "identical", (run / "replay.log").read_text()
    assert worth(run) == pytest.approx(100)
    assert (run / "submission" / "submission.csv").read_bytes() == before


@pytest.mark.parametrize("sandbox", NAMES)
def test_differing_by_seed(sandbox: str, data: Path, tmp_path: Path) -> None:
    run = run_agent(tmp_path, data, seed="None", sandbox=sandbox)
    record = replay(run)
    assert record.outcome == "different"
    assert record.original_score != record.score
    assert worth(run) == pytest.approx(200 / 3)


CACHES = {
    "plain": "shutil.copy(os.environ['SUBMISSION_DIR'] + '/submission.csv', code + '/cached')",
    "compressed": "import gzip; gzip.open(code + '/cached', 'wb').write("
    "open(os.environ['SUBMISSION_DIR'] + '/submission.csv', 'rb').read())",
    "in a program": "open(code + '/cached', 'w').write('answers = 1 # ' + "
    "open(os.environ['SUBMISSION_DIR'] + '/submission.csv').read())",
}


@pytest.mark.parametrize(
    ("kind", "sandbox"),
    [
        *((kind, STRONGEST_ON_HOST) for kind in CACHES),
        *(("plain", name) for name in NAMES if name != STRONGEST_ON_HOST),
    ],
)
def test_a_cached_copy_fails(kind: str, sandbox: str, data: Path, tmp_path: Path) -> None:
    command = {
        "plain": "cp cached $SUBMISSION_DIR/submission.csv",
        "compressed": "zcat < cached > $SUBMISSION_DIR/submission.csv",
        "in a program": "tail -n +1 cached > $SUBMISSION_DIR/submission.csv",
    }[kind]
    run = run_agent(tmp_path, data, command=command, extra=CACHES[kind], sandbox=sandbox)
    record = replay(run)
    assert record.outcome in ("failed", "different")
    assert "the code held a copy of the submission, which was taken away (cached)" in record.reason
    assert worth(run) == pytest.approx(200 / 3)


@pytest.mark.parametrize("sandbox", NAMES)
def test_nondeterministic_within_tolerance(sandbox: str, data: Path, tmp_path: Path) -> None:
    change = "values = [value * (1 + 1e-9 * (time.time_ns() % 7919) / 7919) for value in values]"
    run = run_agent(tmp_path, data, change=change, sandbox=sandbox)
    record = replay(run)
    assert record.outcome == "same score", record
    assert worth(run) == pytest.approx(250 / 3)


def test_a_command_that_fails(data: Path, tmp_path: Path) -> None:
    run = run_agent(tmp_path, data, command="exit 4")
    assert replay(run).reason == "it left no submission (exit code 4)"


def test_there_is_no_network_and_no_answer(data: Path, tmp_path: Path) -> None:
    private = data / WINE / "prepared" / "private" / "test.csv"
    run = run_agent(tmp_path, data, command=f"cat {private} && python3 solve.py")
    assert replay(run).outcome == "failed"


def in_zip(path: Path, content: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("some/name", content)


KEPT: dict[str, Callable[[Path, bytes], object]] = {
    "plain": Path.write_bytes,
    "gz": lambda path, content: path.write_bytes(gzip.compress(content)),
    "bz2": lambda path, content: path.write_bytes(bz2.compress(content)),
    "xz": lambda path, content: path.write_bytes(lzma.compress(content)),
    "zip": in_zip,
    "behind much else": lambda path, content: path.write_bytes(b"x\n" * (5 << 20) + content),
    "in another order": lambda path, content: path.write_bytes(b"\n".join(reversed(content.splitlines()))),
    "with other line ends": lambda path, content: path.write_bytes(content.replace(b"\n", b"\r")),
}


@pytest.mark.parametrize("kind", KEPT)
def test_copies_are_found(kind: str, tmp_path: Path) -> None:
    submission, code = tmp_path / "submission.csv", tmp_path / "code"
    submission.write_text("id,target\n" + "".join(f"{number},{number / 7}\n" for number in range(1000)))
    code.mkdir()
    KEPT[kind](code / "kept", submission.read_bytes())
    (code / "solve.py").write_text("print('id,target')\n")
    assert remove_copies(code, submission).removed == ("kept",)
    assert [each.name for each in code.iterdir()] == ["solve.py"]


def test_files_that_only_begin_like_archives(tmp_path: Path) -> None:
    submission, code = tmp_path / "submission.csv", tmp_path / "code"
    submission.write_text("id,target\n1,0\n")
    code.mkdir()
    good = gzip.compress(bytes(range(256)) * 100)
    damaged = {
        "a": good[:40],
        "b": good[:15] + b"\xff" * 200,  # no gzip, but said to be one
        "c": b"BZh9" + b"x" * 50,
        "d": b"\xfd7zXZ\x00" + b"x" * 50,
        "e": b"PK\x05\x06" + b"\xff" * 18,
    }
    for name, content in damaged.items():
        (code / name).write_bytes(content)
    assert remove_copies(code, submission) == Search()
    submission.write_text("")
    assert remove_copies(code, submission) == Search(), "nothing is in every file"


def test_a_bomb_is_read_in_blocks(tmp_path: Path) -> None:
    submission, code = tmp_path / "submission.csv", tmp_path / "code"
    submission.write_text("id,target\n1,0\n")
    code.mkdir()
    with gzip.open(code / "bomb", "wb", compresslevel=1) as file:
        for _ in range(32):
            file.write(bytes(8 << 20))
    tracemalloc.start()
    assert remove_copies(code, submission) == Search()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 64 << 20, "256 MB unpacked"


def test_a_run_that_left_no_code(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is replayed from within its folder too, and fails as its command does."""
    run = run_agent(tmp_path, data)
    monkeypatch.chdir(run)
    assert replay(Path()).outcome == "identical"
    shutil.rmtree(run / "code")
    assert replay(Path()).outcome == "failed"
    shutil.rmtree(run / "submission")
    settings = GroupRecord.load(run.parent).settings | {"sandbox": "of another time"}
    replace(GroupRecord.load(run.parent), settings=settings).save(run.parent)
    (run / "submission").mkdir()
    (run / "submission" / "submission.csv").write_text("id\n")
    with pytest.raises(MlebenchError, match="was written by another version of mlebench"):
        replay(run)


def test_the_command(data: Path, tmp_path: Path) -> None:
    run = run_agent(tmp_path, data)
    ran = run_command("replay", run, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.out.endswith(": identical\n")
    values = json.loads(run_command("replay", run.parent, "--json", cwd=tmp_path).out)
    assert values[0]["outcome"] == "identical"


def test_what_cannot_be_replayed(data: Path, tmp_path: Path) -> None:
    run = run_agent(tmp_path, data)
    (run / "agent.log").write_text("silence\n")
    with pytest.raises(MlebenchError, match="does not say how to replay it: there is no result line"):
        replay(run)
    (run / "submission" / "submission.csv").unlink()
    assert "has no submission" in run_command("replay", run, cwd=tmp_path).err
