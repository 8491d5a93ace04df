"""Whether what a record says has the form that its readers rely on; a record may come from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS

_MOST = 1e18  # of an amount: bytes and seconds beyond it are nonsense, and not always floating-point numbers
_REQUIRED_TEXTS = ("run_id", "run_group", "competition_id", "agent")
_TEXTS = ("variant", "network", "network_attempts_seen_by")
_TEXTS_OR_NONE = (
    *("code", "error", "created_at", "started_at", "ended_at", "data"),
    *("executor", "node", "job_id", "sandbox", "image", "submission", "renaming"),
)
_LISTS_OF_TEXTS = ("promised", "not_promised", "deviations")
_OBJECTS = (
    *("limits", "usage", "hardware", "inputs", "outputs", "output_digests", "identity", "services", "versions"),
    "model_usage",
)
_TRUTHS = ("obfuscated", "sample_handed_in")


def is_run_record(values: Mapping[str, Any], statuses: Sequence[str]) -> bool:
    """Whether a run's record has its form, as far as anything reads it; a record may come from anywhere."""

    def all_of(names: Iterable[str], default: Any, is_right: Callable[[Any], bool]) -> bool:
        return all(is_right(values.get(name, default)) for name in names)

    return (
        all_of(_REQUIRED_TEXTS, None, is_text)
        and all_of(_TEXTS, "", is_text)
        and all_of(_TEXTS_OR_NONE, None, lambda value: value is None or is_text(value))
        and all_of(_LISTS_OF_TEXTS, (), _are_texts)
        and all_of(_OBJECTS, {}, is_object)
        and all_of(_TRUTHS, False, lambda value: isinstance(value, bool))
        and is_integer(values.get("seed"))
        and all_of(("attempt", "outputs_not_listed", "network_attempts_not_listed"), 0, is_integer)
        and (values.get("exit_code") is None or is_integer(values["exit_code"]))
        and values.get("status", "planned") in statuses
        and values.get("edition", DEFAULT_EDITION) in EDITIONS
        and isinstance(values.get("network_attempts", ()), tuple)
        and all(map(is_object, values.get("network_attempts", ())))
        and _are_amounts(values)
    )


def _are_amounts(values: Mapping[str, Any]) -> bool:
    """Whether what a record measures and limits is a number, or unknown."""
    limits, usage, hardware = (values.get(name, {}) for name in ("limits", "usage", "hardware"))
    amounts = [limits.get(name) for name in ("seconds", "memory_bytes", "cpus", "gpus")]
    amounts += [usage.get(name) for name in ("seconds", "peak_memory_bytes")]
    amounts += [hardware.get(name) for name in ("cpus", "memory_bytes")]
    models = values.get("model_usage", {})
    amounts += [models.get(name) for name in ("requests", "input_tokens", "output_tokens", "usd")]
    gpus = hardware.get("gpus")
    return all(amount is None or _is_amount(amount) for amount in amounts) and (
        gpus is None or (isinstance(gpus, list) and _are_texts(tuple(gpus)))
    )


def is_object(value: Any) -> bool:
    """Whether a value is an object of JSON."""
    return isinstance(value, Mapping)


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(is_text, value))


def is_name(text: str) -> bool:
    """Whether a text names a folder, and not one that is elsewhere."""
    return bool(text) and text == Path(text).name and "\0" not in text


def is_integer(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= _MOST
