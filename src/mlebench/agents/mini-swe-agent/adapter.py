"""mini-SWE-agent on a competition: its own loop and prompts, with the time that is left for each command."""

from __future__ import annotations

import os
import sys
from typing import Any

import harness

QUIET = {
    "MSWEA_CONFIGURED": "true",
    "MSWEA_SILENT_STARTUP": "1",
    "MSWEA_COST_TRACKING": "ignore_errors",  # the gateway counts; an unknown model would be an error here
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else litellm fetches its prices
    "LITELLM_TELEMETRY": "False",
}


def run_agent(model: str) -> int:
    """Run the agent itself; in a process of its own, which is ended when time is up."""
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.config import get_config_from_spec
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.models.litellm_model import LitellmModel

    class Shell(LocalEnvironment):
        def execute(self, action: dict[str, Any], cwd: str = "", **_: Any) -> dict[str, Any]:
            """Run a command for as long as there is time."""
            harness.note("run", str(action.get("command", "")))
            output = super().execute(action, cwd, timeout=max(1, int(harness.time_left())))
            harness.note("error" if output["returncode"] else "tool", f"{output['output']}{output['exception_info']}")
            return dict(output)

    class Agent(DefaultAgent):
        def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
            """Note what the model says, and print what the conversation has."""
            for message in messages:
                extra = message.get("extra") or {}
                print(f"[{message.get('role')}] {message.get('content')}", flush=True)
                if message.get("role") == "assistant":
                    usage = (extra.get("response") or {}).get("usage") or {}
                    harness.note("plan", str(message.get("content") or ""), tokens=usage.get("total_tokens"))
                elif message.get("role") == "exit":
                    is_error = extra.get("exit_status") not in ("Submitted", None)
                    harness.note(
                        "error" if is_error else "message", f"{extra.get('exit_status')}: {message['content']}"
                    )
            return list(super().add_messages(*messages))

    config = get_config_from_spec("mini.yaml")
    own = {name: value for name, value in config["agent"].items() if name in ("system_template", "instance_template")}
    steps = int(os.environ.get("STEP_LIMIT") or 0)
    agent = Agent(
        LitellmModel(model_name=model, **config["model"]),
        Shell(env=config["environment"]["env"], cwd=str(harness.HOME)),
        **own,
        step_limit=steps,
        cost_limit=0,
        wall_time_limit_seconds=int(harness.time_left()),
        output_path=harness.LOGS / "mini.traj.json",
    )
    ended = agent.run(harness.task())
    return 0 if ended.get("exit_status") in ("Submitted", "LimitsExceeded", "TimeExceeded") else 1


def main() -> int:
    """Supervise it until it ends or time is up."""
    name = harness.model_name(harness.options(sys.argv[1:]).get("model"))
    harness.set_path()
    model = f"{'anthropic' if harness.uses_anthropic(name) else 'openai'}/{name}"
    variables = {**QUIET, "MSWEA_GLOBAL_CONFIG_DIR": str(harness.HOME / ".mini"), "HARNESS_MODEL": model}
    for provider in ("OPENAI", "ANTHROPIC"):
        if address := os.environ.get(f"{provider}_BASE_URL"):
            variables[f"{provider}_API_BASE"] = address
    return harness.supervise([sys.executable, __file__], harness.print_line, variables=variables)


if __name__ == "__main__":
    inner = os.environ.get("HARNESS_MODEL")
    sys.exit(run_agent(inner) if inner else main())
