"""What an agent declares against what was measured from outside, which is what counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from mlebench.base.wording import counted, plain
from mlebench.results.model_usage import counted_usage
from mlebench.results.names import CODE_FOLDER, SUBMISSION_FOLDER
from mlebench.results.records import digest_of, hashes_below
from mlebench.results.result_line import Artifact, Parsed, matching_seed
from mlebench.results.runs import Run
from mlebench.runs.collect import Bounds

_TIME_TOLERANCE = (0.1, 5.0)  # relative, and in seconds: an agent's clock starts a little later
_TOKEN_TOLERANCE = (0.1, 100.0)  # relative, and in tokens: an agent may leave out what was cached
_MOST_SHOWN = 10  # artifacts that are not as declared
_DEEPEST = 50  # folders of a path that are looked at, from its end
_MEMORY_TOLERANCE = (0.25, 256.0)  # relative, and in MB: an agent sees its own process, we see the tree


def environment(run: Run, bounds: Bounds | None = None) -> tuple[bool, str]:
    """Whether packages, hardware and code are recorded and the code is still what was recorded; and why."""
    record = run.record
    begin = f"{CODE_FOLDER}/"
    code = {name.removeprefix(begin): sha256 for name, sha256 in record.outputs.items() if name.startswith(begin)}
    if not record.versions:
        return False, "the versions of packages are not recorded"
    if not record.hardware:
        return False, "the hardware is not recorded"
    if not code:
        return False, "no code was left"
    if not _is_within_bounds(run.code, bounds or Bounds()):
        return False, "code/ has more than is collected of a run"
    found = hashes_below(run.code)
    is_same = found == code
    if record.outputs_not_listed and CODE_FOLDER in record.output_digests:  # not all files are listed one by one
        is_same = digest_of(found) == record.output_digests[CODE_FOLDER]
    if not is_same:
        return False, "code/ is not what was recorded"
    return True, f"packages, hardware and {counted(len(found), 'file')} of code are recorded and match"


def _is_within_bounds(folder: Path, bounds: Bounds) -> bool:
    """Whether a folder could have been collected: one from elsewhere may have any size, number and depth of files."""
    size, entries, waiting = 0, 0, [(folder, 1)]
    while waiting:
        current, depth = waiting.pop()
        if depth > bounds.depth:
            return False
        with suppress(OSError), os.scandir(current) as found:
            for entry in found:
                entries += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((Path(entry.path), depth + 1))
                elif entry.is_file(follow_symlinks=False):
                    size += entry.stat(follow_symlinks=False).st_size
                if entries > bounds.entries or size > bounds.total_bytes:
                    return False
    return True


def contradictions(run: Run, parsed: Parsed) -> Iterator[str]:
    """Where a result line contradicts the record of its run, one phrase each."""
    record, result = run.record, parsed.result
    if result is None:
        return
    problem = matching_seed(record, result)
    if problem:
        yield problem
    seconds, peak = record.usage.get("seconds"), record.usage.get("peak_memory_bytes")
    if seconds is not None and _differ(result.runtime_seconds, float(seconds), *_TIME_TOLERANCE):
        yield f"runtime_seconds is {result.runtime_seconds:g}, measured {seconds:.1f}"
    if peak is not None and _differ(result.peak_memory_mb, float(peak) / (1 << 20), *_MEMORY_TOLERANCE):
        yield f"peak_memory_mb is {result.peak_memory_mb:g}, measured {peak / (1 << 20):.1f}"
    usage = counted_usage(record)
    if usage is not None and result.usage is not None:
        told = result.usage.input_tokens + result.usage.output_tokens
        if _differ(told, usage.tokens, *_TOKEN_TOLERANCE):
            yield f"usage has {told:,} tokens, counted {usage.tokens:,}"
    left = {tuple(name.split("/")): sha256 for name, sha256 in record.outputs.items()}
    unlisted = record.outputs_not_listed
    checked = (_wrong_artifact(run.folder, left, artifact, unlisted=unlisted) for artifact in result.artifacts)
    wrong = [problem for problem in checked if problem]
    yield from wrong[:_MOST_SHOWN]
    if len(wrong) > _MOST_SHOWN:
        yield f"{len(wrong) - _MOST_SHOWN} more artifacts are not as declared"
    ids = {task.competition_id for task in result.tasks}
    if ids and record.competition_id not in ids and not record.obfuscated:
        yield f"tasks do not name {record.competition_id}"


def _wrong_artifact(
    folder: Path, left: Mapping[tuple[str, ...], str], artifact: Artifact, *, unlisted: int
) -> str | None:
    path = plain(artifact.path, 100)
    found = _found(left, artifact.path)
    if found is None:  # a record does not list all of very many files
        return None if unlisted else f"{path} is declared, but was not left"
    if artifact.sha256 is not None and left[found] != artifact.sha256:
        return f"{path} has another sha256 than declared"
    with suppress(OSError):  # a folder may have been copied without its large files
        size = folder.joinpath(*found).stat().st_size
        if artifact.bytes is not None and size != artifact.bytes:
            return f"{path} has {size} bytes, declared {artifact.bytes}"
    return None


def _found(left: Mapping[tuple[str, ...], str], path: str) -> tuple[str, ...] | None:
    """The file that an agent means, whose path it gives in full, from its home or from submission/."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")][-_DEEPEST:]
    named = [(SUBMISSION_FOLDER, *parts), *(tuple(parts[start:]) for start in range(len(parts)))]
    return next((path for path in named if path in left), None)


def _differ(claimed: float, measured: float, relative: float, absolute: float) -> bool:
    return abs(claimed - measured) > max(relative * measured, absolute)
