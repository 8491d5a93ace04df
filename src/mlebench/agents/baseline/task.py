"""Reading the task: how it is scored, which tables there are, what to predict from what."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

Wants = Literal["labels", "probabilities", "numbers"]
Kind = Literal["regression", "binary", "multiclass"]

MOST_ROWS_READ = 500_000  # of a training table
MOST_ROWS = 50_000  # to train on; more would hardly make a baseline better
MOST_TABLES_TRIED = 5
MOST_CLASSES = 200
_TABLE = re.compile(r"\.(csv|tsv)(\.zip)?$", re.IGNORECASE)


class TaskError(Exception):
    """The task is beyond this agent; the message says in one sentence why."""


@dataclass(frozen=True)
class Metric:
    """A way to score predictions: what it wants predicted, and the words by which a description names it."""

    name: str
    wants: Wants
    lower_is_better: bool
    words: str


METRICS = (
    Metric("log loss", "probabilities", True, r"log(arithmic)?[ -]?loss|cross[ -]entropy"),
    Metric("ROC AUC", "probabilities", False, r"\broc\b|\bauc\b|area under"),
    Metric("RMSLE", "numbers", True, r"\brmsle\b|root mean squared? log"),
    Metric("RMSE", "numbers", True, r"\brmse\b|root[ -]mean[ -]squared?[ -]error"),
    Metric("MAE", "numbers", True, r"\bmae\b|mean absolute error"),
    Metric("R2", "numbers", False, r"\br2\b|r²|coefficient of determination"),
    Metric("quadratic kappa", "labels", False, r"kappa"),
    Metric("F1", "labels", False, r"\bf1\b"),
    Metric("accuracy", "labels", False, r"accuracy"),
)
_BY_NAME = {metric.name: metric for metric in METRICS}


@dataclass(frozen=True)
class Problem:
    """One thing to learn: a column of the training table, and the columns of the submission that it fills.

    Several outputs are the probabilities of the classes in `classes`, in the same order.
    """

    target: str
    kind: Kind
    outputs: tuple[str, ...]
    classes: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Task:
    """Everything the agent knows.

    `train` is a random sample where the table is large. `test` has the rows of the sample submission, in its order.
    """

    folder: Path
    metric: Metric
    metric_is_stated: bool
    ids: tuple[str, ...]
    sample: pd.DataFrame
    train: pd.DataFrame
    test: pd.DataFrame
    train_file: str
    test_file: str | None
    problems: tuple[Problem, ...]


def read_task(folder: Path, seed: int) -> Task:
    """Read the public folder of a competition; raises TaskError where it cannot be understood."""
    import pandas as pd

    files = _table_files(folder)
    sample = read_table(folder / sample_file(folder))
    test_file = next(iter(_matching(files, r"^test(_|\b)", r"test")), None)
    test = read_table(folder / test_file) if test_file else pd.DataFrame()
    ids = tuple(name for name in sample if name in test) or (str(sample.columns[0]),)
    outputs = tuple(str(name) for name in sample if name not in ids)
    if sample.empty or not outputs:
        raise TaskError("The sample submission has no row or no column to predict.")
    stated = stated_metric(_description(folder))
    train_file, train, problems = _training_table(folder, files, test, sample, outputs, stated)
    if len(train) > MOST_ROWS:
        train = train.sample(MOST_ROWS, random_state=seed)
    metric = stated if stated and _fits(stated, problems) else _usual_metric(problems, sample)
    return Task(
        folder=folder,
        metric=metric,
        metric_is_stated=metric is stated,
        ids=ids,
        sample=sample,
        train=train.reset_index(drop=True),
        test=_in_order(test, sample, ids),
        train_file=train_file,
        test_file=test_file,
        problems=problems,
    )


def _training_table(
    folder: Path,
    files: list[str],
    test: pd.DataFrame,
    sample: pd.DataFrame,
    outputs: tuple[str, ...],
    metric: Metric | None,
) -> tuple[str, pd.DataFrame, tuple[Problem, ...]]:
    """The first table that looks like training data and has what the submission asks for."""
    names = _matching(files, r"^train(ing)?$", r"^train.*label", r"^train", r"^labels?$", r"train")
    reasons = []
    for name in names[:MOST_TABLES_TRIED]:
        train = read_table(folder / name, rows=MOST_ROWS_READ)
        try:
            return name, train, tuple(_problems(train, test, sample, outputs, metric))
        except TaskError as error:
            reasons.append(error)
    raise (reasons[0] if reasons else TaskError("There is no training table (a CSV file with train in its name)."))


def sample_file(folder: Path) -> str:
    """The name of the sample submission."""
    names = _matching(_table_files(folder), r"sample.*submission|submission.*sample", r"sample")
    if not names:
        raise TaskError("There is no sample submission (a CSV file with sample in its name).")
    return names[0]


def read_table(path: Path, rows: int | None = None) -> pd.DataFrame:
    """A CSV or TSV table, also one that is alone in a zip archive."""
    import pandas as pd

    separator = "\t" if ".tsv" in path.name.lower() else ","
    try:
        return pd.read_csv(path, sep=separator, nrows=rows, low_memory=False)
    except (ValueError, OSError) as error:
        raise TaskError(f"The table {path.name} cannot be read: {error}.") from error


def _table_files(folder: Path) -> list[str]:
    """Names of all tables in the folder and the folders right below it, those at the top first."""
    paths = [path for pattern in ("*", "*/*") for path in sorted(folder.glob(pattern)) if path.is_file()]
    tables = (path for path in paths if _TABLE.search(path.name) or _holds_table(path))
    return [path.relative_to(folder).as_posix() for path in tables]


def _holds_table(path: Path) -> bool:
    if path.suffix.lower() != ".zip" or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        members = archive.namelist()
    return len(members) == 1 and _TABLE.search(members[0]) is not None


def _matching(files: Iterable[str], *patterns: str) -> list[str]:
    """The files whose names without their endings fit a pattern, in the order of the patterns."""
    stems = {name: re.sub(r"(\.(csv|tsv|zip))+$", "", Path(name).name.lower()) for name in files}
    found = [
        name
        for pattern in patterns
        for name, stem in stems.items()
        if re.search(pattern, stem) and ("sample" in pattern or "sample" not in stem)
    ]
    return list(dict.fromkeys(found))


def _description(folder: Path) -> str:
    path = folder / "description.md"
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def stated_metric(description: str) -> Metric | None:
    """The metric that a description names first, in its part about the metric if it has one."""
    part = re.search(r"^#+ *(?:metric|evaluation)\b.*?\n(.*?)(?=^#+ |\Z)", description, re.I | re.M | re.S)
    text = part[1] if part else description
    found = [(match.start(), metric) for metric in METRICS if (match := re.search(metric.words, text, re.I))]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _fits(metric: Metric, problems: tuple[Problem, ...]) -> bool:
    """Whether the metric is about the kind of thing that is to be predicted."""
    return all((problem.kind == "regression") == (metric.wants == "numbers") for problem in problems)


def _usual_metric(problems: tuple[Problem, ...], sample: pd.DataFrame) -> Metric:
    """What is probably meant where the description does not say."""
    first = problems[0]
    if first.kind == "regression":
        return _BY_NAME["RMSE"]
    if len(first.outputs) > 1:
        return _BY_NAME["log loss"]
    wants_probability = first.kind == "binary" and _has_fractions(sample[first.outputs[0]])
    return _BY_NAME["ROC AUC" if wants_probability else "accuracy"]


def _problems(
    train: pd.DataFrame, test: pd.DataFrame, sample: pd.DataFrame, outputs: tuple[str, ...], metric: Metric | None
) -> Iterable[Problem]:
    """What to learn: each output is a column of the training table, or all are classes of one column."""
    if all(name in train for name in outputs):
        kinds = {name: _kind(train[name], sample[name], metric) for name in outputs}
        if "regression" in kinds.values():  # one model for all: whole numbers are numbers, too
            kinds = dict.fromkeys(outputs, "regression")
        yield from (Problem(name, kind, (name,)) for name, kind in kinds.items())
        return
    only_known = [str(name) for name in train if name not in test]
    if len(outputs) == 1:
        if len(only_known) != 1:
            raise TaskError(f"No column of the training table is the target {outputs[0]}.")
        yield Problem(only_known[0], _kind(train[only_known[0]], sample[outputs[0]], metric), outputs)
        return
    for name in only_known:
        classes = _classes(train[name].dropna().unique().tolist(), outputs)
        if classes is not None:
            yield Problem(name, "multiclass" if len(classes) > 2 else "binary", outputs, classes)
            return
    raise TaskError("The columns of the sample submission are neither columns nor classes of the training table.")


def _classes(labels: list[Any], outputs: tuple[str, ...]) -> tuple[Any, ...] | None:
    """The label that each output stands for, if all labels have an output: one named like it, or ending in it.

    An output that no label belongs to is a class that the training table lacks; it stands for itself.
    """
    for fits in (str.__eq__, lambda output, name: output.endswith(f"_{name}")):
        found = {label: [output for output in outputs if fits(output, str(label))] for label in labels}
        if len(labels) > 1 and all(len(names) == 1 for names in found.values()):
            by_output = {names[0]: label for label, names in found.items()}
            return tuple(by_output.get(output, output) for output in outputs)
    return None


def _kind(values: pd.Series[Any], sample: pd.Series[Any], metric: Metric | None) -> Kind:
    known = values.dropna()
    numeric = known.dtype.kind in "iuf"
    distinct = known.nunique()
    if distinct < 2:
        raise TaskError(f"The column {values.name} has only one value, so there is nothing to learn.")
    if metric is not None and metric.wants == "numbers":
        if not numeric:
            raise TaskError(f"The column {values.name} holds text, but {metric.name} needs numbers.")
        return "regression"
    if numeric and _has_fractions(known):
        return "regression"
    if metric is None and numeric and (distinct > 20 or (distinct > 2 and _has_fractions(sample))):
        return "regression"
    if distinct > min(MOST_CLASSES, len(known) / 2):
        raise TaskError(f"The column {values.name} has {distinct} different values, too many to learn as classes.")
    return "binary" if distinct == 2 else "multiclass"


def _has_fractions(column: pd.Series[Any]) -> bool:
    return column.dtype.kind == "f" and bool((column.dropna() % 1 != 0).any())


def _in_order(test: pd.DataFrame, sample: pd.DataFrame, ids: tuple[str, ...]) -> pd.DataFrame:
    """The rows of the test table that the sample submission asks for, in its order."""
    keys = list(ids)
    if not all(name in test for name in keys):
        # Without ids to match by, only a table of the same length can be trusted.
        return test.reset_index(drop=True) if len(test) == len(sample) else sample[keys]
    if len(test) == len(sample) and bool((test[keys].to_numpy() == sample[keys].to_numpy()).all()):
        return test.reset_index(drop=True)
    ordered = sample[keys].merge(test.drop_duplicates(keys), on=keys, how="left", indicator="_found")
    if bool((ordered["_found"] != "both").any()):
        raise TaskError("The sample submission has ids that the test table lacks.")
    return ordered.drop(columns="_found")
