"""Dolos itself: a library for Node that the published benchmark uses, called in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mlebench.base.wording import plain
from mlebench.errors import MlebenchError
from mlebench.integrity.plagiarism.documents import Document

_SCRIPT = Path(__file__).with_name("dolos_compare.mjs")
_PACKAGE = "@dodona/dolos-lib"
_INSTALL = (
    f"Install Node 18 or later and run: npm install {_PACKAGE}; "
    "name its folder with --dolos-dir, or use --engine winnowing."
)
_NOT_FOUND = 3  # the exit code of the script where the package is not found


class DolosEngine:
    """Dolos in a folder where npm installed it, in $NODE_PATH, in the current folder or beside `node`."""

    name = "dolos"

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def require(self) -> None:
        """A MlebenchError with the command that installs it where it is not there."""
        self._run({"only_check": True}, timeout=60)

    def similarities(
        self, submissions: Sequence[Document], kernels: Sequence[Document], *, timeout: float
    ) -> list[list[float]]:
        """For every submission, its similarity to every kernel."""
        if not submissions or not kernels:
            return [[] for _ in submissions]
        with TemporaryDirectory(prefix="mlebench-dolos-") as folder:
            names = [_written(Path(folder, f"s{place}.py"), one) for place, one in enumerate(submissions)]
            others = [_written(Path(folder, f"k{place}.py"), one) for place, one in enumerate(kernels)]
            request = {"submissions": names, "kernels": others, "language": "python"}
            answer = self._run(request, timeout=timeout)
        try:
            return [[float(value or 0.0) for value in row] for row in answer["similarities"]]
        except (KeyError, TypeError, ValueError) as error:
            raise MlebenchError("Dolos gives no similarities.", hint=_INSTALL) from error

    def _run(self, request: dict[str, Any], *, timeout: float) -> Any:
        node = shutil.which("node")
        if node is None:
            raise MlebenchError("The engine dolos needs Node, which is not installed.", hint=_INSTALL)
        try:
            done = subprocess.run(
                [node, "--max-old-space-size=4096", str(_SCRIPT)],
                input=json.dumps({**request, "search": self._places()}),
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
                encoding="utf-8",
            )
        except subprocess.TimeoutExpired as error:
            raise MlebenchError(
                f"Dolos took longer than {timeout:g} seconds.",
                hint="Give it more with --timeout, or use --engine winnowing.",
            ) from error
        except OSError as error:
            raise MlebenchError(f"Node cannot be started: {error.strerror}.", hint=_INSTALL) from error
        if done.returncode == _NOT_FOUND:
            raise MlebenchError(f"The engine dolos needs {_PACKAGE}, which is not installed.", hint=_INSTALL)
        try:
            if done.returncode == 0:
                return json.loads(done.stdout)
        except ValueError:
            pass
        last = next((line for line in reversed(done.stderr.splitlines()) if "rror" in line), "it says nothing")
        raise MlebenchError(f"Dolos fails: {plain(last.strip(), 300)}.", hint=_INSTALL)

    def _places(self) -> list[str]:
        """Folders that may have node_modules, the most particular first."""
        if self.folder is not None:
            return [str(self.folder.absolute())]
        given = [Path(place).parent for place in os.environ.get("NODE_PATH", "").split(os.pathsep) if place]
        program = shutil.which("dolos") or shutil.which("npm")
        beside = []
        if program:
            resolved = Path(program).resolve()
            beside = [resolved.parent, *(parent for parent in resolved.parents if parent.name == "lib")]
            beside.append(Path(program).parent.parent / "lib")
        return [str(place) for place in (*given, *beside)]


def _written(path: Path, document: Document) -> str:
    path.write_text(document.text, encoding="utf-8", errors="replace")
    return str(path)


DOLOS = DolosEngine()
