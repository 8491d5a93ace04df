"""Record what preparing and grading a twin must give: tests/golden/<id>.json, from a folder of references.

    python scripts/record_golden.py REFERENCE_DIR [ID …]
    python scripts/record_golden.py REFERENCE_DIR --rounded DATA_DIR ID

A reference folder holds, per competition, `golden.json` (prepared files and grades), `raw.zip` and `submissions/`.
The recorded file is the compact form that the parity tests read. With --rounded, files of a twin that was prepared
in DATA_DIR and equals the reference are also recorded with their long decimals rounded, for processors on which NumPy
makes other last digits.
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


def content(name: str, data: bytes) -> bytes:
    """What a file is compared by: its bytes, or for Parquet those of its table as CSV."""
    if not name.endswith(".parquet"):
        return data
    import pandas as pd

    text: str = pd.read_parquet(io.BytesIO(data)).to_csv(index=False)
    return text.encode()


def rounded(golden: dict[str, Any], prepared: Path) -> dict[str, str]:
    """The sums of prepared files with long decimals rounded, where that makes a difference."""
    sums = {}
    for name, expected in golden["prepared"].items():
        if name.endswith((".csv", ".parquet")) and not expected.startswith("raw:"):
            data = content(name, (prepared / name).read_bytes())
            if md5(data) != expected.removeprefix("content:"):
                raise SystemExit(f"{name} differs from the reference")
            if rounded_md5(data) != md5(data):
                sums[name] = rounded_md5(data)
    return sums


def rounded_raw(reference: Path) -> dict[str, str]:
    """The same for the raw tables of a reference, as `raw/<name>`."""
    with zipfile.ZipFile(reference / "raw.zip") as archive:
        tables = {name: archive.read(name) for name in sorted(archive.namelist()) if name.endswith(".csv")}
    return {f"raw/{name}": rounded_md5(data) for name, data in tables.items() if rounded_md5(data) != md5(data)}


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
    data_dir = None
    if ids[:1] == ["--rounded"]:
        data_dir, *ids = ids[1:]
    GOLDEN.mkdir(exist_ok=True)
    for reference in sorted(Path(source).iterdir()):
        if not ids or reference.name in ids:
            golden = record(reference)
            if data_dir is not None:
                prepared = Path(data_dir, reference.name, "prepared")
                golden["rounded"] = rounded_raw(reference) | rounded(golden, prepared)
            text = json.dumps(golden, indent=1, ensure_ascii=False)
            (GOLDEN / f"{reference.name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
