"""What is read of files: answers that are masked, encoded, packed or written in forms without a name are found."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import hashlib
import io
import json
import lzma
import pickle
import plistlib
import sqlite3
import string
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, PngImagePlugin

from mlebench.audit.binary_rows import lists_of_words
from mlebench.audit.contents import facts_of
from mlebench.audit.disguises import revealed
from mlebench.audit.encodings import names_in_other_forms
from mlebench.audit.entries import Entry, entries_below
from mlebench.audit.item_files import item_files
from mlebench.audit.loose import beside_ids
from mlebench.audit.masks import Telling
from mlebench.audit.matching import match
from mlebench.audit.readers import FAMILIES, read_tables
from mlebench.audit.readers.text import tables_of_text
from mlebench.audit.split_files import split_files
from mlebench.audit.survey import odd_files
from mlebench.audit.table import Table, canonical, merged, texts
from mlebench.audit.targets import Items, plain_key

rng = np.random.default_rng(3)
IDS = [
    f"{number:05x}_{letter}" for number, letter in zip(rng.choice(1 << 20, 80, replace=False), "abcd" * 20, strict=True)
]
ANSWERS = [str(answer) for answer in rng.choice(["cat", "dog", "newt"], 80)]
CODES = np.array([["cat", "dog", "newt"].index(answer) for answer in ANSWERS])
ITEMS = Items((), {plain_key(name): (row,) for row, name in enumerate(IDS)}, 80, texts(IDS), {"sample": np.arange(80)})
FRAME = pd.DataFrame({"a": pd.Series(IDS, dtype=object), "b": pd.Series(ANSWERS, dtype=object)}).sample(
    frac=1, random_state=1
)
PAIRS = FRAME.to_numpy().tolist()
TABLE = FRAME.to_csv(index=False).encode()
TEXT = TABLE.decode()
PICTURE = Image.fromarray(rng.integers(0, 255, (12, 12, 3), dtype=np.uint8))


def entry(name: str, data: bytes) -> Entry:
    return Entry(name, len(data), 0, "", {}, lambda most: data[:most])


def told(files: list[Entry]) -> bool:
    """Whether one column of what is read has the answers, or a code of them."""
    for file in files:
        for inner in (file, *revealed(file, Telling(ITEMS.names))):
            tables = list(read_tables(inner))
            for table in (*tables, *beside_ids(inner, ITEMS, tables)):
                for matched in match(table, ITEMS, ()):
                    for column in matched.columns:
                        if len(column.items) > 60 and _tells(column.values, column.items):
                            return True
    return False


def _tells(values: object, items: object) -> bool:
    said = [canonical(value) for value in values]  # type: ignore[attr-defined]
    truth = [ANSWERS[row] for row in items]  # type: ignore[attr-defined]
    pairs = set(zip(said, truth, strict=True))
    return len(pairs) == len(set(truth)) == len(set(said))


def keyed(data: bytes, key: bytes) -> bytes:
    return bytes(byte ^ key[place % len(key)] for place, byte in enumerate(data))


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def zipped(name: str, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return out.getvalue()


def rotated(text: str, letters: int, digits: int) -> str:
    low, high, numbers = string.ascii_lowercase, string.ascii_uppercase, string.digits
    table: dict[int, int] = {}
    for alphabet, step in ((low, letters), (high, letters), (numbers, digits)):
        table |= str.maketrans(alphabet, alphabet[step:] + alphabet[:step])
    return text.translate(table)


def with_chunk() -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", TEXT, zip=True)
    return saved(lambda out: PICTURE.save(out, "PNG", pnginfo=info))


def low_bits() -> bytes:
    bits = np.unpackbits(np.frombuffer(TABLE, np.uint8))
    pixels = rng.integers(0, 255, 128 * 128, dtype=np.uint8)
    pixels[: len(bits)] = pixels[: len(bits)] & 254 | bits
    return saved(lambda out: Image.fromarray(pixels.reshape(128, 128)).save(out, "PNG"))


def database(statements: Sequence[tuple[str, Sequence[tuple[object, ...]]]], folder: Path) -> bytes:
    with sqlite3.connect(folder / "x.db") as base:
        for statement, rows in statements:
            base.executemany(statement, rows) if rows else base.execute(statement)
    base.close()
    return (folder / "x.db").read_bytes()


def pdf() -> bytes:
    text = "BT " + " ".join(f"1 0 0 1 40 {row} Tm ({a} {b}) Tj T*" for row, (a, b) in enumerate(PAIRS)) + " ET"
    packed = base64.a85encode(zlib.compress(text.encode())) + b"~>"
    return b"%PDF-1.4\n1 0 obj\n<</Filter [/ASCII85Decode /FlateDecode]>>\nstream\n" + packed + b"endstream\nendobj\n"


def spreadsheet() -> bytes:
    shared = list(dict.fromkeys(cell for row in PAIRS for cell in row))
    rows = "".join(
        f'<row r="{row}">'
        + "".join(f'<c r="{"BF"[x]}{row}" t="s"><v>{shared.index(cell)}</v></c>' for x, cell in enumerate(cells))
        + "</row>"
        for row, cells in enumerate(PAIRS, 1)
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{rows}</sheetData></worksheet>")
        archive.writestr("xl/sharedStrings.xml", f"<sst>{''.join(f'<si><t>{text}</t></si>' for text in shared)}</sst>")
    return out.getvalue()


def r_data() -> bytes:
    def text(value: str) -> bytes:
        return struct.pack(">iii", 9, len(value), 0)[:8] + value.encode()

    def column(values: list[str]) -> bytes:
        return struct.pack(">ii", 16, len(values)) + b"".join(map(text, values))

    head = b"X\n" + struct.pack(">iii", 2, 0x30600, 0x20300)
    return gzip.compress(
        head + struct.pack(">ii", 19, 2) + column([a for a, _ in PAIRS]) + column([b for _, b in PAIRS])
    )


def message_pack(value: object) -> bytes:
    if isinstance(value, dict):
        parts = [message_pack(part) for pair in value.items() for part in pair]
        return b"\xde" + struct.pack(">H", len(value)) + b"".join(parts)
    if isinstance(value, list):
        return b"\xdc" + struct.pack(">H", len(value)) + b"".join(map(message_pack, value))
    return bytes([0xA0 | len(str(value))]) + str(value).encode()


def arrow_stream() -> bytes:
    table = pa.table({"i": [a for a, _ in PAIRS], "y": [b for _, b in PAIRS], "z": [0.5] * 80, "w": [1] * 80})
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def codes() -> list[int]:
    return [int(CODES[IDS.index(a)]) for a, _ in PAIRS]


FILES: dict[str, Callable[[], bytes]] = {
    "one masking byte": lambda: keyed(TABLE, b"\x5a"),
    "a key of five bytes": lambda: keyed(TABLE, b"s3\x91e!"),
    "a key of sixteen bytes": lambda: keyed(TABLE, b"sixteen byte key"),
    "inverted bytes": lambda: keyed(TABLE, b"\xff"),
    "shifted bytes": lambda: bytes((byte + 77) & 255 for byte in TABLE),
    "exchanged halves of bytes": lambda: bytes((byte >> 4 | byte << 4) & 255 for byte in TABLE),
    "a masked archive": lambda: keyed(gzip.compress(TABLE), b"\x42"),
    "an archive backwards": lambda: gzip.compress(TABLE)[::-1],
    "EBCDIC": lambda: TEXT.encode("cp500"),
    "letters rotated by 13": lambda: codecs.encode(TEXT, "rot13").encode(),
    "letters and digits rotated": lambda: rotated(TEXT, 7, 3).encode(),
    "mirrored letters": lambda: TEXT.translate(
        str.maketrans(string.ascii_lowercase, string.ascii_lowercase[::-1])
    ).encode(),
    "a text backwards": lambda: TEXT[::-1].encode(),
    "lines backwards": lambda: "\n".join(line[::-1] for line in TEXT.splitlines()).encode(),
    "base 32": lambda: base64.b32encode(TABLE),
    "base 85": lambda: base64.b85encode(TABLE),
    "ASCII 85": lambda: base64.a85encode(TABLE, adobe=True, wrapcol=70),
    "base 64 of gzip": lambda: base64.encodebytes(gzip.compress(TABLE)),
    "base 64 backwards": lambda: base64.b64encode(TABLE)[::-1],
    "three layers": lambda: base64.b64encode(base64.b32encode(TABLE.hex().encode())),
    "a packed text in JSON": lambda: json.dumps(
        {"v": 1, "m": {"k": base64.b64encode(zlib.compress(TABLE)).decode()}}
    ).encode(),
    "a dump in octal": lambda: "\n".join(
        f"{place:07o} " + " ".join(f"{byte:03o}" for byte in TABLE[place : place + 16])
        for place in range(0, len(TABLE), 16)
    ).encode(),
    "an array in C": lambda: ("char x[] = {" + ", ".join(f"0x{byte:02x}" for byte in TABLE) + "};").encode(),
    "percent signs": lambda: "".join(f"%{byte:02x}" for byte in TABLE).encode(),
    "entities": lambda: "".join(f"&#{byte};" for byte in TABLE).encode(),
    "wide characters without a mark": lambda: TEXT.encode("utf-16-be"),
    "raw deflate": lambda: zlib.compress(TABLE)[2:-4],
    "an archive behind a picture": lambda: saved(lambda out: PICTURE.save(out, "JPEG")) + zipped("x", TABLE),
    "a text in a picture": with_chunk,
    "the lowest bits of a picture": low_bits,
    "a self-extracting archive": lambda: b"MZ" + b"\x90\0\x03" * 500 + zipped("x", TABLE),
    "five archives": lambda: gzip.compress(zipped("a", bz2.compress(zipped("b", lzma.compress(TABLE))))),
    "a PDF file": pdf,
    "a spreadsheet": spreadsheet,
    "R data": r_data,
    "MessagePack, by id": lambda: message_pack(dict(PAIRS)),
    "MessagePack, two lists": lambda: message_pack({"i": [a for a, _ in PAIRS], "y": [b for _, b in PAIRS]}),
    "records of bytes": lambda: b"".join(
        struct.pack("<12sBd", a.encode(), code, 0.5) for (a, _), code in zip(PAIRS, codes(), strict=True)
    ),
    "texts with their length": lambda: b"".join(
        struct.pack("<H", len(a)) + a.encode() + bytes([code]) for (a, _), code in zip(PAIRS, codes(), strict=True)
    ),
    "numbers behind a header": lambda: b"HDR1\x80\0\0\0" + CODES.astype("<f4").tobytes(),
    "a pickled table": lambda: pickle.dumps(FRAME.reset_index(drop=True), 4),
    "a pickled table of pandas' own texts": lambda: pickle.dumps(FRAME.reset_index(drop=True).convert_dtypes(), 2),
    "a pickled series": lambda: pickle.dumps(pd.Series(codes(), index=[a for a, _ in PAIRS])),
    "pickled arrays": lambda: pickle.dumps((np.array([a for a, _ in PAIRS]), np.array(codes()))),
    "NumPy objects": lambda: saved(
        lambda out: np.savez(out, a=FRAME["a"].to_numpy(dtype=object), b=FRAME["b"].to_numpy(dtype=object))
    ),
    "HTML that is not closed": lambda: (
        "<br><table>" + "".join(f"<tr><td>{a}<td>1<td>2<td>3<td><b>{b}</b>" for a, b in PAIRS) + "</table>"
    ).encode(),
    "two lists in a program": lambda: f"I = {[a for a, _ in PAIRS]!r}\nY = {[b for _, b in PAIRS]!r}\n".encode(),
    "names and values in turns": lambda: json.dumps([cell for row in PAIRS for cell in row]).encode(),
    "values in values of Parquet": lambda: saved(
        lambda out: pq.write_table(pa.table({"r": [{"id": a, "v": {"x": b}} for a, b in PAIRS]}), out)
    ),
    "a stream of Arrow": lambda: arrow_stream(),
    "lists in a row of Parquet": lambda: saved(
        lambda out: pq.write_table(pa.table({"i": [[a for a, _ in PAIRS]], "y": [[b for _, b in PAIRS]]}), out)
    ),
    "a comment in a gzip header": lambda: b"\x1f\x8b\x08\x10" + bytes(6) + TABLE + b"\0" + gzip.compress(b"x")[10:],
    "frames of a film": lambda: saved(
        lambda out: Image.new("L", (4, 4), 9 * int(CODES[0])).save(
            out, "TIFF", save_all=True, append_images=[Image.new("L", (4, 4), 9 * int(code)) for code in CODES[1:]]
        )
    ),
    "blocks of pixels": lambda: saved(
        lambda out: Image.fromarray(np.kron(CODES.reshape(8, 10) * 50, np.ones((4, 6))).astype(np.uint8)).save(
            out, "PNG"
        )
    ),
    "a binary property list": lambda: plistlib.dumps(dict(PAIRS), fmt=plistlib.FMT_BINARY),
    "a comment in a CSV file": lambda: b"a,b\n1,2\n2,3\n" + "".join(f"# {a} {b}\n" for a, b in PAIRS).encode(),
    "addresses with ids": lambda: "".join(f"https://x.org/get?id={a}&z=3,{b}\n" for a, b in PAIRS).encode(),
    "ids with a beginning": lambda: "".join(f"#x{a} {{ order: {b} }}\n" for a, b in PAIRS).encode(),
    "invisible characters": lambda: ("Read." + "".join("\u200b\u200c\u200d"[code] for code in CODES)).encode(),
    "another separator": lambda: "".join(f"{a}^{b}^x\n" for a, b in PAIRS).encode(),
}


@pytest.mark.parametrize("kind", FILES)
def test_answers_are_read(kind: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(FILES[kind]())
    assert told(entries_below(tmp_path))


def test_a_table_that_is_joined_and_a_packed_cell_are_read(tmp_path: Path) -> None:
    rows = list(enumerate(PAIRS))
    apart = [
        ("create table items (n integer primary key, name text)", []),
        ("create table marks (item integer, mark text)", []),
        ("insert into items values (?, ?)", [(number, a) for number, (a, _) in rows]),
        ("insert into marks values (?, ?)", [(number, b) for number, (_, b) in rows[::-1]]),
    ]
    assert told([entry("x", database(apart, tmp_path))])
    (tmp_path / "x.db").unlink()
    cell = [("create table t (b blob)", []), ("insert into t values (?)", [(zlib.compress(TABLE),)])]
    assert told([entry("x", database(cell, tmp_path))])


def test_a_joblib_file_is_read() -> None:
    import joblib  # type: ignore[import-untyped]

    names = np.array([a for a, _ in PAIRS])
    assert told([entry("x", saved(lambda out: joblib.dump({"i": names, "y": np.array(codes())}, out)))])
    assert told([entry("x", saved(lambda out: joblib.dump(FRAME, out)))])


@pytest.mark.parametrize(
    "whole", [zipped("x.csv", TABLE), base64.b64encode(gzip.compress(TABLE))], ids=["an archive", "base 64"]
)
def test_pieces_of_a_file_are_put_together(whole: bytes) -> None:
    pieces = [entry(f"x.{number:03d}", whole[number * 300 : number * 300 + 300]) for number in range(99)]
    pieces = [piece for piece in pieces if piece.size]
    assert not told(pieces)
    assert told(split_files(pieces))


def test_files_that_are_whole_are_not_put_together() -> None:
    assert not split_files([entry(f"part-{number}.csv", TABLE) for number in range(3)])


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    noise = rng.integers(0, 256, 20_000, dtype=np.uint8).tobytes()
    (tmp_path / "noise").write_bytes(noise)
    (tmp_path / "description.md").write_text("# About\n\nPictures of animals, one per file.\n" * 50)
    assert not told(entries_below(tmp_path))
    assert not revealed(entry("x", noise), Telling(ITEMS.names))


def test_a_table_of_other_items_is_no_disguise() -> None:
    numbers = Telling([str(number) for number in range(2000, 2060)])
    others = "id,x\n" + "".join(f"{number},cat\n" for number in range(3000, 3900))
    assert not revealed(entry("train.csv", others.encode()), numbers)


def test_a_pickle_is_not_executed(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return Path.touch, (tmp_path / "called",)  # type: ignore[return-value]

    list(read_tables(entry("x.pkl", pickle.dumps([Evil(), IDS]))))
    assert not (tmp_path / "called").exists()


def test_chunks_of_a_picture_that_the_library_passes_over_are_read() -> None:
    buffer = io.BytesIO()
    Image.new("L", (4, 4)).save(buffer, "PNG")
    plain = buffer.getvalue()
    chunks = ((b"tIME", struct.pack(">HBBBBB", 2020, 7, 3, 1, 2, 3)), (b"oFFs", b"\1\2"))
    written = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
    facts = facts_of(entry("x.png", plain[:33] + b"".join(written) + plain[33:]))
    assert facts["metadata tIME"] == "2020-07-03 01:02:03"
    assert facts["metadata oFFs"] == "0102"
    assert "metadata tIME" not in facts_of(entry("x.png", plain + b"\xff" * 9)), "what is no chunk ends it"


def test_an_element_behind_the_pixels_of_a_scan_is_read() -> None:
    pixels = struct.pack("<HH2sHI", 0x7FE0, 0x10, b"OW", 0, 8) + b"\1" * 8
    packed = struct.pack("<HH2sHI", 0x7FE0, 0x10, b"OB", 0, 0xFFFFFFFF)
    packed += struct.pack("<HHI", 0xFFFE, 0xE000, 0) + struct.pack("<HHI", 0xFFFE, 0xE000, 6) + b"\xff\xd8\1\2\3\4"
    packed += struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
    for part in (pixels, packed):
        behind = struct.pack("<HH2sH", 0xFFFC, 0xFFFC, b"LO", 4) + b"newt"
        facts = facts_of(entry("x.dcm", b"\0" * 128 + b"DICM" + part + behind))
        assert facts["DICOM (fffc,fffc)"] == "newt"


def test_parts_of_a_date_are_facts(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("a", (2019, 3, 17, 4, 5, 6)), b"x")
    with tarfile.open(tmp_path / "x.tar", "w") as archive_:
        member = tarfile.TarInfo("a")
        member.mtime = 86400 * 16 + 5
        archive_.addfile(member)
    found = {file.name: file.facts for file in entries_below(tmp_path)}
    assert (found["x.zip/a"]["day of mtime"], found["x.tar/a"]["day of mtime"]) == ("17", "17")


def test_lists_side_by_side_in_a_text() -> None:
    table = lists_of_words("x", ["y", *ANSWERS, "i", *IDS], ITEMS.names)
    assert table is not None
    assert list(table.columns["list before, after 1 words"]) == ANSWERS


def test_every_module_of_readers_has_its_place() -> None:
    from mlebench.audit import readers

    modules = {path.stem for path in Path(readers.__file__).parent.glob("*.py")} - {"__init__"}
    assert modules == set(FAMILIES)


def test_links_and_empty_folders_are_seen_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "public/newt/1").mkdir(parents=True)
    (tmp_path / "public/2").symlink_to("newt")
    (tmp_path / "public/3").symlink_to("../secret")
    found = {file.name: file for file in entries_below(tmp_path / "public")}
    assert set(found) == {"2", "3", "newt/1"}
    assert found["2"].facts == {"link": "newt"}
    assert found["3"].read() == b""


def test_ids_may_have_their_parts_in_two_columns_or_another_form() -> None:
    parts = [name.split("_") for name in IDS]
    apart = Table("x", {"n": texts(ANSWERS), "a": texts(a for a, _ in parts), "b": texts(b for _, b in parts)})
    [matched] = match(apart, ITEMS, ())
    assert list(next(column.values for column in matched.columns if column.column == "n")) == ANSWERS
    numbers = Items((), {str(row): (row,) for row in range(80)}, 80, texts(range(80)))
    digits = Table("x", {"a": texts(row // 10 for row in range(80)), "b": texts(row % 10 for row in range(80))})
    wide = Table("x", {**digits.columns, "n": texts(ANSWERS)}, keys=None)
    assert not any("a" in matched.by and matched.by != "a" for matched in match(wide, numbers, ()))
    forms = names_in_other_forms("05f3a_b", all_forms=True)
    assert {"b_a3f50", base64.b64encode(b"05f3a_b").decode(), hashlib.sha512(b"05f3a_b").hexdigest()} <= set(forms)


def test_of_several_numbers_in_a_name_that_of_the_item_is_told() -> None:
    files = [entry(f"c/{number}_{number % 7}.x", b"0") for number in range(60)]
    names = {str(number): (number,) for number in range(60)}
    assert [file.key for file in item_files(files, names, {}, "test")] == list(names)


def test_the_odd_file_among_many_is_read() -> None:
    many = [entry(f"test/{number:05d}.png", b"x" * 90) for number in range(300)]
    odd = [entry("test/overview.png", b"x" * 90), entry("test/00999.png", b"x" * 9000)]
    assert odd_files([*many, *odd]) == odd
    assert not odd_files([entry(f"test/{name}.png", b"x") for name in IDS])


def test_records_that_refer_to_one_another_are_joined() -> None:
    order = rng.permutation(80)
    images = [{"id": place, "file_name": f"images/{IDS[row]}.jpg"} for place, row in enumerate(order)]
    for first, is_told in ((0, True), (4000, False)):
        marks = [{"id": 900 + n, "image_id": first + n, "category": int(CODES[row])} for n, row in enumerate(order)]
        book = {"images": images, "annotations": marks}
        assert told([entry("x.json", json.dumps(book).encode())]) == is_told


def test_of_one_list_for_each_class_the_number_of_the_list_is_a_column() -> None:
    lists = [
        entry(f"lists/group_{code}.txt", "\n".join(IDS[row] for row in np.flatnonzero(code == CODES)).encode())
        for code in range(3)
    ]
    tables = merged([table for file in lists for table in read_tables(file)])
    matched = next(match(next(table for table in tables if "line" in table.columns), ITEMS, ()))
    [number] = [column for column in matched.columns if column.column == "(number of the file)"]
    assert _tells(number.values, number.items)


def test_a_label_before_or_behind_a_text_is_apart_from_it() -> None:
    prose = [f"a text about the number {row}" for row in range(9)]
    front = read_tables(
        entry("x.txt", "\n".join(f"__label__{row % 2} {text}" for row, text in enumerate(prose)).encode())
    )
    assert any(list(table.columns.get("behind it", ())) == prose for table in front)
    end = read_tables(entry("x.txt", "\n".join(f"{text} {row % 2}" for row, text in enumerate(prose)).encode()))
    assert any(list(table.columns.get("before it", ())) == prose for table in end)


def test_what_zlib_packed_is_found_in_json_in_whatever_alphabet_it_is(tmp_path: Path) -> None:
    rows = "\n".join(["id,answer", *(f"x{number:05d}f,நகரம் {number}" for number in range(20))])
    packed = base64.b64encode(zlib.compress(rows.encode())).decode()
    (tmp_path / "state.json").write_text(json.dumps({"state": packed}))
    [entry] = entries_below(tmp_path)
    names = Telling({f"x{number:05d}f" for number in range(20)})
    tables = [table for part in revealed(entry, names) for table in read_tables(part)]
    assert any("answer" in table.columns and table.columns["answer"][3] == "நகரம் 3" for table in tables)


def test_a_short_comment_of_a_packed_file_is_a_text(tmp_path: Path) -> None:
    comment = "\n".join(["id,label", *(f"{number},{number % 3}" for number in range(1000, 1012))])
    header = b"\x1f\x8b\x08\x10\0\0\0\0\0\xff" + comment.encode() + b"\0"
    (tmp_path / "notes.txt.gz").write_bytes(header + gzip.compress(b"nothing")[10:])
    tables = [table for entry in entries_below(tmp_path) for table in read_tables(entry)]
    assert any(list(table.columns) == ["id", "label"] and len(table) == 12 for table in tables)


def test_a_title_of_a_drawing_is_a_name_and_a_value() -> None:
    lines = "\n".join(f"<circle><title>a{number}.jpg: w_{number}</title></circle>" for number in range(9))
    tables = tables_of_text("a.svg", f"<svg>{lines}</svg>")
    assert any(list(table.columns) == ["(key)", "(value)"] and table.columns["(value)"][8] == "w_8" for table in tables)
