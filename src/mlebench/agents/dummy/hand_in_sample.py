"""Hand in the sample submission. Plain Python 3.8, nothing else."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path
from typing import IO

PATTERNS = (r"sample.*submission|submission.*sample", r"sample", r"submission", r"random.*prediction")
TABLE = re.compile(r"\.csv(\.zip|\.gz)?$|\.zip$", re.IGNORECASE)


def find_sample(data: Path) -> Path | None:
    """The path of the sample submission in the folder with the public data, or below a folder in it; else None."""
    files = [path for pattern in ("*", "*/*") for path in sorted(data.glob(pattern)) if path.is_file()]
    tables = [path for path in files if TABLE.search(path.name)]
    for pattern in PATTERNS:
        matching = [path for path in tables if re.search(pattern, path.name.lower())]
        for path in sorted(matching, key=lambda candidate: not candidate.name.lower().endswith(".csv")):
            if path.suffix.lower() != ".zip" or member_of(path) is not None:
                return path
    return None


def member_of(path: Path) -> str | None:
    """The one CSV file in a zip archive, or the one that is called a sample; else None."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(".csv") and "__MACOSX" not in name]
    named = [name for name in names if "sample" in name.lower()]
    return names[0] if len(names) == 1 else named[0] if len(named) == 1 else None


def hand_in(sample: Path, submission: Path) -> None:
    """Write the sample as a plain CSV file."""
    if sample.suffix.lower() == ".zip":
        with zipfile.ZipFile(sample) as archive, archive.open(member_of(sample) or "") as source:
            copy(source, submission)
    elif sample.suffix.lower() == ".gz":
        with gzip.open(str(sample), "rb") as unpacked:
            copy(unpacked, submission)
    else:
        with sample.open("rb") as plain:
            copy(plain, submission)


def copy(source: IO[bytes] | gzip.GzipFile, path: Path) -> None:
    """Write what can be read from an open file."""
    with path.open("wb") as target:
        shutil.copyfileobj(source, target)


def main() -> int:
    """Find it, hand it in, and say so."""
    data, submission = Path(os.environ["DATA_DIR"]), Path(os.environ["SUBMISSION_DIR"]) / "submission.csv"
    sample = find_sample(data)
    if sample is None:
        print(f"There is no sample submission in {data}.", file=sys.stderr)
        return 1
    hand_in(sample, submission)
    print(f"Handed in {sample.name} as it is.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
