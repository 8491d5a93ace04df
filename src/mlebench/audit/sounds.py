"""What the file of a sound says besides its samples: chunks, tags, comments, and what stands behind its end."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TEXT = 4096  # bytes of a chunk that are kept


def samples_of(data: bytes) -> NDArray[np.float64] | None:
    """The samples of a WAV file, to the end of the file whatever its header says; None where there are none."""
    place = data.find(b"data")
    if place < 0:
        return None
    body = data[place + 8 :]
    return np.frombuffer(body[: len(body) // 2 * 2], dtype="<i2").astype(float)


def heard(data: bytes) -> bytes:
    """What of the file of a sound is heard, without tags and headers; all of any other file."""
    found = b""
    if data[:4] in (b"RIFF", b"FORM"):
        order = "<" if data[:4] == b"RIFF" else ">"
        found = next((body for name, body in _chunks(data, 12, order) if name in ("data", "SSND")), b"")
    elif data[:4] == b"fLaC":
        position, is_last = 4, False
        while not is_last and position + 4 <= len(data):
            is_last = bool(data[position] & 128)
            position += 4 + int.from_bytes(data[position + 1 : position + 4], "big")
        found = data[position:]
    elif data[:3] == b"ID3":
        found = data[10 + _seven_bits(data[6:10]) :]
    if found and data[-128:-125] == b"TAG" and data[:3] == b"ID3":
        found = found[:-128]
    return found or data


def _seven_bits(data: bytes) -> int:
    """A number of which each byte has seven bits."""
    number = 0
    for byte in data:
        number = number << 7 | byte & 127
    return number


def riff(data: bytes) -> Iterator[tuple[str, Any]]:
    """The facts of a RIFF file, such as WAV."""

    def read(name: str, body: bytes) -> Iterator[tuple[str, Any]]:
        if name == "fmt ":
            kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", body)
            yield from (("coding", kind), ("channels", channels), ("rate", rate), ("bits", bits))
        elif name == "data":
            yield from _samples(np.frombuffer(body[: len(body) // 2 * 2], dtype="<i2"))
        elif name == "LIST":
            for label, text in _chunks(body, 4, "<"):
                yield f"LIST {label}", text.rstrip(b"\0").decode("utf-8", "replace")

    yield from _sound(data, "<", {"fmt ": read, "data": read, "LIST": read})


def aiff(data: bytes) -> Iterator[tuple[str, Any]]:
    """The facts of an AIFF file."""

    def read(name: str, body: bytes) -> Iterator[tuple[str, Any]]:
        if name == "COMM":
            yield "format", body.hex()
            channels, _, bits = struct.unpack_from(">HIH", body)
            yield from (("channels", channels), ("bits", bits), ("rate", body[8:18].hex()))
        else:
            yield from _samples(np.frombuffer(body[8 : 8 + (len(body) - 8) // 2 * 2], dtype=">i2"))

    yield from _sound(data, ">", {"COMM": read, "SSND": read})


_Chunk = Callable[[str, bytes], Iterator[tuple[str, Any]]]


def _sound(data: bytes, order: str, known: dict[str, _Chunk]) -> Iterator[tuple[str, Any]]:
    """What the chunks of a sound say: those that are known, and others as texts."""
    chunks, end = [], 12
    for name, body in _chunks(data, 12, order):
        chunks.append(name)
        end += 8 + len(body) + len(body) % 2
        if name in ("data", "SSND"):
            yield "length of the sound", len(body)
        yield from (
            known[name](name, body) if name in known else [(f"chunk {name}", body[:_TEXT].decode("utf-8", "replace"))]
        )
    yield "chunks", " ".join(chunks)
    yield "bytes behind the end", data[end : end + 200].hex()
    yield "bytes behind the end, how many", max(0, len(data) - end)


def _chunks(data: bytes, start: int, order: str) -> Iterator[tuple[str, bytes]]:
    """(name, content) of chunks one after the other, each with its length in front."""
    while start + 8 <= len(data) and data[start : start + 4] != b"\0\0\0\0":  # what is behind the end is no chunk
        (size,) = struct.unpack_from(f"{order}I", data, start + 4)
        yield data[start : start + 4].decode("latin-1"), data[start + 8 : start + 8 + size]
        start += 8 + size + size % 2


def _samples(samples: Any) -> Iterator[tuple[str, Any]]:
    if len(samples):
        yield "first sample", int(samples[0])
        yield "last sample", int(samples[-1])
        yield "loudest sample", int(np.abs(samples.astype(np.int32)).max())
        yield "mean of its samples", round(float(samples.mean()), 2)


def id3(data: bytes) -> Iterator[tuple[str, Any]]:
    """The tags of an MP3 file."""
    if data[:3] == b"ID3":
        size = _seven_bits(data[6:10])
        position = 10
        while position + 10 <= min(10 + size, len(data)):
            name = data[position : position + 4]
            length = struct.unpack(">I", data[position + 4 : position + 8])[0]
            if data[3] >= 4:  # seven bits of each byte count
                length = _seven_bits(data[position + 4 : position + 8])
            if not name.strip(b"\0") or length > size:
                break
            yield f"ID3 {name.decode('latin-1')}", _wide(data[position + 10 : position + 10 + length])
            position += 10 + length
    if data[-128:-125] == b"TAG":
        yield "ID3v1", data[-125:].rstrip(b"\0 ").decode("latin-1")


def _wide(body: bytes) -> str:
    if body[:1] in (b"\1", b"\2"):
        return body[1:].decode("utf-16", "replace").strip("\0")
    return body[1:].decode("utf-8", "replace").strip("\0")


def flac(data: bytes) -> Iterator[tuple[str, Any]]:
    """The tags of a FLAC file."""
    position = 4
    while position + 4 <= len(data):
        head = data[position]
        size = int.from_bytes(data[position + 1 : position + 4], "big")
        body = data[position + 4 : position + 4 + size]
        if head & 127 == 4:
            yield from _vorbis(body)
        elif head & 127 != 3:
            yield f"block {head & 127}", body[:200].hex()
        if head & 127 == 0 and len(body) >= 18:  # 20 bits, 3 bits, 5 bits, and 36 for the number of samples
            packed = int.from_bytes(body[10:18], "big")
            yield from (("rate", packed >> 44), ("channels", (packed >> 41 & 7) + 1), ("bits", (packed >> 36 & 31) + 1))
            yield "length of the sound", packed & (1 << 36) - 1
        position += 4 + size
        if head & 128:
            break


def _vorbis(body: bytes) -> Iterator[tuple[str, Any]]:
    (length,) = struct.unpack_from("<I", body)
    yield "vendor", body[4 : 4 + length].decode("utf-8", "replace")
    position = 4 + length
    (count,) = struct.unpack_from("<I", body, position)
    position += 4
    for _ in range(min(count, 100)):
        (length,) = struct.unpack_from("<I", body, position)
        name, _, value = body[position + 4 : position + 4 + length].decode("utf-8", "replace").partition("=")
        yield f"comment {name}", value
        position += 4 + length


def ogg(data: bytes) -> Iterator[tuple[str, Any]]:
    """The tags of an Ogg file."""
    if (head := data.find(b"\x01vorbis")) >= 0 and len(data) >= head + 16:
        yield from zip(("channels", "rate"), struct.unpack_from("<BI", data, head + 11), strict=True)
    place = data.find(b"\x03vorbis")
    place = place + 7 if place >= 0 else data.find(b"OpusTags") + 8
    if place > 7:
        yield from _vorbis(data[place : place + 65536])
