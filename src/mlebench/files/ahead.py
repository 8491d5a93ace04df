"""Work that is done in threads a little ahead of whoever takes its results, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_THREADS = 2


def mapped_ahead(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
    """The results of a function in the order of the items, a few computed ahead in threads."""
    with ThreadPoolExecutor(_THREADS) as pool:
        ahead: list[Future[_Result]] = []
        for item in items:
            ahead.append(pool.submit(function, item))
            if len(ahead) > _THREADS:
                yield ahead.pop(0).result()
        for future in ahead:
            yield future.result()
