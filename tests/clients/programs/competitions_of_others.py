"""Prepare and grade competitions of another project in the published form, and compare with ours.

    python competitions_of_others.py FOLDER DATA_DIR ID…

DATA_DIR has the raw archive of each in its place.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zipfile
from pathlib import Path

from mlebench.competition.local import LocalCompetition
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grading import score_file
from mlebench.registry import Registry
from mlebench.twins import write_submissions

folder, data_dir, ids = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]


def content(path: Path) -> object:
    """What a file holds; an archive, whose bytes carry dates, by its members."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    return hashlib.md5(path.read_bytes()).digest()


def files(competition: LocalCompetition) -> dict[str, object]:
    """The prepared files and what they hold, without those that are ours alone."""
    paths = (path for path in competition.prepared_dir.rglob("*") if path.is_file())
    return {
        path.relative_to(competition.prepared_dir).as_posix(): content(path)
        for path in paths
        if path.name not in ("dataset.record", "description.md")
    }


def outcome(path: Path, competition: LocalCompetition) -> float | None:
    """The score of a submission; None for one that is refused."""
    try:
        return score_file(path, competition)
    except InvalidSubmissionError:
        return None


def main() -> None:
    """Compare all of them."""
    theirs = Registry(data_dir / "theirs").with_competitions_dir(folder)
    ours = Registry(data_dir)
    loaded = [each for each in theirs.all_competitions() if each.declaration.folder.parent == folder.resolve()]
    different_files, different_scores, grades = [], [], 0
    for competition_id in ids:
        their, our = theirs.get_competition(competition_id), ours.get_competition(competition_id)
        prepare(our)
        prepare(their, PrepareOptions(mirror=str(our.home)))
        left, right = files(our), files(their)
        names = left.keys() | right.keys()
        different_files += [f"{competition_id}/{name}" for name in names if left.get(name) != right.get(name)]
        for path in write_submissions(our, data_dir / "submissions" / competition_id):
            grades += 1
            mine, yours = outcome(path, our), outcome(path, their)
            same = mine == yours or (mine is not None and yours is not None and math.isclose(mine, yours, rel_tol=1e-9))
            if not same:
                different_scores.append([competition_id, path.name, mine, yours])
    result = {
        "competitions": len(loaded),
        "grades": grades,
        "different_files": different_files,
        "different_scores": different_scores,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
