"""Equal and nearly equal items on both sides, and whether they share labels: rows, texts, pictures, sounds, files.

Data that repeats itself does so within train as well, and a random split puts repeats on both sides; that is noted. It
is a leak where items to predict are in train more often than rows of train are there twice, with their labels.
"""

from __future__ import annotations

import io
import math
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import DAMAGED
from mlebench.audit.finding import Found, Prediction, Severity
from mlebench.audit.item_files import ItemFile
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, as_numbers, canonical, texts
from mlebench.audit.targets import Items, Target, plain_key
from mlebench.base import progress

_MOST_FILES = 3000
_MOST_BYTES = 8 << 20
_FEWEST = 4
_THUMB = 12


@dataclass(frozen=True)
class _Pairs:
    """For items of test the equal ones of train; and how often items of train have equals there."""

    test: dict[int, list[int]]  # item of test -> items of train
    n_test: int
    within: int
    n_train: int


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for rows, files and pictures."""
    if survey.train is None:
        return
    yield from _rows(survey)
    yield from _files(survey)


def _rows(survey: Survey) -> Iterator[Found]:
    for test, train in _tables(survey)[:3]:
        shared = _shared(survey, test, train)
        if not shared:
            continue
        test_rows, test_items = _owned(test, survey.test, survey)
        train_rows, train_items = _owned(train, survey.train, survey)
        if len(test_rows) < _FEWEST or len(train_rows) < 8:
            continue
        where = f"{test.where} and {train.where}"
        left = _keys(test, shared, test_rows)
        right = _keys(train, shared, train_rows)
        found = _judged(survey, _equal(left, right, test_items, train_items), where, "equal rows")
        if found is not None:
            yield found
        if found is None or found.severity != "leak":
            near = _near(test, train, shared, test_rows, train_rows, test_items, train_items)
            if near is not None and (found := _judged(survey, near, where, "nearly equal rows")) is not None:
                yield found
        for name in [name for name in shared if _is_prose(test, name)][:3]:
            left = _keys(test, [name], test_rows)
            right = _keys(train, [name], train_rows)
            pairs = _equal(left, right, test_items, train_items)
            found = _judged(survey, pairs, f"{where}: {name}", "equal texts")
            if found is None:
                alike = _alike(left, right, test_items, train_items)
                found = _judged(survey, alike, f"{where}: {name}", "nearly equal texts")
            if found is not None:
                yield found


def _tables(survey: Survey) -> list[tuple[Table, Table]]:
    """Pairs of tables with the same columns, one with items to predict, one with items of train."""
    found = []
    for test in survey.matched_test:
        if test.table.is_artifact or test.by.startswith("order") or len(test.items) < 0.5 * survey.test.size:
            continue
        for train in survey.matched_train:
            if train.table.is_artifact or train.by.startswith("order"):
                continue
            if len(set(test.table.columns) & set(train.table.columns)) > 1 and train.table is not test.table:
                found.append((test.table, train.table))
    found.sort(key=lambda pair: -len(set(pair[0].columns) & set(pair[1].columns)))
    return found


def _shared(survey: Survey, test: Table, train: Table) -> list[str]:
    """The columns that both have, without ids, answers, and what is different for every row of both."""
    answers = {target.column for target in survey.test.targets} | set(survey.task.key_columns)
    names = [name for name in test.columns if name in train.columns and name not in answers]
    return [name for name in names if not _is_id(test.columns[name], train.columns[name])][:300]


def _is_id(left: NDArray[np.object_], right: NDArray[np.object_]) -> bool:
    some = [str(value) for value in left[:500]]
    if len(set(some)) < len(some) or any(" " in value for value in some):
        return False
    return as_numbers(left[:500]) is None or all(value.isdigit() and len(value) > 5 for value in some)


def _is_prose(table: Table, name: str) -> bool:
    some = [value for value in table.columns[name][:300] if value]
    return (
        bool(some)
        and float(np.mean([len(value) for value in some])) > 25
        and float(np.mean([" " in value for value in some])) > 0.7
    )


def _owned(table: Table, items: Items | None, survey: Survey) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows, their items) of a table."""
    assert items is not None
    key = (
        survey.task.key_columns[0] if survey.task.key_columns and survey.task.key_columns[0] in table.columns else None
    )
    if key is None:
        return np.array([], dtype=np.int64), np.array([], dtype=np.int64)
    rows, owners = [], []
    seen: set[int] = set()
    for row, value in enumerate(table.columns[key]):
        for owner in items.names.get(plain_key(value), ())[:1] if value else ():
            if owner not in seen:
                seen.add(owner)
                rows.append(row)
                owners.append(owner)
    return np.array(rows, dtype=np.int64), np.array(owners, dtype=np.int64)


def _keys(table: Table, names: Sequence[str], rows: NDArray[np.int64]) -> list[Any]:
    columns = [[_folded(value) for value in table.columns[name][rows]] for name in names]
    return list(zip(*columns, strict=True))


def _folded(value: str | None) -> str:
    return "" if value is None else " ".join(str(canonical(value)).split())


def _equal(left: list[Any], right: list[Any], test_items: NDArray[np.int64], train_items: NDArray[np.int64]) -> _Pairs:
    places: dict[Any, list[int]] = {}
    for key, item in zip(right, train_items, strict=True):
        places.setdefault(key, []).append(int(item))
    pairs = {int(item): places[key] for key, item in zip(left, test_items, strict=True) if key in places}
    within = sum(len(found) for found in places.values() if len(found) > 1)
    return _Pairs(pairs, len(left), within, len(right))


def _near(
    test: Table, train: Table, shared: list[str], test_rows: Any, train_rows: Any, test_items: Any, train_items: Any
) -> _Pairs | None:
    """Rows whose numbers lie far closer together than those of train usually do."""

    left, right = [], []
    for name in shared[:60]:
        one, other = as_numbers(test.columns[name][test_rows]), as_numbers(train.columns[name][train_rows])
        if one is None or other is None or len(set(other.tolist())) < 10:
            continue
        spread = np.nanstd(other)
        if spread > 0:
            left.append(np.nan_to_num((one - np.nanmean(other)) / spread))
            right.append(np.nan_to_num((other - np.nanmean(other)) / spread))
    if len(left) < 3 or len(right[0]) < 20:
        return None
    return _nearest(np.column_stack(left), np.column_stack(right), test_items, train_items)


def _nearest(left: Any, right: Any, test_items: Any, train_items: Any) -> _Pairs | None:
    from scipy.spatial import cKDTree

    tree = cKDTree(right)
    own = tree.query(right, k=2)[0][:, 1]
    distances, places = tree.query(left, k=1)
    limit = 0.1 * float(np.median(own))
    if limit <= 0:
        return None
    close = distances <= limit
    pairs = {int(test_items[row]): [int(train_items[places[row]])] for row in np.flatnonzero(close)}
    return _Pairs(pairs, len(left), int((own <= limit).sum()), len(right))


def _judged(survey: Survey, pairs: _Pairs, where: str, what: str) -> Found | None:
    count = len(pairs.test)
    if count < _FEWEST or count < 0.01 * pairs.n_test:
        return None
    across, within = count / pairs.n_test, pairs.within / max(pairs.n_train, 1)
    agreed, predictions = _agreement(survey, pairs)
    spread = math.sqrt(max(within * (1 - within), 0.25 / pairs.n_train) * (1 / pairs.n_test + 1 / pairs.n_train))
    beyond = (across - within) / max(spread, 1e-9)
    severity: Severity = "note"
    if agreed is not None and agreed >= 0.8 and beyond > 5 and across >= 0.03:
        severity = "leak"
    elif beyond > 5 and across >= 0.2 and agreed is None:
        severity = "suspicious"
    elif across < 0.05:
        return None
    shared = "" if agreed is None else f", and {agreed:.0%} of them share the answer"
    words = (
        f"{count:,} of {pairs.n_test:,} items to predict have {what} in "
        f"train{shared}; within train {within:.0%} of the items have such"
    )
    return Found(
        "duplicates", severity, where, f"{words}.", rank=across, predictions=predictions if severity == "leak" else ()
    )


def _agreement(survey: Survey, pairs: _Pairs) -> tuple[float | None, tuple[Prediction, ...]]:
    """How many equal items share the answer, beyond chance; and what one would submit."""
    assert survey.train is not None
    best: float | None = None
    predictions = []
    for target in survey.test.targets:
        labels = next((known for known in survey.train.targets if known.name == target.name), None)
        if labels is None or target.is_derived:
            continue
        items = np.array(sorted(pairs.test), dtype=np.int64)
        given = texts(_common(labels, pairs.test[int(item)]) for item in items)
        agreed = _agreed(target, items, given)
        best = agreed if best is None else max(best, agreed)
        predictions.append(Prediction(target.name, target.column, survey.task.rows[items], given))
    return best, tuple(predictions)


def _common(labels: Target, places: list[int]) -> str | None:
    common: str | None = Counter(labels.values[place] for place in places).most_common(1)[0][0]
    return common


def _agreed(target: Target, items: NDArray[np.int64], given: NDArray[np.object_]) -> float:
    truth = target.values[items]
    same = float(np.mean([canonical(one) == canonical(other) for one, other in zip(truth, given, strict=True)]))
    if target.n_classes == 0 and target.numbers is not None:
        guess = as_numbers(given)
        if guess is not None and not np.isnan(guess).any() and len(items) > 3:
            scale = float(np.std(target.numbers))
            close = float(np.mean(np.abs(guess - target.numbers[items]) < 0.1 * scale))
            return max(same, close)
    base = Counter(target.plain).most_common(1)[0][1] / len(target.plain)
    return max(0.0, (same - base) / (1 - base)) if base < 1 else 0.0


def _files(survey: Survey) -> Iterator[Found]:
    """Equal files, and pictures that look alike."""
    test = _by_slot(survey.test_files, survey.test)
    train = _by_slot(survey.train_files, survey.train)
    for slot, members in test.items():
        others = train.get(slot, [])
        if len(members) < _FEWEST or len(others) < 8 or members[0][0].entry.suffix in (".json", ".txt"):
            continue
        where = f"files like {members[0][0].entry.name} and {others[0][0].entry.name}"
        left, right = _digests(members), _digests(others)
        pairs = _equal(left, right, np.array([item for _, item in members]), np.array([item for _, item in others]))
        found = _judged(survey, pairs, where, "equal files")
        if found is not None:
            yield found
        if found is None or found.severity != "leak":
            thumbs, of_train = _thumbnails(members), _thumbnails(others)
            if thumbs is not None and of_train is not None:
                near = _nearest(thumbs[0], of_train[0], thumbs[1], of_train[1])
                if near is not None and (found := _judged(survey, near, where, "pictures that look alike")) is not None:
                    yield found


def _by_slot(files: list[ItemFile], items: Items | None) -> dict[str, list[tuple[ItemFile, int]]]:
    assert items is not None
    slots: dict[str, list[tuple[ItemFile, int]]] = {}
    for file in files:
        if file.entry.size:
            slots.setdefault(file.entry.suffix, []).append((file, items.names[file.key][0]))
    return {slot: members[:_MOST_FILES] for slot, members in slots.items()}


def _digests(members: list[tuple[ItemFile, int]]) -> list[Any]:
    found: list[Any] = []
    with progress.stage("read", "files, for equal ones", total=len(members), unit="files") as stage:
        for number, (file, _) in enumerate(members):
            stage.advance()
            try:
                data = file.entry.read(_MOST_BYTES)
                found.append((len(data), zlib.crc32(data)) if data else ("empty", number, file.entry.name))
            except DAMAGED:
                found.append(("unreadable", number, file.entry.name))
    return found


def _thumbnails(members: list[tuple[ItemFile, int]]) -> tuple[Any, Any] | None:
    from PIL import Image

    if members[0][0].entry.suffix == ".wav":
        return _envelopes(members)

    rows, items = [], []
    for file, item in members[:1500]:
        if file.entry.suffix not in (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp"):
            return None
        try:
            with Image.open(io.BytesIO(file.entry.read(_MOST_BYTES))) as picture:
                if picture.width * picture.height > 50_000_000:
                    continue
                small = np.asarray(picture.convert("L").resize((_THUMB, _THUMB)), dtype=float).ravel()
        except (*DAMAGED, SyntaxError):
            continue
        rows.append((small - small.mean()) / (small.std() + 1e-6))
        items.append(item)
    if len(rows) < 8:
        return None
    return np.array(rows), np.array(items, dtype=np.int64)


def _envelopes(members: list[tuple[ItemFile, int]]) -> tuple[Any, Any] | None:
    """Sounds in short: how loud they are over their time, and which pitches they have."""
    rows, items = [], []
    for file, item in members[:1500]:
        try:
            data = file.entry.read(_MOST_BYTES)
        except DAMAGED:
            continue
        place = data.find(b"data")
        samples = np.frombuffer(data[place + 8 : place + 8 + (len(data) - place - 8) // 2 * 2], dtype="<i2").astype(
            float
        )
        if place < 0 or len(samples) < 256:
            continue
        loud = np.array([part.std() for part in np.array_split(samples, 24)])
        pitch = np.array([part.mean() for part in np.array_split(np.abs(np.fft.rfft(samples)), 24)])
        rows.append(np.concatenate([part / (np.linalg.norm(part) + 1e-9) for part in (loud, pitch)]))
        items.append(item)
    if len(rows) < 8:
        return None
    return np.array(rows), np.array(items, dtype=np.int64)


def _alike(left: list[Any], right: list[Any], test_items: Any, train_items: Any) -> _Pairs:
    """Texts that share nearly all of their words and pairs of words."""
    from sklearn.feature_extraction.text import HashingVectorizer

    most = 3000
    words = HashingVectorizer(n_features=1 << 16, ngram_range=(1, 2), norm="l2", alternate_sign=False)
    mine, theirs = words.transform([key[0] for key in left[:most]]), words.transform([key[0] for key in right[:most]])
    across = (mine @ theirs.T).tocsr()
    own = (theirs @ theirs.T).tolil()
    own.setdiag(0)
    best = np.asarray(own.tocsr().max(axis=1).todense()).ravel()
    nearest = np.asarray(across.argmax(axis=1)).ravel()
    likeness = np.asarray(across.max(axis=1).todense()).ravel()
    close = np.flatnonzero(likeness >= 0.85)
    pairs = {int(test_items[row]): [int(train_items[nearest[row]])] for row in close}
    return _Pairs(pairs, min(len(left), most), int((best >= 0.85).sum()), min(len(right), most))
