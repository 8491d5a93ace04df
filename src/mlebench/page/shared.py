"""Pieces that several sections show."""

from __future__ import annotations

from mlebench.page.charts import GROUPS
from mlebench.page.facts import CompetitionFacts, PageFacts, RunFacts
from mlebench.page.markup import Markup, element, joined

MANY = 12  # rows; a longer table is folded away
EVIDENCE = 160  # characters


def group_keys(order: dict[str, int]) -> list[Markup]:
    """The label of every group in its colour."""
    return [element("span", label, class_=f"key group-{place % GROUPS}") for label, place in order.items()]


def group_legend(page: PageFacts) -> Markup | None:
    """Which colour is whose, where there are several."""
    order = {group.label: place for place, group in enumerate(page.groups)}
    return element("p", joined(group_keys(order), " "), class_="legend") if page.is_comparison else None


def metric_of(facts: CompetitionFacts) -> str:
    """The metric of a competition, and which direction is better."""
    return f"{facts.competition.metric} ({'lower' if facts.lower_is_better else 'higher'} is better)"


def name_of(run: RunFacts, order: dict[str, int]) -> str:
    """What to call a run beside others of its competition."""
    seed = f"seed {run.run.record.seed}"
    return f"{run.label}, {seed}" if len(order) > 1 else seed


def shortened(words: str, longest: int = EVIDENCE) -> str:
    """A text that is cut where it is too long for a table."""
    return words if len(words) <= longest else f"{words[: longest - 1]}…"
