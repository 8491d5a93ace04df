"""Kaggle, through its official client: competition archives and leaderboards."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.data.download import BUSY, DownloadError, Stream, TryAgainError, content_range, fetch
from mlebench.errors import MlebenchError

_CHUNK = 1 << 20
_TOKEN_PAGE = "https://www.kaggle.com/settings"


class MissingCredentialsError(MlebenchError):
    """No account to ask Kaggle with."""


class RulesNotAcceptedError(MlebenchError):
    """The user has not accepted a competition's rules."""


def rules_page(competition_id: str) -> str:
    """Where a competition's rules can be accepted."""
    return f"https://www.kaggle.com/c/{competition_id}/rules"


def client() -> Any:
    """Kaggle's client, signed in."""
    # The client prints advice and may end the process when it finds no credentials; we say it in our own words.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            from kaggle.api.kaggle_api_extended import KaggleApi

            api = KaggleApi()
            api.authenticate()
        except ImportError as error:
            raise MissingCredentialsError(
                "Downloading from Kaggle needs its client, which is not installed.",
                hint="Run: pip install 'mlebench[kaggle]', or give a mirror with --source.",
            ) from error
        except (SystemExit, OSError, ValueError) as error:
            raise MissingCredentialsError(
                "Kaggle asks for an account, and no credentials were found.",
                hint=f"Create an API token at {_TOKEN_PAGE} and save it as it says, or give a mirror with --source.",
            ) from error
    return api


@dataclass(frozen=True)
class KaggleArchive:
    """The archive of a competition's data on Kaggle."""

    competition_id: str

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"The archive of {self.competition_id}"

    def open(self, offset: int) -> Stream:
        """Ask for the archive; a signed address that Kaggle sends us to can be read from any offset."""

        def call(api: Any) -> Any:
            from kagglesdk.competitions.types.competition_api_service import ApiDownloadDataFilesRequest

            request = ApiDownloadDataFilesRequest()
            request.competition_name = self.competition_id
            with api.build_kaggle_client() as kaggle:
                return kaggle.competitions.competition_api_client.download_data_files(request)

        return _stream(_ask(self.competition_id, call), offset)


@dataclass(frozen=True)
class KaggleLeaderboard:
    """The full leaderboard of a competition on Kaggle, as a zip archive."""

    competition_id: str

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"The leaderboard of {self.competition_id}"

    def open(self, offset: int) -> Stream:
        """Ask for the leaderboard."""

        def call(api: Any) -> Any:
            from kagglesdk.competitions.types.competition_api_service import ApiDownloadLeaderboardRequest

            request = ApiDownloadLeaderboardRequest()
            request.competition_name = self.competition_id
            with api.build_kaggle_client() as kaggle:
                return kaggle.competitions.competition_api_client.download_leaderboard(request)

        return _stream(_ask(self.competition_id, call), offset)


def _ask(competition_id: str, call: Callable[[Any], Any]) -> Any:
    """A request to Kaggle; what it refuses is said in our own words."""
    api = client()
    import requests

    try:
        return call(api)
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else None
        if status in BUSY:
            after = error.response.headers.get("Retry-After") or 0
            raise TryAgainError(f"Kaggle answered {status}", float(after)) from error
        raise _refusal(competition_id, status) from error
    except requests.RequestException as error:
        raise TryAgainError(f"Kaggle cannot be reached ({type(error).__name__})") from error


def _refusal(competition_id: str, status: int | None) -> MlebenchError:
    if status == 401:
        return MissingCredentialsError(
            "Kaggle does not accept the credentials.", hint=f"Create a new API token at {_TOKEN_PAGE}."
        )
    if status == 403:
        return RulesNotAcceptedError(
            f"The rules of {competition_id} are not accepted yet.",
            hint=f"Accept them at {rules_page(competition_id)} and run the same command again.",
        )
    if status == 404:
        return DownloadError(
            f"Kaggle no longer serves {competition_id}.",
            hint=f"Look at https://www.kaggle.com/c/{competition_id}/data, or give a mirror with --source.",
            status=404,
        )
    return DownloadError(f"Kaggle answered {status} for {competition_id}.", status=status)


def _stream(response: Any, offset: int) -> Stream:
    import requests

    if offset:
        url = response.url
        headers = {"Range": f"bytes={offset}-"}
        if "Authorization" in response.request.headers:
            headers["Authorization"] = response.request.headers["Authorization"]
        response.close()
        try:
            again = requests.request(response.request.method, url, headers=headers, stream=True, timeout=60)
        except requests.RequestException as error:
            raise TryAgainError(f"the connection broke ({type(error).__name__})") from error
        if again.status_code in BUSY:
            raise TryAgainError(f"the server answered {again.status_code}")
        if again.status_code >= 400:
            raise DownloadError(f"The server answered {again.status_code}.", status=again.status_code)
        response = again
    start, total = content_range(response.status_code, response.headers)
    return Stream(start, total, _chunks(response))


def _chunks(response: Any) -> Iterator[bytes]:
    import requests

    with response:
        try:
            yield from response.iter_content(_CHUNK)
        except requests.RequestException as error:
            raise TryAgainError(f"the connection broke ({type(error).__name__})") from error


def download_leaderboard(competition_id: str, folder: Path) -> Path:
    """Download a competition's full leaderboard into a folder and give its path."""
    path = folder / f"{competition_id}.zip"
    fetch(KaggleLeaderboard(competition_id), path)
    return path
