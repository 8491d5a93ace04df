"""Where programs are, and what of their folders is shown when something in them is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.sandbox.programs import around


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every folder whose entries are listed from now on."""
    seen: list[Path] = []
    iterdir = Path.iterdir

    def counted(path: Path) -> Iterator[Path]:
        seen.append(path)
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", counted)
    return seen


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "site-packages"
    for name in ("first", "second", "hidden", "own/data", "own/code"):
        (folder / name).mkdir(parents=True)
    return folder


def test_what_is_beside_something_hidden(packages: Path) -> None:
    hidden = [packages / "hidden", packages / "own" / "data"]
    read, listed = around([packages], hidden)
    assert sorted(read) == [packages / "first", packages / "own" / "code", packages / "second"]
    assert sorted(listed) == [packages, packages / "own"]
    assert around([packages], [packages.parent]) == ([], [])
    assert around([packages], [packages.parent / "elsewhere"]) == ([packages], [])


def test_a_second_start_does_not_walk_again(packages: Path, listings: list[Path]) -> None:
    """Starting a run costs no walk over all packages: that is done once for all runs of a group."""
    hidden = [packages / "hidden"]
    first = around([packages], hidden)
    assert listings == [packages]
    for number in range(5):  # each run hides what is elsewhere, too
        assert around([packages], [*hidden, packages.parent / f"run-{number}"]) == first
    assert listings == [packages]
    (packages / "third").mkdir()
    assert packages / "third" in around([packages], hidden)[0], "what is installed meanwhile is seen"
    assert listings == [packages] * 2
