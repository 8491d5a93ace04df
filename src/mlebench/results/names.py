"""The names of files and folders in runs and run groups: each is defined here and nowhere else.

runs/                                   the runs folder
  run_group_experiments.csv             which groups make up an experiment
  experiments/<name>/                   what `mlebench experiment` planned: experiment.json, report.html
  <time>_run-group_<agent>/             a run group
    metadata.json                       its record: the plan, the settings, how every run ended
    <time>_grading_report.json          the reports of its runs; the newest one counts
    snapshots.json                      what the snapshots of its runs scored
    disclosure.toml, disclosure.json    what the people behind the agent disclose about it
    report.html                         the page
    violations.json, plagiarism.json    what these checks found
    <competition>_<run id>/             a run
      run.json                          its record
      events.jsonl                      what happened, line by line, while it went on
      agent.log, run.log                what the agent printed, and what happened to it
      model_calls.jsonl                 its calls of models, one line each
      model_bodies/<number>.<part>      what was asked and answered, with --record-prompts
      submission/submission.csv         what it handed in, with metrics.json and report.md beside it
      code/, logs/                      what else it left
      snapshots/<seconds>s/             its submission at that time
      report.json                       a report of this run alone, where somebody wrote one
      replay.json, replay.log           what became of a replay
"""

from __future__ import annotations

# In the runs folder
EXPERIMENTS_FILE = "run_group_experiments.csv"
EXPERIMENTS_FOLDER = "experiments"

# In the folder of a run group
GROUP_FILE = "metadata.json"
GRADING_REPORT = "grading_report"  # names are <time>_grading_report.json, with a number behind it for a second one
GRADING_REPORTS = f"*{GRADING_REPORT}*.json"
SNAPSHOTS_FILE = "snapshots.json"
DISCLOSURE_TOML, DISCLOSURE_JSON = "disclosure.toml", "disclosure.json"
PAGE_FILE = "report.html"
VIOLATIONS_FILE, PLAGIARISM_FILE = "violations.json", "plagiarism.json"  # of checks, also in their output folders
LOCK_FILE = ".lock"
GROUP_MARK = "_run-group_"  # between the time and the agent in the name of a group

# In the folder of a run
RUN_FILE = "run.json"
EVENTS_FILE = "events.jsonl"
AGENT_LOG, RUN_LOG = "agent.log", "run.log"
MODEL_CALLS_FILE, MODEL_BODIES_FOLDER = "model_calls.jsonl", "model_bodies"
SUBMISSION_FOLDER, CODE_FOLDER, LOGS_FOLDER = "submission", "code", "logs"
LEFT_FOLDERS = (SUBMISSION_FOLDER, CODE_FOLDER, LOGS_FOLDER)  # what an agent leaves, the most important first
SUBMISSION_FILE = "submission.csv"
SUBMISSION = f"{SUBMISSION_FOLDER}/{SUBMISSION_FILE}"  # also a key of a record's `outputs`
METRICS_FILE, REPORT_TEXT = "metrics.json", "report.md"  # beside the submission
SNAPSHOTS_FOLDER = "snapshots"
SNAPSHOTS = f"{SNAPSHOTS_FOLDER}/*s/{SUBMISSION_FILE}"
RUN_REPORT = "report.json"
REPLAY_FILE, REPLAY_LOG = "replay.json", "replay.log"
