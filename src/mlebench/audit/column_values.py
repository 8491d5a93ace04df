"""A column, with what is read off it once for all targets, and how one gives a target away."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mlebench.audit import strength
from mlebench.audit.strength import NONE, Strength
from mlebench.audit.table import Numbers, Texts, as_numbers, canonical_column
from mlebench.audit.targets import present
from mlebench.audit.transforms import derived

_MOST_DERIVED = 4000  # rows from which hidden properties are read


@dataclass
class Values:
    """A column, with what is read off it once for all targets."""

    texts: Texts
    _hidden: dict[int, list[tuple[str, NDArray[np.object_], NDArray[np.int64]]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def plain(self) -> Texts:
        """The values in comparable form."""
        return canonical_column(self.texts)

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which values are there."""
        return present(self.texts)

    @cached_property
    def numbers(self) -> Numbers | None:
        """The values as numbers, where they are."""
        return as_numbers(self.texts)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The group of equal values that each is in."""
        return strength.groups_of(self.texts)

    @cached_property
    def sample(self) -> NDArray[np.int64]:
        """The rows from which hidden properties are read."""
        if len(self.texts) <= _MOST_DERIVED:
            return np.arange(len(self.texts))
        return np.random.default_rng(0).choice(len(self.texts), _MOST_DERIVED, replace=False)

    def hidden(self, n_classes: int) -> list[tuple[str, NDArray[np.object_], NDArray[np.int64]]]:
        """(what it is, the values, their groups) of hidden properties that make few groups."""
        if n_classes not in self._hidden:
            found = []
            n = len(self.sample)
            for what, values in derived(self.texts[self.sample], n_classes):
                groups = strength.groups_of(values)
                if 2 <= int(groups.max(initial=0)) + 1 <= 0.6 * n:
                    found.append((what, values, groups))
            self._hidden[n_classes] = found
        return self._hidden[n_classes]


@dataclass(frozen=True)
class Relation:
    """How a column gives a target away. `tier` is how far-fetched the relation is, and so how much evidence it needs.

    `what` says how in words; `groups` are the values or properties that tell; `codes` whether they are few, as a code
    of the answer is, and not the groups that items come in.
    """

    strength: Strength
    tier: str  # "verbatim", "code", "plain" or "derived"
    what: str
    groups: NDArray[np.object_] | None = None
    codes: bool = True
    spoken: Texts | None = None  # the answers themselves, where the column says them

    @property
    def power(self) -> float:
        """The power of the prediction."""
        return self.strength.power


NOTHING = Relation(NONE, "plain", "")


def few(groups: NDArray[np.int64], n_classes: int, n: int) -> bool:
    """Whether there are so few groups that they may be a code of the answer."""
    count = int(groups.max(initial=0)) + 1
    if n_classes:
        return count <= max(2 * n_classes + 2, 12) and n >= 2.5 * count
    return count <= 24 and n >= 6 * count
