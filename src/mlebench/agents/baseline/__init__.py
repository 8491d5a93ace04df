"""The baseline agent: a small, honest AutoML program that needs nothing but the task's folder.

It knows only its environment variables, and of mlebench it imports nothing but this package:

    DATA_DIR           folder with the public data: description.md, tables, images; only read
    SUBMISSION_DIR     folder for submission.csv, metrics.json and report.md; made if need be
    CODE_DIR           folder for a copy of this program; optional
    SEED               seed of everything random (default 0)
    TIME_LIMIT_SECS    seconds that the run may take (default 3600)

Its last line of output is the result: `MLE_BENCH_LITE_RESULT=` and a JSON object.

Run it as `python -m mlebench.agents.baseline`, or copy this folder anywhere and run `python baseline`.
"""
