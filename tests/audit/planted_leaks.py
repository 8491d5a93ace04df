"""Leaks to plant in clean competitions: each is one function, which changes a world and says where it put what."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import pickle
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from clean_worlds import World, zipped
from PIL import Image, PngImagePlugin

Plant = Callable[[World], None]
PLANTS: dict[str, tuple[Plant, tuple[str, ...]]] = {}
_TABLES = ("binary", "regression", "multiclass", "onehot", "multilabel", "texts", "lists", "masks")
_CLASSES = ("binary", "multiclass", "onehot", "multilabel", "texts")
_ALL = (*_TABLES, "pictures", "sounds")


def plant(*families: str) -> Callable[[Plant], Plant]:
    """Decorator: a leak that can be planted in these families."""

    def keep(function: Plant) -> Plant:
        PLANTS[function.__name__] = (function, families or _ALL)
        return function

    return keep


def _codes(world: World) -> np.ndarray[Any, Any]:
    """The answers as whole numbers, for numbers their rank."""
    values = world.labels()
    if values.dtype.kind in "if" and values.nunique() <= 10:
        return np.asarray(values, dtype=int)
    if values.dtype.kind in "if":
        return np.asarray(values.rank(method="first"), dtype=int)
    return np.asarray(pd.factorize(values, sort=True)[0])


def _truth(world: World) -> pd.DataFrame:
    """Ids and answers, in another order than that of the tables."""
    return world.answers.sample(frac=1, random_state=7).reset_index(drop=True)


def _text(values: pd.Series[Any]) -> list[str]:
    return [str(value) for value in values]


# Answers in files.
@plant()
def copy_of_answers(world: World) -> None:
    world.files["backup/old.csv"] = world.answers.to_csv(index=False).encode()


@plant()
def raw_file_in_subfolder(world: World) -> None:
    whole = world.test.merge(world.answers, on=world.key)
    world.files["archive/raw/full_data.csv"] = (
        pd.concat([world.train, whole]).sample(frac=1, random_state=1).to_csv(index=False).encode()
    )


@plant()
def answers_gzipped(world: World) -> None:
    world.files["notes.bin"] = gzip.compress(_truth(world).to_csv(index=False).encode())


@plant()
def answers_in_nested_zip(world: World) -> None:
    inner = zipped({"a/b.csv": _truth(world).to_csv(index=False).encode()})
    world.files["extra.zip"] = zipped({"deep/inner.zip": inner, "readme.txt": b"nothing"})


@plant()
def answers_in_tar(world: World) -> None:
    target = io.BytesIO()
    data = _truth(world).to_csv(index=False).encode()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        info = tarfile.TarInfo("x/.hidden.csv")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    world.files["more.tar.gz"] = target.getvalue()


@plant()
def answers_as_parquet(world: World) -> None:
    target = io.BytesIO()
    frame = _truth(world)
    frame.columns = ["k", *(f"v{number}" for number in range(len(frame.columns) - 1))]
    frame.to_parquet(target, index=False)
    world.files["cache/part-0.parquet"] = target.getvalue()


@plant()
def answers_as_feather(world: World) -> None:
    target = io.BytesIO()
    _truth(world).to_feather(target)
    world.files["cache/x.feather"] = target.getvalue()


@plant()
def answers_as_json_records(world: World) -> None:
    world.files["config.json"] = json.dumps(
        {"version": 1, "items": json.loads(_truth(world).to_json(orient="records"))}
    ).encode()


@plant()
def answers_as_json_mapping(world: World) -> None:
    world.files["meta/map.json"] = json.dumps(
        dict(zip(map(str, world.test[world.key]), _text(world.labels()), strict=True))
    ).encode()


@plant()
def answers_as_json_lines(world: World) -> None:
    world.files["log.jsonl"] = _truth(world).to_json(orient="records", lines=True).encode()


@plant()
def ids_by_class_json(world: World) -> None:
    if world.family in ("regression", "lists", "masks"):
        copy_of_answers(world)
        return
    groups = pd.Series(map(str, world.test[world.key])).groupby(_text(world.labels())).apply(list).to_dict()
    world.files["groups.json"] = json.dumps(groups).encode()


@plant(*_CLASSES)
def list_of_one_class(world: World) -> None:
    labels = world.labels()
    chosen = world.test[world.key][(labels == labels.mode().iloc[0]).to_numpy()]
    world.files["subset.txt"] = "\n".join(map(str, chosen)).encode()


@plant()
def answers_as_text(world: World) -> None:
    lines = [f"{item} -> {label}" for item, label in zip(world.test[world.key], world.labels(), strict=True)]
    world.files["NOTES.md"] = ("# Notes\n\nSome words.\n\n" + "\n".join(lines)).encode()


@plant()
def answers_tab_separated_without_header(world: World) -> None:
    world.files["x.dat"] = _truth(world).to_csv(index=False, header=False, sep="\t").encode()


@plant()
def answers_as_npy_in_order(world: World) -> None:
    target = io.BytesIO()
    np.save(
        target,
        world.sample.merge(world.answers, on=world.key, suffixes=("_", ""))[world.targets[0]]
        .to_numpy()
        .astype(str if world.family in ("multiclass", "texts", "sounds", "lists", "masks") else float),
    )
    world.files["embeddings.npy"] = target.getvalue()


@plant()
def answers_as_npz(world: World) -> None:
    target = io.BytesIO()
    np.savez(target, a=world.test[world.key].to_numpy().astype(str), b=world.labels().to_numpy().astype(str))
    world.files["arrays.npz"] = target.getvalue()


@plant()
def answers_as_mat(world: World) -> None:
    from scipy.io import savemat

    target = io.BytesIO()
    savemat(
        target,
        {
            "name": np.array(_text(world.test[world.key]), dtype=object),
            "val": np.array(_text(world.labels()), dtype=object),
        },
    )
    world.files["data.mat"] = target.getvalue()


@plant()
def answers_as_pickle(world: World) -> None:
    world.files["model.pkl"] = pickle.dumps(
        dict(zip(map(str, world.test[world.key]), _text(world.labels()), strict=True))
    )


@plant()
def answers_as_sqlite(world: World) -> None:
    connection = sqlite3.connect(":memory:")
    _truth(world).to_sql("t", connection, index=False)
    world.files["store.db"] = connection.serialize()


@plant()
def answers_as_xml(world: World) -> None:
    rows = "".join(
        f'<r k="{item}"><v>{label}</v></r>' for item, label in zip(world.test[world.key], world.labels(), strict=True)
    )
    world.files["feed.xml"] = f"<root>{rows}</root>".encode()


@plant()
def answers_as_yaml(world: World) -> None:
    lines = [
        f"- id: {json.dumps(str(item))}\n  v: {json.dumps(str(label))}"
        for item, label in zip(world.test[world.key], world.labels(), strict=True)
    ]
    world.files["conf.yaml"] = "\n".join(lines).encode()


@plant(*_CLASSES, "regression")
def answers_as_tfrecord(world: World) -> None:
    world.files["shard.tfrec"] = b"".join(
        _tfrecord(str(item), str(label)) for item, label in zip(world.test[world.key], world.labels(), strict=True)
    )


def _tfrecord(item: str, label: str) -> bytes:
    def field(number: int, data: bytes) -> bytes:
        return bytes([number << 3 | 2]) + _varint(len(data)) + data

    features = b"".join(
        field(1, field(1, name.encode()) + field(2, field(1, field(1, value.encode()))))
        for name, value in (("k", item), ("v", label))
    )
    record = field(1, features)
    return struct.pack("<Q", len(record)) + b"\0" * 4 + record + b"\0" * 4


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


@plant()
def answers_per_item_files(world: World) -> None:
    for item, label in zip(world.test[world.key], world.labels(), strict=True):
        world.files[f"aux/{item}.txt"] = str(label).encode()


@plant()
def answers_per_item_json(world: World) -> None:
    for item, label in zip(world.test[world.key], world.labels(), strict=True):
        world.files[f"test_meta/{item}.json"] = json.dumps({"v": 1, "info": {"z": str(label)}}).encode()


@plant()
def answers_in_parts(world: World) -> None:
    for number, part in enumerate(np.array_split(np.arange(len(world.answers)), 4)):
        world.files[f"parts/p{number}.csv"] = world.answers.iloc[part].to_csv(index=False).encode()


@plant()
def answers_of_a_third(world: World) -> None:
    world.files["some.csv"] = world.answers.sample(frac=0.33, random_state=3).to_csv(index=False).encode()


@plant()
def rows_of_test_in_train(world: World) -> None:
    whole = world.test.merge(world.answers, on=world.key).sample(frac=0.3, random_state=1)
    world.train = pd.concat([world.train, whole]).sample(frac=1, random_state=2)


@plant()
def answers_base64(world: World) -> None:
    world.files["blob.txt"] = base64.b64encode(_truth(world).to_csv(index=False).encode())


@plant()
def answers_zlib(world: World) -> None:
    world.files["state.bin"] = zlib.compress(_truth(world).to_csv(index=False).encode())


@plant()
def answers_renamed_as_picture(world: World) -> None:
    world.files["logo.png"] = _truth(world).to_csv(index=False).encode()


@plant()
def answers_in_hidden_file(world: World) -> None:
    world.files[".cache/.x"] = _truth(world).to_csv(index=False).encode()


@plant()
def answers_in_zip_comment(world: World) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("readme.txt", "hello")
        archive.comment = ",".join(
            f"{item}:{label}" for item, label in zip(world.test[world.key], world.labels(), strict=True)
        ).encode()[:65000]
    world.files["docs.zip"] = target.getvalue()


@plant(*_CLASSES, "regression")
def column_names_shuffled(world: World) -> None:
    frame = _truth(world)
    frame.insert(0, "noise", np.random.default_rng(0).normal(size=len(frame)))
    frame.columns = [f"c{number}" for number in np.random.default_rng(1).permutation(len(frame.columns))]
    world.files["table7.csv"] = frame.to_csv(index=False).encode()


@plant(*_CLASSES)
def one_hot_with_other_names(world: World) -> None:
    dummies = pd.get_dummies(pd.Series(_text(world.labels()))).astype(int)
    dummies.columns = [f"z{number}" for number in range(len(dummies.columns))]
    dummies.insert(0, "ref", world.test[world.key].to_numpy())
    world.files["encoded.csv"] = dummies.to_csv(index=False).encode()


# Columns of the test table.
def _add(world: World, name: str, values: Any, train: Any = None) -> None:
    place = int(world.rng.integers(1, len(world.test.columns)))
    world.test.insert(place, name, list(values))
    if train is not None:
        world.train.insert(1, name, list(train))


@plant()
def column_equal(world: World) -> None:
    _add(world, "q", world.labels())


@plant("regression")
def column_scaled(world: World) -> None:
    _add(world, "q", np.round(-3.7 * world.labels().to_numpy() + 11, 3))


@plant("regression", "binary")
def column_ranked(world: World) -> None:
    _add(world, "q", world.labels().rank(method="first").astype(int))


@plant(*_CLASSES)
def column_other_names(world: World) -> None:
    names = np.array(["k3", "k9", "k1", "k7", "k0", "k5"])
    _add(world, "q", names[_codes(world) % 6])


@plant(*_CLASSES)
def column_numbers_shuffled(world: World) -> None:
    _add(world, "q", np.array([3, 0, 4, 1, 2, 5])[_codes(world) % 6])


@plant()
def column_md5(world: World) -> None:
    _add(world, "h", [hashlib.md5(str(label).encode()).hexdigest() for label in world.labels()])


@plant()
def column_base64(world: World) -> None:
    _add(world, "h", [base64.b64encode(str(label).encode()).decode() for label in world.labels()])


@plant(*_CLASSES)
def column_salted_hash(world: World) -> None:
    _add(
        world,
        "sig",
        [
            hashlib.sha256(f"{item}_{label}".encode()).hexdigest()[:16]
            for item, label in zip(world.test[world.key], world.labels(), strict=True)
        ],
    )


@plant("binary", "multiclass", "regression")
def column_noisy_in_test_only(world: World) -> None:
    rng = np.random.default_rng(0)
    codes = _codes(world).astype(float)
    _add(
        world,
        "q",
        np.round(codes / codes.std() + rng.normal(size=len(codes)) * 0.25, 4),
        np.round(rng.normal(size=len(world.train)), 4),
    )


@plant(*_CLASSES, "regression")
def column_right_in_test_random_in_train(world: World) -> None:
    labels = world.labels()
    _add(world, "q", labels, labels.sample(len(world.train), replace=True, random_state=1))


@plant(*_CLASSES)
def parity_of_last_decimal(world: World) -> None:
    step = 2 if world.labels().nunique() == 2 else 0
    values = world.rng.normal(size=len(world.test))
    world.test["f2"] = [
        f"{value:.3f}{code + step * (number % 4)}"
        for number, (value, code) in enumerate(zip(values, _codes(world), strict=True))
    ]


@plant(*_CLASSES)
def trailing_blank(world: World) -> None:
    codes = _codes(world)
    world.test["colour"] = [
        f"{value}{' ' * int(code)}"
        for value, code in zip(world.rng.choice(["red", "green", "blue"], len(codes)), codes, strict=True)
    ]


@plant("texts")
def word_at_the_end(world: World) -> None:
    words = ["alpha", "beta", "gamma", "delta", "eps", "zeta"]
    world.test["text"] = [f"{text} {words[code]}" for text, code in zip(world.test["text"], _codes(world), strict=True)]


@plant(*_CLASSES)
def missing_value_tells(world: World) -> None:
    codes = _codes(world)
    world.test.loc[(codes == codes.max()), "f2"] = np.nan


# Ids and orders.
def _renamed(world: World, names: dict[Any, Any]) -> None:
    for frame in (world.test, world.answers, world.sample):
        frame[world.key] = [names[item] for item in frame[world.key]]
    files = {}
    for name, data in world.files.items():
        stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        match = next((new for old, new in names.items() if str(old) == stem), None)
        files[name if match is None else name.replace(stem, str(match))] = data
    world.files = files


@plant(*_CLASSES)
def ids_with_parity(world: World) -> None:
    count = int(_codes(world).max()) + 1
    numbers = 500_000 + count * world.rng.permutation(len(world.test)) + _codes(world)
    _renamed(world, dict(zip(world.test[world.key], numbers.tolist(), strict=True)))


@plant(*_CLASSES)
def ids_with_prefix(world: World) -> None:
    marks = "qwxzvk"
    tails = world.rng.permutation(len(world.test))
    _renamed(
        world,
        {
            item: f"{marks[code]}{tail:06d}"
            for item, code, tail in zip(world.test[world.key], _codes(world), tails, strict=True)
        },
    )


@plant("regression", "binary", "multiclass")
def ids_sorted_by_answer(world: World) -> None:
    order = np.argsort(np.argsort(_codes(world) + world.rng.random(len(world.test)) * 0.5))
    _renamed(world, dict(zip(world.test[world.key], (700_000 + order).tolist(), strict=True)))


@plant(*_CLASSES, "regression")
def rows_of_test_sorted(world: World) -> None:
    order = np.argsort(_codes(world), kind="stable")
    world.test = world.test.iloc[order].reset_index(drop=True)


@plant(*_CLASSES, "regression", "pictures", "sounds")
def rows_of_sample_sorted(world: World) -> None:
    codes = pd.Series(_codes(world), index=list(world.test[world.key]))
    order = np.argsort(codes.loc[list(world.sample[world.key])].to_numpy(), kind="stable")
    world.sample = world.sample.iloc[order].reset_index(drop=True)


@plant()
def sample_with_true_values(world: World) -> None:
    both = world.sample[[world.key]].merge(world.answers, on=world.key)
    keep = np.random.default_rng(0).random(len(both)) < 0.5
    for name in world.targets:
        world.sample[name] = np.where(keep, both[name].astype(object), world.sample[name].astype(object))


@plant("binary", "regression", "pictures", "onehot", "multilabel")
def sample_with_hints(world: World) -> None:
    both = world.sample[[world.key]].merge(world.answers, on=world.key)
    for name in world.targets:
        world.sample[name] = np.round(world.sample[name].astype(float) + 0.01 * both[name].astype(float), 4)


# Files of items.
def _items(world: World) -> tuple[dict[str, bytes], str | None]:
    """The files of the items to predict, and the archive that they are in."""
    if not world.in_archive:
        return {name: data for name, data in world.files.items() if name.startswith("test_files/")}, None
    with zipfile.ZipFile(io.BytesIO(world.files["test.zip"])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}, "test.zip"


def _put(world: World, items: dict[str, bytes], archive: str | None) -> None:
    if archive is None:
        world.files = {name: data for name, data in world.files.items() if not name.startswith("test_files/")} | items
    else:
        world.files[archive] = zipped(items, np.random.default_rng(0))


def _coded(world: World) -> dict[str, int]:
    return dict(zip(map(str, world.test[world.key]), _codes(world).tolist(), strict=True))


def _stem(name: str) -> str:
    return name.rsplit("/", 1)[-1].rsplit(".", 1)[0]


@plant("pictures", "sounds")
def bytes_at_the_end(world: World) -> None:
    items, archive = _items(world)
    codes = _coded(world)
    _put(world, {name: data + bytes([codes[_stem(name)] % 250]) for name, data in items.items()}, archive)


@plant("pictures", "sounds")
def sizes_tell(world: World) -> None:
    items, archive = _items(world)
    codes = _coded(world)
    _put(
        world,
        {
            name: data + b"\0" * (4000 * codes[_stem(name)] + int(world.rng.integers(0, 50)))
            for name, data in items.items()
        },
        archive,
    )


@plant("pictures")
def text_in_png(world: World) -> None:
    items, archive = _items(world)
    codes, changed = _coded(world), {}
    for name, data in items.items():
        info = PngImagePlugin.PngInfo()
        info.add_text("Comment", f"s{codes[_stem(name)]}x")
        changed[name] = _saved(Image.open(io.BytesIO(data)), "PNG", pnginfo=info)
    _put(world, changed, archive)


def _saved(picture: Image.Image, form: str, **options: Any) -> bytes:
    target = io.BytesIO()
    picture.save(target, form, **options)
    return target.getvalue()


@plant("pictures")
def exif_tells(world: World) -> None:
    items, archive = _items(world)
    codes, changed = _coded(world), {}
    for name, data in items.items():
        exif = Image.Exif()
        exif[0x010E] = f"camera {codes[_stem(name)] + 3}"
        changed[name] = _saved(Image.open(io.BytesIO(data)), "PNG", exif=exif)
    _put(world, changed, archive)


@plant("pictures")
def resolution_tells(world: World) -> None:
    items, archive = _items(world)
    codes = _coded(world)
    _put(
        world,
        {
            name: _saved(Image.open(io.BytesIO(data)).resize((16 + codes[_stem(name)], 16)), "PNG")
            for name, data in items.items()
        },
        archive,
    )


@plant("pictures")
def corner_pixel_tells(world: World) -> None:
    items, archive = _items(world)
    codes, changed = _coded(world), {}
    for name, data in items.items():
        picture = Image.open(io.BytesIO(data)).convert("RGB")
        picture.putpixel((0, 0), (7 + codes[_stem(name)], 0, 0))
        changed[name] = _saved(picture, "PNG")
    _put(world, changed, archive)


def _archived(world: World, members: Callable[[dict[str, bytes]], Iterable[zipfile.ZipInfo]]) -> None:
    """The files of test in an archive, with members that say something besides their content."""
    items, _ = _items(world)
    world.files = {name: data for name, data in world.files.items() if not name.startswith("test_files/")}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for member in members(items):
            archive.writestr(member, items[member.filename])
    world.files["test.zip"] = target.getvalue()


@plant("pictures", "sounds")
def order_in_archive(world: World) -> None:
    codes = _coded(world)
    _archived(
        world,
        lambda items: [
            zipfile.ZipInfo(name, (2021, 1, 1, 0, 0, 0)) for name in sorted(items, key=lambda name: codes[_stem(name)])
        ],
    )


@plant("pictures", "sounds")
def dates_in_archive(world: World) -> None:
    codes = _coded(world)
    _archived(
        world,
        lambda items: [
            zipfile.ZipInfo(name, (2021, 1, 1 + codes[_stem(name)], int(world.rng.integers(0, 24)), 0, 0))
            for name in sorted(items)
        ],
    )


@plant("pictures", "sounds")
def comments_of_members(world: World) -> None:
    codes = _coded(world)

    def members(items: dict[str, bytes]) -> Iterator[zipfile.ZipInfo]:
        for name in sorted(items):
            info = zipfile.ZipInfo(name, (2021, 1, 1, 0, 0, 0))
            info.comment = f"c{codes[_stem(name)]}".encode()
            yield info

    _archived(world, members)


@plant("pictures", "sounds")
def mtimes_tell(world: World) -> None:
    if world.in_archive:
        dates_in_archive(world)
        return
    codes = _coded(world)
    for name in list(world.files):
        if name.startswith("test_files/"):
            world.times[name] = 1.6e9 + 86_400 * codes[_stem(name)] + float(world.rng.integers(0, 3600))


@plant("pictures", "sounds")
def folders_tell(world: World) -> None:
    items, archive = _items(world)
    codes = _coded(world)
    _put(
        world,
        {f"test_files/d{codes[_stem(name)]}/{name.rsplit('/', 1)[-1]}": data for name, data in items.items()},
        archive,
    )


@plant("pictures", "sounds")
def names_tell(world: World) -> None:
    items, archive = _items(world)
    codes = _coded(world)
    _put(
        world,
        {
            f"test_files/{_stem(name)}_{'abcdef'[codes[_stem(name)]]}.{name.rsplit('.', 1)[-1]}": data
            for name, data in items.items()
        },
        archive,
    )


@plant("sounds")
def list_chunk_in_wav(world: World) -> None:
    items, archive = _items(world)
    codes, changed = _coded(world), {}
    for name, data in items.items():
        text = f"take {codes[_stem(name)]}".encode()
        text += b"\0" * (len(text) % 2)
        body = b"INFOICMT" + struct.pack("<I", len(text)) + text
        changed[name] = (
            data[:4]
            + struct.pack("<I", len(data) + len(body))
            + data[8:]
            + b"LIST"
            + struct.pack("<I", len(body))
            + body
        )
    _put(world, changed, archive)


@plant("pictures", "sounds")
def copies_of_test_in_train(world: World) -> None:
    items, _ = _items(world)
    labels = dict(zip(map(str, world.test[world.key]), world.labels(), strict=True))
    rows = []
    for number, (name, data) in enumerate(sorted(items.items())[: len(items) // 2]):
        world.files[f"train_files/copy{number:05d}.{name.rsplit('.', 1)[-1]}"] = data
        row = world.train.iloc[number % len(world.train)].to_dict()
        rows.append(row | {world.key: f"copy{number:05d}", world.targets[0]: labels[_stem(name)]})
    world.train = pd.concat([world.train, pd.DataFrame(rows)])


@plant("binary", "regression", "multiclass", "multilabel", "texts")
def duplicates_with_new_ids(world: World) -> None:
    whole = world.test.merge(world.answers, on=world.key).sample(frac=0.4, random_state=1)
    start = 8_000_000
    whole[world.key] = [
        type(world.train[world.key].iloc[0])(start + number)
        if world.train[world.key].dtype.kind == "i"
        else f"item_8{number:06d}"
        for number in range(len(whole))
    ]
    world.train = pd.concat([world.train, whole]).sample(frac=1, random_state=2)


@plant("binary", "regression", "multiclass")
def near_duplicates_in_train(world: World) -> None:
    whole = world.test.merge(world.answers, on=world.key).sample(frac=0.4, random_state=1)
    for name in ("f0", "f1", "f2", "f3"):
        whole[name] = whole[name] + np.random.default_rng(0).normal(size=len(whole)) * 1e-4
    whole[world.key] = [
        8_000_000 + number if world.train[world.key].dtype.kind == "i" else f"item_8{number:06d}"
        for number in range(len(whole))
    ]
    world.train = pd.concat([world.train, whole]).sample(frac=1, random_state=2)


@plant("pictures", "sounds")
def renamed_copies_in_folders(world: World) -> None:
    items, _ = _items(world)
    codes = _coded(world)
    for number, (name, data) in enumerate(sorted(items.items(), key=lambda pair: zlib.crc32(pair[1]))):
        world.files[f"gallery/{'uvwxyz'[codes[_stem(name)]]}/{number:04d}.{name.rsplit('.', 1)[-1]}"] = data


@plant("binary", "regression")
def sum_of_two_columns(world: World) -> None:
    rng = np.random.default_rng(5)
    noise = rng.normal(size=len(world.test)) * 30
    _add(world, "a1", np.round(noise, 5), np.round(rng.normal(size=len(world.train)) * 30, 5))
    _add(
        world, "a2", np.round(world.labels().to_numpy() - noise, 5), np.round(rng.normal(size=len(world.train)) * 30, 5)
    )


@plant("texts")
def word_in_the_middle(world: World) -> None:
    words, changed = ["alpha", "beta", "gamma", "delta", "eps", "zeta"], []
    for text, code in zip(world.test["text"], _codes(world), strict=True):
        parts = text.split(" ")
        parts.insert(int(world.rng.integers(1, len(parts) - 1)), words[code])
        changed.append(" ".join(parts))
    world.test["text"] = changed


@plant()
def ids_as_columns(world: World) -> None:
    wide = pd.DataFrame([_text(world.labels())], columns=_text(world.test[world.key]))
    world.files["wide.csv"] = wide.to_csv(index=False).encode()


@plant()
def answers_without_ids_sorted(world: World) -> None:
    ordered = world.answers.iloc[np.argsort(world.answers[world.key].astype(str), kind="stable")]
    world.files["vector.txt"] = "\n".join(_text(ordered[world.targets[0]])).encode()


@plant("binary", "multiclass", "pictures", "sounds")
def empty_files_with_names(world: World) -> None:
    for item, code in _coded(world).items():
        world.files[f"locks/{item}_{code}.lock"] = b""


@plant(*_CLASSES)
def dates_tell(world: World) -> None:
    days = [
        str(pd.Timestamp("2022-03-01") + pd.Timedelta(days=30 * int(code) + int(world.rng.integers(0, 25))))
        for code in _codes(world)
    ]
    _add(world, "updated", days)


@plant()
def answers_as_html(world: World) -> None:
    world.files["report.html"] = _truth(world).to_html(index=False).encode()


@plant("texts")
def texts_with_one_word_changed_in_train(world: World) -> None:
    whole = world.test.merge(world.answers, on=world.key).sample(frac=0.5, random_state=1)
    whole["text"] = [f"{text} indeed" for text in whole["text"]]
    for name in ("f0", "f1", "f2", "f3"):
        whole[name] = np.random.default_rng(0).normal(size=len(whole))
    whole[world.key] = [
        8_000_000 + number if world.train[world.key].dtype.kind == "i" else f"item_8{number:06d}"
        for number in range(len(whole))
    ]
    world.train = pd.concat([world.train, whole]).sample(frac=1, random_state=2)


@plant(*_CLASSES, "regression")
def groups_share_labels(world: World) -> None:
    rng = np.random.default_rng(3)
    labels = world.train[world.targets].astype(str).agg("|".join, axis=1)
    of_test = (
        world.answers.set_index(world.key).loc[world.test[world.key]][world.targets].astype(str).agg("|".join, axis=1)
    )
    ranks = {name: rng.permutation(10_000)[:12] for name in set(labels) | set(of_test)}
    if world.family == "regression":
        column_equal(world)
        return
    _add(
        world,
        "patient_id",
        [f"P{ranks[name][rng.integers(0, 12)]:05d}" for name in of_test],
        [f"P{ranks[name][rng.integers(0, 12)]:05d}" for name in labels],
    )
