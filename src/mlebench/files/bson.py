"""BSON files as sequences of documents, taken apart without decoding what is in them.

A document is its length in bytes (32 bits, the length itself included), elements, and a zero byte. An element is a
type, a name that ends in a zero byte, and a value whose size follows from its type.
"""

from __future__ import annotations

import io
import struct
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mlebench.errors import PreparationError
from mlebench.files.damage import reporting_damage
from mlebench.files.source import Source, as_source
from mlebench.files.streams import open_source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_INT32 = struct.Struct("<i")
_INTEGERS = {0x10: _INT32, 0x12: struct.Struct("<q")}
# Sizes of values by type: those with a size of their own, and what is added to the length that the value begins with.
_FIXED = {0x01: 8, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8}
_BESIDES_LENGTH = {0x02: 4, 0x03: 0, 0x04: 0, 0x05: 5}  # text, document, array, bytes
_DOCUMENT, _LIST = 0x03, 0x04
_SMALLEST, _LARGEST = 5, 16 << 20  # an empty document; what databases accept
_BUFFER = 1 << 20
_DAMAGED = (LookupError, ValueError, struct.error)


class BsonFile:
    """A BSON file of any size, read one document at a time and from its start whenever it is iterated over."""

    def __init__(self, source: Source | Path, label: str) -> None:
        self._source = as_source(source)
        self.label = label

    def __iter__(self) -> Iterator[bytes]:
        with (
            reporting_damage(self.label),
            open_source(self._source) as opened,
            io.BufferedReader(opened, _BUFFER) as stream,  # type: ignore[type-var]
        ):
            while head := stream.read(_INT32.size):
                length = _INT32.unpack(head)[0] if len(head) == _INT32.size else 0
                if not _SMALLEST <= length <= _LARGEST:
                    raise self.damaged("a document cannot have the length that it claims")
                document = head + stream.read(length - _INT32.size)
                if len(document) < length:
                    raise self.damaged("its last document is cut off")
                yield document

    def integers(self, *names: str) -> dict[str, NDArray[np.int64]]:
        """The whole numbers that every document has under these names, in the order of the file."""
        import numpy as np

        found = {name.encode(): array("q") for name in names}
        try:
            for count, document in enumerate(self, start=1):
                for element in _elements(document):
                    if element.name in found and element.kind in _INTEGERS:
                        found[element.name].append(_INTEGERS[element.kind].unpack_from(document, element.value)[0])
                if any(len(values) != count for values in found.values()):
                    raise LookupError(f"a document lacks the whole number {' or '.join(names)}")
        except _DAMAGED as error:
            raise self.damaged(error) from error
        return {name.decode(): np.array(values, dtype=np.int64) for name, values in found.items()}

    def damaged(self, reason: object) -> PreparationError:
        """What to raise when the file turns out to be no sequence of BSON documents."""
        return PreparationError(
            f"{self.label} cannot be read as BSON: {reason}.", hint="The archive may be damaged: download it again."
        )


class _Element(NamedTuple):
    """A named value of a document; the last three say where the element and its value start and where both stop."""

    kind: int
    name: bytes
    start: int
    value: int
    stop: int


def _elements(document: bytes) -> Iterator[_Element]:
    position, end = _INT32.size, len(document) - 1
    while position < end:
        kind = document[position]
        value = document.index(0, position + 1) + 1
        if kind in _FIXED:
            size = _FIXED[kind]
        elif kind in _BESIDES_LENGTH:
            (length,) = _INT32.unpack_from(document, value)
            size = length + _BESIDES_LENGTH[kind]
        else:
            raise ValueError(f"type {kind} is unknown")
        stop = value + size
        if size < 0 or stop > end:
            raise ValueError("an element does not fit into its document")
        yield _Element(kind, document[position + 1 : value - 1], position, value, stop)
        position = stop


def keys_of(document: bytes) -> dict[str, Any]:
    """The keys of a document, those of the documents in it below them; what is no document or list is None."""
    found: dict[str, Any] = {}
    for element in _elements(document):
        inside = document[element.value : element.stop]
        if element.kind == _DOCUMENT:
            below: Any = keys_of(inside)
        else:
            below = list(keys_of(inside).values()) if element.kind == _LIST else None
        found[element.name.decode()] = below
    return found


def without_element(document: bytes, name: str) -> bytes:
    """A document without the element of this name, everything else as it is."""
    for element in _elements(document):
        if element.name == name.encode():
            length = len(document) - (element.stop - element.start)
            return _INT32.pack(length) + document[_INT32.size : element.start] + document[element.stop :]
    return document


def write_documents(path: Path, documents: Iterable[bytes]) -> None:
    """Write documents one after the other."""
    with path.open("wb", buffering=_BUFFER) as file:
        file.writelines(documents)


def write_split(documents: BsonFile, in_test: NDArray[np.bool_], train: Path, test: Path, hide: str) -> None:
    """Deal documents out to two files in one pass; those of the test part lose the element `hide`."""
    with train.open("wb", buffering=_BUFFER) as for_train, test.open("wb", buffering=_BUFFER) as for_test:
        try:
            for document, held_out in zip(documents, in_test.tolist(), strict=True):
                if held_out:
                    for_test.write(without_element(document, hide))
                else:
                    for_train.write(document)
        except _DAMAGED as error:
            raise documents.damaged(error) from error
