"""Record what preparing and grading twins in edition v2 gives: tests/golden_v2.json.

    python scripts/record_golden_v2.py [ID …]

Per competition that differs from v1 and per seed: a digest of the prepared files and the scores of some example
submissions. Pictures, sounds and other files that libraries encode count by their names, since their bytes change from
version to version; long decimals are rounded, since processors differ in the last digits.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from record_golden import content, md5, rounded_md5

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import InvalidSubmissionError, MlebenchError
from mlebench.grade.grading import score_file
from mlebench.twins import write_submissions, write_twin

GOLDEN = Path(__file__).parents[1] / "tests" / "golden_v2.json"
SEEDS = (0, 1, 2)
SCORED = ("perfect", "noisy", "shuffled")
_TEXTS = (".csv", ".json", ".jsonl", ".txt", ".tsv", ".xyz", ".md", ".parquet")
_NOT_COMPARED = {"private/dataset.record", "public/description.md"}


def digest(folder: Path) -> str:
    """A digest of all files below a folder, of archives by their members."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    kept = sorted(files.keys() - _NOT_COMPARED)
    lines = [line for name in kept for line in _lines(name, files[name].read_bytes())]
    return hashlib.md5("\n".join(lines).encode()).hexdigest()


def _lines(name: str, data: bytes) -> list[str]:
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                line for each in sorted(archive.namelist()) for line in _lines(f"{name}!{each}", archive.read(each))
            ]
    if name.endswith((".tar.gz", ".tar")):
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return [f"{name}!{member}" for member in sorted(archive.getnames())]
    if not name.endswith(_TEXTS):
        return [name]
    compared = content(name, data)
    return [f"{name} {rounded_md5(compared) if name.endswith(('.csv', '.parquet')) else md5(compared)}"]


def record(competition: LocalCompetition, seed: int) -> dict[str, Any]:
    """What one twin gives; its archive is made in the competition's folder."""
    write_twin(competition, competition.home, seed=seed)
    prepare(competition)
    found: dict[str, Any] = {"files": digest(competition.prepared_dir)}
    found["sample"] = _graded(competition.sample_submission, competition)
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths = {path.stem: path for path in write_submissions(competition, Path(folder), seed=seed)}
            graded = {name: _graded(path, competition) for name, path in paths.items()}
    except MlebenchError:  # of a twin that makes submissions in the form of v1 alone
        return found
    found |= {name: graded[name] for name in SCORED if name in graded}
    refused = sorted(name for name, grade in graded.items() if isinstance(grade, str))
    return found | {"refused": f"{len(refused)} of {len(graded)}"}


def _graded(path: Path, competition: LocalCompetition) -> float | str:
    try:
        return float(f"{score_file(path, competition):.6g}")
    except InvalidSubmissionError as refusal:
        return str(refusal.code)


def main() -> None:
    recorded = json.loads(GOLDEN.read_text()) if GOLDEN.is_file() else {}
    everyone = Registry(edition="v2").all_competitions()
    differing = [competition.id for competition in everyone if competition.differs]
    for competition_id in sys.argv[1:] or differing:
        recorded[competition_id] = {}
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                competition = Registry(Path(folder), edition="v2").get_competition(competition_id)
                recorded[competition_id][str(seed)] = record(competition, seed)
        print(competition_id, flush=True)
    kept = {competition_id: recorded[competition_id] for competition_id in differing if competition_id in recorded}
    lines = [f" {json.dumps(key)}: {_compact(seeds)}" for key, seeds in kept.items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _compact(seeds: dict[str, Any]) -> str:
    inner = ",\n".join(f"  {json.dumps(seed)}: {json.dumps(found)}" for seed, found in seeds.items())
    return "{\n" + inner + "\n }"


if __name__ == "__main__":
    main()
