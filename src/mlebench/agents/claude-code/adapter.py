"""Claude Code on a competition: the program that its SDK bundles, quiet, with the time it has, and its steps noted."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import harness

# Neither telemetry nor updates, reports of errors, or surveys: in a closed sandbox they are attempts to get out.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_BUG_COMMAND": "1",
    "DISABLE_INSTALLATION_CHECKS": "1",
    "CLAUDE_CODE_ENABLE_TELEMETRY": "0",
    "IS_SANDBOX": "1",  # it is: else it refuses to run commands as root
}
NOT_ALLOWED = "WebSearch,WebFetch,Task"  # the first two are run by the provider, and reach the web
tools: dict[str, str] = {}  # by the id of a call: what was called


def on_line(line: str) -> None:
    """Note the step that a line of its output tells."""
    if (event := harness.event_of(line)) is None:
        return
    if event.get("type") == "result":
        usage = event.get("usage") or {}
        tokens = sum(value for name, value in usage.items() if name.endswith("_tokens") and isinstance(value, int))
        harness.note("error" if event.get("is_error") else "message", str(event.get("result") or ""), tokens=tokens)
    elif event.get("type") in ("assistant", "user"):
        message = event.get("message") or {}
        content = message.get("content") or []
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            note_block(block, (message.get("usage") or {}).get("output_tokens"), str(event["type"]))


def note_block(block: dict[str, Any], tokens: int | None, role: str) -> None:
    """Note a part of a message: what it says, calls, or is answered."""
    kind = block.get("type")
    if kind == "text" and role == "assistant":
        harness.note("plan", block["text"], tokens=tokens)
    elif kind == "tool_use":
        name, given = block["name"], block.get("input") or {}
        tools[block["id"]] = name
        if name == "Bash":
            harness.note("run", str(given.get("command", "")), tokens=tokens)
        elif name in ("Write", "Edit", "NotebookEdit"):
            harness.note("code", json.dumps(given, ensure_ascii=False), tokens=tokens)
        else:
            harness.note("tool", f"{name} {json.dumps(given, ensure_ascii=False)}", tokens=tokens)
    elif kind == "tool_result":
        text = block.get("content")
        if isinstance(text, list):
            text = "\n".join(str(part.get("text", "")) for part in text)
        harness.note("error" if block.get("is_error") else "tool", str(text))


def main() -> int:
    """Run it on the task until it ends or time is up."""
    options = harness.options(sys.argv[1:])
    model = harness.model_name(options.get("model"))
    harness.set_path()
    milliseconds = str(int(max(60.0, harness.time_left()) * 1000))
    variables = {
        **QUIET,
        "CLAUDE_CONFIG_DIR": str(harness.HOME / ".claude"),
        "ANTHROPIC_MODEL": model,
        "ANTHROPIC_SMALL_FAST_MODEL": model,
        "ANTHROPIC_DEFAULT_HAIKU_MODEL": model,
        "BASH_DEFAULT_TIMEOUT_MS": milliseconds,
        "BASH_MAX_TIMEOUT_MS": milliseconds,
    }
    command = [
        harness.bundled("claude_agent_sdk", "_bundled", "claude"),
        "--print",
        "--output-format",
        "stream-json",
        "--verbose",
        "--dangerously-skip-permissions",
    ]
    turns = os.environ.get("STEP_LIMIT") or options.get("max_turns", "1000")
    command += ["--model", model, "--max-turns", turns, "--disallowedTools", NOT_ALLOWED]
    return harness.supervise(command, on_line, text=harness.task(), variables=variables)


if __name__ == "__main__":
    sys.exit(main())
