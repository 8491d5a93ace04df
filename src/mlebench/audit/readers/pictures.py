"""The values of pictures and sounds that are no item's: answers are numbers, and so are pixels and samples."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import Entry
from mlebench.audit.table import Table, Texts, rows_table, texts

_MOST_ROWS = 300_000
_MOST_FRAMES = 20_000


def _picture(entry: Entry, data: bytes) -> list[Table]:
    """The values of a picture, row by row; of one that is made of blocks also one value per block."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        if not 12 <= picture.width * picture.height <= _MOST_ROWS:
            return []
        frames = _frames(entry, picture)
        if frames is not None:
            return [frames]
        pixels = np.asarray(picture)
        palette = picture.getpalette() if picture.mode == "P" else None
    layers = pixels[..., None] if pixels.ndim == 2 else pixels[..., :4]
    tables = [Table(entry.name, _columns("pixel", layers.reshape(-1, layers.shape[2])), keys=())]
    small = layers[:: _width(layers), :: _width(layers.swapaxes(0, 1))]
    if 12 <= small.shape[0] * small.shape[1] < layers.shape[0] * layers.shape[1]:
        tables.append(Table(entry.name, _columns("block", small.reshape(-1, layers.shape[2])), keys=()))
    if palette:
        colours = np.array(palette[: len(palette) // 3 * 3]).reshape(-1, 3)
        tables.append(Table(entry.name, _columns("colour", colours), keys=()))
    return tables


def _frames(entry: Entry, picture: Any) -> Table | None:
    """The frames or pages of one file: how long each is shown, and its first pixel."""
    count = getattr(picture, "n_frames", 1)
    if not 12 <= count <= _MOST_FRAMES:
        return None
    rows = []
    for number in range(count):
        picture.seek(number)
        first = np.atleast_1d(np.asarray(picture)[0, 0])
        rows.append(
            {"duration": picture.info.get("duration"), **{f"pixel {place}": int(v) for place, v in enumerate(first)}}
        )
    table = rows_table(entry.name, rows)
    return None if table is None else Table(table.where, table.columns, keys=())


def _columns(name: str, values: NDArray[Any]) -> dict[str, Texts]:
    varied = [layer for layer in range(values.shape[1]) if len(np.unique(values[:, layer])) > 1]
    return {name if layer == 0 else f"{name} {layer + 1}": texts(values[:, layer].tolist()) for layer in varied or [0]}


def _width(layers: NDArray[Any]) -> int:
    """The number that the heights of all blocks are multiples of."""
    edges = np.flatnonzero((layers[1:] != layers[:-1]).any(axis=(1, 2))) + 1
    return int(np.gcd.reduce(np.concatenate([edges, [len(layers)]])))


def _sound(entry: Entry, data: bytes) -> list[Table]:
    """The samples of a short recording."""
    place = data.find(b"data", 12)
    (size,) = struct.unpack_from("<I", data, place + 4)
    samples = np.frombuffer(data[place + 8 : place + 8 + size // 2 * 2][: 2 * _MOST_ROWS], "<i2")
    return [Table(entry.name, {"sample": texts(samples.tolist())}, keys=())] if place > 0 and len(samples) >= 12 else []


READERS = [
    (lambda entry, data: data.startswith((b"\x89PNG", b"BM", b"II*\0", b"MM\0*", b"GIF8")), _picture),
    (lambda entry, data: data[:4] == b"RIFF" and data[8:12] == b"WAVE", _sound),
]
