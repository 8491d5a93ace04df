"""Small pictures, sounds and scans as bytes, and the places in them where people leave notes."""

from __future__ import annotations

import io
import struct
import wave
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin


def picture_bytes(rng: np.random.Generator, value: float, form: str, size: int = 32) -> bytes:
    """A picture of blots whose shade follows a value a little."""
    coarse = rng.normal(120 + 14 * value, 45, (size // 4, size // 4, 3))
    pixels = np.kron(coarse, np.ones((4, 4, 1))) + rng.normal(0, 6, (size, size, 3))
    return encoded(Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)), form)


def encoded(picture: Image.Image, form: str, **options: Any) -> bytes:
    """A picture as a file."""
    target = io.BytesIO()
    picture.save(target, form, **options)
    return target.getvalue()


def decoded(data: bytes) -> Image.Image:
    """The picture of a file."""
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def disc_picture(rng: np.random.Generator, size: int = 32) -> tuple[bytes, NDArray[np.bool_]]:
    """A picture of bright discs on noise, and the mask of the discs."""
    rows, columns = np.mgrid[:size, :size]
    mask = np.zeros((size, size), dtype=np.bool_)
    for _ in range(int(rng.integers(1, 4))):
        row, column = rng.integers(5, size - 5, 2)
        mask |= (rows - row) ** 2 + (columns - column) ** 2 <= int(rng.integers(6, 26))
    shade = rng.normal(90, 35, (size, size)) + 60 * mask
    return encoded(Image.fromarray(np.clip(shade, 0, 255).astype(np.uint8)), "PNG"), mask


def tone_bytes(rng: np.random.Generator, value: float, rate: int = 8000) -> bytes:
    """A short sound whose pitch follows a value a little."""
    moments = np.arange(int(rng.integers(1200, 2000)))
    pitch = 0.25 + 0.02 * value + rng.normal(0, 0.03)
    wobble = np.cumsum(rng.normal(0, 0.02, len(moments)))
    return wav_bytes(9000 * np.sin(moments * pitch + wobble) + rng.normal(0, 1500, len(moments)), rate)


def wav_bytes(samples: NDArray[np.float64], rate: int = 8000) -> bytes:
    """Samples as a WAV file."""
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.clip(samples, -32768, 32767).astype("<i2").tobytes())
    return target.getvalue()


def wav_samples(data: bytes) -> NDArray[np.float64]:
    """The samples of a WAV file."""
    with wave.open(io.BytesIO(data)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.float64)


def with_wav_chunk(data: bytes, name: bytes, content: bytes) -> bytes:
    """A WAV file with one more chunk at its end."""
    content += b"\0" * (len(content) % 2)
    body = data[8:] + name + struct.pack("<I", len(content)) + content
    return b"RIFF" + struct.pack("<I", len(body)) + body


def info_list(comment: str) -> bytes:
    """The content of a LIST chunk with a comment, as recorders write it."""
    text = comment.encode() + b"\0"
    text += b"\0" * (len(text) % 2)
    return b"INFOICMT" + struct.pack("<I", len(text)) + text


def id3_tag(genre: str) -> bytes:
    """An ID3v2.3 tag with a genre."""
    text = b"\0" + genre.encode()
    frame = b"TCON" + struct.pack(">I", len(text)) + b"\0\0" + text
    size = len(frame)
    sized = bytes([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])
    return b"ID3\x03\0\0" + sized + frame


def with_png_text(data: bytes, key: str, text: str) -> bytes:
    """A PNG file with a text chunk."""
    info = PngImagePlugin.PngInfo()
    info.add_text(key, text)
    return encoded(decoded(data), "PNG", pnginfo=info)


def with_exif(data: bytes, tag: int, text: str | bytes) -> bytes:
    """A JPEG file with an EXIF entry."""
    picture = decoded(data)
    exif = picture.getexif()
    exif[tag] = text
    return encoded(picture, "JPEG", exif=exif, quality=90)


def _element(group: int, number: int, kind: bytes, value: bytes) -> bytes:
    value += (b"\0" if kind in (b"UI", b"OB") else b" ") * (len(value) % 2)
    head = struct.pack("<HH", group, number) + kind
    if kind in (b"OB", b"OW"):
        return head + struct.pack("<HI", 0, len(value)) + value
    return head + struct.pack("<H", len(value)) + value


def dicom_bytes(rng: np.random.Generator, value: float, size: int = 16, comment: str = "") -> bytes:
    """A scan in explicit little-endian DICOM; `comment` is what somebody typed into Image Comments."""
    pixels = np.clip(rng.normal(1000 + 120 * value, 300, (size, size)), 0, 4095).astype("<u2")
    meta = _element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1")
    body = _element(8, 0x60, b"CS", b"MR") + _element(0x10, 0x40, b"CS", str(rng.choice(["M", "F"])).encode())
    if comment:
        body += _element(0x20, 0x4000, b"LT", comment.encode())
    body += _element(0x28, 2, b"US", struct.pack("<H", 1)) + _element(0x28, 4, b"CS", b"MONOCHROME2")
    for number, amount in ((0x10, size), (0x11, size), (0x100, 16), (0x101, 16), (0x102, 15), (0x103, 0)):
        body += _element(0x28, number, b"US", struct.pack("<H", amount))
    body += _element(0x7FE0, 0x10, b"OW", pixels.tobytes())
    length = _element(2, 0, b"UL", struct.pack("<I", len(meta)))
    return b"\0" * 128 + b"DICM" + length + meta + body


def with_dicom_comment(data: bytes, comment: str) -> bytes:
    """A scan of `dicom_bytes` with Image Comments."""
    mark = struct.pack("<HH", 0x28, 2) + b"US"
    place = data.index(mark)
    return data[:place] + _element(0x20, 0x4000, b"LT", comment.encode()) + data[place:]
