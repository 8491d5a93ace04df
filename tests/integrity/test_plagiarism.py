"""Plagiarism: disguised copies stay above the threshold, honest solutions of the same task below."""

from __future__ import annotations

import ast
import itertools
import json
import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from command import run_command
from graded import write_group
from solutions import SOLUTIONS, disguises, padded, renamed

from mlebench.errors import MlebenchError
from mlebench.integrity.plagiarism.check import compare_submissions
from mlebench.integrity.plagiarism.documents import Document, kernel_documents, submission_document
from mlebench.integrity.plagiarism.dolos import DolosEngine
from mlebench.integrity.plagiarism.engines import ENGINES, WINNOWING
from mlebench.integrity.plagiarism.winnowing import fingerprints, similarity
from mlebench.integrity.subjects import Subject
from mlebench.results.groups import open_group

COMPETITION = "spaceship-titanic"


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels"
    (folder / COMPETITION).mkdir(parents=True)
    for name, code in SOLUTIONS.items():
        (folder / COMPETITION / f"{name}.py").write_text(code, encoding="utf-8")
    return folder


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", SOLUTIONS)
def test_disguised_copies_are_found(name: str, kernels: Path, tmp_path: Path) -> None:
    written = {way: write(tmp_path / way, files) for way, files in disguises(SOLUTIONS[name]).items()}
    subjects = [Subject(COMPETITION, None, folder) for folder in written.values()]
    found = compare_submissions(subjects, kernels, WINNOWING, timeout=60, threshold=0.6)
    for way, one in zip(written, found, strict=True):
        assert one.is_disqualified and one.pairs[0][0].stem == name, (way, one.pairs[:2])
    assert [value for _, value in found[0].pairs] == sorted((value for _, value in found[0].pairs), reverse=True)


def test_much_dead_code_hides_nothing(kernels: Path, tmp_path: Path) -> None:
    filler = "".join(
        f"def helper_{n}(a):\n    b = [x ** {n} for x in a if x]\n    return {{'k': b, 'n': len(b)}}\n"
        for n in range(60)
    )
    used = "".join(f"z{n} = helper_{n}([1, 2, {n}])\n" for n in range(60))
    code = write(tmp_path / "s", {"s.py": filler + used + SOLUTIONS["stack"]})
    (one,) = compare_submissions([Subject(COMPETITION, None, code)], kernels, WINNOWING, timeout=60, threshold=0.6)
    assert one.is_disqualified


def test_honest_solutions_are_not_accused() -> None:
    known = {name: fingerprints(code) for name, code in SOLUTIONS.items()}
    found = {pair: similarity(known[pair[0]], known[pair[1]]) for pair in itertools.permutations(SOLUTIONS, 2)}
    assert max(found.values()) < 0.5, found


def test_only_kernels_of_the_same_competition(kernels: Path, tmp_path: Path) -> None:
    code = write(tmp_path / "s", {"s.py": SOLUTIONS["forest"]})
    subjects = [Subject("other", None, code), Subject("../kernels", None, code)]
    for one in compare_submissions(subjects, kernels, WINNOWING, timeout=60, threshold=0.6):
        assert one.pairs == () and one.is_disqualified is None
        assert "There are no kernels at" in one.notes[-1]


def test_hostile_files(kernels: Path, tmp_path: Path) -> None:
    code = write(tmp_path / "s", {"s.py": SOLUTIONS["forest"], "broken.ipynb": "{", "x.py": "def f(:\n"})
    with (code / "s.py").open("a", encoding="utf-8") as file:
        file.write("\nthis is no Python\n")
    (code / "binary.py").write_bytes(b"\0" * 100)
    (code / "link.py").symlink_to(kernels / COMPETITION / "stack.py")
    os.mkfifo(kernels / COMPETITION / "pipe.py")
    (one,) = compare_submissions([Subject(COMPETITION, None, code)], kernels, WINNOWING, timeout=60, threshold=0.6)
    assert one.is_disqualified
    assert {note.split(" ")[0].rstrip(":") for note in one.notes} == {"binary.py", "broken.ipynb"}


def test_many_pairs_take_seconds(tmp_path: Path) -> None:
    texts = list(SOLUTIONS.values())
    kernels = [
        Document(tmp_path / f"{n}.py", texts[n % len(texts)] + f"\nextra_{n} = [{n}] * {n}\n" * 20) for n in range(50)
    ]
    start = time.process_time()
    WINNOWING.similarities(kernels[:5], kernels, timeout=60)
    assert time.process_time() - start < 20  # 75 submissions take about 15 times as long


def test_the_command_and_the_group(kernels: Path, tmp_path: Path) -> None:
    def left(folder: Path, record: object) -> None:
        code = SOLUTIONS["forest"] if record.seed == 0 else SOLUTIONS["stack"] + "\nprint('mine')\n"  # type: ignore[attr-defined]
        (folder / "code" / "solution.py").write_text(renamed(code) if record.seed == 0 else "x = 1\n", encoding="utf-8")  # type: ignore[attr-defined]

    medal = {"any_medal": True, "gold_medal": True, "above_median": True}
    group = write_group(tmp_path / "group", [COMPETITION], (0, 1), left=left, report_of=lambda *_: medal)
    before = [run.report.report.any_medal for run in open_group(group).runs if run.report]
    ran = run_command("plagiarism", "--run-group", group, "--kernels-dir", kernels, "--output-dir", "out", cwd=tmp_path)
    assert ran.code == 0, ran.err
    found = json.loads((tmp_path / "out" / "plagiarism.json").read_text(encoding="utf-8"))["submissions"]
    assert [entry["disqualified"] for entry in found] == [True, False]
    assert set(found[0]) >= {"code_path", "competition_id", "highest_similarity", "kernel", "disqualified"}
    lines = [
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted((tmp_path / "out").glob("*.jsonl"))
    ]
    assert len(lines) == 2 and len(lines[0]) == len(SOLUTIONS)
    assert list(lines[0][0]) == ["leftFile", "rightFile", "similarity"]
    runs = open_group(group).runs
    after = [run.report.report.any_medal for run in runs if run.report]
    assert (before, after) == ([True, True], [False, True])
    assert [run.checks["plagiarism"].value for run in runs] == ["failed", "passed"]
    ran = run_command("aggregate", group, "--json", cwd=tmp_path)
    result = json.loads(ran.out)
    assert result["checks"] == {"violations": {"never": 2}, "plagiarism": {"passed": 1, "failed": 1}}
    assert result["splits"]["reported"]["any_medal"]["mean"] == 50.0
    assert "1 attempt disqualified for plagiarism" in " ".join(result["notes"])


def test_without_node(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "s.jsonl").write_text(
        json.dumps({"competition_id": COMPETITION, "code_path": str(kernels)}) + "\n", encoding="utf-8"
    )
    arguments = ["--submission", "s.jsonl", "--kernels-dir", kernels, "--output-dir", "out"]
    ran = run_command("plagiarism", *arguments, "--engine", "dolos", cwd=tmp_path, PATH=str(tmp_path))
    assert (
        ran.code == 1 and "needs Node, which is not installed" in ran.err and "npm install @dodona/dolos-lib" in ran.err
    )
    assert run_command("plagiarism", *arguments, cwd=tmp_path, PATH=str(tmp_path)).code == 0
    ran = run_command("plagiarism", *arguments, "--engine", "guess", cwd=tmp_path)
    assert ran.code == 1 and "There is no engine guess." in ran.err


def test_engines_are_a_registry() -> None:
    assert list(ENGINES)[:2] == ["winnowing", "dolos"]


@pytest.fixture(scope="session")
def dolos() -> DolosEngine:
    engine = DolosEngine(Path(os.environ["MLEBENCH_DOLOS_DIR"]) if os.environ.get("MLEBENCH_DOLOS_DIR") else None)
    try:
        engine.require()
    except MlebenchError as error:
        pytest.skip(str(error))
    return engine


def mixtures(count: int) -> list[tuple[str, str]]:
    """(name of a solution, program that has a part of it), with all shares between nothing and everything."""
    choice, names, made = random.Random(3), list(SOLUTIONS), []
    for _ in range(count):
        one, other = choice.sample(names, 2)
        left, right = (ast.parse(SOLUTIONS[name]).body for name in (one, other))
        share = choice.random()
        size = max(1, int(len(left) * share))
        start = choice.randrange(len(left) - size + 1)
        text = ast.unparse(ast.Module(left[start : start + size] + right[int(len(right) * share) :], []))
        text = renamed(text) if choice.random() < 0.3 else text
        made.append((one, padded(text) if choice.random() < 0.3 else text))
    return made


def test_both_engines_agree(dolos: DolosEngine, tmp_path: Path) -> None:
    from scipy.stats import spearmanr

    pairs = mixtures(100)
    submissions = [Document(tmp_path / f"{n}.py", text) for n, (_, text) in enumerate(pairs)]
    kernels = [Document(tmp_path / f"{name}.py", text) for name, text in SOLUTIONS.items()]
    place = {name: number for number, name in enumerate(SOLUTIONS)}
    measured = {engine.name: engine.similarities(submissions, kernels, timeout=300) for engine in (WINNOWING, dolos)}
    values = {name: [rows[n][place[one]] for n, (one, _) in enumerate(pairs)] for name, rows in measured.items()}
    assert spearmanr(values["winnowing"], values["dolos"]).statistic >= 0.95


def test_dolos_finds_disguised_copies(dolos: DolosEngine, kernels: Path, tmp_path: Path) -> None:
    documents = [
        submission_document(write(tmp_path / way, files))[0] for way, files in disguises(SOLUTIONS["boosting"]).items()
    ]
    known, _ = kernel_documents(kernels / COMPETITION)
    place = [kernel.path.stem for kernel in known].index("boosting")
    for row in dolos.similarities([one for one in documents if one], known, timeout=120):
        assert row[place] > 0.6 and sorted(row)[-2] < 0.6


def test_dolos_that_takes_too_long(tmp_path: Path, kernels: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("Node is not installed.")
    module = tmp_path / "node_modules" / "@dodona" / "dolos-lib"
    module.mkdir(parents=True)
    (module / "package.json").write_text('{"name": "@dodona/dolos-lib", "main": "i.js"}', encoding="utf-8")
    (module / "i.js").write_text("while (true) {}", encoding="utf-8")
    assert subprocess.run(["node", "--version"], capture_output=True, check=True).stdout
    code = write(tmp_path / "s", {"s.py": SOLUTIONS["forest"]})
    subject = Subject(COMPETITION, None, code)
    (one,) = compare_submissions([subject], kernels, DolosEngine(tmp_path), timeout=2, threshold=0.6)
    assert one.is_disqualified is None and "Dolos took longer than 2 seconds." in one.notes[0]
