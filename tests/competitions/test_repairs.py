"""Every repair of edition v2 is one: what is known to be wrong with v1 is so in v1, and is not in v2."""

from __future__ import annotations

from pathlib import Path

import pytest
from covered import WHOLE
from edition_data import EditionData
from planted import PLANTED, Plant
from repairs import REPAIRS

from mlebench.checking.described import Description, content_problems, example_problems
from mlebench.competition.registry import Registry, registry
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.twins import write_twin


def both_editions(competition_id: str, data_dir: Path) -> tuple[EditionData, EditionData]:
    """The twin of seed 0, prepared in both editions."""
    prepared = []
    for edition in ("v1", "v2"):
        competition = Registry(data_dir, edition=edition).get_competition(competition_id)
        if edition == "v1":
            write_twin(competition, competition.home)
        if edition == "v1" and competition_id in PLANTED:
            _plant(competition.archive, PLANTED[competition_id])
        prepare(competition, PrepareOptions(keep_raw=edition == "v1"))
        prepared.append(EditionData(competition, data_dir))
    return prepared[0], prepared[1]


def _plant(archive: Path, change: Plant) -> None:
    import shutil
    import zipfile

    raw = archive.parent / "changed"
    with zipfile.ZipFile(archive) as old:
        comment = old.comment
        old.extractall(raw)
    change(raw)
    with zipfile.ZipFile(archive, "w") as new:
        for path in sorted(raw.rglob("*")):
            if path.is_file():
                new.write(path, path.relative_to(raw).as_posix())
        new.comment = comment
    shutil.rmtree(raw)


def _has_leak(competition_id: str) -> bool:
    return any(issue.kind == "leak" for issue in registry.get_competition(competition_id).known_issues)


ALL = sorted(REPAIRS)
# By default those with leaks and a part of the others; MLEBENCH_TESTS=whole takes all of them.
CHOSEN = ALL if WHOLE else sorted({*filter(_has_leak, ALL), *ALL[::5]})


def test_every_repair_is_tested() -> None:
    """The table has the issues that say what v2 does, and no others."""
    said = {
        competition.id: {number for number, issue in enumerate(competition.known_issues) if issue.v2}
        for competition in registry.all_competitions()
    }
    assert {key: set(repairs) for key, repairs in REPAIRS.items()} == {key: said[key] for key in said if said[key]}


@pytest.mark.parametrize("competition_id", CHOSEN)
def test_repairs(competition_id: str, tmp_path: Path) -> None:
    v1, v2 = both_editions(competition_id, tmp_path)
    issues = v1.competition.known_issues
    for number, repaired in REPAIRS[competition_id].items():
        assert repaired(v2), f"not repaired: {issues[number].what}"
        assert not repaired(v1), f"v1 does not have it: {issues[number].what}"
        assert issues[number].v2
    description = Description(v2.competition.declaration.folder / "description.md", "v2")
    assert content_problems(description, v2.public) == []
    assert list(example_problems(description, v2.competition.sample_submission)) == []
