"""The commands as functions: what a notebook or a program imports to prepare, run, grade, score, compare and report.

    from mlebench import api

    group = api.run("practice", agent="baseline", prepare=True)
    api.grade(group)
    api.report(group, open=True)

Each function is the command of that name, with keyword arguments named as its options. Competitions are given as ids,
splits, files of ids or competitions; run groups as what `run` and `open_group` return, as paths, as names in the runs
folder, or as "latest". What goes wrong is a `mlebench.errors.MlebenchError`. Results are typed, have `to_dict()`, and
show themselves as tables, in a terminal and in a notebook.

`progress` is a function that is given every `mlebench.base.progress.Step`, True to print a line for each task that has
ended, or False to be silent; by default lines are printed on a terminal and in a notebook.
"""

from mlebench.api.experiments import experiment_page, experiment_report, experiment_status, run_experiment
from mlebench.api.results import aggregate, compare, grade, open_group, report, score, validate
from mlebench.api.runs import competitions, prepare, resume, run, twin

__all__ = [
    "aggregate",
    "compare",
    "competitions",
    "experiment_page",
    "experiment_report",
    "experiment_status",
    "grade",
    "open_group",
    "prepare",
    "report",
    "resume",
    "run",
    "run_experiment",
    "score",
    "twin",
    "validate",
]
