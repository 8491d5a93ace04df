"""What happens while data is prepared, as small messages for a display or a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Event:
    """One step of the preparation of one competition.

    `stage` is download, prepare, note, done, present or failed; `done` of `total` count bytes while downloading
    and files while preparing (`total` is None where it is not known). A note says in its message what to know besides.
    At the end of a preparation `edition` names the edition, and `differs_from_v1` says whether it is another than v1.
    """

    competition_id: str
    stage: str
    done: int = 0
    total: int | None = None
    message: str | None = None
    edition: str | None = None
    differs_from_v1: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """The event as plain values, without what it does not say."""
        return {name: value for name, value in asdict(self).items() if value is not None}


Notify: TypeAlias = Callable[[Event], None]


def silent(event: Event) -> None:
    """For events that nobody wants to hear of."""
