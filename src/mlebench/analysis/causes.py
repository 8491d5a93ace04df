"""The causes for which a run has no medal: a fixed list, in the order in which they are looked for."""

from __future__ import annotations

from mlebench.base.codes import Code


class Cause(Code):
    """Why a run has no medal."""

    INFRASTRUCTURE = "infrastructure", "A fault of the machine or of mlebench ended the run."
    CANCELLED = "cancelled", "The user cancelled the run."
    TIMEOUT = "timeout", "The time budget was exceeded."
    OUT_OF_HOST_MEMORY = (
        "out_of_host_memory",
        "The memory budget was exceeded, or the last failure is one of memory.",
        "out of memory (host)",
    )
    OUT_OF_GPU_MEMORY = "out_of_gpu_memory", "The last failure is one of a GPU's memory.", "out of memory (GPU)"
    DISK_OR_OUTPUT = (
        "disk_or_output",
        "The budget for files or output was exceeded, or a disk was full.",
        "disk or output budget",
    )
    MODEL_BUDGET = "model_budget", "The budget for calls of models was spent.", "model budget"
    KILLED = "killed", "A signal ended the run, or a part of it.", "killed by the system"
    PACKAGE_MISSING = "package_missing", "A package, library, header or program was not found."
    CRASH = "crash", "The program ended with an exception or with an exit code that is not 0."
    NO_SUBMISSION = "no_submission", "There is no submission, and nothing above explains it."
    FORMAT = "format", "The submission was refused; the detail is the code of the refusal."
    SAMPLE_HANDED_IN = "sample_handed_in", "The submission is the sample submission, perhaps written again."
    WRONG_SEED = "wrong_seed", "The result line has another seed than the one assigned."
    MISSING_ARTIFACT = "missing_artifact", "metrics.json or report.md is missing."
    METRIC_MISUNDERSTOOD = "metric_misunderstood", "The agent took the metric or its direction for another one."
    SUSPICIOUSLY_PERFECT = "suspiciously_perfect", "The validation score or the test score is perfect: probably a leak."
    OVERFITTING = "overfitting", "The validation score is far better than the test score."
    BELOW_MEDIAN = "below_median", "A valid submission, worse than the median of humans."
    ABOVE_MEDIAN = "above_median", "A valid submission, better than the median of humans, but without a medal."
    UNKNOWN = "unknown", "Nothing of the above."
