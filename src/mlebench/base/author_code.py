"""Calling code that the author of a competition wrote: an error in it names the file and the line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from pathlib import Path
from traceback import extract_tb
from typing import Any

from mlebench.errors import MlebenchError

SHOW_MORE = "`mlebench --debug …` shows the whole traceback."


@contextmanager
def author_errors(
    what: str, function: Callable[..., Any], *, kind: type[MlebenchError] = MlebenchError, hint: str = SHOW_MORE
) -> Iterator[None]:
    """An ordinary error inside becomes one sentence: what failed, with which error, and where in the author's file.

    What mlebench raises on purpose passes, and so does what the system refuses; a file that is not there is the code's,
    and so is an attempt to end the program.
    """
    try:
        yield
    except MlebenchError:
        raise
    except (Exception, SystemExit) as error:  # code that ends the program would end ours, as if all were well
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            raise
        raise kind(
            f"{what} failed with {error_text(error)}{in_brackets(place_of(error, function))}.", hint=hint
        ) from error


def error_text(error: BaseException) -> str:
    """The kind of an error and its words, which end without a full stop."""
    words = str(error).strip().rstrip(".")
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def place_of(error: BaseException, function: Callable[..., Any]) -> str | None:
    """The innermost line of a traceback that is in a file beside the function's own, as `file, line 3`."""
    folder = folder_of(function)
    frames = [frame for frame in extract_tb(error.__traceback__) if folder and folder in Path(frame.filename).parents]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else None


def in_brackets(place: str | None) -> str:
    """A place as it ends a sentence."""
    return f" ({place})" if place else ""


def folder_of(function: Callable[..., Any]) -> Path | None:
    """The folder of the file that a function is written in; None where that is not known."""
    inner = getattr(function, "function", function)  # what a preparation in the published form wraps
    folder = getattr(inner, "folder", None)
    if isinstance(folder, Path):
        return folder
    code = getattr(unwrap(inner), "__code__", None)
    return Path(code.co_filename).parent if code is not None else None
