"""Lists that grow: what the package brings, and what other packages register by an entry point."""

from __future__ import annotations

import importlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from mlebench.errors import MlebenchError


class Named(Protocol):
    """Something that users choose by its name."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...


T = TypeVar("T", bound=Named)


@dataclass(frozen=True)
class EntryPointObject:
    """What an installed package has registered: under which name, where it is defined (`module:attribute`), itself."""

    name: str
    value: str
    thing: Any


def entry_point_objects(
    group: str, *, error: type[MlebenchError] = MlebenchError, by_name: bool = False, without: Container[str] = ()
) -> Iterator[EntryPointObject]:
    """What installed packages have registered in a group, but for some names; what cannot be loaded is one sentence.

    `by_name` says that users choose by the name, so that the sentence has it.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group=group):
        if point.name in without:
            continue
        try:
            thing = point.load()
        except Exception as problem:
            named = f" as {point.name}" if by_name else ""
            raise error(
                f"{point.value}, which is registered{named} in {group}, cannot be loaded: "
                f"{type(problem).__name__}: {problem}.",
                hint="Repair or uninstall the package that registers it.",
            ) from problem
        yield EntryPointObject(point.name, point.value, thing)


def entry_point_folders(group: str, *, error: type[MlebenchError] = MlebenchError) -> list[Path]:
    """Folders that installed packages register: an entry point is a package, or a module beside what it brings."""
    return [
        Path(folder)
        for found in entry_point_objects(group, error=error)
        for folder in getattr(found.thing, "__path__", None) or [Path(found.thing.__file__).parent]
    ]


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
        self._of_this_process: set[str] = set()

    def _others(self) -> dict[str, T]:
        """What installed packages have registered; a name that is built in is not taken from the package."""
        if self._found is None:
            found: dict[str, T] = {}
            for point in entry_point_objects(self.group, by_name=True, without={*self._built_in, *self._lazily}):
                if getattr(point.thing, "name", None) != point.name:
                    raise MlebenchError(
                        f"{point.value} is registered as {point.name} in {self.group}, but has another name.",
                        hint=f'Give it the attribute: name = "{point.name}"',
                    )
                found[point.name] = point.thing
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

    def require(self, name: str, what: str, *, error: type[MlebenchError] = MlebenchError) -> T:
        """The thing of this name, or an error that names what there is; `what` says what kind of thing it is."""
        if name not in self:
            from difflib import get_close_matches

            near = get_close_matches(name, self, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(self)}."
            raise error(f"There is no {what} {name}.", hint=hint)
        return self[name]

    def register(self, thing: T) -> None:
        """Add one for this process, as a package does for all with an entry point."""
        self._built_in[thing.name] = thing
        self._of_this_process.add(thing.name)

    def is_known_elsewhere(self, name: str) -> bool:
        """Whether another process has the thing of this name, too: it is built in, or a package registers it."""
        return name not in self._of_this_process
