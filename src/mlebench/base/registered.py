"""Lists that grow: what the package brings, and what other packages register by an entry point."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from mlebench.errors import MlebenchError


class Named(Protocol):
    """Something that users choose by its name."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...


T = TypeVar("T", bound=Named)


class Registered(Mapping[str, T]):
    """Things by their names: the built-in ones first, then those of entry points in the group `group`.

    An entry point is the thing itself, named as the thing is. A built-in one may be named in the same way, as
    `module:attribute`, so that it is imported only when it is used. Installed packages are looked through only where
    that is needed: to list everything, or for a name that is not built in.
    """

    def __init__(self, group: str, built_in: Iterable[T] = (), lazily: Mapping[str, str] | None = None) -> None:
        self.group = group
        self._built_in: dict[str, T] = {thing.name: thing for thing in built_in}
        self._lazily = dict(lazily or {})
        self._found: dict[str, T] | None = None

    def _others(self) -> dict[str, T]:
        """What installed packages have registered; a name that is built in is not taken from the package."""
        if self._found is None:
            from importlib.metadata import entry_points

            found: dict[str, T] = {}
            for point in entry_points(group=self.group):
                if point.name in self._built_in or point.name in self._lazily:
                    continue
                try:
                    thing = point.load()
                except Exception as error:
                    raise MlebenchError(
                        f"{point.value}, which is registered as {point.name} in {self.group}, cannot be loaded: "
                        f"{type(error).__name__}: {error}.",
                        hint="Repair or uninstall the package that registers it.",
                    ) from error
                if getattr(thing, "name", None) != point.name:
                    raise MlebenchError(
                        f"{point.value} is registered as {point.name} in {self.group}, but has another name.",
                        hint=f'Give it the attribute: name = "{point.name}"',
                    )
                found[point.name] = thing
            self._found = found
        return self._found

    def __getitem__(self, name: str) -> T:
        if name not in self._built_in and name in self._lazily:
            module, _, attribute = self._lazily[name].partition(":")
            self._built_in[name] = getattr(importlib.import_module(module), attribute)
        if name in self._built_in:
            return self._built_in[name]
        return self._others()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._lazily or name in self._others()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._lazily, *self._built_in, *self._others())))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def register(self, thing: T) -> None:
        """Add one for this process, as a package does for all with an entry point."""
        self._built_in[thing.name] = thing
