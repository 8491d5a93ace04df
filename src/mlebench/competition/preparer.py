"""Preparing one competition: its own function, called under the same rules for everybody."""

from __future__ import annotations

from pathlib import Path

from mlebench.base.author_code import SHOW_MORE, author_errors, folder_of, place_of
from mlebench.competition.declaration import PrepareFn
from mlebench.competition.loading import BUILT_IN
from mlebench.errors import PreparationError
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import Raw, RawFolder
from mlebench.files.tables import plain_strings


def run_preparation(competition_id: str, prepare_fn: PrepareFn, raw: Raw, public: Output, private: Output) -> None:
    """Call a competition's own preparation, under the same rules for text with every version of pandas.

    An error in it names the line; what the kit refuses does so for a competition of one's own, whose author reads it.
    """
    what, hint = (
        f"The preparation of {competition_id}",
        f"The raw data may be incomplete or of another competition. {SHOW_MORE}",
    )
    try:
        with author_errors(what, prepare_fn, kind=PreparationError, hint=hint), plain_strings():
            prepare_fn(raw, public, private)
    except PreparationError as error:
        place = place_of(error, prepare_fn)
        if place is None or error.__cause__ is not None or _is_built_in(prepare_fn):
            raise
        raise PreparationError(f"{error.sentence.rstrip('.')} ({place}).", hint=error.hint) from error


def prepare_folders(competition_id: str, prepare_fn: PrepareFn, raw: Path, public: Path, private: Path) -> None:
    """The same with the paths of three folders."""
    run_preparation(competition_id, prepare_fn, RawFolder(raw), Output(public), Output(private))


def _is_built_in(prepare_fn: PrepareFn) -> bool:
    folder = folder_of(prepare_fn)
    return folder is not None and BUILT_IN in folder.parents
