"""Answers in the files of items: their names, folders, sizes, dates, order, metadata, and copies of them in train."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable
from hashlib import md5
from pathlib import Path

import numpy as np
import pandas as pd
from examiner_case import Case, read_table, write_table
from examiner_kinds import leak
from examiner_media import (
    decoded,
    encoded,
    id3_tag,
    info_list,
    wav_bytes,
    wav_samples,
    with_dicom_comment,
    with_exif,
    with_png_text,
    with_wav_chunk,
)
from PIL import Image
from prepared_twins import need

_PICTURES = (".jpg", ".jpeg", ".png")


def _file_name(case: Case, item: str) -> str:
    """A word for the label of an item that can be in a file name."""
    return "".join(letter if letter.isalnum() else "-" for letter in str(case.labels[item]))[:24]


@leak(weight=3)
def label_in_file_name(case: Case) -> pd.DataFrame:
    case.codes()
    for item, path in case.files.items():
        path.rename(path.with_name(f"{path.stem}_{_file_name(case, item)}{path.suffix}"))
    return case.truth


@leak(weight=3)
def folder_per_class(case: Case) -> pd.DataFrame:
    case.codes()
    for item, path in case.files.items():
        folder = path.parent / _file_name(case, item)
        folder.mkdir(exist_ok=True)
        path.rename(folder / path.name)
    return case.truth


@leak()
def class_folders_in_another_archive(case: Case) -> pd.DataFrame:
    """The pictures as they came, a folder per class, packed beside the tidy ones."""
    case.codes()
    with zipfile.ZipFile(case.new_file(case.pick("images_orig.zip", "upload.zip")), "w") as archive:
        for item, path in case.files.items():
            archive.write(path, f"{_file_name(case, item)}/{path.name}")
    return case.truth


@leak()
def thumbnails_per_class(case: Case) -> pd.DataFrame:
    case.codes()
    need(next(iter(case.files.values())).suffix in _PICTURES, "no pictures")
    folder = case.pick("thumbs", ".thumbnails")
    for item, path in case.files.items():
        small = Image.open(path).convert("RGB").resize((12, 12))
        small.save(case.new_file(f"{item}.jpg", f"{folder}/{_file_name(case, item)}"))
    return case.truth


@leak()
def hash_of_label_in_name(case: Case) -> pd.DataFrame:
    case.codes()
    for item, path in case.files.items():
        mark = md5(str(case.labels[item]).encode()).hexdigest()[:8]
        path.rename(path.with_name(f"{path.stem}-{mark}{path.suffix}"))
    return case.truth


@leak()
def dates_of_files(case: Case) -> pd.DataFrame:
    """The files of one class were copied on one day."""
    codes = case.code_of()
    for (item, path), jitter in zip(case.files.items(), case.rng.integers(0, 20_000, len(case.files)), strict=True):
        when = 1_600_000_000 + 86_400 * 3 * codes[item] + int(jitter)
        os.utime(path, (when, when))
    return case.guess(case.codes())


@leak()
def order_of_dates(case: Case) -> pd.DataFrame:
    """The files were written in the order of their answers."""
    order = np.argsort(case.numbers(), kind="stable")
    for place, row in enumerate(order):
        if (path := case.files.get(case.ids[row])) is not None:
            os.utime(path, (1_650_000_000 + place // 3, 1_650_000_000 + place // 3))
    return case.guess_by_place(case.numbers())


@leak()
def permissions_of_files(case: Case) -> pd.DataFrame:
    codes = case.code_of()
    groups = np.array([min(code, 1) for code in codes.values()])
    for item, path in case.files.items():
        path.chmod(0o644 if codes[item] == 0 else 0o664)
    return case.guess(groups)


@leak()
def sizes_of_files(case: Case) -> pd.DataFrame:
    """Files of another class were saved by another program, which pads them."""
    codes = case.code_of()
    pads = case.rng.integers(0, 60, len(codes))
    padding = {item: 400 * code + int(pad) for (item, code), pad in zip(codes.items(), pads, strict=True)}
    case.change_items(lambda item, data: data + b"\0" * padding[item], *_PICTURES, ".wav")
    return case.guess(case.codes())


@leak()
def quality_of_pictures(case: Case) -> pd.DataFrame:
    """Positives came from another hospital, which saves its pictures at another quality."""
    codes = case.code_of()

    def change(item: str, data: bytes) -> bytes:
        return encoded(decoded(data).convert("RGB"), "JPEG", quality=95 if codes[item] else 70)

    case.change_items(change, ".jpg", ".jpeg")
    return case.guess([min(code, 1) for code in codes.values()])


@leak()
def size_of_pictures(case: Case) -> pd.DataFrame:
    codes = case.code_of()

    def change(item: str, data: bytes) -> bytes:
        picture = decoded(data)
        kept = (picture.width - 2, picture.height) if codes[item] else picture.size
        return encoded(picture.resize(kept), picture.format or "PNG")

    case.change_items(change, *_PICTURES)
    return case.guess([min(code, 1) for code in codes.values()])


def _commented(case: Case, change: Callable[[bytes, str], bytes], *suffixes: str, share: float = 1.0) -> pd.DataFrame:
    """Write the label of each item, or of a part of them, into its file."""
    case.codes()
    told = set(case.some(share))
    labels = case.labels.to_dict()

    def note(item: str, data: bytes) -> bytes:
        return change(data, str(labels[item])) if item in told else data

    case.change_items(note, *suffixes)
    return case.truth.loc[[item for item in case.ids if item in told]]


@leak(weight=3)
def png_text(case: Case) -> pd.DataFrame:
    key = case.pick("Description", "Comment", "Title", "annotation")
    return _commented(case, lambda data, label: with_png_text(data, key, f"reviewed: {label}"), ".png")


@leak(weight=3)
def exif_entry(case: Case) -> pd.DataFrame:
    tag = int(case.rng.choice([0x010E, 0x013B, 0x0131]))  # description, artist, software
    return _commented(case, lambda data, label: with_exif(data, tag, label), ".jpg", ".jpeg")


@leak()
def exif_entry_of_some(case: Case) -> pd.DataFrame:
    return _commented(case, lambda data, label: with_exif(data, 0x010E, label), ".jpg", ".jpeg", share=0.4)


@leak()
def jpeg_comment(case: Case) -> pd.DataFrame:
    def change(data: bytes, label: str) -> bytes:
        return encoded(decoded(data), "JPEG", quality=90, comment=f"class {label}".encode())

    return _commented(case, change, ".jpg", ".jpeg")


@leak()
def wav_info(case: Case) -> pd.DataFrame:
    return _commented(case, lambda data, label: with_wav_chunk(data, b"LIST", info_list(label)), ".wav")


@leak()
def id3_in_sound(case: Case) -> pd.DataFrame:
    return _commented(case, lambda data, label: with_wav_chunk(data, b"id3 ", id3_tag(label)), ".wav", share=0.6)


@leak()
def dicom_tag(case: Case) -> pd.DataFrame:
    need(next(iter(case.files.values())).read_bytes().count(b"\x28\x00\x02\x00US") == 1, "scans of another make")
    return _commented(case, lambda data, label: with_dicom_comment(data, f"impression {label}"), ".dcm")


def _members(case: Case) -> list[tuple[zipfile.ZipInfo, bytes]]:
    with zipfile.ZipFile(case.archive) as packed:
        return [(info, packed.read(info)) for info in packed.infolist()]


@leak()
def order_in_archive(case: Case) -> pd.DataFrame:
    places = dict(zip(case.ids, case.numbers(), strict=True))
    members = [pair for pair in _members(case) if Path(pair[0].filename).stem in places]
    case.rewrite_archive(sorted(members, key=lambda pair: places[Path(pair[0].filename).stem]))
    return case.guess_by_place(case.numbers())


@leak()
def dates_in_archive(case: Case) -> pd.DataFrame:
    codes, members = case.code_of(), _members(case)
    for info, _ in members:
        if (code := codes.get(Path(info.filename).stem)) is not None:
            info.date_time = (2021, 3, 1 + code, 12, int(case.rng.integers(60)), 0)
    case.rewrite_archive(members)
    return case.guess(case.codes())


@leak()
def comments_in_archive(case: Case) -> pd.DataFrame:
    codes, members = case.code_of(), _members(case)
    for info, _ in members:
        if (code := codes.get(Path(info.filename).stem)) is not None:
            info.comment = f"batch {code}".encode()
    case.rewrite_archive(members)
    return case.guess(case.codes())


def _copies_in_train(case: Case, share: float, change: Callable[[bytes], bytes], *suffixes: str) -> pd.DataFrame:
    """Items to predict are in train too, with their labels, under other ids."""
    train = read_table(case.train_path)
    need(not set(train.columns) - {case.key, *case.targets, "latitude"}, "train has further columns")
    pattern = next(iter(case.files_of([str(item) for item in train[case.key]][:400]).values()))
    need(next(iter(case.files.values())).suffix in suffixes, "files of another format")
    told = [item for item in case.some(share) if item in case.files]
    rows = []
    for item in told:
        stem = pattern.stem
        head = stem.rstrip("0123456789abcdef") if stem[:1].isalpha() else ""
        name = f"{head}{case.rng.integers(10**7, 10**8)}"
        (pattern.parent / f"{name}{pattern.suffix}").write_bytes(change(case.files[item].read_bytes()))
        row = {case.key: name + (pattern.suffix if str(train[case.key].iloc[0]).endswith(pattern.suffix) else "")}
        row |= {"latitude": "50.0"} if "latitude" in train else {}
        rows.append(row | case.truth.loc[item].to_dict())
    whole = pd.concat([train, pd.DataFrame(rows)])[list(train.columns)]
    write_table(case.train_path, whole.iloc[case.rng.permutation(len(whole))])
    return case.truth.loc[told]


@leak(weight=3)
def pictures_again_in_train(case: Case) -> pd.DataFrame:
    return _copies_in_train(case, 0.5, lambda data: data, *_PICTURES)


@leak()
def pictures_nearly_again_in_train(case: Case) -> pd.DataFrame:
    """Saved again, mirrored or a little brighter."""
    way = int(case.rng.integers(3))

    def change(data: bytes) -> bytes:
        picture = decoded(data)
        if way == 1:
            picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        elif way == 2:
            picture = picture.point(lambda shade: min(255, shade + 12))
        form = decoded(data).format or "PNG"
        return encoded(picture, form, **({"quality": 80} if form == "JPEG" else {}))

    return _copies_in_train(case, 0.6, change, *_PICTURES)


@leak()
def sounds_again_in_train(case: Case) -> pd.DataFrame:
    quieter = bool(case.rng.random() < 0.5)

    def change(data: bytes) -> bytes:
        return wav_bytes(wav_samples(data) * 0.7) if quieter else data

    return _copies_in_train(case, 0.5, change, ".wav")


@leak()
def one_class_has_no_files(case: Case) -> pd.DataFrame:
    """The files of most positives are missing, and who has none is positive."""
    codes = case.code_of()
    last = max(codes.values())
    gone = {item for item, code in codes.items() if code == last and case.rng.random() < 0.8}
    for item in gone & set(case.files):
        case.files[item].unlink()
    return case.guess([item in gone for item in case.ids])


@leak(weight=1, defect="missing_inputs")
def files_are_missing(case: Case) -> pd.DataFrame:
    """A third of the items has no file; that says nothing, but cannot be predicted."""
    for item in case.some(0.35):
        if item in case.files:
            case.files[item].unlink()
    return case.truth.iloc[:0]


@leak(weight=1, defect="missing_inputs")
def archive_is_empty(case: Case) -> pd.DataFrame:
    case.rewrite_archive([])
    return case.truth.iloc[:0]


@leak()
def copies_with_labels_in_a_cache(case: Case) -> pd.DataFrame:
    """A cache of training examples: some files of test under names that begin with the class."""
    codes, told = case.code_of(), [item for item in case.some(0.6) if item in case.files]
    for number, item in enumerate(told):
        path = case.files[item]
        shutil.copyfile(path, case.new_file(f"c{codes[item]}_{number:05d}{path.suffix}", ".cache/examples"))
    return case.guess(case.codes()).loc[told]
