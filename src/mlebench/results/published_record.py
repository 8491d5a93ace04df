"""The record of a run group as the published run_agent.py writes it, when all of its runs have ended:

    {"run_group": "<time>_run-group_<agent>", "created_at": "…", "runs": {"<competition>_<run id>": {"success": true}}}

There is no plan, no run.json, no seed, and nothing about conditions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from mlebench.results.names import GROUP_MARK


def is_published_record(values: Mapping[str, Any]) -> bool:
    """Whether the content of a metadata.json is that of the published runner, which plans nothing ahead."""
    return "plan" not in values and isinstance(values.get("runs"), Mapping) and bool(values["runs"])


def published_fields(values: Mapping[str, Any], default_name: str) -> dict[str, Any]:
    """The fields of a group's record, with (run id, competition, seed) for each run of its plan.

    The n-th run on a competition stands for the n-th seed, which nobody has recorded.
    """
    name = values.get("run_group", default_name)
    seeds: Counter[str] = Counter()
    plan = []
    for folder in values["runs"]:
        competition_id, _, run_id = folder.rpartition("_")
        if not competition_id or not run_id:
            raise ValueError(folder)
        plan.append((run_id, competition_id, seeds[competition_id]))
        seeds[competition_id] += 1
    return {
        "run_group": name,
        "created_at": str(values.get("created_at", "")),
        "agent": name.partition(GROUP_MARK)[2] or name,
        "plan": plan,
        "runs": values["runs"],
        "versions": {},
    }
