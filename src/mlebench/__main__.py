"""`python -m mlebench` is the command `mlebench`."""

from mlebench.cli import main

main()
