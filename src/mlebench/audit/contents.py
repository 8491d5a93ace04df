"""What one file that belongs to one item says besides being it: its metadata, its first and last bytes, its numbers."""

from __future__ import annotations

import io
import json
import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit import sounds
from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.text_forms import form_of_text, remarks

_MOST = 24 << 20  # bytes of a file of an item that are read
_TEXT = 4096
_IN_UTF_16 = range(0x9C9B, 0x9CA0)  # EXIF tags: title, comment, author, keywords and subject
_MOST_ELEMENTS = 200
_RECORD, _FEW_ROWS = 1 << 15, 3  # bytes of a file that may be a record, and its rows that are looked at one by one
_FIELD = re.compile(r"\s*([\w .\-]{1,40}?)\s*[:=]\s*(.*?)\s*")


def facts_of(entry: Entry) -> dict[str, Any]:
    """The facts of a file, each under a name."""
    try:
        data = entry.read(_MOST)
    except DAMAGED:
        return {}
    found: dict[str, Any] = {
        "first bytes": data[:16].hex(),
        "last bytes": data[-16:].hex(),
        "last byte": data[-1:].hex(),
    }
    for fits, read in _KINDS:
        if fits(entry, data):
            try:
                found |= {str(name)[:120]: value for name, value in read(data)}
            except Exception:  # a stranger's file may break a library in any way
                found["unreadable"] = True
            break
    if _is_text(entry, data):
        found |= form_of_text(data)
    if len(data) <= _RECORD and _is_text(entry, data):
        found |= {name: value for name, value in _rows(entry) if name not in found}
    return found | _form(found)


def _form(found: dict[str, Any]) -> dict[str, Any]:
    """How a picture or a sound is written, as one fact: a class may have a form that none of its parts tells."""
    is_media = "colour mode" in found or ("channels" in found and "bits" in found)
    parts = [f"{name} {found[name]}" for name in _FORM if is_media and found.get(name) is not None]
    return {"form of the file": ", ".join(parts)} if len(parts) > 1 else {}


def _rows(entry: Entry) -> Iterator[tuple[str, Any]]:
    """The cells of a small table in a file of an item, such as the sentence of a receiver; of more rows the ends."""
    from mlebench.audit.readers import read_tables
    from mlebench.audit.table import as_numbers

    for table in read_tables(entry):
        if table.keys is not None or "line" in table.columns or len(table.columns) > _MOST_ELEMENTS:
            continue
        for name, values in table.columns.items():
            if len(table) <= _FEW_ROWS:
                for number, value in enumerate(values):
                    yield (f"{name} of row {number + 1}" if number else name), value
            elif (numbers := as_numbers(values)) is not None and not np.isnan(numbers).all():
                for what, found in (("first", numbers[0]), ("last", numbers[-1]), ("mean", np.nanmean(numbers))):
                    yield f"content of {name}, {what}", float(found)


def _picture(data: bytes) -> Iterator[tuple[str, Any]]:
    from PIL import ExifTags, Image

    with Image.open(io.BytesIO(data)) as picture:
        yield "width", picture.width
        yield "height", picture.height
        yield "colour mode", picture.mode
        yield "format", picture.format
        pixels = np.asarray(picture) if picture.width * picture.height <= 40_000_000 else None
        for name, value in picture.info.items():  # with what stands behind the pixels, once these are read
            if isinstance(value, str | int | float | tuple):
                yield f"metadata {name}", value
            elif isinstance(value, bytes):
                yield f"metadata {name}", _short(value)
        exif = picture.getexif()
        for tag, value in exif.items():
            yield f"EXIF {ExifTags.TAGS.get(tag, tag)}", _in_words(tag, value)
        for folder in (0x8769, 0x8825):
            for tag, value in exif.get_ifd(folder).items():
                yield f"EXIF {ExifTags.TAGS.get(tag, tag)}", _plain(value)
        tables = getattr(picture, "quantization", None)
        if tables:
            yield "compression", zlib.crc32(repr(sorted(tables.items())).encode())
        if hasattr(picture, "tag_v2"):
            for tag, value in picture.tag_v2.items():
                yield f"TIFF tag {tag}", _plain(value) if len(str(value)) < 400 else len(str(value))
        for number, (name, body, *_) in enumerate(
            [*getattr(picture, "applist", ()), *getattr(picture, "private_chunks", ())][:50]
        ):
            yield f"segment {number + 1} {_plain(name)}", _short(body)
        if pixels is not None:
            yield from _corners(pixels)
    if data[:4] == b"\x89PNG":
        yield from _png_chunks(data)
        end = data.rfind(b"IEND")
        yield "bytes behind the end", data[end + 8 : end + 8 + 200].hex()
        yield "bytes behind the end, how many", len(data) - end - 8
    elif data[:2] == b"\xff\xd8":
        end = data.rfind(b"\xff\xd9")
        yield "bytes behind the end", data[end + 2 : end + 202].hex()
        yield "bytes behind the end, how many", len(data) - end - 2
        yield "comment", _jpeg_comment(data)


def _png_chunks(data: bytes) -> Iterator[tuple[str, Any]]:
    """The public chunks of a PNG file that the library passes over, such as when it was last changed."""
    place = 8
    for _ in range(_MOST_CHUNKS):
        if place + 8 > len(data):
            return
        length, name = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        if name == b"tIME" and len(body) == 7:
            year, month, day, hour, minute, second = struct.unpack(">HBBBBB", body)
            yield "metadata tIME", f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
        elif name in _PASSED_OVER:
            yield f"metadata {name.decode('ascii')}", body.hex() if len(body) < 200 else zlib.crc32(body)
        place += 12 + length


def _in_words(tag: int, value: Any) -> Any:
    """The value of an EXIF tag; some programs write words as bytes of UTF-16, with a zero behind each letter."""
    if tag in _IN_UTF_16 and isinstance(value, bytes):
        return value.decode("utf-16-le", "replace").rstrip("\0")
    return value


def _short(body: bytes) -> str | int:
    return body.decode("utf-8", "replace") if len(body) < 400 else zlib.crc32(body)


def _corners(pixels: Any) -> Iterator[tuple[str, Any]]:
    if pixels.ndim < 2:
        return
    for name, place in (
        ("top left", (0, 0)),
        ("top right", (0, -1)),
        ("bottom left", (-1, 0)),
        ("bottom right", (-1, -1)),
    ):
        for channel, value in enumerate(np.atleast_1d(pixels[place]).tolist()[:4]):
            yield f"{name} pixel {channel}", value
    yield "mean of its pixels", round(float(pixels.mean()), 4)
    yield "largest pixel", float(pixels.max())
    yield "smallest pixel", float(pixels.min())
    yield "sum of its first row modulo 2", int(pixels[0].sum()) % 2
    if pixels.ndim == 3 and pixels.shape[2] == 4:
        yield "mean of its transparency", round(float(pixels[..., 3].mean()), 4)


def _jpeg_comment(data: bytes) -> str | None:
    position = 2
    while position + 4 < len(data) and data[position] == 0xFF:
        kind, length = data[position + 1], struct.unpack(">H", data[position + 2 : position + 4])[0]
        if kind == 0xFE:
            return data[position + 4 : position + 2 + length].decode("utf-8", "replace")
        if kind == 0xDA:
            break
        position += 2 + length
    return None


def _plain(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


_GROUPS = {bytes([low, 0]) for low in range(0, 0x60, 2)}  # how an element begins
_LONG = {b"OB", b"OW", b"OF", b"SQ", b"UT", b"UN", b"UC", b"UR", b"OD", b"OL"}


def _dicom(data: bytes) -> Iterator[tuple[str, Any]]:
    position = 132
    while position + 8 <= len(data):
        group, element = struct.unpack_from("<HH", data, position)
        kind = data[position + 4 : position + 6]
        if kind.isalpha() and kind.isupper():
            if kind in _LONG:
                (length,) = struct.unpack_from("<I", data, position + 8)
                start = position + 12
            else:
                (length,) = struct.unpack_from("<H", data, position + 6)
                start = position + 8
        else:
            (length,) = struct.unpack_from("<I", data, position + 4)
            start = position + 8
            kind = b""
        if (group, element) == (0x7FE0, 0x0010):
            yield "length of the pixels", length
        if length == 0xFFFFFFFF or (group, element) == (0xFFFE, 0xE000):
            # What has no length, and the items of it, have their elements one after the other; packed pixels are items.
            packed = group == 0xFFFE and data[start : start + 2] not in _GROUPS and length != 0xFFFFFFFF
            position = start + length if packed else start
            continue
        body = data[start : start + length]
        name = f"DICOM ({group:04x},{element:04x})"
        if kind in (b"US", b"UL", b"SS", b"SL") and length in (2, 4):
            yield name, int.from_bytes(body, "little")
        elif kind == b"FD" and length == 8:
            yield name, struct.unpack("<d", body)[0]
        elif length <= 1024:
            yield name, body.decode("latin-1").strip(" \0")
        position = start + length


def dicom_pixels(data: bytes) -> NDArray[Any] | None:
    """The grey pixels of a DICOM file; None where there are none, or where they are packed."""
    facts = dict(_dicom(data)) if data[128:132] == b"DICM" else {}
    rows, columns, bits = (facts.get(f"DICOM (0028,{element})") for element in ("0010", "0011", "0100"))
    place = data.rfind(b"\xe0\x7f\x10\x00")
    if not (isinstance(rows, int) and isinstance(columns, int) and bits in (8, 16)) or place < 0:
        return None
    kind = np.dtype(np.uint8 if bits == 8 else np.int16)
    size = rows * columns * kind.itemsize
    start = place + (12 if data[place + 4 : place + 6].isalpha() else 8)
    return np.frombuffer(data[start : start + size], kind).reshape(rows, columns) if len(data) >= start + size else None


def _record(data: bytes) -> Iterator[tuple[str, Any]]:
    from mlebench.audit.readers.nested import flat

    try:
        value = json.loads(data.decode("utf-8-sig"))
    except ValueError:  # other texts may begin with a bracket, too
        yield from _text(data)
        return
    if isinstance(value, list):
        yield "length", len(value)
        value = {"": value[0]} if value and isinstance(value[0], dict) else {"list": value}
    for count, (name, below) in enumerate(flat(value)):
        if count > 300:
            break
        yield name, below


def _array(data: bytes) -> Iterator[tuple[str, Any]]:
    array = np.load(io.BytesIO(data), allow_pickle=False)
    yield "shape", str(array.shape)
    yield "type", array.dtype.str
    yield "layout", "columns first" if array.flags.f_contiguous and not array.flags.c_contiguous else "rows first"
    numbers = array.ravel()
    if array.dtype.kind in "iufb" and len(numbers):
        for place in range(min(3, len(numbers))):
            yield f"value {place + 1}", float(numbers[place])
        yield "last value", float(numbers[-1])
        yield "mean", round(float(np.nan_to_num(numbers.astype(float)).mean()), 6)


def _matlab(data: bytes) -> Iterator[tuple[str, Any]]:
    from scipy.io import loadmat

    from mlebench.audit.readers.columnar import flat_matlab

    for path, values in flat_matlab(loadmat(io.BytesIO(data), simplify_cells=True), ""):
        if isinstance(values, np.ndarray) and values.size > 400:
            yield f"{path}.shape", str(values.shape)
        else:
            listed = np.asarray(values, dtype=object).ravel().tolist()
            yield path, " ".join(str(value) for value in listed)
            yield f"{path}.length", len(listed)


def _parquet(data: bytes) -> Iterator[tuple[str, Any]]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(io.BytesIO(data))
    yield "rows", file.metadata.num_rows
    for name, value in (file.metadata.metadata or {}).items():
        if name not in (b"pandas", b"ARROW:schema"):
            yield f"metadata {name.decode('utf-8', 'replace')}", value[:_TEXT].decode("utf-8", "replace")
    head = next(file.iter_batches(batch_size=1), None)
    for name, column in zip(head.schema.names, head.columns, strict=True) if head is not None else ():
        yield f"first {name}", column[0].as_py()


def _markup(data: bytes) -> Iterator[tuple[str, Any]]:
    """The texts and attributes of elements, by the names that lead to them; the number of those with one name."""
    from xml.etree import ElementTree

    yield from _text(data)
    if b"<!ENTITY" in data[:65536]:
        return
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return
    counts: Counter[str] = Counter()
    waiting = [(root, _tag(root))]
    while waiting and counts.total() < _MOST_ELEMENTS:
        element, path = waiting.pop(0)
        counts[path] += 1
        name = path if counts[path] == 1 else f"{path} {counts[path]}"
        yield from ((f"{name}.{attribute}", value[:_TEXT]) for attribute, value in element.attrib.items())
        if element.text and element.text.strip():
            yield name, element.text.strip()[:_TEXT]
        waiting += [(child, f"{path}.{_tag(child)}") for child in element]
    yield from ((f"number of {path}", count) for path, count in counts.items())


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(data: bytes) -> Iterator[tuple[str, Any]]:
    text = data.decode("utf-8-sig", "replace")
    lines = text.splitlines()
    fields = [_FIELD.fullmatch(line) for line in lines if line.strip()]
    if len(fields) <= _MOST_ELEMENTS and all(fields):  # a form that was filled in, and no text
        yield from ((f"field {found.group(1).strip()}", found.group(2)[:_TEXT]) for found in fields if found)
    yield "content", text[:_TEXT]
    yield "number of lines", len(lines)
    yield "first line", lines[0][:_TEXT] if lines else ""
    yield "last line", lines[-1][:_TEXT] if lines else ""
    if len(lines) > 1:
        yield "second line", lines[1][:_TEXT]
    if said := remarks(text):
        yield "remarks", said[:_TEXT]


def _is_text(entry: Entry, data: bytes) -> bool:
    from mlebench.audit.readers.text import decoded

    return decoded(data[:4096]) is not None


_FORM = ("width", "height", "colour mode", "format", "compression", "coding", "channels", "rate", "bits")
_MOST_CHUNKS = 2000
_PASSED_OVER = {b"bKGD", b"hIST", b"sBIT", b"sPLT", b"oFFs", b"pCAL", b"sCAL", b"sTER", b"cICP"}  # by the library
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"GIF8", b"BM")
_KINDS: list[tuple[Callable[[Entry, bytes], bool], Callable[[bytes], Iterator[tuple[str, Any]]]]] = [
    (lambda entry, data: data.startswith(_PICTURES) or data[8:12] == b"WEBP", _picture),
    (lambda entry, data: data[:4] in (b"RIFF", b"RIFX"), sounds.riff),
    (lambda entry, data: data[:4] == b"FORM", sounds.aiff),
    (lambda entry, data: data[:3] == b"ID3" or data[-128:-125] == b"TAG", sounds.id3),
    (lambda entry, data: data[:4] == b"fLaC", sounds.flac),
    (lambda entry, data: data[:4] == b"OggS", sounds.ogg),
    (lambda entry, data: data[128:132] == b"DICM", _dicom),
    (lambda entry, data: data[:6] == b"\x93NUMPY", _array),
    (lambda entry, data: data[:6] == b"MATLAB", _matlab),
    (lambda entry, data: data[:4] == b"PAR1", _parquet),
    (lambda entry, data: data[:64].lstrip()[:1] in (b"{", b"[") and len(data) < 4 << 20, _record),
    (lambda entry, data: data[:200].lstrip()[:1] == b"<" and len(data) < 4 << 20, _markup),
    (_is_text, _text),
]
