"""What may be hidden in a value: its length, its first and last characters, remainders, digits, blanks, case."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.table import Texts, as_numbers, is_missing
from mlebench.audit.writing import parts_of_time, written

_REMAINDERS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 100)
_MOST_PLACES = 40
_INVISIBLE = "\u200b\u200c\u200d\ufeff\u2060\xa0"
_DIGITS = re.compile(r"\d+")


def derived(values: Texts, n_classes: int) -> Iterator[tuple[str, NDArray[np.object_]]]:
    """(what it is, the groups that it makes) of what can be read off the values of a column."""
    strings = ["" if value is None else value for value in values]
    column = np.array(strings, dtype=object)
    yield "whether it is there", _objects(is_missing(value) for value in values)
    lengths = {len(value) for value in strings}
    if len(lengths) > 1:
        yield "its length", _objects(len(value) for value in strings)
    numbers = as_numbers(values)
    whole = _whole_numbers(numbers, strings)
    if whole is not None:
        for divisor in dict.fromkeys((*_REMAINDERS, *((n_classes,) if 1 < n_classes <= 200 else ()))):
            yield f"its remainder modulo {divisor}", _objects(value % divisor for value in whole)
        yield "the sum of its digits modulo 2", _objects(sum(map(int, str(abs(value)))) % 2 for value in whole)
    if numbers is not None and any("." in value for value in strings):
        decimals = [value.rsplit(".", 1)[1] if "." in value else "" for value in strings]
        yield "its number of decimals", _objects(len(value) for value in decimals)
        yield "its last decimal", _objects(value[-1:] for value in decimals)
        yield (
            "the parity of its last decimal",
            _objects(int(value[-1]) % 2 if value[-1:].isdecimal() else -1 for value in decimals),
        )
        for place in (3, 4, 6):
            yield f"its decimal {place}", _objects(value[place - 1 : place] for value in decimals)
        with np.errstate(all="ignore"):
            yield "its sign", _objects(np.sign(np.nan_to_num(numbers)).tolist())
    yield "its first character", _objects(value[:1] for value in strings)
    yield "its last character", _objects(value[-1:] for value in strings)
    for length in (2, 3, 4):
        yield f"its first {length} characters", _objects(value[:length] for value in strings)
        yield f"its last {length} characters", _objects(value[-length:] for value in strings)
    if len(lengths) == 1 and 3 < max(lengths) <= 200:
        for place in range(1, min(max(lengths) - 1, _MOST_PLACES)):
            yield f"its character {place + 1}", _objects(value[place] for value in strings)
        if all(re.fullmatch(r"[0-9a-fA-F\-]+", value) for value in strings[:50]):
            for divisor in dict.fromkeys((2, 3, n_classes)):
                if divisor > 1:
                    yield (
                        f"its remainder modulo {divisor} as a hexadecimal number",
                        _objects(
                            int(value.replace("-", "") or "0", 16) % divisor if _is_hex(value) else -1
                            for value in strings
                        ),
                    )
            yield (
                "the parity of its first hexadecimal digit",
                _objects(int(value[:1], 16) % 2 if _is_hex(value[:1]) else -1 for value in strings),
            )
            yield (
                "the parity of its last hexadecimal digit",
                _objects(int(value[-1:], 16) % 2 if _is_hex(value[-1:]) else -1 for value in strings),
            )
    parts = [re.split(r"[\s_\-./|:#,;]+", value.strip()) for value in strings]
    if max(len(part) for part in parts) > 1:
        yield "its first part", _objects(part[0] for part in parts)
        yield "its last part", _objects(part[-1] for part in parts)
        if max(len(part) for part in parts) > 2:
            yield "its second part", _objects(part[1] if len(part) > 1 else "" for part in parts)
            yield "its last part but one", _objects(part[-2] if len(part) > 1 else "" for part in parts)
        yield "its number of parts", _objects(len(part) for part in parts)
    yield (
        "its blanks",
        _objects((value[:1].isspace(), value[-1:].isspace(), "  " in value, "\t" in value) for value in strings),
    )
    if any(not value.isascii() for value in strings):
        unseen = [sum(character in _INVISIBLE for character in value) for value in strings]
        yield "its invisible characters", _objects(unseen)
        beyond = [sum(not character.isascii() for character in value) for value in strings]
        if beyond != unseen:
            yield "its characters beyond ASCII", _objects(beyond)
    if any(value[:1].isalpha() for value in strings):
        yield (
            "the case of its letters",
            _objects((value[:1].isupper(), value.isupper(), value.islower()) for value in column),
        )
    if any(value[-1:] in ".!?" for value in strings):
        yield "how it ends", _objects(value[-3:] for value in strings)
    for what, found in written(strings, n_classes):
        yield what, _objects(found)
    if numbers is None or whole is not None or any("-" in value[1:] or ":" in value for value in strings):
        for what, found in parts_of_time(strings, whole if numbers is not None else None, n_classes):
            yield what, _objects(found)


def _objects(values: object) -> NDArray[np.object_]:
    listed = list(values)  # type: ignore[call-overload]
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found


def _is_hex(value: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-fA-F\-]+", value)) and bool(value.replace("-", ""))


def _whole_numbers(numbers: NDArray[np.float64] | None, strings: list[str]) -> list[int] | None:
    """The whole numbers that values are, or that stand in them."""
    if numbers is not None and not np.isnan(numbers).any():
        if np.abs(numbers).max(initial=0) < 2**53 and (numbers == np.floor(numbers)).all():
            return [int(value) for value in numbers]
        return None
    found = []
    for value in strings:
        runs = _DIGITS.findall(value)
        if not runs:
            return None
        found.append(int(runs[-1][-18:]))
    return found
