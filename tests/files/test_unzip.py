"""Many small members of a zip archive, copied by several processes."""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from waiting import wait_for

from mlebench.errors import PreparationError
from mlebench.files import output_folder
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import RawArchive
from mlebench.files.source import SMALL_FILE
from mlebench.files.unzip import copy
from mlebench.files.zip_reader import ZipReader

CONTENT = {f"train/{number}é.txt": (b"%d " % number) * (number * 7) for number in range(60)}


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_folder, "_MANY", 10)


def archive(path: Path, extra: dict[str, bytes] | None = None) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for number, (name, content) in enumerate((CONTENT | (extra or {})).items()):
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED
            info.extra = b"\x99\x99\x50\x00" + bytes(80) if number % 3 == 0 else b""  # longer than expected
            file.writestr(info, content)
    return path


def placed(path: Path, tmp_path: Path) -> Output:
    raw = RawArchive(ZipReader(path), tmp_path)
    out = Output(tmp_path / "out")
    out.place({f"new/{name}": raw[name] for name in raw.names()})
    return out


def test_all_arrive(tmp_path: Path) -> None:
    out = placed(archive(tmp_path / "a.zip"), tmp_path)
    assert {name: (out.root / "new" / name).read_bytes() for name in CONTENT} == CONTENT


def test_the_processes_did_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Output, "_place_one", lambda *_: pytest.fail("one by one"))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2})
    placed(archive(tmp_path / "a.zip"), tmp_path)


def test_a_large_one_among_them(tmp_path: Path) -> None:
    large = bytes(SMALL_FILE + 1)
    out = placed(archive(tmp_path / "a.zip", {"large.bin": large}), tmp_path)
    assert (out.root / "new" / "large.bin").read_bytes() == large
    assert len(list((out.root / "new" / "train").iterdir())) == len(CONTENT)


@pytest.mark.parametrize("number", [8, 9, 50, 51])
def test_a_damaged_one_is_named(tmp_path: Path, number: int) -> None:
    path = archive(tmp_path / "a.zip")
    name = f"train/{number}é.txt"
    info = zipfile.ZipFile(path).getinfo(name)
    data = bytearray(path.read_bytes())
    data[info.header_offset + 30 + len(name.encode()) + len(info.extra) + 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(PreparationError, match=name):
        placed(path, tmp_path)
    reader = ZipReader(path)
    job = reader.member(name).job(str(tmp_path / "copy"))
    assert job is not None
    with pytest.raises(ValueError):
        copy(str(path), [job])


@pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="this system does not tell who a process's helpers are"
)
def test_helpers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    """They have work for minutes when it is killed."""
    path = archive(tmp_path / "a.zip")
    code = (
        "from mlebench.files.zip_reader import ZipReader; from mlebench.files.unzip import copy_in_processes; "
        "from pathlib import Path; "
        "job = ZipReader(Path('a.zip')).member('train/9é.txt').job('copy'); "
        "copy_in_processes('a.zip', [job] * 2_000_000, 3)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(helpers := children.read_text().split()) < 2 or not (tmp_path / "copy").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    wait_for(lambda: not any(is_running(each) for each in helpers))
    assert path.exists()


def is_running(process: str) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
