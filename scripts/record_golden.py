"""Record what preparing and grading a twin must give: tests/golden/<id>.json, from a folder of references.

    python scripts/record_golden.py REFERENCE_DIR [ID …]

A reference folder holds, per competition, `golden.json` (prepared files and grades), `raw.zip` and `submissions/`.
The recorded file is the compact form that the parity tests read.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "tests" / "golden"


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


def fingerprint(name: str, data: bytes) -> Any:
    """md5 of a file; of a zip archive, md5 per member."""
    if not name.endswith(".zip"):
        return md5(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {each: md5(archive.read(each)) for each in sorted(archive.namelist()) if not each.endswith("/")}


def rounded_md5(data: bytes) -> str:
    """md5 of a CSV file with its long decimals rounded to 12 digits: processors differ in the last ones of exp()."""
    return md5(re.sub(rb"\d+\.\d{8,}(e-?\d+)?", lambda number: b"%.12g" % float(number[0]), data))


def prepared_entry(entry: dict[str, Any]) -> Any:
    """An archive by its members, a file placed unchanged by the raw file it equals, any other by its md5."""
    if "members" in entry:
        return {name: prepared_entry(each) for name, each in entry["members"].items()}
    if "same_as" in entry:
        return f"raw:{entry['same_as']}"
    if "content_md5" in entry:
        return f"content:{entry['content_md5']}"
    return entry["md5"]


def record(reference: Path) -> dict[str, Any]:
    golden = json.loads((reference / "golden.json").read_text())
    with zipfile.ZipFile(reference / "raw.zip") as archive:
        names = sorted(name for name in archive.namelist() if not name.endswith("/"))
        raw = {name: fingerprint(name, archive.read(name)) for name in names}
    grades = {}
    for grade in golden["grades"]:
        data = (reference / "submissions" / grade["submission"]).read_bytes()
        entry = {"md5": md5(data)}
        if rounded_md5(data) != md5(data):
            entry["rounded_md5"] = rounded_md5(data)
        if grade["valid"]:
            entry |= {"raw_score": grade["raw_score"], "score": grade["score"]}
        else:
            entry |= {"refused": grade["error"]}
        grades[grade["submission"].removesuffix(".csv")] = entry
    prepared = {name: prepared_entry(entry) for name, entry in golden["prepared"].items()}
    return {"raw": raw, "prepared": prepared, "grades": grades}


def main() -> None:
    source, *ids = sys.argv[1:]
    GOLDEN.mkdir(exist_ok=True)
    for reference in sorted(Path(source).iterdir()):
        if not ids or reference.name in ids:
            text = json.dumps(record(reference), indent=1, ensure_ascii=False)
            (GOLDEN / f"{reference.name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
