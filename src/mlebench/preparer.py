"""Preparing one competition: its own function, called under the same rules for everybody."""

from __future__ import annotations

from pathlib import Path
from traceback import extract_tb

from mlebench.competition import PrepareFn
from mlebench.errors import MlebenchError, PreparationError
from mlebench.files.handles import Output, Raw, RawFolder
from mlebench.files.tables import plain_strings


def run_preparation(competition_id: str, prepare_fn: PrepareFn, raw: Raw, public: Output, private: Output) -> None:
    """Call a competition's own preparation, under the same rules for text with every version of pandas."""
    try:
        with plain_strings():
            prepare_fn(raw, public, private)
    except (MlebenchError, OSError):
        raise
    except Exception as error:
        raise PreparationError(
            f"The preparation of {competition_id} failed with {type(error).__name__}: {error}{_place(error)}.",
            hint="The raw data may be incomplete or of another competition.",
        ) from error


def prepare_folders(competition_id: str, prepare_fn: PrepareFn, raw: Path, public: Path, private: Path) -> None:
    """The same with the paths of three folders."""
    run_preparation(competition_id, prepare_fn, RawFolder(raw), Output(public), Output(private))


def _place(error: Exception) -> str:
    """The line of a competition's own code that an error comes from, for whoever is writing it."""
    frames = [each for each in extract_tb(error.__traceback__) if Path(each.filename).name == "competition.py"]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
