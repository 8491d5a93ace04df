"""Kaggle through its real client, which talks to a server on loopback."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import random
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from command import Ran, run_command
from servers import Answer, KaggleServer

from mlebench.competition.registry import Registry
from mlebench.data import download, full_leaderboards
from mlebench.data.download import DownloadError, fetch
from mlebench.data.kaggle import KaggleFile, MissingCredentialsError, RulesNotAcceptedError
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.twins import write_twin

TITANIC, CACTUS, INSULTS = (
    "spaceship-titanic",
    "aerial-cactus-identification",
    "detecting-insults-in-social-commentary",
)
CONTENT = random.Random(0).randbytes(100_000)
MD5 = hashlib.md5(CONTENT).hexdigest()
VARIABLES = ["KAGGLE_USERNAME", "KAGGLE_KEY", "KAGGLE_API_TOKEN"]


@pytest.fixture
def kaggle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KaggleServer]:
    """A server that Kaggle's client, in this process and in others, takes for Kaggle."""
    home = tmp_path / "home"
    home.mkdir()
    with KaggleServer() as server:
        monkeypatch.delenv("KAGGLE_API_TOKEN", raising=False)
        for name, value in server.environment(home).items():
            monkeypatch.setenv(name, value)
        client = pytest.importorskip("kaggle.api.kaggle_api_extended", exc_type=ImportError).KaggleApi
        monkeypatch.setattr(urllib.request, "_opener", None)  # it remembers the proxy of an earlier test
        # What it reads from the environment when it is imported, which may have been before.
        monkeypatch.setattr(client, "args", ["--local"])
        monkeypatch.setattr(client, "config", str(home / "kaggle.json"))
        server.archives[TITANIC] = CONTENT
        yield server


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long downloads have paused, without doing so."""
    waits: list[float] = []
    monkeypatch.setattr(download, "time", SimpleNamespace(sleep=waits.append))
    return waits


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "target.zip"


def leaderboard(scores: list[float]) -> bytes:
    """A leaderboard as Kaggle packs it."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["Rank", "TeamId", "TeamName", "Score"])
    rows.writerows([rank, rank + 1000, f"team {rank}", score] for rank, score in enumerate(scores, 1))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{TITANIC}-publicleaderboard.csv", text.getvalue())
    return packed.getvalue()


def test_archive(kaggle: KaggleServer, target: Path) -> None:
    assert fetch(KaggleFile(TITANIC), target) == MD5
    assert target.read_bytes() == CONTENT
    asked = kaggle.requests[0]
    assert (asked.method, asked.body) == ("POST", b'{"competitionName": "spaceship-titanic"}')
    stored = [request for request in kaggle.requests if request.method == "GET"]
    assert all(request.url.startswith(kaggle.STORAGE) for request in stored)
    assert not any("Authorization" in request.headers for request in stored), "it is nobody else's business"


def test_cuts_are_resumed_with_a_new_signature(kaggle: KaggleServer, target: Path) -> None:
    target.with_name("target.zip.partial").write_bytes(CONTENT[:10_000])
    kaggle.always[f"/{TITANIC}.zip"] = Answer(cut=40_000)
    assert fetch(KaggleFile(TITANIC), target) == MD5
    # The client begins to read at 0 whenever it is sent on; what it reads is not used.
    assert kaggle.offsets(f"/{TITANIC}.zip") == [0, 10_000, 0, 50_000, 0, 90_000]
    assert sum(request.method == "POST" for request in kaggle.requests) == 3


def test_a_token(kaggle: KaggleServer, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KAGGLE_API_TOKEN", kaggle.TOKEN)
    assert fetch(KaggleFile(TITANIC), target) == MD5
    monkeypatch.setenv("KAGGLE_API_TOKEN", "expired")
    with pytest.raises(MissingCredentialsError, match="no valid credentials were found"):
        fetch(KaggleFile(TITANIC), target)


def test_a_token_while_kaggle_is_busy(
    kaggle: KaggleServer, target: Path, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KAGGLE_API_TOKEN", kaggle.TOKEN)
    introspect = "/api/v1/security.OAuthService/IntrospectToken"
    kaggle.answers[introspect].append(Answer(status=503, headers={"Retry-After": "9"}))
    assert fetch(KaggleFile(TITANIC), target) == MD5
    assert waits == [9]


def test_a_key_in_a_file(kaggle: KaggleServer, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home" / "kaggle.json").write_text(f'{{"username": "{kaggle.USER}", "key": "{kaggle.KEY}"}}')
    assert fetch(KaggleFile(TITANIC), target) == MD5


def test_no_credentials(
    kaggle: KaggleServer, target: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingCredentialsError) as caught:
        fetch(KaggleFile(TITANIC), target)
    assert "no valid credentials were found. Create an API token at https://www.kaggle.com/settings" in str(
        caught.value
    )
    assert capfd.readouterr() == ("", ""), "the client's own advice is not shown"


def test_wrong_credentials(kaggle: KaggleServer, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_KEY", "old")
    with pytest.raises(MissingCredentialsError, match="Kaggle does not accept the credentials"):
        fetch(KaggleFile(TITANIC), target)


def test_rules_that_are_not_accepted(kaggle: KaggleServer, target: Path) -> None:
    kaggle.answers[TITANIC].append(Answer(status=403))
    with pytest.raises(RulesNotAcceptedError, match=r"https://www\.kaggle\.com/c/spaceship-titanic/rules"):
        fetch(KaggleFile(TITANIC), target)


def test_what_is_no_longer_served(kaggle: KaggleServer, target: Path) -> None:
    with pytest.raises(DownloadError, match="Kaggle no longer serves aerial-cactus-identification"):
        fetch(KaggleFile(CACTUS), target)


def test_other_refusals(kaggle: KaggleServer, target: Path) -> None:
    kaggle.answers[TITANIC].append(Answer(status=418))
    with pytest.raises(DownloadError, match="Kaggle answered 418 for spaceship-titanic"):
        fetch(KaggleFile(TITANIC), target)


def test_a_busy_kaggle_is_asked_again(kaggle: KaggleServer, target: Path, waits: list[float]) -> None:
    kaggle.answers[TITANIC].append(Answer(status=429, headers={"Retry-After": "60"}))
    kaggle.answers[TITANIC].append(Answer(status=429, headers={"Retry-After": "soon"}))
    kaggle.answers[TITANIC].append(Answer(status=500))
    kaggle.answers[f"/{TITANIC}.zip"].append(Answer(status=503))
    assert fetch(KaggleFile(TITANIC), target) == MD5
    assert waits[0] == 60
    assert len(waits) == 4


def test_a_kaggle_that_stays_busy_is_given_up(kaggle: KaggleServer, target: Path) -> None:
    kaggle.always[TITANIC] = Answer(status=500)
    with pytest.raises(DownloadError, match=r"The archive of .* cannot be downloaded: Kaggle answered 500, 6 times"):
        fetch(KaggleFile(TITANIC), target)


def test_kaggle_cannot_be_reached(kaggle: KaggleServer, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with pytest.raises(DownloadError, match="Kaggle cannot be reached"):
        fetch(KaggleFile(TITANIC), target)


def test_the_client_prints_nothing(kaggle: KaggleServer, target: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Not even that there is a newer one: `prepare --json` prints JSON only."""
    kaggle.always[f"/{TITANIC}.zip"] = Answer(headers={"X-Kaggle-APIVersion": "99.0.0"})
    assert fetch(KaggleFile(TITANIC), target) == MD5
    assert capfd.readouterr() == ("", "")


def test_leaderboard(kaggle: KaggleServer, tmp_path: Path) -> None:
    kaggle.leaderboards[TITANIC] = leaderboard([0.5, 0.9, 0.7])
    kaggle.answers[TITANIC].append(Answer(cut=50))
    competition = Registry(tmp_path).get_competition(TITANIC)
    assert full_leaderboards.download(competition) == 3
    assert competition.downloaded_leaderboard.read_text().split() == ["score", "0.9", "0.7", "0.5"]


def test_a_mirror_that_lacks_an_archive(kaggle: KaggleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the mirror does not have, Kaggle is asked for."""
    competition = Registry(tmp_path / "data").get_competition(TITANIC)
    kaggle.archives[TITANIC] = write_twin(competition, tmp_path).read_bytes()
    (tmp_path / "empty").mkdir()
    for source in (str(tmp_path / "empty"), f"{kaggle.url}/mirror"):
        assert prepare(competition, PrepareOptions(mirror=source, force=True)).source == "kaggle"
        competition.archive.unlink()
        with monkeypatch.context() as without, pytest.raises(MissingCredentialsError) as caught:
            without.delenv("KAGGLE_KEY")
            prepare(competition, PrepareOptions(mirror=source, force=True))
        assert f"There is no spaceship-titanic.zip in {source}. Kaggle asks" in str(caught.value)


def test_a_run_over_competitions_of_which_one_has_rules_to_accept(kaggle: KaggleServer, tmp_path: Path) -> None:
    for each in (TITANIC, CACTUS, INSULTS):
        competition = Registry(tmp_path).get_competition(each)
        kaggle.archives[each] = write_twin(competition, tmp_path / "twins").read_bytes()
    kaggle.always[CACTUS] = Answer(status=403)
    ran = run_command("prepare", "-c", CACTUS, "-c", TITANIC, "-c", INSULTS, cwd=tmp_path)
    assert ran.code == 1
    lines = ran.err.splitlines()
    assert lines[-3].startswith(f"2 of 3 competitions ready in {tmp_path}/data after ")
    assert lines[-2:] == [
        "Accept the rules of these competitions and run the same command again:",
        f"  https://www.kaggle.com/c/{CACTUS}/rules",
    ]
    assert not (tmp_path / "data" / CACTUS / "prepared").exists()
    del kaggle.always[CACTUS]
    again = run_command("prepare", "-c", CACTUS, "-c", TITANIC, "-c", INSULTS, cwd=tmp_path)
    assert again.code == 0
    assert f"{TITANIC} was prepared already, from twin (seed 0, scale 1)" in again.err
    assert f"{CACTUS} prepared from twin (seed 0, scale 1)" in again.err


def test_download_leaderboard_command(kaggle: KaggleServer, tmp_path: Path) -> None:
    kaggle.leaderboards[TITANIC] = leaderboard([0.81, 0.82, 0.79, 0.80])
    command = ("dev", "download-leaderboard", "-c", TITANIC)
    file = tmp_path / "data" / TITANIC / "leaderboard.csv"
    assert run_command(*command, cwd=tmp_path) == Ran(0, f"{TITANIC}: 4 teams in {file}\n", "")
    assert file.read_text().split() == ["score", "0.82", "0.81", "0.8", "0.79"]
    asked = len(kaggle.requests)
    again = run_command(*command, cwd=tmp_path)
    assert (again.code, again.err) == (0, f"{TITANIC}: {file} is there already; --force downloads it again.\n")
    assert len(kaggle.requests) == asked
    kaggle.leaderboards[TITANIC] = leaderboard([0.5])
    assert run_command(*command, "--force", cwd=tmp_path).code == 0
    assert file.read_text().split() == ["score", "0.5"]


def test_overwrite_leaderboard(kaggle: KaggleServer, tmp_path: Path) -> None:
    for each in (CACTUS, TITANIC):
        competition = Registry(tmp_path).get_competition(each)
        write_twin(competition, tmp_path / "twins")
    kaggle.leaderboards[TITANIC] = leaderboard([0.5])
    command = ("prepare", "-c", CACTUS, "-c", TITANIC, "--source", "twins", "--overwrite-leaderboard")
    ran = run_command(*command, cwd=tmp_path)
    assert ran.code == 1
    summary, problem = ran.err.splitlines()[-2:]
    assert summary.startswith(f"1 of 2 competitions ready in {tmp_path}/data after ")
    assert problem.startswith(f"error: {CACTUS}: Kaggle no longer serves")
    assert (tmp_path / "data" / TITANIC / "leaderboard.csv").read_text() == "score\n0.5\n"


@pytest.mark.parametrize("missing", ["kaggle", "kagglesdk"])
def test_the_client_is_not_there(missing: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['mlebench', 'prepare', '-c', {TITANIC!r}]; "
        "from mlebench.cli import main; main()"
    )
    folders = {"MLEBENCH_DATA_DIR": str(tmp_path), "HOME": str(tmp_path), "KAGGLE_CONFIG_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **folders}, check=False
    )
    assert done.returncode == 1
    assert "Downloading from Kaggle needs its client, which cannot be loaded: " in done.stderr
    assert missing in done.stderr.split("cannot be loaded: ")[1].split(". Run: ")[0]
    assert "Run: pip install 'mlebench[kaggle]', or give a mirror with --source." in done.stderr
    assert "Traceback" not in done.stderr
