"""Codex on a competition: the program that its package bundles, quiet, with the time it has, and its steps noted."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import harness

# No search of the web, which the provider would run; no plugins, apps or updates to fetch; no telemetry.
CONFIG = """\
model = {model}
model_provider = "gateway"
model_reasoning_effort = {effort}
web_search = "disabled"
check_for_update_on_startup = false

[model_providers.gateway]
name = "gateway"
base_url = {address}
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 10
stream_max_retries = 10
stream_idle_timeout_ms = 600000

[features]
plugins = false
apps = false

[analytics]
enabled = false

[feedback]
enabled = false
"""


def on_line(line: str) -> None:
    """Note the step that a line of its output tells."""
    if (event := harness.event_of(line)) is None:
        return
    kind = event.get("type")
    if kind == "turn.completed":
        usage = event.get("usage") or {}
        harness.note("message", "turn completed", tokens=usage.get("input_tokens", 0) + usage.get("output_tokens", 0))
    elif kind in ("error", "turn.failed"):
        harness.note("error", str(event.get("message") or event.get("error") or ""))
    elif kind == "item.started" and event["item"].get("type") == "command_execution":
        harness.note("run", str(event["item"].get("command", "")))
    elif kind == "item.completed":
        note_item(event["item"])


def note_item(item: dict[str, Any]) -> None:
    """Note something that it has done."""
    kind = item.get("type")
    if kind == "command_execution":
        failed = item.get("exit_code") not in (0, None)
        harness.note("error" if failed else "tool", str(item.get("aggregated_output", "")))
    elif kind in ("agent_message", "reasoning"):
        harness.note("plan", str(item.get("text", "")))
    elif kind == "file_change":
        harness.note("code", json.dumps(item.get("changes"), ensure_ascii=False))
    elif kind == "error":  # a warning, in its words: an error that ends it is an event of its own
        harness.note("message", str(item.get("message", "")))
    else:
        harness.note("tool", json.dumps(item, ensure_ascii=False))


def main() -> int:
    """Run it on the task until it ends or time is up."""
    options = harness.options(sys.argv[1:])
    model = harness.model_name(options.get("model"))
    address = os.environ.get("OPENAI_BASE_URL") or harness.fail("Codex needs OPENAI_BASE_URL.")
    harness.set_path()
    folder = harness.HOME / ".codex"
    folder.mkdir(exist_ok=True)
    effort = options.get("reasoning_effort", "medium")
    text = CONFIG.format(model=json.dumps(model), address=json.dumps(address), effort=json.dumps(effort))
    (folder / "config.toml").write_text(text, encoding="utf-8")
    command = [
        harness.bundled("codex_cli_bin", "bin", "codex"),
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
    ]
    command += ["-C", str(harness.HOME), "-"]
    return harness.supervise(command, on_line, text=harness.task(), variables={"CODEX_HOME": str(folder)})


if __name__ == "__main__":
    sys.exit(main())
