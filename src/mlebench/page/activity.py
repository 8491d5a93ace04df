"""What happened inside a run, where its logs tell it: the steps of the agent, and its calls of models.

`steps.jsonl` of our own agents has one object per line (time, kind, tokens, validation_score, text). The journal of
AIDE and the events of OpenHands are read too. An agent writes all of it: what does not have its form is passed over.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from mlebench.base.wording import plain
from mlebench.files.regular import is_folder, is_regular, open_regular
from mlebench.results.names import LOGS_FOLDER, MODEL_CALLS_FILE
from mlebench.results.runs import Run

STEPS_FILE = "steps.jsonl"
MOST_STEPS = 400
_LARGEST = 4 << 20  # bytes of a file that is read
_TEXT = 240  # characters
_LARGEST_NUMBER = 10**15


@dataclass(frozen=True)
class Step:
    """One step of an agent: seconds since its start, what it did, and what it knew then."""

    seconds: float | None
    kind: str
    text: str
    tokens: int | None = None
    validation_score: float | None = None


@dataclass(frozen=True)
class ModelCalls:
    """What a run asked of one model."""

    model: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    seconds: float
    usd: float | None


def steps_of(run: Run) -> tuple[Step, ...]:
    """The steps of a run; none where no log of a known form is there."""
    logs = run.folder / LOGS_FOLDER
    if not is_folder(logs):
        return ()
    if is_regular(logs / STEPS_FILE):
        found = [step for values in _lines(logs / STEPS_FILE) if (step := _own_step(values))]
        return tuple(found[:MOST_STEPS])
    for path in _json_files(logs):
        content = _json(path)
        if isinstance(content, dict) and isinstance(content.get("nodes"), list):
            return tuple(_journal_steps(content["nodes"]))[:MOST_STEPS]
        if isinstance(content, list) and content and isinstance(content[0], dict) and "source" in content[0]:
            return tuple(_event_steps(content))[:MOST_STEPS]
    return ()


def model_calls_of(run: Run) -> tuple[ModelCalls, ...]:
    """The calls of models that the gateway recorded, model by model."""
    by_model: dict[str, list[Mapping[str, Any]]] = {}
    path = run.folder / MODEL_CALLS_FILE
    for values in _lines(path) if is_regular(path) else ():
        by_model.setdefault(plain(str(values.get("model") or "unknown"), 80), []).append(values)
    listed = {model: _calls(model, calls) for model, calls in by_model.items()}
    recorded = run.record.model_usage.get("by_model")
    if isinstance(recorded, dict):  # it has all calls, of which the list may have lost some
        for name, usage in recorded.items():
            if isinstance(usage, dict):
                model = plain(str(name), 80)
                listed[model] = _recorded_calls(listed.get(model, ModelCalls(model, 0, 0, 0, 0, 0.0, None)), usage)
    return tuple(listed.values())


def _calls(model: str, calls: list[Mapping[str, Any]]) -> ModelCalls:
    prices = [price for call in calls if (price := _number(call.get("usd"), call.get("cost_usd"))) is not None]
    return ModelCalls(
        model,
        len(calls),
        sum(_is_failure(call.get("status")) for call in calls),
        sum(int(_number(call.get("input_tokens"), call.get("tokens_in")) or 0) for call in calls),
        sum(int(_number(call.get("output_tokens"), call.get("tokens_out")) or 0) for call in calls),
        sum(_number(call.get("seconds"), call.get("latency")) or 0.0 for call in calls),
        sum(prices) if prices else None,
    )


def _recorded_calls(listed: ModelCalls, usage: Mapping[str, Any]) -> ModelCalls:
    return replace(
        listed,
        calls=int(_number(usage.get("requests")) or 0),
        input_tokens=int(_number(usage.get("input_tokens")) or 0),
        output_tokens=int(_number(usage.get("output_tokens")) or 0),
        usd=_number(usage.get("usd")),
    )


def _is_failure(status: Any) -> bool:
    return status >= 400 if isinstance(status, int) else status not in (None, "ok", "success", "200")


def _own_step(values: Mapping[str, Any]) -> Step | None:
    if not isinstance(values.get("kind"), str):
        return None
    tokens = _number(values.get("tokens"))
    return Step(
        _number(values.get("time"), values.get("seconds")),
        plain(values["kind"], 40),
        plain(str(values.get("text") or ""), _TEXT),
        None if tokens is None else int(tokens),
        _number(values.get("validation_score")),
    )


def _journal_steps(nodes: list[Any]) -> Iterator[Step]:
    """The nodes of AIDE's journal: one solution each, with its metric."""
    times = [_number(node.get("ctime")) for node in nodes if isinstance(node, dict)]
    start = min((time for time in times if time is not None), default=0.0)
    for node in nodes:
        if not isinstance(node, dict):
            continue
        time, metric = _number(node.get("ctime")), node.get("metric")
        score = _number(metric.get("value")) if isinstance(metric, dict) else _number(metric)
        kind = "buggy solution" if node.get("is_buggy") else "solution"
        text = plain(str(node.get("plan") or ""), _TEXT)
        yield Step(None if time is None else time - start, kind, text, None, score)


def _event_steps(events: list[Any]) -> Iterator[Step]:
    """The actions among the events of OpenHands."""
    start: datetime | None = None
    for event in events:
        if not isinstance(event, dict) or not isinstance(event.get("action"), str):
            continue
        try:
            time = datetime.fromisoformat(str(event.get("timestamp")))
            start = start or time
            seconds: float | None = (time - start).total_seconds()
        except (ValueError, TypeError):
            seconds = None
        yield Step(seconds, plain(event["action"], 40), plain(str(event.get("message") or ""), _TEXT))


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with open_regular(path) as file:
            data = file.read(_LARGEST)
    except OSError:
        return
    for line in data.split(b"\n"):
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(values, dict):
            yield values


def _json_files(logs: Path) -> list[Path]:
    """The journals and trajectories among the logs, in the folder or one below it."""
    try:
        folders = [logs, *(path for path in sorted(logs.iterdir())[:50] if is_folder(path))]
        files = [path for folder in folders for path in sorted(folder.iterdir())[:200]]
    except OSError:
        return []
    names = ("journal", "trajectory", "events")
    return [path for path in files if path.suffix == ".json" and path.stem.startswith(names) and is_regular(path)]


def _json(path: Path) -> Any:
    try:
        with open_regular(path) as file:
            return json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None


def _number(*values: Any) -> float | None:
    """The first of some values that is a finite number."""
    for value in values:
        if isinstance(value, float) and math.isfinite(value):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST_NUMBER:
            return float(value)
    return None
