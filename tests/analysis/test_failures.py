"""Failure analysis: agents that really fail, in real runs, and the cause that is found for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.failures.agents import BOTH, FailingAgent
from benchmarks.failures.lists import LISTS
from benchmarks.failures.runs import found_in, is_right, make_runs
from command import run_command
from graded import write_group

from mlebench.analysis.failures import counts, failures
from mlebench.analysis.log_evidence import Kind, last_failure, read_log
from mlebench.analysis.submission_evidence import is_sample, misunderstood_form
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.groups import open_group

# Quick ones, for every cause at least one; `python -m benchmarks.failures` runs all.
QUICK = {
    "does nothing", "writes about errors", "says nothing at all", "copies the sample", "falls back to the sample",
    "memory, and then the sample", "the sample as whole numbers", "lacks a column", "wrong ids", "a web page", "sleeps",
    "a child takes it all", "logs that the GPU is full", "a C++ program", "is killed", "a wrapper hides the kill",
    "a step lacks a package", "no interpreter by env", "a program, in Spanish", "crashes", "gives up",
    "crashes after a submission", "a shell script goes on", "fills the output", "a full disk", "inverted",
    "labels for probabilities", "the wrong direction", "the wrong seed", "no artifacts", "leaks", "overfits", "is weak",
}  # fmt: skip
CHOSEN = [agent for agents in LISTS.values() for agent in agents if agent.name in QUICK]


@pytest.fixture(scope="module")
def practice(prepared_practice: Callable[[str], LocalCompetition]) -> Path:
    """The data folder with the practice competitions."""
    for each in (*BOTH, "practice-diabetes"):
        prepared_practice(each)
    return prepared_practice(BOTH[0]).data_dir


@pytest.mark.parametrize("agent", CHOSEN, ids=lambda agent: agent.name)
def test_failing_agents(agent: FailingAgent, practice: Path, tmp_path: Path) -> None:
    once = agent.on_one_competition()
    found = found_in(make_runs(once, practice, tmp_path), practice)
    assert is_right(once, found), found


def test_every_list_has_names_of_its_own() -> None:
    names = [agent.name for agents in LISTS.values() for agent in agents]
    assert len(set(names)) == len(names)
    assert set(names) >= QUICK


def test_counts_and_the_command(tmp_path: Path) -> None:
    def left(folder: Path, _: object) -> dict[str, object]:
        (folder / "submission" / "submission.csv").unlink()
        (folder / "agent.log").write_text("\x1b[31mgood bye\x1b(B\x1b[0m\n")
        return {}

    group = write_group(tmp_path / "group", ["leaf-classification", "mlsp-2013-birds"], (0, 1), left=left)
    found = failures(open_group(group), registry)
    assert counts(found, "agent") == {"tester": {"no submission": 4}}
    assert counts(found, "category") == {
        "Image Classification": {"no submission": 2},
        "Audio Classification": {"no submission": 2},
    }
    ran = run_command("failures", group, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "4 of 4 runs without a medal." in ran.out
    assert "no submission  good bye" in ran.out
    values = json.loads(run_command("failures", group, "--json", cwd=tmp_path).out)
    assert values["causes"] == {"no submission": 4}
    assert values["codes"] == {"no_submission": 4}
    first = values["failures"][0]
    assert (first["code"], first["evidence"], first["line"]) == ("no_submission", "good bye", None)
    assert Path(first["file"]).name == "agent.log"


def test_runs_with_medals_are_no_failures(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", ["leaf-classification"], report_of=lambda *_: {"any_medal": True})
    assert failures(open_group(group), registry) == []
    assert "0 of 1 run without a medal." in run_command("failures", group, cwd=tmp_path).out


@pytest.mark.parametrize(("status", "cause"), [("infrastructure", "infrastructure"), ("cancelled", "cancelled")])
def test_what_was_not_the_agents_fault(status: str, cause: str, tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", ["leaf-classification"], status=status, error="The disk is full.")
    (found,) = failures(open_group(group), registry)
    assert (found.cause, found.evidence) == (cause, "The disk is full.")


def test_a_spent_budget_for_models(tmp_path: Path) -> None:
    spent = "The run has used all 100 tokens that it may."
    group = write_group(tmp_path / "group", ["leaf-classification"], status="budget", code="model-budget", error=spent)
    (found,) = failures(open_group(group), registry)
    assert (found.cause, found.evidence) == ("model budget", spent)


def test_unknown_competitions(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", ["my-contest"])
    with pytest.raises(MlebenchError, match="unknown competition 'my-contest'"):
        failures(open_group(group), registry)


TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n'
LOGS: list[tuple[str, tuple[Kind, str] | None]] = [
    (f"{TRACEBACK}KeyError: 'x'\nretrying\n{TRACEBACK}torch.cuda.SomeError: bad\nbye", ("exception", "SomeError")),
    ("ValueError: as a heading", None),
    (f"{TRACEBACK}MemoryError\nusing less\n{TRACEBACK}KeyError: 1", ("exception", "KeyError")),
    ("MemoryError handled, using chunks", None),
    ("CUDA out of memory. Retrying with a smaller batch", None),
    ("RuntimeError: CUDA error: out of memory", ("GPU memory", "")),
    ("numpy._core._exceptions._ArrayMemoryError: Unable to allocate 8. TiB for an array", ("host memory", "")),
    (f"{TRACEBACK}ImportError: libGL.so.1: cannot open shared object file: No such file", ("package", "libGL.so.1")),
    (f"{TRACEBACK}ImportError: this needs flash_attn. Run `pip install flash_attn`.", ("package", "flash_attn")),
    ("[12:01] [w] Traceback (most recent call last):\n[12:01] [w]   File \"a.py\", line 1\n[12:02] [w] IndexError: 3",
     ("exception", "IndexError")),
    ("a.sh: line 3:    12 Killed                  python train.py\ndone", ("signal", "SIGKILL")),
    (f"{TRACEBACK}MemoryError\n\nThe above exception was the direct cause of the following exception:\n\n"
     f"{TRACEBACK}RuntimeError: fold 3", ("host memory", "")),
    (f"{TRACEBACK}ModuleNotFoundError: No module named 'b'\n{TRACEBACK}"
     "subprocess.CalledProcessError: Command 'a' returned non-zero exit status 1.", ("package", "b")),
    (f"{TRACEBACK}subprocess.CalledProcessError: Command 'a' returned 3.", ("exception", "CalledProcessError")),
    ("OSError: [Errno 122] Disk quota exceeded: 'a'", ("disk", "")),
    (f"{TRACEBACK}sqlite3.OperationalError: database or disk is full", ("disk", "")),
    (f"{TRACEBACK}OSError: [Errno 27] File too large", ("disk", "")),
    ("memory allocation of 17179869184 bytes failed\na.sh: line 3:    12 Aborted                 ./a",
     ("host memory", "")),
    ("RESOURCE_EXHAUSTED: OOM when allocating tensor on /device:CPU:0 by allocator cpu", ("host memory", "")),
    ("slurmstepd: error: Detected 1 oom_kill event in StepId=881.0.", ("host memory", "")),
    ("\n".join(f"{i} eval-error: out of memory counter {i}" for i in range(30)), None),
    ("never ran out of memory", None),
    (f"{TRACEBACK}RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. ", ("signal", "SIGBUS")),
    (f"{TRACEBACK}a.TerminatedWorkerError: A worker was terminated.\nThe exit codes of the workers are "
     "{SIGKILL(-9)}", ("signal", "SIGKILL")),
    ("the script finished with exit code -11", ("signal", "SIGSEGV")),
    (f"{TRACEBACK}concurrent.futures.process.BrokenProcessPool: A process was terminated abruptly",
     ("exception", "BrokenProcessPool")),
    ('Traceback (most recent call last):\n  File "/usr/lib/python3/subprocess.py", line 1, in _execute_child\n'
     "FileNotFoundError: [Errno 2] No such file or directory: 'vw'", ("package", "vw")),
    (f"{TRACEBACK}FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'", ("exception", "FileNotFoundError")),
    ("a.cpp:1:10: fatal error: Eigen/Dense: No such file or directory\ncompilation terminated.",
     ("package", "Eigen/Dense")),
    ("error: no matching package named `polars-ml` found", ("package", "polars-ml")),
    ("Intel MKL FATAL ERROR: Cannot load libmkl_def.so.2.", ("package", "libmkl_def.so.2")),
    ("ERROR: Failed building wheel for annoy", ("package", "annoy")),
    ('Exception in thread "main" java.lang.NullPointerException: a\n\tat Main.main(Main.java:5)',
     ("exception", "NullPointerException")),
    ("TypeError: rows is undefined\n    at Object.<anonymous> (/a/s.js:2:18)\nNode.js v20", ("exception", "TypeError")),
    (f"{TRACEBACK}KeyError: 1\nException ignored in: <function A.__del__ at 0x7>\n{TRACEBACK}AttributeError: b",
     ("exception", "KeyError")),
    ("[rank0]: Traceback (most recent call last):\n[rank0]:   File \"a.py\", line 1\n[rank0]: ValueError: b",
     ("exception", "ValueError")),
    (json.dumps({"exc_info": f"{TRACEBACK}TypeError: a\n", "step": 4}), ("exception", "TypeError")),
    ("label: not found", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), LOGS)
def test_what_a_log_tells(text: str, expected: tuple[Kind, str] | None) -> None:
    found = last_failure([line for line in text.splitlines() if line])
    assert (found and (found.kind, found.detail)) == expected


def test_huge_logs_are_read_in_bounded_time(tmp_path: Path) -> None:
    lines = "[" * 5000 + "a: " * 5000 + "\n" + " | " * 4000 + "\n" + "Traceback (most recent call last)\n" * 4000
    (tmp_path / "agent.log").write_bytes(b"\xff" * (3 << 20) + lines.encode() * 4 + b'File "x\n' * 20_000)
    assert last_failure(read_log(tmp_path)) is None


def test_predictions_may_come_before_the_id(tmp_path: Path) -> None:
    insults = registry.get_competition("detecting-insults-in-social-commentary").declaration
    sample, again, labels = (tmp_path / name for name in ("sample.csv", "again.csv", "labels.csv"))
    sample.write_text("Insult,Comment\n0,a\n0,b\n0,c\n")
    again.write_text("Insult,Comment\n0.0,c\n0.0,a\n0.0,b\n")
    labels.write_text("Insult,Comment\n1,c\n0,a\n0,b\n")
    assert is_sample(again, sample)
    assert not is_sample(labels, sample)
    form = misunderstood_form(labels, [sample], insults, 0.7)
    assert form is not None
    assert form[0] == "form"
