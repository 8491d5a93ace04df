"""The audit against leaks of another make: in prepared twins, and in forms that the first planter does not have.

Few by default; `python -m benchmarks.audit.strangers` plants all kinds in twins drawn at random.
"""

from __future__ import annotations

import io
import pickle
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from foreign_files import FILES
from foreign_places import PLACES
from honest_changes import HONEST
from PIL import Image
from prepared_twins import Twin, copy_of, original

from mlebench.audit.auditing import audit
from mlebench.audit.column_values import Relation
from mlebench.audit.contents import facts_of
from mlebench.audit.entries import Entry
from mlebench.audit.item_files import MOST_READ, ItemFile, tables_of_files
from mlebench.audit.judging import judge, judge_mark
from mlebench.audit.near_copies import near_copies
from mlebench.audit.readers import read_tables
from mlebench.audit.strength import Strength, association
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.twins import write_twin

KINDS = FILES | PLACES


def entry(name: str, data: bytes) -> Entry:
    return Entry(name, len(data), 0, "", {}, lambda most: data[:most])


@pytest.fixture(scope="session")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    """A prepared twin that is large enough for evidence."""
    folder = tmp_path_factory.mktemp("twins")
    competition = Registry(folder, edition="v2").get_competition("spaceship-titanic")
    write_twin(competition, competition.home, scale=3)
    prepare(competition)
    return original(folder, competition.id, "v2")


@pytest.mark.parametrize(
    "kind",
    [
        *("joblib_dump", "word_document", "two_files_to_join", "missing_in_a_column_that_has_gaps", "one_in_ten_wrong"),
        *("hashed_ids", "raw_bytes_in_order"),
    ],
)
def test_a_leak_in_a_twin_is_found(kind: str, titanic: Twin, tmp_path: Path) -> None:
    twin = copy_of(titanic, tmp_path, 1)
    KINDS[kind](twin)
    assert audit(twin.competition).leaks


@pytest.mark.every_case
@pytest.mark.parametrize(
    "kind", ["feature_of_auc_097", "gaps_that_follow_on_both_sides", "labels_of_train_in_other_files"]
)
def test_an_honest_twin_raises_no_alarm(kind: str, titanic: Twin, tmp_path: Path) -> None:
    twin = copy_of(titanic, tmp_path, 1)
    HONEST[kind](twin)
    assert not audit(twin.competition).leaks


@pytest.mark.parametrize("protocol", range(6))
def test_texts_that_a_pickle_refers_to_again_are_read(protocol: int) -> None:
    label = "".join(["hea", "lthy"])  # one object, which the pickle has once
    data = pickle.dumps({f"item{number}": label for number in range(9)}, protocol=protocol)
    tables = list(read_tables(entry("x.pkl", data)))
    pairs = {
        (word, following)
        for table in tables
        if "next word" in table.columns
        for word, following in zip(table.columns["word"], table.columns["next word"], strict=True)
    }
    assert ("item4", label) in pairs


def test_tables_below_a_preamble_and_of_two_lines_are_read() -> None:
    [table, *_] = read_tables(entry("x.csv", b"made by hand\nversion 2\n\na,b\n1,x\n2,y\n3,z\n4,u\n"))
    assert list(table.columns) == ["a", "b"]
    assert len(table) == 4
    [wide, *_] = read_tables(entry("x.csv", b"one,two,three\n1,2,3\n"))
    assert list(wide.columns) == ["one", "two", "three"]


def test_records_in_a_list_of_a_record_are_columns() -> None:
    data = b'[{"n": "a", "marks": [{"v": {"k": 1}}]}, {"n": "b", "marks": [{"v": {"k": 2}}]}]'
    assert any("marks[0].v.k" in table.columns for table in read_tables(entry("x.json", data)))


def test_a_picture_that_is_no_items_is_read_as_numbers() -> None:
    data = io.BytesIO()
    Image.fromarray(np.arange(30, dtype=np.uint8)[None, :]).save(data, "PNG")
    [table] = read_tables(entry("x.png", data.getvalue()))
    assert list(table.columns["pixel"]) == [str(number) for number in range(30)]


def test_contents_of_some_files_are_a_table_without_gaps() -> None:
    files = [
        ItemFile(entry(f"test/{number}.txt", b"%d" % number), str(number), "~/*.txt")
        for number in range(MOST_READ + 50)
    ]
    names, contents = tables_of_files(files, "test")
    assert (len(names), len(contents)) == (MOST_READ + 50, MOST_READ)
    assert "content" not in names.columns
    assert all(contents.columns["content"])


def test_sounds_of_both_kinds_have_their_chunks() -> None:
    samples = struct.pack("<4h", 1, 2, 3, 4)
    note = b"LIST" + struct.pack("<I", 18) + b"INFOICMT" + struct.pack("<I", 6) + b"take 1"
    form = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    wav = facts_of(
        entry("x.wav", b"RIFF\0\0\0\0WAVE" + form + b"data" + struct.pack("<I", 8) + samples + note + b"tail")
    )
    assert (wav["LIST ICMT"], wav["rate"], wav["last sample"], wav["bytes behind the end"]) == (
        "take 1",
        8000,
        4,
        b"tail".hex(),
    )
    aiff = facts_of(entry("x.aif", b"FORM\0\0\0\0AIFFANNO" + struct.pack(">I", 5) + b"class\0"))
    assert aiff["chunk ANNO"] == "class"
    assert aiff["chunks"] == "ANNO"


def test_changed_copies_of_pictures_are_recognised() -> None:
    rng = np.random.default_rng(0)
    pictures = [Image.fromarray(rng.integers(0, 256, (40, 60)).astype(np.uint8)) for _ in range(20)]

    def saved(name: str, picture: Image.Image, kind: str) -> Entry:
        data = io.BytesIO()
        picture.save(data, kind)
        return entry(name, data.getvalue())

    files = [
        ItemFile(saved(f"t/{number}.png", picture, "PNG"), str(number), "t") for number, picture in enumerate(pictures)
    ]
    copies = [
        saved(f"g/{number}.jpg", picture.transpose(Image.Transpose.ROTATE_90).resize((90, 135)), "JPEG")
        for number, picture in enumerate(pictures)
    ]
    strangers = [
        saved(f"s/{n}.png", Image.fromarray(rng.integers(0, 256, (40, 60)).astype(np.uint8)), "PNG") for n in range(9)
    ]
    found = near_copies(files, [*copies, *strangers])
    assert [(file.entry.base, file.key) for file in found] == [(f"{number}.jpg", str(number)) for number in range(20)]


def test_labels_that_are_mostly_right_are_labels() -> None:
    known, said = (Relation(Strength(power, 30.0, "equal"), "verbatim", "") for power in (1.0, 0.8))
    arguments = {"has_train": True, "is_artifact": False, "same_name": True}
    assert judge(said, 100, known, 400, **arguments) == "leak"
    feature = Relation(Strength(0.8, 30.0, "order"), "plain", "")
    assert judge(feature, 100, feature, 400, **arguments) is None


def test_marks_are_judged_by_evidence_in_test_alone() -> None:
    classes = pd.Series(range(300)) % 12
    mark = (classes == 3).astype(int).to_numpy()
    digits = association(mark, classes.to_numpy(dtype=float), 12)
    assert digits > 20
    assert judge_mark(digits, 0.4, 12) == "leak"
    assert judge_mark(digits, 8.0, 12) is None  # train has it too
    chance = association(np.random.default_rng(0).permutation(mark), classes.to_numpy(dtype=float), 12)
    assert judge_mark(chance, None, 12) is None


def test_what_is_not_read_of_an_archive_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tarfile

    from mlebench.audit import entries

    monkeypatch.setattr(entries, "_KEPT", 1000)
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        for name, size in (("small", 10), ("large", 5000)):
            member = tarfile.TarInfo(name)
            member.size = size
            archive.addfile(member, io.BytesIO(b"0" * size))
    problems: list[str] = []
    found = entries.entries_below(tmp_path, problems)
    assert [len(member.read()) for member in found if member.container] == [10, 1000]
    assert problems == ["read in part or not at all: 1 members of archives, such as x.tar/large"]


def test_a_zip_archive_is_read_from_the_disk_however_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zipfile

    from mlebench.audit import entries

    monkeypatch.setattr(entries, "MOST_READ", 3000)
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("first", b"0" * 2500)
        archive.writestr("second", b"1" * 2500)
    found = entries.entries_below(tmp_path, [])
    assert [member.read()[:1] for member in found if member.container] == [b"0", b"1"]


def test_labels_that_the_description_names_are_known_without_an_example(titanic: Twin, tmp_path: Path) -> None:
    from mlebench.audit.detectors.labels import detect
    from mlebench.audit.survey import survey
    from mlebench.audit.targets import read_task

    twin = copy_of(titanic, tmp_path, 1)
    answers = pd.read_csv(twin.competition.answers, dtype=str)
    answers.loc[::3, "Transported"] = "unknown"
    answers.to_csv(twin.competition.answers, index=False)
    [found] = [finding for finding in detect(survey(read_task(twin.competition))) if "not in train" in finding.evidence]
    assert found.severity == "suspicious"
    (twin.public / "description.md").write_text("Others are `unknown`.\n")
    [found] = [finding for finding in detect(survey(read_task(twin.competition))) if "not in train" in finding.evidence]
    assert found.severity == "note"
