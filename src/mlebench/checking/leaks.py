"""Leaks of a competition as its author is told of them: what the audit finds, with the line that writes the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlebench.audit.auditing import audit
from mlebench.competition.checks import Problem, line_with
from mlebench.competition.local import LocalCompetition


def leak_problems(competition: LocalCompetition) -> Iterator[Problem]:
    """The leaks that the audit finds in prepared data, the one that is worth most first."""
    source = competition.declaration.folder / "competition.py"
    for found in audit(competition).findings:
        if found.severity != "leak":
            continue
        name = re.split(r"[:/]", found.where)[0]
        yield Problem(
            f"public/{found.where} gives the answers away. {found.evidence}",
            "Leave it out of what contestants get, or change the split.",
            source if source.is_file() else None,
            line_with(source, rf"public\.\w+\(\s*[\"']{re.escape(name)}") or line_with(source, r"\.prepare\b"),
        )
