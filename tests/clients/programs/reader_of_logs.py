"""Grade through the command as rdagent does: a shell, a pipe, and its own functions for what comes out of it.

python reader_of_logs.py PACKAGE DATA_DIR ID
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

package, data_dir, competition_id = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
bin_dir = Path(sys.executable).parent


def their_function(name: str) -> Any:
    """A function of theirs, without the libraries that its module imports for others."""
    path = package / "log" / "utils" / "__init__.py"
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    names: dict[str, Any] = {"re": re, "json": json, "cast": cast}
    exec(compile(tree, str(path), "exec"), names)
    return names[name]


def shell(entry: str) -> str:
    """What a command prints; as in their container, both streams are one."""
    done = subprocess.run(
        ["bash", "-c", f"export PATH={bin_dir}:$PATH; {entry}"], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def main() -> None:
    """Prepare, check, grade, and ask for thresholds without a submission."""
    subprocess.run(
        [str(bin_dir / "mlebench"), "prepare", "-c", competition_id, "--data-dir", str(data_dir)], check=True
    )
    sample = next((data_dir / competition_id / "prepared" / "public").glob("sample_submission.csv"))
    shutil.copy(sample, "submission.csv")
    script = package / "scenarios" / "data_science" / "eval_tests" / "mle_submission_format_test.txt"
    text = script.read_text().replace("<competition_id>", competition_id).replace("/mle/data", str(data_dir))
    checked = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    extract_json = their_function("extract_json")
    shell(f"mlebench grade-sample submission.csv {competition_id} --data-dir {data_dir} 2>&1 | tee mle_score.txt")
    report = extract_json(Path("mle_score.txt").read_text())
    nothing = extract_json(shell(f"mlebench grade-sample None {competition_id} --data-dir {data_dir}"))
    print(
        json.dumps(
            {
                "valid": checked.stdout.strip().splitlines()[-1],
                "score": report["score"],
                "gold_threshold": nothing["gold_threshold"],
                "refused": nothing["valid_submission"],
            }
        )
    )


if __name__ == "__main__":
    main()
