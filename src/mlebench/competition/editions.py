"""What an edition of a competition changes, beside the code of the first one.

A competition has one `prepare` and one `grade`. What a later edition does otherwise is another value of one of their
parameters, whose default is what v1 does; a file that it leaves out, or a column that is read as text, needs no
parameter at all:

    @competition.prepare
    def prepare(raw, public, private, split=random_split): ...

    competition.v2(split=grouped_by("patient_id"), leave_out=["tfrecords/*"])
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlebench.base.codes import NoMedalCode
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.files.output_folder import Output
    from mlebench.files.raw_files import Raw


@dataclass(frozen=True)
class Changes:
    """What an edition changes: values of parameters, files it leaves out, columns that are text, and facts.

    `facts` are fields of the declaration with other values. `no_medals` says why the scores of the human leaderboard
    are not those of this edition's task; None where the task is the same.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    text_columns: tuple[str, ...] = ()
    no_medals: NoMedalCode | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def require_known(self, functions: Collection[Callable[..., Any]], competition_id: str) -> None:
        """Refuse a parameter that none of the competition's functions has: its change would do nothing."""
        known = {name for function in functions for name in inspect.signature(function).parameters}
        for name in self.parameters.keys() - known:
            raise MlebenchError(
                f"Edition v2 of {competition_id} sets {name!r}, which is a parameter of neither prepare nor grade.",
                hint=f"Give the function that it is for a parameter {name}, whose default is what v1 does.",
            )

    def applied_to(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the competition with the values that the edition has for its parameters."""
        own = inspect.signature(function).parameters
        values = {name: value for name, value in self.parameters.items() if name in own}
        if not values:
            return function

        @functools.wraps(function)
        def changed(*arguments: Any) -> Any:
            return function(*arguments, **values)

        return changed

    def applied_to_preparation(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a preparation, which then does without the files that the edition leaves out."""
        inner = self.applied_to(function)
        if not self.leave_out:
            return inner

        @functools.wraps(function)
        def changed(raw: Raw, public: Output, private: Output) -> None:
            with public.leaving_out(self.leave_out):
                inner(raw, public, private)

        return changed
