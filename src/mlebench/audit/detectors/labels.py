"""Labels that train lacks, that nobody is asked for, or that the sample shows but no answer has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mlebench.audit.finding import Found
from mlebench.audit.survey import Survey
from mlebench.audit.table import as_numbers, canonical, texts

_SHOWN = 5


def detect(survey: Survey) -> Iterator[Found]:
    """Findings about the range of labels."""
    yield from _unseen(survey)
    yield from _sample_only(survey)
    yield from _not_asked(survey)


def _unseen(survey: Survey) -> Iterator[Found]:
    if survey.train is None:
        return
    for target in survey.test.targets:
        known = next((labels for labels in survey.train.targets if labels.name == target.name), None)
        if known is None or target.is_derived or not target.n_classes or target.n_classes > 0.5 * len(target.values) + 2:
            continue
        unseen = [name for name in target.classes if name not in set(known.classes)]
        if unseen and target.n_classes > 1 and known.n_classes and len(unseen) < target.n_classes:
            counts = Counter(target.plain)
            rows = sum(counts[name] for name in unseen)
            names = ", ".join(map(repr, unseen[:_SHOWN])) + (" and more" if len(unseen) > _SHOWN else "")
            severity = "suspicious" if rows > 0.2 * len(target.values) else "note"
            words = f"{len(unseen)} of {target.n_classes} labels among the answers are not in train ({names}): {rows:,} of {len(target.values):,} items"
            yield Found("unseen_labels", severity, f"the answers: {target.name}", f"{words}.", rank=rows / len(target.values))  # type: ignore[arg-type]


def _sample_only(survey: Survey) -> Iterator[Found]:
    """A label that the sample submission gives, and that is never right."""
    for target in survey.test.targets:
        if target.column is None or target.is_derived or target.numbers is not None or not 2 < target.n_classes:
            continue
        if target.n_classes > 0.95 * len(target.values) or target.column not in survey.task.sample.columns:
            continue
        if any(" " in name for name in target.classes[:50]) or max(map(len, target.classes)) > 60:
            continue
        shown = {str(canonical(value)) for value in texts(survey.task.sample[target.column]) if value}
        train = next((set(labels.classes) for labels in (survey.train.targets if survey.train else ()) if labels.name == target.name), set())
        never = sorted(shown - set(target.classes) - train)
        if never and len(never) <= 3 and len(shown) <= 3:
            words = f"The sample submission says {', '.join(map(repr, never))}, which is neither an answer nor a label of train: the labels are others than the sample suggests"
            yield Found("unseen_labels", "suspicious", f"{survey.task.competition.sample_submission.name}: {target.column}", f"{words}.", rank=0.5)


def _not_asked(survey: Survey) -> Iterator[Found]:
    """Columns of train that look like the labels and are private for test, but that no submission has."""
    answers = survey.task.answers
    if survey.train_table is None or not hasattr(answers, "columns"):
        return
    given = {name for matched in survey.matched_test if not matched.table.is_artifact and len(matched.items) > 0.5 * survey.test.size for name in matched.table.columns}
    asked = {str(name) for name in survey.task.sample.columns}
    binary = [target for target in survey.test.targets if target.n_classes == 2 and target.numbers is not None]
    if len(binary) < 2:
        return
    missing = []
    for name in survey.train_table.columns:
        if name in asked or name in given or name not in answers.columns:
            continue
        numbers = as_numbers(survey.train_table.columns[name], enough=1.0)
        if numbers is not None and set(numbers.tolist()) <= {0.0, 1.0}:
            missing.append(name)
    if missing:
        words = f"{', '.join(missing[:_SHOWN])}: labelled in train and known for the items to predict, but in no submission and no score"
        yield Found("unseen_labels", "suspicious", f"{survey.train_table.where}: {missing[0]}", f"{words}.", rank=0.4)
