"""Public notebooks of competitions: which are known, and getting them with Kaggle's client."""

from __future__ import annotations

import contextlib
import io
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mlebench import facts
from mlebench.base.wording import plain
from mlebench.competition.local import LocalCompetition
from mlebench.data.kaggle import MissingCredentialsError, authenticated_client
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_regular, read_regular
from mlebench.files.writing import write_atomically, write_json
from mlebench.integrity.plagiarism.documents import without_comments
from mlebench.integrity.sources import notebook_code

MOST = 50
SKIPPED_FILE = "skipped.json"
_LARGEST = 64 << 20  # bytes of a notebook, which may hold pictures
_TRIES = 5
_BUSY = (408, 425, 429, 500, 502, 503, 504)
_REFERENCE = re.compile(r"[\w-]+/[\w-]+")


class KernelError(MlebenchError):
    """A kernel cannot be had; `status` is what Kaggle answered, where it did."""

    def __init__(self, sentence: str, *, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(sentence, hint=hint)
        self.status = status


@dataclass(frozen=True)
class Downloaded:
    """What became of the kernels of one competition: files there now, and (reference, why not) of the others."""

    competition_id: str
    written: int
    there: int
    skipped: tuple[tuple[str, str], ...]


def known_references(competition: LocalCompetition, most: int = MOST) -> list[str]:
    """The references that ship with mlebench, the most popular first."""
    return [reference for reference in facts.kernels(competition.id) if _REFERENCE.fullmatch(reference)][:most]


def current_references(competition: LocalCompetition, most: int = MOST) -> list[str]:
    """The references that Kaggle has now, the most popular first."""
    api = authenticated_client()
    found: list[str] = []
    page = 1
    while len(found) < most:
        size = min(100, most)
        listed = _called(
            lambda page=page, size=size: api.kernels_list(  # type: ignore[misc]
                competition=competition.id, sort_by="voteCount", page=page, page_size=size
            )
        )
        names = [str(getattr(entry, "ref", "") or "").strip("/").removeprefix("code/") for entry in listed or ()]
        new = [name for name in names if _REFERENCE.fullmatch(name) and name not in found]
        found += new
        if len(names) < size or not new:
            break
        page += 1
    return found[:most]


def download(
    competition: LocalCompetition,
    references: Iterable[str],
    folder: Path,
    *,
    on_kernel: Callable[[str], object] = lambda _: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Downloaded:
    """Get kernels as programs without comment lines; what is there already is left alone, what is refused is listed."""
    target = folder / competition.id
    target.mkdir(parents=True, exist_ok=True)
    api: Any = None
    written = there = 0
    skipped: list[tuple[str, str]] = []
    for reference in references:
        name = reference.replace("/", "__")
        if any(is_regular(target / f"{name}{suffix}") for suffix in (".py", ".R")):
            there += 1
            continue
        on_kernel(reference)
        try:
            api = api or authenticated_client()
            suffix, text = _pulled(api, reference, sleep)
        except MissingCredentialsError:
            raise
        except KernelError as error:
            skipped.append((reference, str(error)))
            continue
        write_atomically(target / f"{name}{suffix}", text)
        written += 1
    path = target / SKIPPED_FILE
    if skipped or path.exists():
        write_json(path, [{"kernel": reference, "reason": reason} for reference, reason in skipped])
    return Downloaded(competition.id, written, there, tuple(skipped))


def _pulled(api: Any, reference: str, sleep: Callable[[float], None]) -> tuple[str, str]:
    """(suffix, text) of a kernel as a program."""
    with TemporaryDirectory(prefix="mlebench-kernel-") as folder:
        _called(lambda: api.kernels_pull(reference, path=folder, quiet=True), sleep)
        files = [path for path in sorted(Path(folder).iterdir()) if is_regular(path)]
        code = [path for path in files if path.name != "kernel-metadata.json"]
        if not code:
            raise KernelError(f"Kaggle sends nothing for {reference}.")
        try:
            text = read_regular(code[0], _LARGEST).decode("utf-8", "replace")
        except OSError as error:
            raise KernelError(f"{reference} cannot be read: {error.strerror}.") from error
        return as_program(text, code[0].suffix)


def as_program(text: str, suffix: str) -> tuple[str, str]:
    """(suffix, text) of a notebook or script as a program without comment lines."""
    if suffix.lower() in (".ipynb", ".irnb"):
        try:
            language = str(json.loads(text).get("metadata", {}).get("language_info", {}).get("name", "python"))
            code, _ = notebook_code(text)
        except (ValueError, AttributeError, RecursionError) as error:
            raise KernelError("The notebook is not valid JSON.") from error
        text, suffix = code, ".R" if language.lower() == "r" else ".py"
    suffix = ".R" if suffix.lower() in (".r", ".rmd") else ".py"
    text = without_comments(text) if suffix == ".py" else text
    lines = [line.rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return suffix, "\n".join(lines) + "\n"


def _called(call: Callable[[], Any], sleep: Callable[[float], None] = time.sleep) -> Any:
    """What a call of Kaggle's client returns; it is tried again while Kaggle is busy."""
    for attempt in range(_TRIES):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                return call()
            except (Exception, SystemExit) as error:  # clients of all versions raise what they like
                status = _status(error)
                if status not in _BUSY or attempt + 1 == _TRIES:
                    raise _in_words(error, status) from error
        sleep(min(2.0**attempt, 60.0))
    raise AssertionError


def _status(error: BaseException) -> int | None:
    """The status that Kaggle answered, wherever a version of the client keeps it."""
    for part in _chain(error):
        response = getattr(part, "response", None)
        for value in (getattr(response, "status_code", None), getattr(part, "status", None)):
            if isinstance(value, int):
                return value
        if type(part).__module__.startswith("requests.") and type(part).__name__ in ("ConnectionError", "Timeout"):
            return 503
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _in_words(error: BaseException, status: int | None) -> KernelError:
    if status == 401:
        return KernelError("Kaggle does not accept the credentials.", hint="Create a new API token.", status=401)
    if status == 403:
        return KernelError("Kaggle refuses it (403): it is private or deleted.", status=403)
    if status == 404:
        return KernelError("Kaggle no longer has it (404).", status=404)
    if status is not None:
        return KernelError(f"Kaggle answers {status}.", status=status)
    return KernelError(f"Kaggle's client fails: {type(error).__name__}: {plain(str(error), 200)}.")
