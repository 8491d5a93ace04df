"""What columns tell, and one finding per file of it: the best column speaks for the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlebench.audit.column_values import Relation
from mlebench.audit.finding import SEVERITIES, Found, Kind, Prediction, Severity
from mlebench.audit.matching import Aligned
from mlebench.audit.predicting import predicted_values
from mlebench.audit.survey import Survey
from mlebench.audit.targets import Target
from mlebench.base.wording import counted


@dataclass(frozen=True)
class Hit:
    """A column that tells a target, how it does in train, and the share of the items that it covers."""

    severity: Severity
    kind: Kind
    column: Aligned
    target: Target
    relation: Relation
    train: Relation | None
    coverage: float


def findings_of(survey: Survey, where: str, hits: list[Hit]) -> Iterator[Found]:
    """The finding of one file."""
    by_target: dict[str, Hit] = {}
    hits.sort(
        key=lambda hit: (
            SEVERITIES.index(hit.severity),
            hit.target.is_derived,
            hit.kind != "answers_in_public",
            -round(hit.coverage, 2),
            -hit.relation.power,
        )
    )
    for hit in hits:
        by_target.setdefault(hit.target.name, hit)
    first = hits[0]
    chosen = [hit for hit in by_target.values() if hit.severity == first.severity]
    columns = list(dict.fromkeys(hit.column.column for hit in chosen))
    others = len({hit.column.column for hit in hits if hit.severity == first.severity}) - len(columns)
    words = [_words(first)]
    if len(columns) > 1:
        words.append(f"so do {', '.join(columns[1:4])}" + (f" and {len(columns) - 4} more" if len(columns) > 4 else ""))
    if others > 0:
        words.append(f"{counted(others, 'further column')} {'tell' if others > 1 else 'tells'} it, too")
    rows = survey.task.rows
    predictions = tuple(
        Prediction(hit.target.name, hit.target.column, rows[hit.column.items], values)
        for hit in chosen
        if not hit.target.is_derived
        and (values := predicted_values(hit.column.values, hit.relation, hit.target.part(hit.column.items))) is not None
    )
    place = where if first.column.column.startswith("(class") else f"{where}: {first.column.column}"
    yield Found(
        first.kind,
        first.severity,
        place,
        "; ".join(words) + ".",
        rank=first.relation.power * first.coverage + (1 if first.kind == "answers_in_public" else 0),
        predictions=predictions,
    )


def _words(hit: Hit) -> str:
    share = f"{hit.relation.power:.0%} of the way from guessing to certainty"
    if hit.relation.strength.form == "equal":
        share = f"{hit.relation.power:.1%} beyond chance"
    what = f"The column {hit.column.column} {hit.relation.what} for {hit.target.name}"
    if hit.column.is_artifact:
        what = f"The property {hit.column.column!r} {hit.relation.what} for {hit.target.name}"
    if hit.relation.strength.form == "pure":
        share = f"{hit.relation.power:.0%} of these items"
    items = f"{len(hit.column.items):,} items matched by {hit.column.by}"
    train = "" if hit.train is None else f"; in train it is {hit.train.power:.0%}"
    return f"{what} ({share}, {items}{train})"
