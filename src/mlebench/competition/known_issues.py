"""What is known to be wrong with a competition: `known_issues.toml` beside its description, as data.

[[issue]]
what = "The test records carry the diagnosis."
kind = "leak"
v2 = "Leaves the test records out."
upstream = 93

[[issue]]
what = "The labels of the test set are public."
kind = "public labels"
reason = "No edition can call back what was published."
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from mlebench.base.codes import MedalCaveat
from mlebench.competition.vocabulary import ISSUE_KINDS, IssueKind
from mlebench.errors import MlebenchError

FILE_NAME = "known_issues.toml"


@dataclass(frozen=True)
class KnownIssue:
    """Something known to be wrong with a competition.

    `v2` says what edition v2 does about it; where it does nothing, `reason` says why. `medals` is a code for what it
    takes from the worth of a medal. `upstream` is the number of the issue in the published project.
    """

    what: str
    kind: IssueKind
    v2: str | None = None
    reason: str | None = None
    medals: MedalCaveat | None = None
    upstream: int | None = None


def read_known_issues(folder: Path) -> tuple[KnownIssue, ...]:
    """The known issues of the competition in a folder; none where there is no such file."""
    path = folder / FILE_NAME
    if not path.is_file():
        return ()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        if unknown := content.keys() - {"issue"}:
            raise ValueError(f"there is {min(unknown)!r}, where only tables [[issue]] belong")
        return tuple(_known_issue(entry) for entry in content.get("issue", []))
    except (ValueError, TypeError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise MlebenchError(f"{path} is not a list of known issues: {error}.") from error


def _known_issue(entry: dict[str, Any]) -> KnownIssue:
    unknown = entry.keys() - {field.name for field in fields(KnownIssue)}
    if unknown:
        raise ValueError(f"an issue has no key {min(unknown)!r}")
    if entry.get("kind") not in ISSUE_KINDS:
        raise ValueError(f"the kind of an issue is one of {', '.join(ISSUE_KINDS)}, not {entry.get('kind')!r}")
    if not isinstance(entry.get("what"), str):
        raise TypeError("an issue has no text under the key 'what'")
    if "medals" in entry:
        caveat = MedalCaveat.known(entry["medals"])
        if caveat is None:
            raise ValueError(f"'medals' is one of {', '.join(MedalCaveat)}, not {entry['medals']!r}")
        entry = {**entry, "medals": caveat}
    return KnownIssue(**entry)
