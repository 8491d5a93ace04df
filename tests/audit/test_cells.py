"""What cells are made of: folders of paths around ids, places in degrees and minutes, records in a file per item."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched

from mlebench.audit.cells import parts_of_cells
from mlebench.audit.table import texts
from mlebench.audit.targets import plain_key


@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize(
    "line",
    [
        "/mnt/raw/{label}/{name}",
        "{hash}  s3://old/{label}/2019/{name}.jpg",
        "D:\\raw\\{label}\\{name}",
        "{label}/{name}",
    ],
)
def test_folders_before_the_ids_of_a_list_are_compared(line: str, is_told: bool, tmp_path: Path) -> None:
    world, rng = make(tmp_path, "multiclass", 5, n=200), np.random.default_rng(2)
    labels = list(world.labels()) if is_told else list(rng.permutation(world.labels()))
    lines = [
        line.format(label=label, name=name, hash=rng.bytes(16).hex())
        for label, name in zip(labels, world.test[world.key], strict=True)
    ]
    world.files["SUMS"] = "\n".join(rng.permutation(lines)).encode()
    expected = {("leak", "SUMS")} if is_told else set()
    assert {(one.severity, one.where.split(":")[0]) for one in searched(world, "columns")} == expected


@pytest.mark.parametrize("kind", ["md5", "sha1", "sha256"])
def test_a_list_of_the_originals_by_checksum_is_compared(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 6, n=120)
    found = {Path(name).stem: data for name, data in files_of(world) if "test" in name}
    lines = [
        f"{hashlib.new(kind, found[str(name)]).hexdigest()}  ./raw/class{label}/IMG_{number:04d}.png"
        for number, (name, label) in enumerate(zip(world.test[world.key], world.labels(), strict=True))
    ]
    world.files["SUMS"] = "\n".join(np.random.default_rng(1).permutation(lines)).encode()
    assert {(one.severity, one.where.split(":")[0]) for one in searched(world, "columns")} == {("leak", "SUMS")}


def files_of(world: World) -> Iterator[tuple[str, bytes]]:
    for name, data in world.files.items():
        if not name.endswith(".zip"):
            yield name, data
            continue
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from ((member, archive.read(member)) for member in archive.namelist())


def test_an_id_is_the_same_below_any_folder() -> None:
    assert {plain_key(name) for name in ("D:\\a b\\X07.png", "/a/x07.jpg", "x07", "X07\\")} == {"x07"}


@pytest.mark.parametrize(
    "form", ["{whole:.0f}{minutes:07.4f}", "{whole:.0f}°{minutes:.5f}' N", "({whole}, {least}, {seconds})"]
)
def test_degrees_with_minutes_are_read(form: str) -> None:
    places = np.random.default_rng(2).uniform(40, 50, 20)
    written = [
        form.format(
            whole=np.floor(place), minutes=place % 1 * 60, least=place * 60 // 1 % 60, seconds=place * 3600 % 60
        )
        for place in places
    ]
    read = dict(parts_of_cells("a", texts(written)))["a, as degrees"]
    assert np.allclose(read.astype(float), places, atol=2e-6)
    assert "a, as degrees" not in dict(parts_of_cells("a", texts(f"{100 * place:.4f}" for place in places + 0.7)))


def places_to_predict(folder: Path) -> tuple[World, pd.DataFrame]:
    """A competition whose items have a place each."""
    world, rng = make(folder, "regression", 5, n=90), np.random.default_rng(3)
    whole = pd.DataFrame({world.key: [f"fix{number:04d}" for number in rng.permutation(90)]})
    whole["satellites"] = rng.integers(4, 12, 90)
    whole["lat"], whole["lng"] = rng.uniform(46, 48, 90).round(6), rng.uniform(7, 9, 90).round(6)
    world.targets = ["lat", "lng"]
    world.train, rest = whole[:50], whole[50:].reset_index(drop=True)
    world.test, world.answers = rest.drop(columns=["lat", "lng"]), rest[[world.key, "lat", "lng"]]
    world.sample = world.answers.assign(lat=47.0, lng=8.0)
    return world, rest


def sentence(lat: float, lng: float) -> str:
    north, east = (f"{int(value):02d}{value % 1 * 60:09.6f}" for value in (lat, lng))
    return f"$GPGGA,120000.00,{north},N,0{east},E,1,08,0.9,12.4,M,46.9,M,,*00\r\n"


@pytest.mark.parametrize(
    ("ending", "form"),
    [
        ("nmea", sentence),
        ("csv", "when,x,y\n2021-01-01,{1},{0}\n".format),
        ("geojson", '{{"type": "Point", "coordinates": [{1}, {0}]}}'.format),
        ("kml", "<kml><Placemark><Point><coordinates>{1},{0},0</coordinates></Point></Placemark></kml>".format),
        ("gpx", '<gpx><wpt lat="{0}" lon="{1}"><name>a</name></wpt></gpx>'.format),
    ],
)
def test_the_record_in_a_file_of_each_item_is_compared(ending: str, form: object, tmp_path: Path) -> None:
    world, rest = places_to_predict(tmp_path)
    for name, lat, lng in zip(rest[world.key], rest["lat"], rest["lng"], strict=True):
        world.files[f"logs/{name}.{ending}"] = form(lat, lng).encode()  # type: ignore[operator]
    found = searched(world, "columns")
    assert ("answers_in_public", "leak", True) in {(one.kind, one.severity, ending in one.where) for one in found}
