"""Where no control group is delegated, systemd is asked for a scope; here by a tree and a busctl made for the test.

How a real systemd answers was tried by hand; docs/sandboxes.md says what was seen.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.sandbox import cgroup

# Makes the folder that systemd would make, and moves the process, as far as its own view of that goes.
_BUSCTL = """#!/bin/sh
echo "$@" > {log}
for word in "$@"; do case $word in mlebench-*.scope) scope={root}/user.slice/$word;; esac; done
mkdir -p $scope && : > $scope/cgroup.subtree_control && echo "cpu memory pids" > $scope/cgroup.controllers
echo "0::/user.slice/$(basename $scope)" > {own}
"""
# The kernel gives every new group its files; here a subclass of Path does.
_PROGRAM = """
import sys
from pathlib import Path
from mlebench.sandbox import cgroup
root, own = Path(sys.argv[1]), Path(sys.argv[2])
class Kernel(type(Path())):
    def mkdir(self, *arguments, **options):
        super().mkdir(*arguments, **options)
        if self.parent.name.startswith("mlebench-"):
            enabled = (self.parent / "cgroup.subtree_control").read_text()
            (self / "cgroup.controllers").write_text(enabled.replace("+", ""))
    def rmdir(self):
        for file in self.iterdir():
            file.unlink()
        super().rmdir()
    def read_text(self, *arguments, **options):
        return own.read_text() if str(self) == "/proc/self/cgroup" else super().read_text(*arguments, **options)
cgroup._ROOT, cgroup._SYSTEMD, cgroup.Path = Kernel(root), Kernel(root), Kernel
print(cgroup.delegated(), cgroup.measured_by(), sep="|")
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with cgroup v2, none of it delegated, and a systemd; where what it was asked for is noted."""
    root, log, own = tmp_path / "cgroup", tmp_path / "asked", tmp_path / "own"
    (root / "session.scope").mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory pids")
    own.write_text("0::/session.scope\n")
    busctl = tmp_path / "bin" / "busctl"
    busctl.parent.mkdir()
    busctl.write_text(_BUSCTL.format(log=log, root=root, own=own))
    busctl.chmod(0o755)
    (tmp_path / "bus").touch()
    monkeypatch.setenv("PATH", str(busctl.parent), prepend=os.pathsep)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return log


def test_a_scope_is_asked_for_and_used(asked: Path, tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    command = [sys.executable, "-c", _PROGRAM, str(root), str(tmp_path / "own")]
    folder, measured_by = subprocess.check_output(command, text=True).strip().split("|")
    assert measured_by == "cgroup v2 through systemd"
    assert Path(folder).parent == root / "user.slice"
    words = asked.read_text().split()
    assert ("--user" in words) == (os.getuid() != 0)
    pid = words[words.index("au") + 2]
    assert words[words.index("PIDs") :] == ["PIDs", "au", "1", pid, "Delegate", "b", "true", "0"]
    assert (Path(folder) / "orchestrator" / "cgroup.procs").read_text() == pid
    assert set((Path(folder) / "cgroup.subtree_control").read_text().split()) == {"+cpu", "+memory", "+pids"}
    asked.unlink()
    (tmp_path / "own").write_text(f"0::/user.slice/{Path(folder).name}/orchestrator\n")
    assert subprocess.check_output(command, text=True).strip().split("|") == [folder, measured_by]
    assert not asked.exists(), "a process that this one starts makes its groups in the same scope"


def test_who_is_asked(asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_SYSTEMD", tmp_path)
    assert (cgroup.scope_command("x.scope", 7, user=1000) or [])[:2] == ["busctl", "--user"]
    assert (cgroup.scope_command("x.scope", 7, user=0) or [])[:2] == ["busctl", "--timeout=10"]
    (tmp_path / "bus").unlink()
    assert cgroup.scope_command("x.scope", 7, user=1000) is None, "the user has no manager"
    monkeypatch.setattr(cgroup, "_SYSTEMD", tmp_path / "nothing")
    assert cgroup.scope_command("x.scope", 7, user=0) is None, "systemd does not run the machine"
