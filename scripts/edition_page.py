"""Writes docs/edition-v2.md from the declarations: `python scripts/edition_page.py`. A test compares the two."""

from __future__ import annotations

import textwrap
from pathlib import Path

from mlebench.competition.known_issues import KnownIssue
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry

PAGE = Path(__file__).parents[1] / "docs" / "edition-v2.md"
_START = """# Edition v2

Edition `v1`, the default, is the published benchmark with its mistakes, so that numbers can stand beside published
ones. Edition `v2` repairs what is known to be wrong: answers in public files, splits that put one patient, page or
speaker on both sides, missing files, graders that accept or refuse what they should not. `--edition v2` works for every
competition; one without a known mistake that can be repaired is the same in both. Numbers of the two editions are never
mixed: every report names its edition, and `aggregate` and `compare` refuse reports of both.

Human thresholds are kept where the task is the same. Where humans had a leak that v2 has not, the report gives no medal
and says why (`no_medal_code`); where a medal says little, it says so too (`medal_caveat`). The [codes](codes.md) have
their meanings.

This page is written from the declarations by `python scripts/edition_page.py`: what v2 changes and why, competition by
competition, and which issues stay, for which reason.
"""


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 118, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)


def _escaped(text: str) -> str:
    return text.replace("<", "\\<").replace("_", "\\_").replace("*", "\\*")


def _issue(issue: KnownIssue) -> list[str]:
    """What is wrong, and what v2 does or why it does nothing."""
    after = f"**v2:** {_escaped(issue.v2)}" if issue.v2 else f"No repair: {_escaped(issue.reason or '')}"
    number = f" (published issue {issue.upstream})" if issue.upstream else ""
    return _wrapped(f"*{issue.kind}*: {_escaped(issue.what)} {after}{number}")


def _section(competition: LocalCompetition) -> list[str]:
    lines = [f"### {competition.id}", ""]
    facts = []
    if competition.group != competition.declaration.group:
        facts.append(f"In no group; in v1 it is in `{competition.declaration.group}`.")
    if competition.metric != competition.declaration.metric:
        facts.append(f"Metric: {competition.metric}; in v1 {competition.declaration.metric}.")
    if code := competition.declaration.changes("v2").no_medals:
        facts.append(f"No medals (`{code}`): {code.meaning}")
    if caveat := competition.medal_caveat:
        facts.append(f"Medals say little (`{caveat}`): {caveat.meaning}")
    for fact in facts:
        lines += _wrapped(fact)
    for issue in competition.known_issues:
        lines += _issue(issue)
    if not facts and not competition.known_issues:
        lines.append("- Nothing is known to be wrong with it.")
    return [*lines, ""]


def page() -> str:
    """The whole page."""
    everyone = Registry(edition="v2").all_competitions()
    found = [competition for competition in everyone if competition.declaration.group is not None]
    issues = [issue for competition in found for issue in competition.known_issues]
    repaired = sum(issue.v2 is not None for issue in issues)
    differing = [competition for competition in found if competition.differs]
    same = [competition for competition in found if not competition.differs]
    counts = (
        f"Of {len(issues)} known issues {repaired} are repaired in {len(differing)} competitions; for the other "
        f"{len(issues) - repaired} there is a reason why not."
    )
    lines = [_START, *textwrap.wrap(counts, 118), "", "## Competitions that v2 changes", ""]
    for competition in differing:
        lines += _section(competition)
    lines += ["## Competitions that are the same in both editions", ""]
    for competition in same:
        lines += _section(competition)
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
