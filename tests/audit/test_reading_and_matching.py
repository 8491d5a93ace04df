"""Answers that are there to be read: among rows of other items, in lists, in parts of values, in files of items."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin
from test_answers_elsewhere import as_csv
from test_values import searched

from mlebench.audit.contents import facts_of
from mlebench.audit.detectors.arrays import _drawn
from mlebench.audit.entries import Entry, bytes_reader, entries_below
from mlebench.audit.readers import read_tables
from mlebench.audit.readers.text import tables_of_text
from mlebench.audit.survey import survey
from mlebench.audit.table import canonical, texts
from mlebench.audit.targets import read_task
from mlebench.audit.transforms import derived


def named(family: str, folder: Path, n: int) -> World:
    """A clean competition with ids that are no numbers."""
    world = make(folder, family, 5, n=n)
    for start, sides in ((0, (world.train,)), (40_000, (world.test, world.answers, world.sample))):
        for side in sides:
            side[world.key] = [f"x{start + 7 * number:05d}f" for number in range(len(side))]
    return world


def found_in(world: World, *searches: str) -> set[tuple[str, str]]:
    return {(found.where, found.severity) for found in searched(world, *searches)}


def test_few_items_to_predict_are_found_among_many_others_behind_a_word(tmp_path: Path) -> None:
    world = named("multiclass", tmp_path, 240)
    some = world.answers.sample(30, random_state=1)
    ids = pd.concat([world.train[world.key], pd.Series([f"y{number:05d}f" for number in range(300)])])
    others = pd.DataFrame({world.key: ids, "species": "?"})
    rows = pd.concat([some, others]).sample(frac=1, random_state=1)
    world.files["log.csv"] = as_csv(pd.DataFrame({"ref": "item:" + rows[world.key], "as": rows["species"].str[:2]}))
    assert ("log.csv: as", "leak") in found_in(world, "columns")


def test_a_class_in_front_of_an_id_is_found(tmp_path: Path) -> None:
    world = named("multiclass", tmp_path, 240)
    codes = pd.factorize(world.labels())[0]
    lines = [f"-rw-r--r-- raw/{code:02d}_{name}.png" for code, name in zip(codes, world.test[world.key], strict=True)]
    world.files["ls.txt"] = "\n".join(np.random.default_rng(1).permutation(lines)).encode()
    assert "leak" in {severity for where, severity in found_in(world, "columns") if where.startswith("ls.txt")}


def test_lists_are_the_same_whatever_they_are_written_with() -> None:
    assert canonical("[a, b]") == canonical("a|b") == canonical("a;b") == canonical("a b")


@pytest.mark.parametrize("is_given", [True, False])
def test_several_numbers_in_a_value_are_compared_each_by_itself(is_given: bool, tmp_path: Path) -> None:
    world = named("regression", tmp_path, 150)
    rng = np.random.default_rng(2)
    values = world.answers["price"] if is_given else rng.permutation(world.answers["price"])
    pairs = [f"({one} {other:.4f})" for one, other in zip(values, rng.normal(size=len(values)), strict=True)]
    world.files["notes.csv"] = as_csv(pd.DataFrame({"item": world.test[world.key], "at": pairs}))
    assert found_in(world, "columns") == ({("notes.csv: at, number 1", "leak")} if is_given else set())


def test_other_names_of_few_items_lead_from_table_to_table(tmp_path: Path) -> None:
    world = named("multiclass", tmp_path, 240)
    some = world.answers.sample(20, random_state=1)
    tokens = [f"{number:08x}" for number in np.random.default_rng(1).integers(2**28, 2**32, len(some))]
    world.files["sessions.csv"] = as_csv(pd.DataFrame({"item": some[world.key], "session": tokens}))
    outcomes = pd.DataFrame({"session": tokens, "outcome": some["species"]}).sample(frac=1, random_state=2)
    world.files["outcomes.csv"] = as_csv(outcomes)
    assert found_in(world, "columns") == {("outcomes.csv: outcome", "leak")}


@pytest.mark.parametrize("is_planted", [True, False])
def test_short_numbers_lead_from_table_to_table_where_all_of_them_are_the_same(
    is_planted: bool, tmp_path: Path
) -> None:
    world = named("binary", tmp_path, 300)
    tickets = np.random.default_rng(1).choice(np.arange(100, 1000), len(world.answers), replace=False)
    others = np.random.default_rng(2).choice(np.arange(100, 1000), len(world.answers), replace=False)
    world.files["raw/items.csv"] = as_csv(pd.DataFrame({"item": world.answers[world.key], "ticket": tickets}))
    results = pd.DataFrame({"ticket": tickets if is_planted else others, "result": world.labels()})
    world.files["results.csv"] = as_csv(results.sample(frac=1, random_state=2))
    assert ("results.csv: result", "leak") in found_in(world, "columns") or not is_planted
    assert is_planted or not found_in(world, "columns")


@pytest.mark.parametrize("form", ["toml", "ini", "ini by item"])
def test_settings_that_have_the_answers_are_read(form: str, tmp_path: Path) -> None:
    world = named("multiclass", tmp_path, 240)
    pairs = [(str(name), label) for name, label in zip(world.answers[world.key], world.labels(), strict=True)]
    lines = {
        "toml": ["[run]", *(f'[[item]]\nid = "{name}"\nv = "{label}"' for name, label in pairs)],
        "ini": ["[answers]", *(f"{name} = {label}" for name, label in pairs)],
        "ini by item": [f"[{name}]\nv: {label}" for name, label in pairs],
    }[form]
    world.files["eval.cfg"] = "\n".join(lines).encode()
    assert {where.split(" ")[0].rstrip(":") for where, _ in found_in(world, "columns")} == {"eval.cfg"}


def test_titles_in_a_drawing_that_have_id_and_label_are_read(tmp_path: Path) -> None:
    world = named("multiclass", tmp_path, 240)
    titles = (
        f"<circle r='3'><title>{name}: {label}</title></circle>"
        for name, label in zip(world.answers[world.key], world.labels(), strict=True)
    )
    world.files["map.svg"] = f"<svg xmlns='http://www.w3.org/2000/svg'>{''.join(titles)}</svg>".encode()
    assert ("map.svg: word 2", "leak") in found_in(world, "columns")


@pytest.mark.parametrize("is_planted", [True, False])
def test_records_whose_keys_are_in_another_order_for_one_class(is_planted: bool, tmp_path: Path) -> None:
    world = named("binary", tmp_path, 240)
    rng = np.random.default_rng(1)
    labels = world.labels().to_numpy() if is_planted else rng.integers(0, 2, len(world.answers))
    records = [
        dict(reversed([("key", str(name)), ("size", 3)])) if label else {"key": str(name), "size": 3}
        for name, label in zip(world.answers[world.key], labels, strict=True)
    ]
    world.files["items.json"] = json.dumps(records).encode()
    expected = {("items.json: (order of keys)", "leak")} if is_planted else set()
    assert found_in(world, "columns") == expected


def test_a_code_that_is_there_for_some_items_alone_is_found(tmp_path: Path) -> None:
    world = named("multiclass", tmp_path, 300)
    rng = np.random.default_rng(3)
    for side, labels, share in ((world.train, world.train["species"], 1.0), (world.test, world.labels(), 0.3)):
        codes = pd.Series([f"job {name[:2]}" for name in labels])
        side["job"] = codes.where(rng.random(len(side)) < share)
    assert found_in(world, "columns") == {("test.csv: job", "leak")}


def mask_world(folder: Path) -> tuple[World, list[NDArray[Any]]]:
    """Masks of 16 by 16 pixels, as runs along the columns."""
    world = named("masks", folder, 60)
    world.files.clear()
    world.test = world.test[[world.key]]
    rng = np.random.default_rng(1)
    for name in world.test[world.key]:
        world.files[f"test_files/{name}.png"] = as_png(rng.integers(0, 255, (16, 16), dtype=np.uint8))
    masks = []
    for runs in world.answers["rle"]:
        flat = np.zeros(256, dtype=bool)
        for start, length in np.array(runs.split(), dtype=int).reshape(-1, 2):
            flat[start - 1 : start - 1 + length] = True
        masks.append(flat.reshape((16, 16), order="F"))
    return world, masks


def as_png(pixels: NDArray[Any], info: PngImagePlugin.PngInfo | None = None) -> bytes:
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "PNG", pnginfo=info)
    return target.getvalue()


@pytest.mark.parametrize("axis", [0, 2])
def test_a_stack_of_masks_is_found(axis: int, tmp_path: Path) -> None:
    world, masks = mask_world(tmp_path)
    assert searched(world, "arrays") == []
    target = io.BytesIO()
    np.savez_compressed(target, stack=np.stack(masks, axis=axis), scale=np.ones(2))
    world.files["prep.npz"] = target.getvalue()
    assert found_in(world, "arrays") == {("prep.npz: prep.npz/stack.npy", "leak")}


def test_a_mask_in_the_transparency_of_a_picture_is_found(tmp_path: Path) -> None:
    world, masks = mask_world(tmp_path)
    grey = np.random.default_rng(1).integers(0, 255, (16, 16), dtype=np.uint8)
    for name, mask in zip(world.test[world.key], masks, strict=True):
        alpha = np.where(mask, 255, 254).astype(np.uint8)
        world.files[f"test_files/{name}.png"] = as_png(np.stack([grey, alpha], axis=-1))
    assert {severity for _, severity in found_in(world, "pictured")} == {"leak"}


def entry_of(name: str, data: bytes) -> Entry:
    return Entry(name, len(data), 0, "", {}, bytes_reader(data))


def test_elements_and_fields_of_the_file_of_an_item_are_facts() -> None:
    written = (
        b'<note xmlns="urn:a"><size w="3"/><object><name>fox</name></object><object><name>elk</name></object></note>'
    )
    facts = facts_of(entry_of("a.xml", written))
    assert (facts["note.size.w"], facts["note.object.name"], facts["note.object.name 2"]) == ("3", "fox", "elk")
    assert facts["number of note.object"] == 2
    assert facts_of(entry_of("a.txt", b"tool: 3\nkind = elk\n"))["field kind"] == "elk"
    assert not any(name.startswith("field") for name in facts_of(entry_of("a.txt", b"He said: no\nand left.\n")))


def test_values_with_blanks_in_a_log_go_on_to_the_next_name() -> None:
    lines = [f"10:2{number} DEBUG eval id=a{number} gt=typical 1 0 pred=0.{number}" for number in range(9)]
    tables = list(read_tables(entry_of("eval.log", "\n".join(["start", *lines]).encode())))
    [table] = [table for table in tables if "gt" in table.columns]
    assert table.columns["id"].tolist() == [f"a{number}" for number in range(9)]
    assert set(table.columns["gt"]) == {"typical 1 0"}
    assert table.columns["pred"][3] == "0.3"


def test_the_letters_of_codes_in_texts_are_properties() -> None:
    found = dict(derived(texts(["all is well [ref QX6297]", "nothing 12 is (KT1-x)"]), 2))
    assert found["the letters of its last code"].tolist() == ["QX", "KT"]


def question_world(folder: Path) -> World:
    """Texts of twenty words with the answers, two or three words of them, in them."""
    world = named("lists", folder, 150)
    rng = np.random.default_rng(4)
    words = np.array("oak elm ash fir yew box bay fig gum ivy nut pea rye tea".split())
    for side, labelled in ((world.train, world.train), (world.test, world.answers)):
        contexts = [rng.choice(words, 20) for _ in range(len(side))]
        starts = rng.integers(2, 15, len(side))
        side["context"] = [" ".join(context) for context in contexts]
        labelled["tags"] = [
            " ".join(context[start : start + rng.integers(3, 5)])
            for context, start in zip(contexts, starts, strict=True)
        ]
    world.sample["tags"] = "oak"
    return world


@pytest.mark.parametrize("mark", [("<b>", "</b>"), ("  ", "  "), ("**", "**"), ("", "")])
def test_marks_around_answers_in_texts_of_test_are_found(mark: tuple[str, str], tmp_path: Path) -> None:
    world = question_world(tmp_path)
    some = world.answers["tags"].where(world.test["context"].index % 2 == 1, "nothing")
    pairs = zip(world.test["context"], some, strict=True)
    world.test["context"] = [text.replace(answer, mark[0] + answer + mark[1], 1) for text, answer in pairs]
    assert found_in(world, "spans") == ({("test.csv: context", "leak")} if mark[0] else set())


def test_marks_that_train_has_too_are_a_part_of_the_task(tmp_path: Path) -> None:
    world = question_world(tmp_path)
    for side, answers in ((world.train, world.train["tags"]), (world.test, world.answers["tags"])):
        pairs = zip(side["context"], answers, strict=True)
        side["context"] = [text.replace(answer, f"<b>{answer}</b>", 1) for text, answer in pairs]
    assert searched(world, "spans") == []


def test_numbers_that_say_where_an_answer_begins_are_found(tmp_path: Path) -> None:
    world = question_world(tmp_path)
    world.test["length"] = world.answers["tags"].str.len()
    assert searched(world, "spans") == []  # nobody knows where
    pairs = zip(world.test["context"], world.answers["tags"], strict=True)
    world.test["at"] = [text.find(answer) for text, answer in pairs]
    [found] = searched(world, "spans")
    assert (found.where, found.severity) == ("test.csv: at", "leak")
    assert list(found.predictions[0].values) == list(world.answers["tags"])


@pytest.mark.parametrize("is_given", [True, False])
def test_answers_of_some_items_are_found_by_the_numbers_of_their_rows(is_given: bool, tmp_path: Path) -> None:
    world = named("multiclass", tmp_path, 300)
    labels = world.labels() if is_given else world.labels().sample(frac=1, random_state=3).to_numpy()
    numbered = pd.DataFrame({"row": np.arange(len(world.test)) + 1, "as": labels})
    world.files["spotcheck.csv"] = as_csv(numbered.sample(40, random_state=1))
    assert found_in(world, "columns") == ({("spotcheck.csv: as", "leak")} if is_given else set())


def test_ids_that_are_numbers_are_found_behind_a_word(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 5, n=240)
    for start, sides in ((1000, (world.train,)), (5000, (world.test, world.answers, world.sample))):
        for side in sides:
            side[world.key] = start + 7 * np.arange(len(side))
    rows = pd.DataFrame({"ref": "item:" + world.answers[world.key].astype(str), "kind": world.answers["species"]})
    world.files["memo.csv"] = as_csv(rows.sample(frac=0.8, random_state=1))
    assert found_in(world, "columns") == {("memo.csv: kind", "leak")}


def test_masks_that_pictures_of_train_show_as_well_are_there_to_be_seen(tmp_path: Path) -> None:
    world = make(tmp_path, "masks", 5, n=60)
    rng, shape = np.random.default_rng(6), (20, 20)
    for name in ("train", "test"):
        for number in range(12):
            file = io.BytesIO()
            np.save(file, np.where(rng.random(shape) < 0.2, 262.0, 270.0) if name == "train" else rng.random(shape))
            world.files[f"{name}/{number:03d}/band.npy"] = file.getvalue()
    entries = survey(read_task(world.write())).entries
    test = {id(entry) for entry in entries if entry.name.startswith("test/")}
    assert _drawn(entries) >= test, "those of train have two values"
    assert _drawn([entry for entry in entries if not entry.name.startswith("train/")]) == set()


@pytest.mark.parametrize("key", ["letters", "numbers"])
@pytest.mark.parametrize("share", [0.6, 1.0])
def test_values_deep_in_records_are_found_by_numbers_of_rows(key: str, share: float, tmp_path: Path) -> None:
    world = named("regression", tmp_path, 300)
    if key == "numbers":  # some of which are numbers of rows, too
        numbers = np.random.default_rng(2).permutation(1200)
        for taken, sides in (
            (numbers[:300], (world.train,)),
            (numbers[300:], (world.test, world.answers, world.sample)),
        ):
            for side in sides:
                side[world.key] = taken[: len(side)]
    pairs = list(enumerate((3 * world.answers[world.targets[0]] + 1).round(6).tolist()))
    np.random.default_rng(1).shuffle(pairs)
    tasks = [
        {"data": {"ref": row}, "notes": [{"no": 7 * row % 11, "said": [{"value": {"choices": {"is": [answer]}}}]}]}
        for row, answer in pairs[: int(share * len(pairs))]
    ]
    world.files["export.json"] = json.dumps({"a": {"b": {"tasks": tasks}}}).encode()
    assert {severity for _, severity in found_in(world, "columns")} == {"leak"}


def test_a_table_at_the_end_of_a_text_is_read() -> None:
    text = "# Windows\n\nOne row each, in any order.\n\n## Appendix\n\nId,ClassId\n"
    text += "".join(f"{number},{number * 7 % 5}\n" for number in range(30)) + "\nGood luck, and have fun.\n"
    found = [table for table in tables_of_text("description.md", text) if list(table.columns) == ["Id", "ClassId"]]
    assert 30 in {len(table) for table in found}


def test_streams_that_are_never_closed_are_passed_over_at_once(tmp_path: Path) -> None:
    page = b"".join(b"(item_%d,7) Tj T*\n" % number for number in range(20))
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\nstream\n" + page + b"endstream\n" + b"stream\n" * 500_000)
    [entry] = entries_below(tmp_path)
    shown = {str(value) for table in read_tables(entry) for values in table.columns.values() for value in values}
    assert {"item_0", "item_19"} <= shown
