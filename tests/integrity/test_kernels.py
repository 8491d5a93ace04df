"""Public notebooks with Kaggle's real client, which talks to a server on loopback."""

from __future__ import annotations

import base64
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from command import run_command
from servers import KaggleServer, Request, refuse, send
from violation_folders import notebook

from mlebench.competition.registry import Registry
from mlebench.integrity.plagiarism.kernels import as_program, known_references

COMPETITION = "spaceship-titanic"


class KernelServer(KaggleServer):
    """Kaggle with kernels: of some it refuses to give any."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: dict[str, int] = {}
        self.busy = 1

    def respond(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        if request.method == "POST" and request.path.endswith("/GetKernel"):
            known = base64.b64encode(f"{self.USER}:{self.KEY}".encode()).decode()
            assert request.headers.get("Authorization") == f"Basic {known}"
            slug = json.loads(request.body)["kernelSlug"]
            if self.busy:
                self.busy -= 1
                refuse(handler, 503, "Busy")
                return
            if slug in self.refused:
                refuse(handler, self.refused[slug], "Permission denied")
                return
            source = notebook(
                "# a comment\nimport pandas as pd  # another\n!pip install x\nx = '# no comment'\n", "y = 1"
            )
            blob = {"source": source, "language": "python", "kernelType": "notebook", "slug": slug}
            send(
                handler, 200, json.dumps({"blob": blob, "metadata": {}}).encode(), {"Content-Type": "application/json"}
            )
            return
        super().respond(handler, request)


def test_known_references() -> None:
    registry = Registry()
    all_ids = registry.list_competition_ids()
    known = [known_references(registry.get_competition(each), most=10_000) for each in all_ids]
    assert sum(map(len, known)) == 3636
    assert len(known_references(registry.get_competition(COMPETITION), most=3)) == 3


def test_references_are_printed(tmp_path: Path) -> None:
    ran = run_command("dev", "kernels", "refs", "-c", COMPETITION, "--max-kernels", 2, cwd=tmp_path)
    assert ran.code == 0 and len(ran.out.split()) == 2 and all("/" in line for line in ran.out.split())


def test_download_resumes_and_lists_what_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    references = known_references(Registry().get_competition(COMPETITION), most=3)
    with KernelServer() as server:
        server.refused[references[1].split("/")[1]] = 403  # type: ignore[attr-defined]
        variables = {"KAGGLE_API_TOKEN": "", **server.environment(home)}
        arguments = ["dev", "kernels", "download", "-c", COMPETITION, "--max-kernels", 3]
        ran = run_command(*arguments, cwd=tmp_path, **variables)
        assert ran.code == 0, ran.err
        assert f"{COMPETITION}: 2 downloaded, 0 there already, 1 skipped" in ran.out
        assert "it is private or deleted" in ran.err and references[1] in ran.err
        folder = tmp_path / "kernels" / COMPETITION
        files = sorted(path.name for path in folder.iterdir())
        assert files == sorted([*(f"{references[n].replace('/', '__')}.py" for n in (0, 2)), "skipped.json"])
        text = next(folder.glob("*.py")).read_text(encoding="utf-8")
        assert text == "import pandas as pd\npass\nx = '# no comment'\ny = 1\n"
        asked = len(server.requests)
        ran = run_command(*arguments, cwd=tmp_path, **variables)
        assert "0 downloaded, 2 there already, 1 skipped" in ran.out
        assert sum(request.path.endswith("/GetKernel") for request in server.requests[asked:]) == 1


def test_scripts_and_notebooks_of_other_languages() -> None:
    assert as_program("# comment\nx <- 1\n", ".R") == (".R", "x <- 1\n")
    assert as_program("#!/usr/bin/env python\n# a\nx = 1  # b\n\n", ".py") == (".py", "x = 1\n")
