"""Kaggle's client of version 1.6, which some projects need: downloads work with it too."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from installing import SOURCE, installed
from packaging.requirements import Requirement
from servers import Answer, KaggleServer

from mlebench.data.download import fetch
from mlebench.data.kaggle import KaggleFile, MissingCredentialsError, RulesNotAcceptedError, download_leaderboard

TITANIC = "spaceship-titanic"


class OldKaggleApi:
    """What we use of the client of version 1.6."""

    endpoint = ""

    def authenticate(self) -> None:
        user, key = os.environ.get("KAGGLE_USERNAME"), os.environ.get("KAGGLE_KEY")
        if not user or not key:
            raise OSError("Could not find kaggle.json. Make sure it's located in /root/.kaggle.")
        self.config_values = {"username": user, "key": key}
        self.api_client = SimpleNamespace(configuration=SimpleNamespace(host=self.endpoint))


@pytest.fixture(params=[False, True], ids=["without kagglesdk", "with kagglesdk"])
def kaggle(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KaggleServer]:
    """A server that the old client takes for Kaggle."""
    pytest.importorskip("requests")
    home = tmp_path / "home"
    home.mkdir()
    with KaggleServer() as server:
        monkeypatch.delenv("KAGGLE_API_TOKEN", raising=False)
        for name, value in server.environment(home).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("urllib.request._opener", None)  # it remembers the proxy of an earlier test
        OldKaggleApi.endpoint = f"{server.url}/api/v1"
        module = ModuleType("kaggle.api.kaggle_api_extended")
        module.__dict__["KaggleApi"] = OldKaggleApi
        for name in ("kaggle", "kaggle.api"):
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.setitem(sys.modules, "kaggle.api.kaggle_api_extended", module)
        # What newer clients are built on may be installed all the same: other packages need it.
        monkeypatch.setitem(sys.modules, "kagglesdk", ModuleType("kagglesdk") if request.param else None)
        server.archives[TITANIC] = b"the archive" * 1000
        yield server


def test_a_project_downloads_with_an_old_client(kaggle: KaggleServer, tmp_path: Path) -> None:
    fetch(KaggleFile(TITANIC), tmp_path / "target.zip")
    assert (tmp_path / "target.zip").read_bytes() == kaggle.archives[TITANIC]
    stored = [request for request in kaggle.requests if request.url.startswith(kaggle.STORAGE)]
    assert not any("Authorization" in request.headers for request in stored)


def test_a_project_downloads_a_leaderboard_with_an_old_client(kaggle: KaggleServer, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("board.csv", "Score\n0.9\n")
    kaggle.leaderboards[TITANIC] = packed.getvalue()
    assert download_leaderboard(TITANIC, tmp_path).read_bytes() == packed.getvalue()


def test_an_old_client_is_refused(kaggle: KaggleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kaggle.answers[TITANIC].append(Answer(status=403))
    with pytest.raises(RulesNotAcceptedError):
        fetch(KaggleFile(TITANIC), tmp_path / "target.zip")
    monkeypatch.setenv("KAGGLE_KEY", "wrong")
    with pytest.raises(MissingCredentialsError, match="does not accept the credentials"):
        fetch(KaggleFile(TITANIC), tmp_path / "target.zip")
    monkeypatch.delenv("KAGGLE_KEY")
    with pytest.raises(MissingCredentialsError, match="no valid credentials were found"):
        fetch(KaggleFile(TITANIC), tmp_path / "target.zip")


def test_the_extra_admits_the_old_client() -> None:
    """A project that asks for kaggle<1.7 can ask for mlebench[kaggle] too."""
    extras = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = [Requirement(text) for text in extras["kaggle"]]
    assert next(each for each in asked if each.name == "kaggle").specifier.contains("1.6.17")


@pytest.mark.once
def test_the_real_old_client(tmp_path: Path) -> None:
    python = installed(tmp_path, "kaggle==1.6.17", "kagglesdk", "filelock")
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "import sys; from pathlib import Path; from mlebench.data.download import fetch; "
        "from mlebench.data.kaggle import KaggleFile; fetch(KaggleFile(sys.argv[1]), Path(sys.argv[2]))"
    )
    with KaggleServer() as server:
        server.archives[TITANIC] = b"the archive"
        environment = {
            **os.environ,
            **server.environment(home),
            "KAGGLE_API_ENDPOINT": server.url,
            "PYTHONPATH": str(SOURCE / "src"),
        }
        command = [str(python), "-c", code, TITANIC, str(tmp_path / "target.zip")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "target.zip").read_bytes() == b"the archive"
        for name in ("KAGGLE_USERNAME", "KAGGLE_KEY"):
            del environment[name]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert "Kaggle asks for an account, and no valid credentials were found." in done.stderr
