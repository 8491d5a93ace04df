"""How many planted leaks the audit finds, and how often it raises a false alarm."""

from __future__ import annotations

import argparse


def planting_options() -> argparse.ArgumentParser:
    """The options that all planters have: how many leaks and clean competitions, which kinds, which seed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--planted", type=int, default=200)
    parser.add_argument("--clean", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=None, help="of leaks; all of them unless given")
    return parser
