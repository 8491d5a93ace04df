"""Run solve.py for as long as there is time, and hand in what it wrote with the score that it printed."""

from __future__ import annotations

import re
import subprocess
import sys

import harness

SCORE = re.compile(r"validation score:\s*([-+0-9.eE]+)\s*(?:\((higher|lower) is better\))?", re.IGNORECASE)


def main() -> int:
    """Run it, note how that went, and end as it ended."""
    code, submission = harness.CODE / "solve.py", harness.CODE / "submission.csv"
    submission.unlink(missing_ok=True)
    marker = harness.CODE / ".ended_well"
    marker.unlink(missing_ok=True)
    harness.note("code", code.read_text(encoding="utf-8", errors="replace"))
    try:
        done = subprocess.run(
            [sys.executable, str(code)],
            cwd=str(harness.CODE),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=max(1.0, harness.time_left()),
        )
        text, status = done.stdout.decode("utf-8", "replace"), done.returncode
    except subprocess.TimeoutExpired as error:
        text, status = (error.stdout or b"").decode("utf-8", "replace") + "\nTime is up.", 1
    if status == 0 and not submission.is_file():
        text, status = f"{text}\nsolve.py wrote no submission.csv.", 1
    (harness.CODE / "output.txt").write_text(text, encoding="utf-8")
    print(text)
    harness.note("error" if status else "run", text)
    if status == 0:
        marker.touch()
        found = SCORE.findall(text)
        score = ["--score", found[-1][0]] if found else []
        lower = ["--lower-is-better"] if found and found[-1][1].lower() == "lower" else []
        subprocess.run([sys.executable, str(harness.AGENT / "bin" / "hand_in"), str(submission), *score, *lower])
    return status


if __name__ == "__main__":
    sys.exit(main())
