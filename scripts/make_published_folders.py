"""Write config.yaml and description.md of src/mlebench/competitions/<id>/, where other projects look for them.

    python scripts/make_published_folders.py

The published package has a folder per competition whose name is its id, with config.yaml, description.md,
leaderboard.csv, checksums.yaml and kernels.txt. Ours declare a competition in a folder whose name is an identifier, so
that Python and its type checkers can import it. The last three files are kept in the published folder alone; these two
follow from the declaration and its description, and are written again when one of them has changed. A test holds that.
"""

from __future__ import annotations

from mlebench import facts
from mlebench.compat.layout import competition_files
from mlebench.competition.registry import Registry

_WRITTEN = ("config.yaml", "description.md")


def written_files(competition_id: str) -> dict[str, bytes]:
    """The files of a competition's published folder that follow from its declaration, by name."""
    competition = Registry().get_competition(competition_id)
    files = {name: content for name, content in competition_files(competition) if name in _WRITTEN}
    if competition.declaration.folder == facts.published_folder(competition_id):  # an id that is an identifier
        del files["description.md"]
    return files


def main() -> None:
    for competition_id in facts.published_ids():
        folder = facts.published_folder(competition_id)
        folder.mkdir(exist_ok=True)
        for name, content in written_files(competition_id).items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
