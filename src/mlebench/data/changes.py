"""What has changed in a competition's own files since its data was prepared: its text, its code, its twin."""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import dataclass

from mlebench.competition.loading import BUILT_IN
from mlebench.competition.local import LocalCompetition, default_data_dir
from mlebench.data.record import DatasetRecord
from mlebench.errors import DamagedDataError, NotPreparedError

DESCRIPTION, TWIN = "description.md", "twin.py"
_DECLARATIONS = ("competition.py", "config.yaml")  # the first that there is declares the competition
_FAMILY = re.compile(r"mlebench\.competitions\.families(?:\.| import )(\w+)")  # what built-in competitions share


@dataclass(frozen=True)
class Changes:
    """What is not as it was when the data was prepared; `own` says that the competition is not a built-in one.

    `code` names the files that decide what preparation makes. A twin's program counts only for data made by it.
    """

    own: bool = False
    description: bool = False
    code: tuple[str, ...] = ()
    twin: bool = False

    def __bool__(self) -> bool:
        return self.description or bool(self.code) or self.twin

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files that have changed."""
        return (*self.code, *([DESCRIPTION] if self.description else []), *([TWIN] if self.twin else []))

    @property
    def sentence(self) -> str:
        """For people."""
        have = "has" if len(self.files) == 1 else "have"
        if self.own:
            return f"{_listed(self.files)} {have} changed since the data was prepared."
        return f"This version of mlebench has another {_listed(self.files)} than the one that prepared the data."

    def action(self, competition: LocalCompetition) -> str:
        """What to do about it."""
        if self.twin:
            return f"Make the twin again with `mlebench twin {competition.id} DIR`, and prepare it with --force."
        force = "" if self.own or not self.code else " --force"
        usual = competition.data_dir == default_data_dir()
        place = "" if usual else f" --data-dir {shlex.quote(str(competition.data_dir))}"
        return f"To prepare it again: mlebench prepare -c {competition.id}{force}{place}"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def is_own(competition: LocalCompetition) -> bool:
    """Whether a competition is not a built-in one; others may put folders beside those."""
    folder = competition.declaration.folder
    return folder.parent != BUILT_IN or not (folder / "competition.py").is_file()


def competition_files(competition: LocalCompetition) -> dict[str, str]:
    """The sha256 of the files that decide what preparation makes, by name; empty where they are not known.

    The description is taken as preparation writes it, in its edition.
    """
    folder = competition.declaration.folder
    declaration = next((name for name in _DECLARATIONS if (folder / name).is_file()), None)
    if declaration is None:
        return {}
    paths = [*(path for path in folder.glob("*.py") if path.name != declaration), folder / declaration]
    if not is_own(competition):
        used = set(_FAMILY.findall((folder / "competition.py").read_text(encoding="utf-8")))
        paths += [BUILT_IN / "families" / f"{name}.py" for name in used]
    found = {path.name: path.read_bytes() for path in sorted(paths) if path.is_file()}
    found[DESCRIPTION] = competition.description.encode("utf-8")
    return {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}


def changes_since(competition: LocalCompetition, record: DatasetRecord | None) -> Changes:
    """What has changed since the data of a record was prepared; nothing where the record does not tell."""
    before = record.competition_files if record is not None else None
    if record is None or not before:
        return Changes()
    after = competition_files(competition)
    if not after:
        return Changes()
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return Changes(
        own=is_own(competition),
        description=DESCRIPTION in changed,
        code=tuple(sorted(changed - {DESCRIPTION, TWIN})),
        twin=TWIN in changed and record.twin is not None,
    )


def author_changes(competition: LocalCompetition) -> Changes:
    """What the author of a competition of one's own has changed, so that its data must be prepared again.

    Nothing for a built-in competition, whose data stays valid, and nothing where only the twin's program has changed:
    the data is still what preparation makes of its archive.
    """
    if not is_own(competition):
        return Changes()
    try:
        found = changes_since(competition, DatasetRecord.load(competition.prepared_dir))
    except DamagedDataError:  # for others to tell
        return Changes()
    return found if found.own and (found.code or found.description) else Changes()


def note_on_answers(competition: LocalCompetition) -> str | None:
    """What a person who grades must know: the answers are those that older code of a competition of one's own made.

    It may be the grader that has changed since, so that grading goes on.
    """
    found = author_changes(competition)
    return f"{competition.id}: {found.sentence} {found.action(competition)}" if found.code else None


def require_current_data(competition: LocalCompetition) -> None:
    """Refuse data that was prepared before the author of a competition of one's own changed it."""
    found = author_changes(competition)
    if found:
        raise NotPreparedError(
            f"{competition.id}: {found.sentence}",
            hint=f"Run: mlebench prepare -c {competition.id} --data-dir {competition.data_dir}",
        )
