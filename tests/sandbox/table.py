"""The table of attempts by sandbox, as Markdown: unconfined, and in each sandbox that works here.

PYTHONPATH=tests python -m sandbox.table
"""

from __future__ import annotations

from sandbox.attempts import ATTEMPTS
from sandbox.running import not_promised, succeeds_in, succeeds_unconfined

from mlebench.sandbox import SANDBOXES


def main() -> None:
    """Make every attempt everywhere; those that are not promised to fail are made, too."""
    working = {name: sandbox for name, sandbox in SANDBOXES.items() if sandbox.availability().works}
    print("| attempt | unconfined |", " | ".join(working), "|")
    print("|---|---|" + "---|" * len(working))
    for attempt in ATTEMPTS:
        reason = attempt.why_no_control()
        cells = [f"not tried ({reason})" if reason else "succeeds" if succeeds_unconfined(attempt) else "FAILS"]
        for sandbox in working.values():
            got, _ = succeeds_in(attempt, sandbox)
            if not_promised(attempt, sandbox):
                cells.append(f"not promised ({'succeeds' if got else 'fails'})")
            else:
                cells.append("SUCCEEDS" if got else "fails")
        print(f"| {attempt.name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
