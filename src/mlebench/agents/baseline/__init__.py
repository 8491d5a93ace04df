"""The baseline agent: a small, honest AutoML program that needs nothing but the task's folder.

It knows only its environment variables, and of mlebench it imports nothing but this package:

    AGENT_DATA_DIR     folder with the public data: description.md, tables, images; only read
    AGENT_OUTPUT_DIR   folder for submission.csv, metrics.json and report.md; made if need be
    AGENT_SEED         seed of everything random (default 0)
    AGENT_TIME_LIMIT   seconds that the run may take (default 3600)

Run it as `python -m mlebench.agents.baseline`, or copy this folder anywhere and run `python baseline`.
"""
