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
