"""`python -m mlebench.cli` is the command `mlebench`, as in the published benchmark."""

from mlebench.cli import main

main()
