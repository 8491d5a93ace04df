"""Run the task mle_bench of inspect_evals with a scripted model, in a sandbox on this machine, and print the scores.

    python inspect_mle_bench.py DATA_DIR COMPETITION_ID WORK_DIR

The task knows the paths of its container. The sandbox here is the local one of inspect_ai with these paths replaced:
what the container has mounted is a folder of this machine, and its two conda environments are this Python.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from inspect_ai import eval as run_task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.tool import ToolInfo
from inspect_ai.util import ExecResult, SandboxEnvironment, SandboxEnvironmentSpec, sandboxenv
from inspect_ai.util._sandbox.local import LocalSandboxEnvironment
from inspect_evals.mle_bench import mle_bench

data_dir, competition_id, work_dir = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
prepared = data_dir / competition_id / "prepared"
MOUNTED = {
    "/home/data": prepared / "public",
    "/home/submission": work_dir / "submission",
    "/private/data": work_dir / "private",
}


@sandboxenv(name="paths_of_the_container")
class ContainerPaths(LocalSandboxEnvironment):
    """The local sandbox, with the paths of the container."""

    @classmethod
    async def sample_init(cls, *_: Any, **__: Any) -> dict[str, SandboxEnvironment]:
        return {"default": cls()}

    async def exec(self, cmd: list[str], *arguments: Any, **options: Any) -> ExecResult[str]:
        if cmd[:2] == ["/opt/conda/bin/conda", "run"]:
            cmd = [sys.executable, *cmd[5:]]  # conda run -n NAME python …
        for inside, outside in MOUNTED.items():
            cmd = [part.replace(inside, str(outside)) for part in cmd]
        options.pop("user", None)
        return await super().exec(cmd, *arguments, **options)


async def _count_tokens(text: str) -> int:
    """The usual way loads a vocabulary from the network."""
    return len(text) // 4


def main() -> None:
    """What a model does: look at the data, write a submission, hand in."""
    private = work_dir / "private" / competition_id / "prepared"
    (work_dir / "submission").mkdir(parents=True)
    private.mkdir(parents=True)
    (private / "private").symlink_to(prepared / "private")  # all that the grading script of the task can see
    looked = "head -n 3 /home/data/train.csv; head -n 2 /home/data/description.md"
    wrote = "cp /home/data/sample_submission.csv /home/submission/submission.csv"
    calls = iter([("bash", looked), ("bash", wrote), ("submit", "done")])

    def answer(_: Any, tools: list[ToolInfo], *__: Any) -> ModelOutput:
        """The next call; the one argument of a tool is called differently in different versions."""
        name, argument = next(calls)
        (parameter,) = next(tool for tool in tools if tool.name == name).parameters.properties
        return ModelOutput.for_tool_call("mockllm/model", name, {parameter: argument})

    model = get_model("mockllm/model", custom_outputs=answer)
    model.api.count_text_tokens = _count_tokens
    split = work_dir / "split.txt"
    split.write_text(f"{competition_id}\n")

    def sandbox(kind: str, sample: Sample) -> SandboxEnvironmentSpec:
        return SandboxEnvironmentSpec(kind)

    task = mle_bench(
        split=split,
        data_dir=data_dir,
        skip_tos_check=True,
        sandbox_type="paths_of_the_container",
        sandbox_config=sandbox,
    )
    (log,) = run_task(task, model=model, log_dir=str(work_dir / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.scores is not None, sample.error
    (score,) = sample.scores.values()
    tools = [str(message.content) for message in sample.messages if message.role == "tool"]
    print(json.dumps({"value": score.value, "report": json.loads(score.explanation or "{}"), "tools": tools}))
    shutil.rmtree(work_dir / "logs", ignore_errors=True)


if __name__ == "__main__":
    main()
