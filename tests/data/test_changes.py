"""What an author changes is noticed; what a new version of mlebench changes makes no data invalid."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command import Ran, run_command
from own import Own

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.changes import DESCRIPTION, Changes, author_changes, changes_since, competition_files
from mlebench.data.on_disk import status_of
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.data.prepare_events import Event
from mlebench.data.record import DatasetRecord
from mlebench.data.verification import verify
from mlebench.errors import PreparationError
from mlebench.grade.grading import score_file

ID = "my-contest"


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A competition of one's own."""
    return Own(tmp_path, ID)


def record_of(competition: LocalCompetition) -> DatasetRecord:
    record = DatasetRecord.load(competition.prepared_dir)
    assert record is not None
    return record


def test_nothing_has_changed(own: Own) -> None:
    competition = own.prepared()
    record = record_of(competition)
    assert record.competition_files == competition_files(competition)
    assert set(record.competition_files) == {"competition.py", "description.md", "twin.py"}
    assert not changes_since(competition, record)
    assert (status_of(competition).changed, status_of(competition).note) == ((), None)


def test_a_new_description_is_put_into_public(own: Own) -> None:
    competition = own.prepared()
    train = competition.public_dir / "train.csv"
    before = train.stat().st_ino
    own.change(DESCRIPTION, "# ", "# Another ")
    changed = own.load()
    assert author_changes(changed) == Changes(own=True, description=True)
    assert status_of(changed).changed == (DESCRIPTION,)
    found = verify(changed, score_file)
    assert [difference.path for difference in found.differences] == ["public/description.md"]

    events: list[Event] = []
    record = prepare(changed, notify=events.append)
    assert [event.stage for event in events] == ["note", "present"]
    assert (changed.public_dir / DESCRIPTION).read_text() == changed.description
    assert changed.description.startswith("# Another")
    assert train.stat().st_ino == before, "nothing else is prepared again"
    assert record == record_of(changed)
    assert not author_changes(changed)
    assert verify(changed, score_file).passed, "also number and size of the files"


def test_other_changes_in_public_are_not_blessed(own: Own) -> None:
    competition = own.prepared()
    (competition.public_dir / "train.csv").write_text("id\n")
    own.change(DESCRIPTION, "# ", "# Another ")
    with pytest.raises(PreparationError, match=r"The public data of my-contest has changed .* --force"):
        prepare(own.load())


def test_without_the_archive_new_code_is_told(own: Own, tmp_path: Path) -> None:
    competition = own.prepared()
    competition.archive.rename(tmp_path / "my-contest.zip")
    own.change("competition.py", "def prepare", "# New.\ndef prepare")
    with pytest.raises(PreparationError, match=r"competition\.py has changed .*--source"):
        prepare(competition)
    assert author_changes(competition).code == ("competition.py",), "and told again the next time"
    prepare(competition, PrepareOptions(mirror=str(tmp_path)))
    assert not author_changes(competition)


def test_a_new_twin_program_is_told_until_its_twin_is_prepared(own: Own) -> None:
    competition = own.prepared()
    own.change("twin.py", "def make", "# New.\ndef make")
    events: list[Event] = []
    prepare(competition, notify=events.append)
    assert [event.stage for event in events] == ["note", "present"]
    assert "mlebench twin my-contest DIR" in str(events[0].message)
    assert not author_changes(competition), "the data is what preparation makes of the archive"
    (note,) = verify(competition, score_file).notes
    assert "mlebench twin my-contest DIR" in note, "to prepare the same archive again would not mend it"
    own.change("competition.py", "def prepare", "# New.\ndef prepare")
    assert (
        Changes(own=True, code=("competition.py",)).action(competition).endswith(f" --data-dir {competition.data_dir}")
    )
    prepare(competition)
    assert changes_since(competition, record_of(competition)) == Changes(own=True, twin=True)
    prepare(competition, PrepareOptions(force=True))
    assert not changes_since(competition, record_of(competition))


def test_records_of_older_versions_tell_nothing(own: Own) -> None:
    competition = own.prepared()
    replace(record_of(competition), competition_files=None).save(competition.prepared_dir)
    own.change("competition.py", "def prepare", "# New.\ndef prepare")
    own.change(DESCRIPTION, "# ", "# Another ")
    assert not changes_since(competition, record_of(competition))
    events: list[Event] = []
    prepare(own.load(), notify=events.append)
    assert [event.stage for event in events] == ["present"]


@pytest.mark.parametrize("file", ["competition.py", DESCRIPTION])
def test_built_in_competitions_stay_valid(file: str, tmp_path: Path) -> None:
    """As if another version of mlebench had prepared it."""
    competition = Registry(tmp_path).get_competition("practice-wine")
    record = prepare(competition)
    assert record.competition_files is not None
    assert "practice.py" in record.competition_files, "what practice competitions share"
    replace(record, competition_files={**record.competition_files, file: "0"}).save(competition.prepared_dir)
    found = verify(competition, score_file)
    assert found.passed
    assert found.notes[0].startswith(
        f"This version of mlebench has another {file} than the one that prepared the data."
    )
    assert str(status_of(competition).note) == found.notes[0]
    assert not author_changes(competition)
    made = (competition.public_dir / "train.csv").stat().st_ino
    events: list[Event] = []
    prepare(competition, notify=events.append)
    assert [event.stage for event in events] == ["note", "present"]
    assert (competition.public_dir / "train.csv").stat().st_ino == made


def test_a_competition_from_values_alone(tmp_path: Path) -> None:
    """No file of it is known; the folder that it names may be anything."""
    competition = Registry(tmp_path).get_competition("practice-wine")
    elsewhere = replace(competition, declaration=replace(competition.declaration, folder=tmp_path))
    assert competition_files(elsewhere) == {}


def test_as_an_author_works(tmp_path: Path) -> None:
    """Every command notices, and one preparation is enough."""
    options = {"MLEBENCH_COMPETITIONS_DIR": str(tmp_path / "mine")}
    run: Callable[..., Ran] = lambda *arguments: run_command(*arguments, cwd=tmp_path, **options)  # noqa: E731
    own = Own(tmp_path, ID)
    assert run("twin", ID, f"data/{ID}").code == 0
    assert run("prepare", "-c", ID).code == 0
    own.change(
        "competition.py", "    private.write_csv(", '    public.write_text("new.txt", "new")\n    private.write_csv('
    )
    started = run("run", "-c", ID, "--agent", "dummy")
    assert started.code == 1
    assert "my-contest: competition.py has changed since the data was prepared. Run: mlebench prepare" in started.err
    checked = run("verify")
    assert checked.code == 1
    assert "prepared has data of an older competition.py, not of " in checked.err
    sample = f"data/{ID}/prepared/public/sample_submission.csv"
    (tmp_path / "list.jsonl").write_text(json.dumps({"competition_id": ID, "submission_path": sample}))
    graded = ["grade", "--submission", "list.jsonl", "--output-dir", "graded"]
    for arguments in (["validate", sample, ID], ["grade-sample", sample, ID], graded):
        told = run(*arguments)
        assert told.code == 0, told.err
        assert "note: my-contest: competition.py has changed since the data was prepared." in told.err
    status = run("status", "--json")
    assert json.loads(status.out)[0]["changed"] == ["competition.py"]
    assert "note: my-contest: competition.py has changed since the data was prepared." in status.err
    again = run("prepare", "-c", ID)
    assert again.code == 0
    assert (
        "note: my-contest: competition.py has changed since the data was prepared. It is prepared again." in again.err
    )
    assert (tmp_path / "data" / ID / "prepared" / "public" / "new.txt").read_text() == "new"
    assert run("verify").code == 0
