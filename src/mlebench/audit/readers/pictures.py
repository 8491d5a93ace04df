"""The values of pictures and sounds that are no item's: answers are numbers, and so are pixels and samples."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import Entry
from mlebench.audit.table import Table, Texts, texts

_MOST_ROWS = 300_000


def _picture(entry: Entry, data: bytes) -> list[Table]:
    """The values of a picture, row by row; of a strip with broad bars also one value per bar."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        if not 12 <= picture.width * picture.height <= _MOST_ROWS:
            return []
        pixels = np.asarray(picture)
    layers = pixels[..., None] if pixels.ndim == 2 else pixels[..., :4]
    tables = [Table(entry.name, _columns("pixel", layers.reshape(-1, layers.shape[2])), keys=())]
    for strip in (layers, layers.swapaxes(0, 1)):
        if (strip == strip[:1]).all():
            narrow = strip[0][:: _width(strip[0])]
            if 12 <= len(narrow) < layers.shape[0] * layers.shape[1]:
                tables.append(Table(entry.name, _columns("bar", narrow), keys=()))
    return tables


def _columns(name: str, values: NDArray[Any]) -> dict[str, Texts]:
    varied = [layer for layer in range(values.shape[1]) if len(np.unique(values[:, layer])) > 1]
    return {name if layer == 0 else f"{name} {layer + 1}": texts(values[:, layer].tolist()) for layer in varied or [0]}


def _width(strip: NDArray[Any]) -> int:
    """The width that all bars of a strip are a multiple of."""
    edges = np.flatnonzero((strip[1:] != strip[:-1]).any(axis=1)) + 1
    return int(np.gcd.reduce(np.concatenate([edges, [len(strip)]])))


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
