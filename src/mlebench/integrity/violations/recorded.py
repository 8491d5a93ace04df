"""What the record of a run of ours says: attempts to reach the network, refusals, and calls of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mlebench.base.findings import Evidence
from mlebench.base.wording import counted, plain
from mlebench.integrity.violations.addresses import is_kaggle_host, is_model_host, is_telemetry_host
from mlebench.integrity.violations.rules import Rule, Strength, Violation, Witness
from mlebench.results.names import RUN_FILE
from mlebench.results.runs import Run

_MOST = 50  # hosts


def recorded(run: Run) -> Iterator[Violation]:
    """What the record of a run shows.

    An agent's own program and its libraries try to reach much for no purpose of a solution: their models, updates,
    telemetry. Only attempts at Kaggle decide a verdict; the others are shown for a reader to judge.
    """
    file = run.folder / RUN_FILE
    tried: Counter[tuple[str, bool]] = Counter()
    for attempt in run.record.network_attempts:
        tried[str(attempt.get("host", "")), bool(attempt.get("allowed"))] += 1
    for (host, is_allowed), count in tried.most_common(_MOST):
        if not host or is_telemetry_host(host):
            continue
        words = f"{counted(count, 'connection')} to {plain(host, 100)}, {'allowed' if is_allowed else 'refused'}"
        evidence = Evidence(file, None, words)
        if is_kaggle_host(host):
            message = "The run tried to reach Kaggle." if not is_allowed else "The run reached Kaggle."
            yield Violation(Rule.OUTSIDE_RESOURCES, Witness.RECORD, Strength.STRONG, message, evidence)
        elif is_model_host(host):
            message = "Something in the run tried to reach a model, perhaps the agent itself."
            yield Violation(Rule.EXTERNAL_MODEL, Witness.RECORD, Strength.WEAK, message, evidence)
        else:
            message = "Something in the run tried to reach a host outside the task."
            yield Violation(Rule.OUTSIDE_RESOURCES, Witness.RECORD, Strength.WEAK, message, evidence)
    usage: Mapping[str, Any] = run.record.model_usage or {}
    asked, refused = _count(usage.get("requests")), _count(usage.get("refused"))
    if asked or refused:
        words = f"{counted(asked, 'call')} of models by the gateway, {refused:,} refused"
        message = "The agent called models by the gateway, as it may; predictions must not come from there."
        yield Violation(Rule.EXTERNAL_MODEL, Witness.RECORD, Strength.WEAK, message, Evidence(file, None, words))


def _count(value: Any) -> int:
    if isinstance(value, list | dict):
        return len(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
