"""Files of a user's own competition are loaded as they are."""

from __future__ import annotations

import os
from pathlib import Path

from mlebench.competition.loading import load_module


def test_an_edit_of_the_same_length_in_the_same_second_counts(tmp_path: Path) -> None:
    """Python keeps compiled code by the second and the length of the source."""
    path = tmp_path / "competition.py"
    for word in ("first", "other"):
        path.write_text(f"WORD = {word!r}\n")
        os.utime(path, (1_700_000_000, 1_700_000_000))
        assert word == load_module("edited_twice", path).WORD


def test_modules_beside_it_are_imported_as_they_are_now(tmp_path: Path) -> None:
    """Two folders of one name, and an edit: each has its own module, and nothing is left in the folder."""
    for parent, word in (("one", "first"), ("two", "other"), ("two", "later")):
        folder = tmp_path / parent / "my_contest"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "competition.py").write_text("from .helpers import WORD\n")
        (folder / "helpers.py").write_text(f"WORD = {word!r}\n")
        assert word == load_module("with_helpers", folder / "competition.py").WORD
        assert sorted(path.name for path in folder.iterdir()) == ["competition.py", "helpers.py"]
