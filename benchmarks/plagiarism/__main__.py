"""How long `mlebench plagiarism` takes for as many submissions and kernels as the whole benchmark has.

    python -m benchmarks.plagiarism [--competitions N] [--kernels N]

Every competition has kernels and one submission, programs of 150 to 450 lines that are put together from functions of
Python's own library; one submission in five is a copy of a kernel with other names. The baseline is Python's parser:
the time in which the same programs are parsed, once each, in this process.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any


def pieces() -> list[str]:
    """Functions of Python's own library, as texts."""
    found = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [
            ast.get_source_segment(text, node) or ""
            for node in ast.parse(text).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and 5 <= (node.end_lineno or 0) - node.lineno <= 60
        ]
    return found


def program(known: list[str], rng: random.Random) -> str:
    """A program of some hundred lines that uses all it defines."""
    chosen: list[str] = []
    lines, wanted = 0, rng.randint(150, 450)
    while lines < wanted:
        piece = rng.choice(known)
        chosen.append(piece)
        lines += piece.count("\n") + 1
    names = [ast.parse(piece).body[0].name for piece in chosen]  # type: ignore[attr-defined]
    return "\n\n\n".join([*chosen, *(f"print({name}({place}))" for place, name in enumerate(names))])


def write(folder: Path, competitions: int, kernels: int) -> tuple[Path, list[str]]:
    """Write kernels and submissions; returns the list of the submissions, and all programs."""
    known, rng, programs, lines = pieces(), random.Random(0), [], []
    for number in range(competitions):
        own = folder / "kernels" / f"competition-{number}"
        own.mkdir(parents=True)
        for place in range(kernels):
            programs.append(program(known, rng))
            (own / f"kernel-{place}.py").write_text(programs[-1], encoding="utf-8")
        code = folder / "code" / f"competition-{number}"
        code.mkdir(parents=True)
        text = programs[-1].replace("self", "this") if number % 5 == 0 else program(known, rng)
        programs.append(text)
        (code / "main.py").write_text(text, encoding="utf-8")
        lines.append({"competition_id": own.name, "logs_path": None, "code_path": str(code)})
    listed = folder / "list.jsonl"
    listed.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return listed, programs


def measure(competitions: int, kernels: int, folder: Path) -> dict[str, Any]:
    """Seconds, CPU and memory of the command, against Python's parser on the same programs."""
    listed, programs = write(folder, competitions, kernels)
    begin = time.process_time()
    for text in programs:
        ast.parse(text)
    parsed = time.process_time() - begin
    begin = time.monotonic()
    arguments = ["plagiarism", "--submission", str(listed), "--kernels-dir", str(folder / "kernels")]
    command = [sys.executable, "-m", "mlebench", *arguments, "--output-dir", str(folder / "out"), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.monotonic() - begin
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    compared = json.loads(done.stdout)["submissions"]
    cpu = usage.ru_utime + usage.ru_stime
    return {
        "submissions": competitions,
        "kernels": kernels,
        "programs": len(programs),
        "lines": sum(text.count("\n") + 1 for text in programs),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "parsing_seconds": round(parsed, 1),
        "ratio": round(cpu / parsed, 1),
        "peak_mb": usage.ru_maxrss >> 10,
        "copies": -(-competitions // 5),
        "disqualified": sum(entry["disqualified"] is True for entry in compared),
    }


def main() -> None:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--competitions", type=int, default=75)
    parser.add_argument("--kernels", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlebench-benchmark-") as folder:
        print(json.dumps(measure(options.competitions, options.kernels, Path(folder))), flush=True)


if __name__ == "__main__":
    main()
