"""Preparation, measured against the baseline in the same run.

    python -m benchmarks.prepare [--work DIR] [--repeat N] [ID …]

For each case both programs prepare the same archive, each in a process of its own; wall-clock time and peak memory are
those of that process. Afterwards every prepared file is compared. The floor is the time that reading the archive and
writing the result would take at the disk's measured speed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from benchmarks.prepare.cases import CASES, Case
from benchmarks.processes import measured

# Ours comes first: it deletes nothing, while file systems such as ext4 create files slowly for minutes after many have
# been deleted, as the baseline does with what it unpacked.
PROGRAMS = {
    "mlebench": (
        "from mlebench.registry import Registry; from mlebench.data.prepare import prepare, PrepareOptions; "
        "prepare(Registry(HOME.parent).get_competition(ID), PrepareOptions(mirror=str(ARCHIVE.parent)))"
    ),
    "baseline": "from benchmarks.prepare.baseline import prepare; prepare(ID, ARCHIVE, HOME)",
}


def run(program: str, competition_id: str, archive: Path, folder: Path) -> tuple[float, int, float]:
    """(seconds, peak memory in bytes, seconds of CPU time) of one program in a process of its own."""
    home = folder / competition_id
    given = (
        f"from pathlib import Path; ID={competition_id!r}; ARCHIVE=Path({str(archive)!r}); HOME=Path({str(home)!r}); "
    )
    os.sync()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, memory = measured(given + PROGRAMS[program])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, memory, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def contents(prepared: Path) -> dict[str, str]:
    """Name -> md5 of every prepared file, archives by their members."""
    found = {}
    for path in sorted(prepared.rglob("*")):
        name = path.relative_to(prepared).as_posix()
        if not path.is_file() or name in ("private/dataset.record", "public/description.md"):
            continue
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                for member in archive.namelist():
                    if not member.endswith("/"):
                        found[f"{name}!{member}"] = hashlib.md5(archive.read(member)).hexdigest()
        else:
            found[name] = hashlib.md5(path.read_bytes()).hexdigest()
    return found


def disk_speed(folder: Path) -> tuple[float, float]:
    """(bytes read per second, bytes written per second), on a file of 512 MB that was synced and dropped."""
    path, block, count = folder / "speed", os.urandom(1 << 24), 32
    start = time.monotonic()
    with path.open("wb") as file:
        for _ in range(count):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    written = count * len(block) / (time.monotonic() - start)
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        start = time.monotonic()
        while file.read(1 << 24):
            pass
    read = count * len(block) / (time.monotonic() - start)
    path.unlink()
    return read, written


def measure(case: Case, archives: Path, folder: Path, repeat: int, speeds: tuple[float, float]) -> dict[str, Any]:
    """Both programs on one case, best of `repeat`, and whether they agree."""
    archive = archives / f"{case.competition_id}.zip"
    if not archive.exists():
        archives.mkdir(exist_ok=True)
        case.write_archive(archives)
    best: dict[str, tuple[float, int, float]] = {}
    trees = {}
    for number in range(repeat):
        for program in PROGRAMS:
            home = folder / f"{program}-{number}"
            result = run(program, case.competition_id, archive, home)
            best[program] = min(best.get(program, result), result)
            trees[program] = home / case.competition_id / "prepared"
    ours = contents(trees["mlebench"])
    written = sum(path.stat().st_size for path in trees["mlebench"].rglob("*") if path.is_file())
    same = ours == contents(trees["baseline"])
    read = archive.stat().st_size
    (baseline_time, baseline_memory, baseline_cpu), (our_time, our_memory, our_cpu) = (
        best["baseline"],
        best["mlebench"],
    )
    return {
        "competition": case.competition_id,
        "size": case.size,
        "baseline_seconds": round(baseline_time, 2),
        "mlebench_seconds": round(our_time, 2),
        "times_faster": round(baseline_time / our_time, 2),
        "must_be": case.speed,
        "cpu_times_less": round(baseline_cpu / our_cpu, 2),  # also where other work slows both down
        "baseline_mb": baseline_memory >> 20,
        "mlebench_mb": our_memory >> 20,
        "memory_share": round(our_memory / baseline_memory, 2),
        "may_be": case.memory,
        "floor_seconds": round(read / speeds[0] + written / speeds[1], 2),
        "same_files": same,
        "reached": same
        and baseline_time / our_time >= case.speed
        and (case.memory is None or our_memory / baseline_memory <= case.memory),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="a folder for archives and results; kept for the next run")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="mlebench-benchmark-"))
    work.mkdir(parents=True, exist_ok=True)
    speeds = disk_speed(work)
    print(f"disk: reads {speeds[0] / 1e6:.0f} MB/s, writes {speeds[1] / 1e6:.0f} MB/s; {os.cpu_count()} cores")
    results = []
    prepared = Path(tempfile.mkdtemp(prefix="run-", dir=work))  # a new one each time, and only deleted at the end
    for case in CASES:
        if options.ids and case.competition_id not in options.ids:
            continue
        result = measure(case, work / "archives", prepared, options.repeat, speeds)
        results.append(result)
        print(json.dumps(result), flush=True)
    shutil.rmtree(work if options.work is None else prepared)
    return 0 if all(result["reached"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
