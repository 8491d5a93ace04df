"""Leaks as strangers leave them, second part: in what is there already, tables, samples, pictures and sounds."""

from __future__ import annotations

import os
import struct
import wave
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image
from prepared_twins import NotHereError, Twin, need, read

from mlebench.files.tables import to_numbers

Plant = Callable[[Twin], None]
PLACES: dict[str, Plant] = {}
NEEDS: dict[str, tuple[str, ...]] = {}


def leak(*needs: str) -> Callable[[Plant], Plant]:
    """Register a kind of leak, with what a twin must have for it."""

    def register(plant: Plant) -> Plant:
        PLACES[plant.__name__] = plant
        NEEDS[plant.__name__] = needs
        return plant

    return register


# ---------------------------------------------------------------- columns of the test table


def _column(twin: Twin, test: Callable[[NDArray[np.int64]], object], train: Callable[[int], object] | None) -> None:
    """A new column in the test table, made from codes; in train it says nothing, or is not there."""
    table = read(twin.test_table)
    codes = np.array([twin.code_of()[item] for item in table[twin.key]])
    name = twin.word(5)
    table.insert(int(twin.rng.integers(1, table.shape[1] + 1)), name, test(codes))
    table.to_csv(twin.test_table, index=False)
    if train is not None:
        labelled = read(twin.train_table)
        labelled[name] = train(len(labelled))
        labelled.to_csv(twin.train_table, index=False)


@leak("test_table", "train_table")
def batch_number(twin: Twin) -> None:
    shuffle = twin.rng.permutation(50)
    _column(twin, lambda codes: shuffle[codes % 50], lambda n: twin.rng.integers(0, 5, n))


@leak("test_table")
def column_for_test_alone(twin: Twin) -> None:
    _column(twin, lambda codes: np.round(codes * 0.7 + twin.rng.normal(size=len(codes)) * 0.2, 3), None)


@leak("test_table", "train_table")
def remainder_of_a_number(twin: Twin) -> None:
    def numbers(codes: NDArray[np.int64]) -> object:
        return twin.rng.integers(1000, 9000, len(codes)) * 7 + codes % 7

    _column(twin, numbers, lambda n: twin.rng.integers(7000, 63000, n))


@leak("test_table", "train_table")
def sum_of_two_columns(twin: Twin) -> None:
    table = read(twin.test_table)
    codes = np.array([twin.code_of()[item] for item in table[twin.key]])
    many = int(codes.max()) + 1
    first = twin.rng.integers(0, many, len(codes))
    names = twin.word(4), twin.word(4)
    table[names[0]], table[names[1]] = first, (codes - first) % many
    table.to_csv(twin.test_table, index=False)
    labelled = read(twin.train_table)
    for name in names:
        labelled[name] = twin.rng.integers(0, many, len(labelled))
    labelled.to_csv(twin.train_table, index=False)


@leak("test_table", "train_table")
def date_that_follows(twin: Twin) -> None:
    start = np.datetime64("2018-01-01")

    def dates(codes: NDArray[np.int64]) -> object:
        return [
            str(start + int(code) * 90 + int(day))
            for code, day in zip(codes, twin.rng.integers(0, 80, len(codes)), strict=True)
        ]

    _column(twin, dates, lambda n: [str(start + int(day)) for day in twin.rng.integers(0, 600, n)])


@leak("test_table", "train_table")
def seconds_of_a_timestamp(twin: Twin) -> None:
    start = np.datetime64("2020-06-01T00:00:00")

    def times(codes: NDArray[np.int64]) -> object:
        minutes = twin.rng.integers(0, 200_000, len(codes))
        return [str(start + int(minute) * 60 + int(code) % 60) for minute, code in zip(minutes, codes, strict=True)]

    _column(twin, times, lambda n: [str(start + int(second)) for second in twin.rng.integers(0, 12_000_000, n)])


@leak("test_table", "train_table")
def token_with_a_letter(twin: Twin) -> None:
    def tokens(codes: NDArray[np.int64]) -> object:
        return [twin.word(3) + "acegikmoqsuwybdfhjlnprtvxz"[code % 26] + twin.word(4) for code in codes]

    _column(twin, tokens, lambda n: [twin.word(8) for _ in range(n)])


@leak("test_table", "train_table")
def missing_in_a_new_column(twin: Twin) -> None:
    def values(codes: NDArray[np.int64]) -> object:
        return ["" if code else f"{twin.rng.normal():.3f}" for code in codes]

    _column(twin, values, lambda n: ["" if twin.rng.random() < 0.5 else f"{twin.rng.normal():.3f}" for _ in range(n)])


@leak("test_table", "train_table")
def missing_in_a_column_that_has_gaps(twin: Twin) -> None:
    """Gaps by chance in train; in test those of one class are filled in."""

    def values(codes: NDArray[np.int64]) -> object:
        gaps = (twin.rng.random(len(codes)) < 0.6) & (codes > 0)
        return [
            "" if gap else f"{value:.3f}" for gap, value in zip(gaps, twin.rng.normal(size=len(codes)), strict=True)
        ]

    _column(twin, values, lambda n: ["" if twin.rng.random() < 0.3 else f"{twin.rng.normal():.3f}" for _ in range(n)])


def _number_columns(twin: Twin) -> tuple[pd.DataFrame, NDArray[np.int64], list[str]]:
    table = read(twin.test_table)
    found = []
    for name in table.columns:
        values = to_numbers(table[name])
        if name != twin.key and values.notna().mean() > 0.9 and values.nunique() > 30 and (values % 1 != 0).any():
            found.append(name)
    need(found, "no column of fractions")
    return table, np.array([twin.code_of()[item] for item in table[twin.key]]), found


@leak("test_table")
def last_digit_of_a_fraction(twin: Twin) -> None:
    table, codes, names = _number_columns(twin)
    name = str(twin.rng.choice(names))
    table[name] = [f"{value}{code % 10}" if value else value for value, code in zip(table[name], codes, strict=True)]
    table.to_csv(twin.test_table, index=False)


@leak("test_table")
def digits_of_a_fraction(twin: Twin) -> None:
    table, codes, names = _number_columns(twin)
    name = str(twin.rng.choice(names))
    table[name] = [
        f"{float(value):.{1 if code else 2}f}" if value else value
        for value, code in zip(table[name], codes, strict=True)
    ]
    table.to_csv(twin.test_table, index=False)


@leak("test_table")
def gaps_where_none_were(twin: Twin) -> None:
    table, codes, names = _number_columns(twin)
    table.loc[codes > 0, str(twin.rng.choice(names))] = ""
    table.to_csv(twin.test_table, index=False)


@leak("test_table")
def scaled_for_one_class(twin: Twin) -> None:
    table, codes, names = _number_columns(twin)
    name = str(twin.rng.choice(names))
    values = to_numbers(table[name])
    table[name] = np.where(codes > 0, values + 2.5 * values.std(), values)
    table.to_csv(twin.test_table, index=False)


def _text_column(twin: Twin) -> tuple[pd.DataFrame, NDArray[np.int64], str]:
    table = read(twin.test_table)
    for name in table.columns:
        if name != twin.key and table[name].str.contains(" ").mean() > 0.8 and table[name].str.len().mean() > 15:
            return table, np.array([twin.code_of()[item] for item in table[twin.key]]), name
    raise NotHereError("no column of texts")


def _text(twin: Twin, change: Callable[[str, int], str]) -> None:
    table, codes, name = _text_column(twin)
    table[name] = [change(text, int(code)) for text, code in zip(table[name], codes, strict=True)]
    table.to_csv(twin.test_table, index=False)


@leak("test_table")
def blank_at_the_end(twin: Twin) -> None:
    _text(twin, lambda text, code: text.rstrip() + " " * code)


@leak("test_table")
def double_space_inside(twin: Twin) -> None:
    _text(twin, lambda text, code: text.replace(" ", "  ", 1) if code else text.replace("  ", " "))


@leak("test_table")
def no_break_space(twin: Twin) -> None:
    _text(twin, lambda text, code: text.replace(" ", "\u00a0", 1) if code else text)


@leak("test_table")
def zero_width(twin: Twin) -> None:
    _text(twin, lambda text, code: text[:5] + "\u200b" * code + text[5:])


@leak("test_table")
def capital_letter(twin: Twin) -> None:
    _text(twin, lambda text, code: text.capitalize() if code else text.lower())


@leak("test_table")
def word_in_the_text(twin: Twin) -> None:
    words = [twin.word(6) for _ in range(40)]
    _text(twin, lambda text, code: f"{text} {words[code % 40]}")


@leak("test_table")
def rows_in_order_of_answer(twin: Twin) -> None:
    table = read(twin.test_table)
    codes = np.array([twin.code_of()[item] for item in table[twin.key]])
    order = twin.numbers if twin.numbers is not None else codes
    by_id = dict(zip(twin.ids, order, strict=True)) if twin.numbers is not None else twin.code_of()
    ranked = np.argsort([by_id[item] for item in table[twin.key]], kind="stable")
    table.iloc[ranked].to_csv(twin.test_table, index=False)


@leak("test_table")
def classes_take_turns(twin: Twin) -> None:
    """Rows of two classes alternate as long as they last."""
    table = read(twin.test_table)
    codes = np.array([min(1, twin.code_of()[item]) for item in table[twin.key]])
    zeros, ones = list(np.flatnonzero(codes == 0)), list(np.flatnonzero(codes == 1))
    need(min(len(zeros), len(ones)) >= 20)
    order = [row for pair in zip(zeros, ones, strict=False) for row in pair]
    order += zeros[len(ones) :] + ones[len(zeros) :]
    table.iloc[order].to_csv(twin.test_table, index=False)


@leak("test_table")
def new_ids_with_parity(twin: Twin) -> None:
    """Ids are numbers that are even for one class, in the test table, the sample and the answers alike."""
    tables = {twin.test_table, twin.competition.sample_submission, twin.competition.answers}
    need(all(path.suffix == ".csv" for path in tables))
    for other in twin.public.rglob("*"):
        need(other in tables or not other.is_file() or not set(twin.ids) & {other.name, other.stem})
    numbers = twin.rng.permutation(90_000)[: len(twin.ids)] + 10_000
    renamed = {
        item: str(2 * number + min(1, twin.code_of()[item])) for item, number in zip(twin.ids, numbers, strict=True)
    }
    gold = twin.competition.gold_submission
    for path in tables | ({gold} if gold.is_file() else set()):
        table = read(path)
        need(twin.key in table)
        table[twin.key] = table[twin.key].map(renamed)
        table.to_csv(path, index=False)


# ---------------------------------------------------------------- the sample submission


def _sample(twin: Twin) -> tuple[pd.DataFrame, str]:
    table = read(twin.sample)
    column = twin.target if twin.target in table else table.columns[1]
    need(not twin.one_hot and list(table[twin.key]) == twin.ids)
    return table, column


@leak("sample")
def sample_in_order_of_answer(twin: Twin) -> None:
    table = read(twin.sample)
    order = (
        np.argsort(twin.numbers, kind="stable") if twin.numbers is not None else np.argsort(twin.codes(), kind="stable")
    )
    table.iloc[order].to_csv(twin.sample, index=False)


@leak("sample")
def sample_nearly_neutral(twin: Twin) -> None:
    table, column = _sample(twin)
    try:
        table[column].astype(float)
    except ValueError:
        raise NotHereError("not a number") from None
    table[column] = np.round(0.5 + 0.001 * (twin.codes() - 0.5) + twin.rng.normal(size=len(table)) * 1e-5, 6)
    table.to_csv(twin.sample, index=False)


@leak("sample")
def sample_with_a_third_true(twin: Twin) -> None:
    table, column = _sample(twin)
    need(len(set(twin.answers)) > 1 and len(twin.ids) >= 30)
    rows = twin.rng.permutation(len(table))[: len(table) // 3]
    table.loc[rows, column] = np.array(twin.answers, dtype=object)[rows]
    table.to_csv(twin.sample, index=False)


@leak("sample")
def sample_written_with_more_digits(twin: Twin) -> None:
    table, column = _sample(twin)
    codes = twin.codes()
    try:
        values = table[column].astype(float)
    except ValueError:
        raise NotHereError("not a number") from None
    table[column] = [f"{value:.{1 + code % 3}f}" for value, code in zip(values, codes, strict=True)]
    table.to_csv(twin.sample, index=False)


# ---------------------------------------------------------------- files of items


def _each(twin: Twin, change: Callable[[Path, int], object]) -> None:
    codes = twin.code_of()
    files = twin.files
    for item, path in files.items():
        when = path.stat().st_mtime_ns
        if path.stat().st_nlink > 1:  # a link to the same file elsewhere must not change with it
            data = path.read_bytes()
            path.unlink()
            path.write_bytes(data)
        change(path, codes[item])
        os.utime(path, ns=(when, when))


def _insert(path: Path, at: int, data: bytes) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + data + whole[at:])


@leak("files")
def padding_at_the_end(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg", ".png", ".tif", ".wav", ".json", ".csv", ".aif")
    _each(twin, lambda path, code: path.write_bytes(path.read_bytes() + b"\n" * code))


@leak("files")
def bytes_after_the_end(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg", ".png", ".tif")
    noise = twin.rng.integers(0, 256, 4000).astype(np.uint8).tobytes()
    _each(twin, lambda path, code: path.write_bytes(path.read_bytes() + noise[:3] + bytes([65 + code])))


@leak("files")
def file_dates(twin: Twin) -> None:
    codes = twin.code_of()
    for item, path in twin.files.items():
        when = 1_500_000_000 + codes[item] * 86400 * 40 + int(twin.rng.integers(0, 86400 * 30))
        os.utime(path, (when, when))


@leak("files")
def file_dates_one_second_apart(twin: Twin) -> None:
    """Files written class after class: the order of their dates tells."""
    codes = twin.code_of()
    ordered = sorted(twin.files, key=lambda item: (codes[item], twin.rng.random()))
    for number, item in enumerate(ordered):
        os.utime(twin.files[item], (1_600_000_000 + number, 1_600_000_000 + number))


@leak("files")
def file_permissions(twin: Twin) -> None:
    codes = twin.code_of()
    for item, path in twin.files.items():
        path.chmod(0o644 if codes[item] else 0o664)


@leak("files")
def jpeg_comment(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg")
    _each(twin, lambda path, code: _insert(path, 2, b"\xff\xfe" + struct.pack(">H", 7) + f"v1.{code:02d}".encode()))


@leak("files")
def jpeg_exif(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg")

    def change(path: Path, code: int) -> None:
        picture = Image.open(path)
        exif = picture.getexif()
        exif[0x0131] = f"Editor {7 + code}"
        picture.save(path, "JPEG", exif=exif, quality=90)

    _each(twin, change)


@leak("files")
def jpeg_exif_exposure(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg")

    def change(path: Path, code: int) -> None:
        picture = Image.open(path)
        exif = picture.getexif()
        exif.get_ifd(0x8769)[0x829A] = (1 + code) / 200
        exif.get_ifd(0x8769)[0x8827] = int(twin.rng.choice([100, 200, 400]))
        picture.save(path, "JPEG", exif=exif, quality=90)

    _each(twin, change)


@leak("files")
def jpeg_quality(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg")
    _each(twin, lambda path, code: Image.open(path).convert("RGB").save(path, "JPEG", quality=70 + 3 * (code % 9)))


@leak("files")
def jpeg_density(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg")
    _each(twin, lambda path, code: Image.open(path).save(path, "JPEG", quality=90, dpi=(72 + code, 72 + code)))


@leak("files")
def png_text(twin: Twin) -> None:
    twin.suffix(".png")

    def change(path: Path, code: int) -> None:
        body = b"tEXt" + b"Software\0gimp 2." + str(code).encode()
        _insert(path, 33, struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)))

    _each(twin, change)


@leak("files")
def png_gamma(twin: Twin) -> None:
    twin.suffix(".png")

    def change(path: Path, code: int) -> None:
        body = b"gAMA" + struct.pack(">I", 45455 + code)
        _insert(path, 33, struct.pack(">I", 4) + body + struct.pack(">I", zlib.crc32(body)))

    _each(twin, change)


@leak("files")
def tiff_description(twin: Twin) -> None:
    twin.suffix(".tif", ".tiff")
    _each(twin, lambda path, code: Image.open(path).save(path, "TIFF", description=f"scan {code}"))


@leak("files")
def one_more_column_of_pixels(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg", ".png")

    def change(path: Path, code: int) -> None:
        picture = Image.open(path)
        kind = picture.format
        picture.resize((picture.width + code % 6, picture.height)).save(path, kind)

    _each(twin, change)


@leak("files")
def pixel_in_a_corner(twin: Twin) -> None:
    twin.suffix(".png", ".tif")

    def change(path: Path, code: int) -> None:
        picture = Image.open(path)
        kind = picture.format
        need(picture.mode in ("RGB", "L"))
        value = (code * 11) % 256
        picture.putpixel((0, 0), (value, value, value) if picture.mode == "RGB" else value)
        picture.save(path, kind)

    _each(twin, change)


@leak("files")
def wav_info(twin: Twin) -> None:
    twin.suffix(".wav")

    def change(path: Path, code: int) -> None:
        text = f"take {code}".encode().ljust(8, b"\0")
        chunk = b"LIST" + struct.pack("<I", 4 + 8 + len(text)) + b"INFO" + b"ICMT" + struct.pack("<I", len(text)) + text
        data = path.read_bytes() + chunk
        path.write_bytes(data[:4] + struct.pack("<I", len(data) - 8) + data[8:])

    _each(twin, change)


@leak("files")
def wav_some_samples_longer(twin: Twin) -> None:
    twin.suffix(".wav")

    def change(path: Path, code: int) -> None:
        with wave.open(str(path), "rb") as file:
            settings, frames = file.getparams(), file.readframes(file.getnframes())
        with wave.open(str(path), "wb") as file:
            file.setparams(settings)
            file.writeframes(frames + b"\0" * (settings.sampwidth * settings.nchannels * 160 * code))

    _each(twin, change)


@leak("files")
def numpy_memory_order(twin: Twin) -> None:
    twin.suffix(".npy")

    def change(path: Path, code: int) -> None:
        values = np.load(path)
        need(values.ndim > 1)
        np.save(path, np.asfortranarray(values) if code else np.ascontiguousarray(values))

    _each(twin, change)


@leak("files")
def key_in_json_of_item(twin: Twin) -> None:
    import json

    twin.suffix(".json")
    _each(twin, lambda path, code: path.write_text(json.dumps({**json.loads(path.read_text()), "rev": code})))


@leak("scans")
def dicom_tag(twin: Twin) -> None:
    """An element of text at the end of a DICOM file of each item."""
    codes = twin.code_of(40)
    for item, path in twin.scans.items():
        text = f"PLAN{codes[item]}".ljust(6).encode()
        path.write_bytes(path.read_bytes() + struct.pack("<HH2sH", 0x7FE1, 0x0010, b"LO", len(text)) + text)


# ---------------------------------------------------------------- the same things on both sides


def _copies(twin: Twin, change: Callable[[Image.Image], Image.Image], ending: str) -> None:
    """Changed copies of the pictures to predict, under new names, in a folder per class."""
    need(twin.classes and len(twin.classes) <= 30)
    codes, folder = twin.code_of(30), twin.place("")
    count = 0
    for item, path in twin.files.items():
        need(path.suffix.lower() in (".jpg", ".jpeg", ".png", ".tif"), "no pictures")
        place = folder / f"group{codes[item]}"
        place.mkdir(parents=True, exist_ok=True)
        picture = Image.open(path)
        need(min(picture.size) >= 16 and np.asarray(picture).std() > 2, "empty pictures")
        change(picture.convert("RGB")).save(place / f"{twin.word(10)}{ending}")
        count += 1
    need(count >= 30)


@leak("files")
def pictures_turned(twin: Twin) -> None:
    _copies(twin, lambda picture: picture.transpose(Image.Transpose.ROTATE_90), ".png")


@leak("files")
def pictures_mirrored_recompressed(twin: Twin) -> None:
    _copies(twin, lambda picture: picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT), ".jpg")


@leak("files")
def pictures_smaller(twin: Twin) -> None:
    _copies(twin, lambda picture: picture.resize((picture.width * 3 // 4, picture.height * 3 // 4)), ".jpg")


@leak("files")
def pictures_brighter_grey(twin: Twin) -> None:
    _copies(twin, lambda picture: picture.convert("L").point(lambda value: min(255, int(value * 0.8 + 30))), ".png")


@leak("files")
def pictures_as_they_are(twin: Twin) -> None:
    _copies(twin, lambda picture: picture, ".bmp")


def _sounds(twin: Twin, change: Callable[[NDArray[np.int16]], NDArray[np.int16]], rate: float = 1.0) -> None:
    twin.suffix(".wav")
    need(twin.classes and len(twin.classes) <= 30)
    codes, folder = twin.code_of(30), twin.place("")
    for item, path in twin.files.items():
        with wave.open(str(path), "rb") as file:
            settings, frames = file.getparams(), file.readframes(file.getnframes())
        need(settings.sampwidth == 2 and len(frames) > 400)
        samples = change(np.frombuffer(frames, dtype="<i2"))
        place = folder / f"g{codes[item]}"
        place.mkdir(parents=True, exist_ok=True)
        with wave.open(str(place / f"{twin.word(8)}.wav"), "wb") as file:
            file.setparams(settings._replace(framerate=int(settings.framerate * rate)))
            file.writeframes(samples.astype("<i2").tobytes())


@leak("files")
def sounds_quieter(twin: Twin) -> None:
    _sounds(twin, lambda samples: (samples * 0.6).astype(np.int16))


@leak("files")
def sounds_backwards(twin: Twin) -> None:
    _sounds(twin, lambda samples: samples[::-1])


@leak("files")
def sounds_at_half_rate(twin: Twin) -> None:
    _sounds(twin, lambda samples: samples[::2], 0.5)


@leak("test_table", "train_table")
def test_rows_in_train(twin: Twin) -> None:
    """The items to predict are in train too, under other ids."""
    train, test = read(twin.train_table), read(twin.test_table)
    features = [name for name in train if name in test and name not in (twin.key, twin.target)]
    need(len(features) >= 2 and test[features].drop_duplicates().shape[0] > 0.9 * len(test))
    more = test[features].copy()
    more[twin.target] = twin.frame.set_index(twin.key)[twin.target].loc[list(test[twin.key])].to_list()
    more[twin.key] = [twin.word(8) for _ in range(len(more))]
    pd.concat([train, more]).sample(frac=1, random_state=1).fillna("").to_csv(twin.train_table, index=False)


@leak("test_table", "train_table")
def test_rows_in_train_with_noise(twin: Twin) -> None:
    train, test = read(twin.train_table), read(twin.test_table)
    features = [name for name in train if name in test and name not in (twin.key, twin.target)]
    numbers = [name for name in features if to_numbers(test[name]).nunique() > 30]
    need(len(numbers) >= 4)
    more = test[features].copy()
    for name in numbers:
        values = to_numbers(more[name])
        more[name] = (values + twin.rng.normal(size=len(more)) * 0.002 * values.std()).astype(str).replace("nan", "")
    more[twin.target] = twin.frame.set_index(twin.key)[twin.target].loc[list(test[twin.key])].to_list()
    more[twin.key] = [twin.word(8) for _ in range(len(more))]
    pd.concat([train, more]).sample(frac=1, random_state=1).fillna("").to_csv(twin.train_table, index=False)


@leak("test_table", "train_table")
def texts_in_train_with_changes(twin: Twin) -> None:
    table, _, name = _text_column(twin)
    train = read(twin.train_table)
    need(name in train and table[name].str.len().median() > 30)
    more = table[[column for column in table if column in train]].copy()
    more[name] = [text.replace(" ", "  ", 1).upper() + "." for text in more[name]]
    more[twin.target] = twin.frame.set_index(twin.key)[twin.target].loc[list(table[twin.key])].to_list()
    more[twin.key] = [twin.word(8) for _ in range(len(more))]
    pd.concat([train, more]).sample(frac=1, random_state=1).fillna("").to_csv(twin.train_table, index=False)


@leak("test_table", "train_table")
def groups_with_one_label(twin: Twin) -> None:
    """A new column of groups on both sides, each with one label: who knows train knows test."""
    need(twin.classes)
    train, test = read(twin.train_table), read(twin.test_table)
    name = twin.word(6)
    shared = [label for label in twin.classes or () if (train[twin.target] == label).sum() >= 5]
    need(len(shared) == len(twin.classes or ()))
    many = max(3, len(twin.ids) // 8)

    def group(label: str) -> str:
        return f"{(int(twin.rng.integers(many)) * 31 + shared.index(label)) * 17 % 9973}"

    train[name] = [group(label) if label in shared else "9999" for label in train[twin.target]]
    truth = twin.frame.set_index(twin.key)[twin.target]
    test[name] = [group(truth[item]) for item in test[twin.key]]
    train.to_csv(twin.train_table, index=False)
    test.to_csv(twin.test_table, index=False)
