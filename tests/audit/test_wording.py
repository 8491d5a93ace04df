"""Answers within comments, tags and names of files, and in how texts are written; and honest texts beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make, picture
from examiner_media import dicom_bytes, with_dicom_comment, with_exif, with_png_text
from test_values import searched

from mlebench.audit.text_forms import form_of_text, remarks

_FILLING = "scan note unit left axial routine check done by team per protocol view series".split()
_NAMES = "alpha bravo carl delta echo".split()
Said = Callable[[str, int, "np.random.Generator"], str]  # (side, number of the class, ...) -> what is said
Written = Callable[[str, str, str, "np.random.Generator"], tuple[str, bytes]]  # (side, id, what is said, ...) -> a file


def _filling(rng: np.random.Generator, count: int) -> list[str]:
    return [str(word) for word in rng.choice(_FILLING, count)]


def _named(word: str, rng: np.random.Generator) -> str:
    """A word somewhere in a sentence."""
    words = _filling(rng, 6)
    words.insert(int(rng.integers(1, 6)), word)
    return " ".join(words)


def _in_test_alone(side: str, kind: int, rng: np.random.Generator) -> str:
    return _named(_NAMES[kind], rng) if side == "test" else " ".join(_filling(rng, 6))


def _as_a_code_that_train_has_at_random(side: str, kind: int, rng: np.random.Generator) -> str:
    code = "k2 k7 k4 k9 k1".split()[kind if side == "test" else int(rng.integers(5))]
    return f"ref {rng.integers(10**6)} cal {code} unit {rng.integers(9)} end"


def _at_random(side: str, kind: int, rng: np.random.Generator) -> str:
    return _named(str(rng.choice(_NAMES)), rng)


def _of_one_person_each(side: str, kind: int, rng: np.random.Generator) -> str:
    """Persons on one side each, of one class each, as those of patients are."""
    return _named(f"{side[1]}p{kind + 5 * int(rng.integers(4))}x", rng)


def _dicom(side: str, item: str, said: str, rng: np.random.Generator) -> tuple[str, bytes]:
    return f"{side}/{item}.dcm", with_dicom_comment(dicom_bytes(rng, 0.0), said)


def _molecule(side: str, item: str, said: str, rng: np.random.Generator) -> tuple[str, bytes]:
    atoms = [f"C {x:.4f} {y:.4f} {z:.4f}" for x, y, z in rng.normal(size=(int(rng.integers(4, 9)), 3))]
    return f"{side}/{item}.xyz", "\n".join([str(len(atoms)), said, *atoms, ""]).encode()


def _protein(side: str, item: str, said: str, rng: np.random.Generator) -> tuple[str, bytes]:
    head = ["HEADER    X", *(f"REMARK {place}" for place in range(int(rng.integers(1, 4)))), f"REMARK 99 {said}"]
    return f"{side}/{item}.pdb", "\n".join([*head, *(f"ATOM {x:.3f}" for x in rng.normal(size=9)), ""]).encode()


def _drawing(side: str, item: str, said: str, rng: np.random.Generator) -> tuple[str, bytes]:
    return f"{side}/{item}.svg", f"<svg><g><path d='M{rng.integers(99)}'/><!-- {said} --></g></svg>".encode()


def _game(side: str, item: str, said: str, rng: np.random.Generator) -> tuple[str, bytes]:
    moves = " ".join(f"{turn}. e{rng.integers(1, 9)} d{rng.integers(1, 9)}" for turn in range(12))
    return f"{side}/{item}.pgn", f'[Event "x"]\n[Annotator "{said}"]\n\n{moves}\n'.encode()


def _measured(side: str, item: str, said: str, rng: np.random.Generator) -> tuple[str, bytes]:
    rows = [f"{moment},{value:.4f}" for moment, value in enumerate(rng.normal(size=20))]
    return f"{side}/{item}.csv", "\n".join([f"# {said}", "t,x", *rows, ""]).encode()


def _sequence(side: str, item: str, said: str, rng: np.random.Generator) -> tuple[str, bytes]:
    return f"{side}/{item}.fasta", f">{item} {said}\n{''.join(rng.choice(list('ACGT'), 60))}\n".encode()


def with_files(world: World, write: Callable[[str, str, str, int], tuple[str, bytes]]) -> World:
    """A world with a file for each item, from the side, the id, the answer and the number of its class."""
    world.files = {}
    classes = sorted({str(value) for value in world.answers[world.targets[0]]})
    for side, frame in (("train", world.train), ("test", world.answers)):
        for item, answer in zip(frame[world.key], frame[world.targets[0]], strict=True):
            kind = classes.index(str(answer)) if str(answer) in classes else 0
            name, data = write(side, str(item), str(answer), kind)
            world.files[name] = data
    return world


def _leaks(world: World, *names: str) -> list[str]:
    return [found.where for found in searched(world, *names) if found.severity == "leak"]


@pytest.mark.parametrize(
    ("write", "said"),
    [
        *((write, _in_test_alone) for write in (_dicom, _molecule, _protein, _drawing, _game, _measured, _sequence)),
        *((write, _as_a_code_that_train_has_at_random) for write in (_dicom, _molecule)),
    ],
)
def test_a_word_in_a_comment_or_a_tag_tells_the_class(write: Written, said: Said, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=240)
    rng = np.random.default_rng(1)
    with_files(world, lambda side, item, answer, kind: write(side, item, said(side, kind, rng), rng))
    assert _leaks(world, "wording")


def test_of_a_few_items_the_words_tell_only_together(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=90)
    rng = np.random.default_rng(3)
    with_files(world, lambda side, item, answer, kind: _dicom(side, item, _in_test_alone(side, kind, rng), rng))
    assert _leaks(world, "wording")


@pytest.mark.parametrize("write", [_dicom, _molecule, _drawing])
@pytest.mark.parametrize("said", [_at_random, _of_one_person_each])
def test_words_that_train_has_in_the_same_way_are_no_leak(write: Written, said: Said, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 3, n=240)
    rng = np.random.default_rng(1)
    with_files(world, lambda side, item, answer, kind: write(side, item, said(side, kind, rng), rng))
    assert not _leaks(world, "wording")


@pytest.mark.parametrize("write", [_dicom, _protein, _sequence])
@pytest.mark.parametrize("is_told", [True, False])
def test_a_number_in_a_comment_or_a_tag_is_the_answer(write: Written, is_told: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 3, n=240)
    rng = np.random.default_rng(1)
    others = rng.permutation(world.answers[world.targets[0]].astype(str))

    def file_of(side: str, item: str, answer: str, kind: int) -> tuple[str, bytes]:
        value = answer if is_told and side == "test" else str(rng.choice(others))
        words = _filling(rng, 3)
        return write(side, item, f"{words[0]} {rng.integers(10**5)} est={value} {words[1]} by {words[2]}", rng)

    assert bool(_leaks(with_files(world, file_of), "columns")) is is_told


def _in_the_middle(side: str, item: str, token: str, rng: np.random.Generator) -> str:
    return f"{side}/IMG_{item}_{token}_{rng.integers(10**4):04d}.png"


def _behind(side: str, item: str, token: str, rng: np.random.Generator) -> str:
    return f"{side}/x{rng.bytes(int(rng.integers(1, 4))).hex()}-{token}-{item}.png"


@pytest.mark.parametrize("name", [_in_the_middle, _behind])
@pytest.mark.parametrize("known", ["test", "both sides", "nobody"])
def test_a_token_in_the_names_of_files_tells_the_class(
    name: Callable[[str, str, str, np.random.Generator], str], known: str, tmp_path: Path
) -> None:
    world = make(tmp_path, "multiclass", 3, n=240)
    rng = np.random.default_rng(1)

    def file_of(side: str, item: str, answer: str, kind: int) -> tuple[str, bytes]:
        is_told = known == "both sides" or known == side
        order = sorted({*world.train.species})
        token = "abcde"[order.index(answer)] if is_told else str(rng.choice(list("abcde")))
        return name(side, item, token, rng), picture(rng, 0.0)

    assert bool(_leaks(with_files(world, file_of), "columns", "wording")) is (known != "nobody")


@pytest.mark.parametrize(
    ("family", "n"), [("binary", 90), ("multiclass", 90), ("multiclass", 240), ("regression", 240)]
)
@pytest.mark.parametrize("by_answer", [True, False])
def test_numbers_in_names_of_files_that_were_given_class_by_class(
    family: str, n: int, by_answer: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, family, 3, n=n)
    rng = np.random.default_rng(1)
    for side, frame in (("train", world.train), ("test", world.answers)):
        shuffled = frame.sample(frac=1, random_state=1)
        if side == "test" and by_answer:
            shuffled = shuffled.sort_values(world.targets[0], kind="stable")
        for number, item in enumerate(shuffled[world.key], 5000):
            world.files[f"{side}/IMG_{number}_{item}.png"] = picture(rng, 0.0)
    assert bool(_leaks(world, "columns")) is by_answer


_FORMS: dict[str, Callable[[list[str], bool], bytes]] = {
    "ends of lines": lambda lines, flag: ("\r\n" if flag else "\n").join([*lines, "x"]).encode(),
    "an end of one line": lambda lines, flag: "\n".join([*lines[:2], lines[2] + "\r" * flag, *lines[3:]]).encode(),
    "a newline at the end": lambda lines, flag: ("\n".join(lines) + "\n" * flag).encode(),
    "a blank line at the end": lambda lines, flag: ("\n".join(lines) + "\n" * (1 + flag)).encode(),
    "a mark at the beginning": lambda lines, flag: b"\xef\xbb\xbf" * flag + "\n".join(lines).encode(),
    "a blank behind a line": lambda lines, flag: "\n".join([*lines[:2], lines[2] + " " * flag, *lines[3:]]).encode(),
}


@pytest.mark.parametrize("form", list(_FORMS))
@pytest.mark.parametrize("known", ["test", "nobody"])
def test_how_lines_and_texts_end_tells_the_class(form: str, known: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=240)
    rng = np.random.default_rng(1)

    def file_of(side: str, item: str, answer: str, kind: int) -> tuple[str, bytes]:
        flag = bool(kind) if known == side else bool(rng.random() < 0.5)
        lines = [" ".join(_filling(rng, 6)) for _ in range(int(rng.integers(4, 9)))]
        return f"{side}/{item}.txt", _FORMS[form](lines, flag)

    assert bool(_leaks(with_files(world, file_of), "marks")) is (known == "test")


def test_the_form_of_a_text() -> None:
    assert form_of_text(b"a\r\nb \nc") == {
        "ends of lines": "CRLF and LF",
        "end of the text": "none",
        "byte order mark": "False",
        "blanks behind lines": "True",
    }
    assert remarks("# one\nx = 1\n<!-- two\n three -->\n") == "# one\n<!-- two three -->"


@pytest.mark.parametrize("tells", [True, False])
def test_words_in_tags_that_are_written_in_utf_16(tells: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 7, n=60)
    rng, [target] = np.random.default_rng(5), world.targets
    world.files = {}
    for side, answers in (("train", world.train), ("test", world.answers)):
        answers[target] = rng.choice(["ash", "birch", "cedar"], len(answers))
        said = answers[target] if tells else rng.permutation(answers[target])
        for name, label in zip(answers[world.key], said, strict=True):
            words = f"{label}\0".encode("utf-16-le")
            world.files[f"{side}_files/{name}.jpg"] = with_exif(picture(rng, 0.0), 0x9C9C, words)
    world.sample[target] = "ash"
    found = {(one.where, one.kind) for one in searched(world, "columns") if one.severity == "leak"}
    assert found == ({("test_files/*.jpg: EXIF XPComment", "answers_in_public")} if tells else set())


def pictures_with_a_comment(folder: Path, says: Callable[[str, int], str], sides: tuple[str, ...]) -> World:
    """Pictures of few items, some sides of which have a comment that is made from the class and a number."""
    world = make(folder, "pictures", 7, n=60)
    rng, [target] = np.random.default_rng(5), world.targets
    world.files = {}
    for side, answers in (("train", world.train), ("test", world.answers)):
        answers[target] = rng.choice(["ash", "birch"], len(answers))
        for name, label in zip(answers[world.key], answers[target], strict=True):
            number = int(rng.integers(10_000, 99_999))
            data = with_png_text(picture(rng, 0.0), "Comment", says(label, number)) if side in sides else None
            world.files[f"{side}_files/{name}.png"] = data or picture(rng, 0.0)
    world.sample[target] = "ash"
    return world


@pytest.mark.parametrize("tells", [True, False])
def test_folders_of_originals_in_comments(tells: bool, tmp_path: Path) -> None:
    def says(label: str, number: int) -> str:
        return rf"C:\photos\{label if tells else 'part' + str(number % 3)}\{number}.raw"

    world = pictures_with_a_comment(tmp_path, says, ("train", "test"))
    world.answers, world.sample = world.answers[:14], world.sample[:14]
    world.test = world.test[:14]
    found = {one.kind for one in searched(world, "columns") if one.severity == "leak"}
    assert found == ({"answers_in_public"} if tells else set())


@pytest.mark.parametrize("tells", [True, False])
def test_a_comment_that_all_files_to_predict_have_and_none_of_train(tells: bool, tmp_path: Path) -> None:
    def says(label: str, number: int) -> str:
        return "stage 4" if (label == "birch" if tells else number % 2 == 0) else "stage 1"

    world = pictures_with_a_comment(tmp_path, says, ("test",))
    world.answers, world.sample = world.answers[:15], world.sample[:15]
    world.test = world.test[:15]
    found = {one.where for one in searched(world, "columns") if one.severity == "leak"}
    assert found == ({"test_files/*.png: metadata Comment"} if tells else set())
