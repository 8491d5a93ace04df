"""AIDE on a competition: its own search, with what the published setup adds, and repairs of what stops it in a sandbox.

The traps, and what is done about each, are in docs/agents.md; `search.py` has the search itself.
"""

from __future__ import annotations

import os
import sys

import harness


def main() -> int:
    """Supervise the search until it ends or time is up."""
    model = harness.model_name(harness.options(sys.argv[1:]).get("agent.code.model"))
    code = harness.supervise(
        [sys.executable, str(harness.AGENT / "search.py"), *sys.argv[1:]],
        harness.print_line,
        variables={"HARNESS_MODEL": model, "COLUMNS": "120", "PYTHONUNBUFFERED": "1"},
    )
    if code != 0 and harness.SUBMISSION.is_file():
        print(f"AIDE ended with code {code}; its best submission so far is handed in.", file=sys.stderr)
    return code


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    sys.exit(main())
