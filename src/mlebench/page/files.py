"""Links from a page to what a run left in its folder."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from mlebench.base.wording import counted, plain
from mlebench.files.regular import is_folder, is_regular
from mlebench.results.names import AGENT_LOG, LEFT_FOLDERS, RUN_FILE, RUN_LOG, SUBMISSION_FOLDER
from mlebench.results.runs import Run

_OURS = (RUN_FILE, RUN_LOG, AGENT_LOG)
_MOST_FILES = 6  # of the submission that are named; run.json has all of them with their sums
_LONGEST_NAME = 120
# What an agent left is linked only if a browser shows it as text or saves it: a page of its own could run scripts.
_HARMLESS = frozenset(
    ".bash .c .cfg .cpp .csv .ini .ipynb .jpg .json .jsonl .log .md .npy .npz .parquet .pkl .png .py .r .rst .sh "
    ".sql .toml .tsv .txt .yaml .yml .zip".split()
)


@dataclass(frozen=True)
class File:
    """A file or folder of a run; `path` is None where it is named and not linked."""

    name: str
    path: Path | None
    sha256: str | None = None


def files_of(run: Run) -> list[File]:
    """What of a run is there: our records and logs, the files of its submission, and folders of which more is left."""
    found = [File(name, run.folder / name) for name in _OURS if _is_there(run.folder / name)]
    counts = Counter(name.split("/")[0] for name in run.record.outputs)
    submitted = sorted(name for name in run.record.outputs if name.startswith(f"{SUBMISSION_FOLDER}/"))
    for name in submitted[:_MOST_FILES]:
        path = run.folder / name
        is_linked = path.suffix.lower() in _HARMLESS and ".." not in path.parts and len(name) <= _LONGEST_NAME
        shown = plain(name.removeprefix(f"{SUBMISSION_FOLDER}/"), _LONGEST_NAME)
        found.append(File(shown, path if is_linked and _is_there(path) else None, str(run.record.outputs[name])))
    all_are_named = len(submitted) <= _MOST_FILES
    there = [
        part
        for part in LEFT_FOLDERS
        if counts[part] and not (part == SUBMISSION_FOLDER and all_are_named) and _is_there(run.folder / part)
    ]
    found += [File(f"{part}/ ({counted(counts[part], 'file')})", run.folder / part) for part in there]
    return found


def link(path: Path, folder: Path) -> str:
    """The address of a file, seen from a page in a folder; never anything but a path."""
    try:
        relative = os.path.relpath(path, folder)
    except ValueError:  # on another drive
        return path.absolute().as_uri()
    return quote(Path(relative).as_posix())


def _is_there(path: Path) -> bool:
    """Whether there is a file or folder that is not a link to somewhere else."""
    return is_regular(path) or is_folder(path)
