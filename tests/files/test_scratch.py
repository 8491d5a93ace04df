"""Temporary folders: those in use stay, whoever looks for abandoned ones."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mlebench.files.scratch import ScratchFolder, remove_abandoned


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_in_use_is_never_removed(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even in the moment in which it is made: here somebody sweeps right before its lock is taken."""
    lock = fcntl.flock

    def sweep_first(descriptor: int, operation: int) -> None:
        if operation == fcntl.LOCK_EX:
            assert remove_abandoned() == 0
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", sweep_first)
    with ScratchFolder() as folder:
        (folder / "file").touch()
        assert remove_abandoned() == 0
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_removed(temporary: Path) -> None:
    program = (
        "import os, signal, sys, tempfile\nfrom mlebench.files.scratch import ScratchFolder\n"
        "tempfile.tempdir = sys.argv[1]\nScratchFolder()\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(temporary)], check=False)
    assert len(list(temporary.iterdir())) == 1
    assert remove_abandoned() == 1
    assert list(temporary.iterdir()) == []
