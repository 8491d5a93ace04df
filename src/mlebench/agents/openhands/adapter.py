"""OpenHands on a competition: its SDK with the default tools but the browser, quiet, with the time it has."""

from __future__ import annotations

import os
import sys
from typing import Any

import harness

QUIET = {
    "OPENHANDS_SUPPRESS_BANNER": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else litellm fetches its prices
    "LITELLM_TELEMETRY": "False",
    "LOG_LEVEL": "WARNING",
    "ANONYMIZED_TELEMETRY": "false",
    "OTEL_SDK_DISABLED": "true",
}


def on_event(event: Any) -> None:
    """Note a step and print it."""
    name = type(event).__name__
    if name == "ActionEvent":
        given = event.action.model_dump(exclude_none=True) if event.action is not None else {}
        thought = " ".join(part.text for part in event.thought if getattr(part, "text", ""))
        if thought:
            harness.note("plan", thought)
        if "command" in given and event.tool_name == "terminal":
            kind, text = "run", str(given["command"])
        else:
            kind, text = "code" if event.tool_name == "file_editor" else "tool", f"{event.tool_name} {given}"
    elif name == "ObservationEvent":
        text = "\n".join(part.text for part in event.observation.to_llm_content if getattr(part, "text", ""))
        failed = getattr(event.observation, "exit_code", 0) not in (0, None) or event.observation.is_error
        kind = "error" if failed else "tool"
    elif name in ("AgentErrorEvent", "ConversationErrorEvent"):
        kind, text = "error", str(getattr(event, "error", None) or getattr(event, "detail", event))
    elif name == "MessageEvent" and event.source == "agent":
        kind, text = "message", "\n".join(part.text for part in event.llm_message.content if getattr(part, "text", ""))
    else:
        return
    harness.note(kind, text)
    print(f"[{kind}] {text}", flush=True)


def run_agent(model: str) -> int:
    """Run the agent itself; in a process of its own, which is ended when time is up."""
    from openhands.sdk import LLM, Agent, Conversation, Tool
    from openhands.sdk.context.condenser import LLMSummarizingCondenser
    from openhands.tools.file_editor import FileEditorTool
    from openhands.tools.task_tracker import TaskTrackerTool
    from openhands.tools.terminal import TerminalTool
    from pydantic import SecretStr

    provider = "ANTHROPIC" if model.startswith("anthropic/") else "OPENAI"
    llm = LLM(
        model=model,
        base_url=os.environ[f"{provider}_BASE_URL"],
        api_key=SecretStr(os.environ.get(f"{provider}_API_KEY", "")),
        usage_id="agent",
    )
    seconds = max(60, int(harness.time_left()))
    # Long programs print nothing for long: they are waited for as long as there is time.
    terminal = Tool(
        name=TerminalTool.name, params={"no_change_timeout_seconds": seconds, "terminal_type": "subprocess"}
    )
    agent = Agent(
        llm=llm,
        tools=[terminal, Tool(name=FileEditorTool.name), Tool(name=TaskTrackerTool.name)],
        system_prompt_kwargs={"cli_mode": True},
        condenser=LLMSummarizingCondenser(llm=llm.model_copy(update={"usage_id": "condenser"}), max_size=120),
    )
    steps = int(os.environ.get("STEP_LIMIT") or 500)
    conversation = Conversation(
        agent=agent, workspace=str(harness.HOME), callbacks=[on_event], max_iteration_per_run=steps, visualizer=None
    )
    conversation.send_message(harness.task())
    try:
        conversation.run()
    finally:
        metrics = llm.metrics.accumulated_token_usage
        if metrics is not None:
            harness.note("message", "ended", tokens=metrics.prompt_tokens + metrics.completion_tokens)
        conversation.close()
    return 0 if str(conversation.state.execution_status.value) in ("finished", "idle") else 1


def main() -> int:
    """Supervise it until it ends or time is up."""
    name = harness.model_name(harness.options(sys.argv[1:]).get("model"))
    harness.set_path()
    model = f"{'anthropic' if harness.uses_anthropic(name) else 'openai'}/{name}"
    variables = {**QUIET, "HARNESS_MODEL": model, "OPENHANDS_HOME": str(harness.HOME / ".openhands")}
    return harness.supervise([sys.executable, __file__], harness.print_line, variables=variables)


if __name__ == "__main__":
    inner = os.environ.get("HARNESS_MODEL")
    sys.exit(run_agent(inner) if inner else main())
