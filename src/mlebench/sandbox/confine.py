"""Gives up access to files, then becomes another program.

    python confine.py --read DIR … --write DIR … -- COMMAND …

Started as a plain script, so that it needs nothing but the standard library and the module beside it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def main() -> None:
    """Confine this process as the arguments say and run the command in its place."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--read", action="append", default=[], type=Path)
    parser.add_argument("--write", action="append", default=[], type=Path)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    from mlebench.sandbox.landlock import restrict

    restrict(options.read, options.write)
    os.execvp(options.command[0], options.command)


if __name__ == "__main__":
    main()
