"""The experiments that ship: each is planned, arm by arm, as it is written; only the cluster and the model are ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from command import run_command
from model_server import ModelServer

from mlebench.competition.registry import Registry
from mlebench.experiments.definition import Arm, load_experiment
from mlebench.experiments.planning import plan_arms
from mlebench.experiments.ready_made import ready_made, write_ready_made
from mlebench.runs.executors import EXECUTORS
from mlebench.runs.executors.local import LocalExecutor
from mlebench.runs.settings import RunSettings

NAMES = ("hardware", "models", "more-time", "obfuscated", "public-solutions", "scaffolds")


class Elsewhere(LocalExecutor):
    """A cluster with GPUs: what this machine has does not matter for a plan."""

    name = "elsewhere"
    is_remote = True

    @classmethod
    def check(cls, settings: RunSettings, competition_ids: Sequence[str]) -> None:
        """Take any settings."""


def test_all_of_the_papers_experiments_are_there() -> None:
    assert tuple(ready_made()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_arm_is_planned(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EXECUTORS, "_built_in", dict(EXECUTORS._built_in))
    EXECUTORS.register(Elsewhere)
    registry = Registry(tmp_path / "data")
    experiment = load_experiment(write_ready_made(name, tmp_path / f"{name}.toml"))
    for competition in experiment.chosen(registry) if name == "public-solutions" else ():
        (tmp_path / "kernels" / competition.id).mkdir(parents=True)
        (tmp_path / "kernels" / competition.id / "notebook.py").write_text(f"print({competition.id!r})\n")
    models = {str(arm.options["model"]) for arm in experiment.arms}
    with ModelServer([], models=sorted(models)) as server:
        ours = {"executor": "elsewhere", "model_endpoint": server.url, "sandbox": "bubblewrap"}
        arms = tuple(Arm(arm.name, {**arm.options, **ours}) for arm in experiment.arms)
        plans = plan_arms(replace(experiment, arms=arms), registry)
    assert list(plans) == [arm.name for arm in experiment.arms]
    for arm in experiment.arms:
        settings, plan = plans[arm.name].settings, plans[arm.name]
        assert (len(plan.competitions), plan.seeds) == (75, (0, 1, 2))
        assert (settings.limits.gpus, settings.obfuscated) == (arm.options["gpus"], arm.options.get("obfuscate", False))
        assert settings.limits.seconds == (100 if arm.name == "100h" else 24) * 3600
        assert (settings.material is not None) == (arm.name == "with-solutions")
        assert settings.agent == arm.options["agent"]
    assert experiment.varied, "arms differ in something"


def test_a_copy_is_written_once_and_listed(tmp_path: Path) -> None:
    listed = run_command("experiment", "list", cwd=tmp_path)
    assert all(name in listed.out for name in NAMES)
    assert run_command("experiment", "new", "more-time", cwd=tmp_path).code == 0
    again = run_command("experiment", "new", "more-time", cwd=tmp_path)
    assert (again.code, again.err) == (1, "error: more-time.toml exists. Give another file with --output.\n")
    unknown = run_command("experiment", "new", "more-tea", cwd=tmp_path)
    assert "There is no ready experiment more-tea. There are hardware, models," in unknown.err
