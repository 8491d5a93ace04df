"""A competition of one's own to change in tests: the skeleton, its data, and one line of it written otherwise."""

from __future__ import annotations

from pathlib import Path

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.competition.skeleton import write_skeleton
from mlebench.data.prepare import prepare
from mlebench.twins import write_twin


class Own:
    """The skeleton of a competition in a temporary folder."""

    def __init__(self, parent: Path, competition_id: str) -> None:
        self.parent, self.id = parent, competition_id
        self.folder = write_skeleton(competition_id, parent / "mine")

    def change(self, file: str, old: str, new: str) -> int:
        """Write a part of a file otherwise; returns the number of the line."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1

    def load(self) -> LocalCompetition:
        """The competition as it is written now; it is loaded once."""
        return Registry(self.parent / "data").with_competitions_dir(self.parent / "mine").get_competition(self.id)

    def prepared(self) -> LocalCompetition:
        """The same with its twin prepared."""
        competition = self.load()
        write_twin(competition, competition.home)
        prepare(competition)
        return competition
