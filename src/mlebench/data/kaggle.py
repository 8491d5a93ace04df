"""Kaggle, through its official client: competition archives and leaderboards."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mlebench.data.download import (
    BUSY,
    DownloadError,
    HttpRemote,
    Stream,
    TryAgainError,
    content_range,
    fetch,
    retry_after,
)
from mlebench.errors import MlebenchError

_CHUNK = 1 << 20
_TIMEOUT = 60.0
_TOKEN_PAGE = "https://www.kaggle.com/settings"


class MissingCredentialsError(MlebenchError):
    """No account to ask Kaggle with."""


class RulesNotAcceptedError(MlebenchError):
    """The user has not accepted a competition's rules."""


def rules_page(competition_id: str) -> str:
    """Where a competition's rules can be accepted."""
    return f"https://www.kaggle.com/c/{competition_id}/rules"


@dataclass(frozen=True)
class KaggleFile:
    """What Kaggle has of a competition: the archive of its data, or its full leaderboard, as a zip archive too."""

    competition_id: str
    kind: Literal["archive", "leaderboard"] = "archive"

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"The {self.kind} of {self.competition_id}"

    def open(self, offset: int) -> Stream:
        """Ask for the file; a signed address that Kaggle sends us to can be read from any offset."""
        response = _ask(self)
        if response.history:
            response.close()
            return HttpRemote(response.url).open(offset)
        start, total = content_range(response.status_code, response.headers)
        return Stream(start, total, _chunks(response))


def authenticated_client() -> Any:
    """Kaggle's own client, signed in; a sentence for whoever lacks the client or an account."""
    # The client prints advice and may end the process when it finds no credentials; version 1 looks for them on import.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            from kaggle.api.kaggle_api_extended import KaggleApi

            api = KaggleApi()
            api.authenticate()
        except ImportError as error:
            raise _no_client(error) from error
        except (SystemExit, ValueError) as error:
            raise _no_credentials() from error
        except OSError as error:  # no file with credentials, or no folder of its own for them
            if type(error).__module__.startswith("requests."):
                raise
            raise (_no_credentials() if "kaggle.json" in str(error) else _no_client(error)) from error
    return api


def _no_client(error: Exception) -> MissingCredentialsError:
    return MissingCredentialsError(
        f"Downloading from Kaggle needs its client, which cannot be loaded: {error}.",
        hint="Run: pip install 'mlebench[kaggle]', or give a mirror with --source.",
    )


def _no_credentials() -> MissingCredentialsError:
    return MissingCredentialsError(
        "Kaggle asks for an account, and no valid credentials were found.",
        hint=f"Create an API token at {_TOKEN_PAGE} and save it as it says, or give a mirror with --source.",
    )


def _ask(file: KaggleFile) -> Any:
    """The answer of Kaggle to a request for a file; a refusal is explained in our own words."""
    try:
        import requests
    except ImportError as error:  # it comes with the client
        raise _no_client(error) from error

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return _request(authenticated_client(), file)
        except SystemExit as error:
            raise _no_credentials() from error
        except requests.HTTPError as error:
            status = error.response.status_code
            if status in BUSY:
                raise TryAgainError(f"Kaggle answered {status}", retry_after(error.response.headers)) from error
            raise _refusal(file.competition_id, status) from error
        except requests.RequestException as error:
            raise TryAgainError(f"Kaggle cannot be reached ({type(error).__name__})") from error


def _request(api: Any, file: KaggleFile) -> Any:
    if not hasattr(api, "build_kaggle_client"):  # kagglesdk may be there all the same: others need it too
        return _request_by_address(api, file)
    from kagglesdk.competitions.types import competition_api_service as types

    with api.build_kaggle_client() as kaggle:
        service = kaggle.competitions.competition_api_client
        if file.kind == "archive":
            call, request = service.download_data_files, types.ApiDownloadDataFilesRequest()
        else:
            call, request = service.download_leaderboard, types.ApiDownloadLeaderboardRequest()
        request.competition_name = file.competition_id
        return call(request)


def _request_by_address(api: Any, file: KaggleFile) -> Any:
    """With a client of version 1.6, which some projects need: it only tells where Kaggle is and who asks."""
    import requests

    path = {"archive": "competitions/data/download-all/{}", "leaderboard": "competitions/{}/leaderboard/download"}
    response = requests.get(
        f"{api.api_client.configuration.host}/{path[file.kind].format(file.competition_id)}",
        auth=(api.config_values["username"], api.config_values["key"]),
        stream=True,
        timeout=_TIMEOUT,
    )
    response.raise_for_status()
    return response


def _refusal(competition_id: str, status: int) -> MlebenchError:
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


def _chunks(response: Any) -> Iterator[bytes]:
    import requests

    with response:
        try:
            yield from response.iter_content(_CHUNK)
        except requests.RequestException as error:
            raise TryAgainError(f"the connection broke ({type(error).__name__})") from error


def download_leaderboard(competition_id: str, folder: Path) -> Path:
    """Download a competition's full leaderboard into a folder and return its path."""
    path = folder / f"{competition_id}.zip"
    fetch(KaggleFile(competition_id, "leaderboard"), path)
    return path
