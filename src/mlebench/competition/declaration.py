"""What a competition is: a declaration of facts, a way to prepare its data, a way to grade a submission.

A competition is declared at the top of its own module and gets its functions by decorator:

    competition = Competition("my-contest", "My contest", category="Tabular", metric="accuracy")

    @competition.prepare
    def prepare(raw, public, private): ...

    @competition.grade
    def grade(submission, answers): ...

What a second edition does otherwise is stated beside it, `competition.v2(…)`; see `mlebench.competition.editions`. A
competition that states nothing is the same in all editions. An edition that has little in common with the first may
have functions of its own: `@competition.prepare(edition="v2")`, and the same for `grade`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from mlebench.base.codes import NoMedalCode
from mlebench.competition.description import for_edition, read_hidden_names
from mlebench.competition.editions import Changes
from mlebench.competition.known_issues import KnownIssue, read_known_issues
from mlebench.competition.leaderboard import Leaderboard, read_scores
from mlebench.competition.vocabulary import (
    DEFAULT_EDITION,
    EDITIONS,
    LOSSES,
    SCORES,
    Category,
    Direction,
    Edition,
    Group,
    Metric,
    OwnMetric,
    nearest_metrics,
)
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.facts import Checksums, PublishedConfig
    from mlebench.files.output_folder import Output
    from mlebench.files.raw_files import Raw

PrepareFn: TypeAlias = "Callable[[Raw, Output, Output], None]"
# Submissions and answers are tables nearly everywhere; a competition may read its answers in a form of its own.
GradeFn: TypeAlias = Callable[[Any, Any], float]
RawFn: TypeAlias = Callable[[Path], None]
_F = TypeVar("_F", bound=Callable[..., Any])

# The checks that a competition may break as published, by their ids; see `mlebench.competition.checks`.
Check: TypeAlias = Literal[
    "sample_valid",
    "sample_has_a_row_per_answer",
    "ids_disjoint",
    "no_private_file_public",
    "answers_score_best",
    "incomplete_refused",
    "wrong_values_refused",
    "no_answers_in_public",
]
# How declarations named them before they had ids.
_FORMER_NAMES: dict[str, Check] = {
    "the sample is valid": "sample_valid",
    "the sample has a row per answer": "sample_has_a_row_per_answer",
    "ids of train and test are disjoint": "ids_disjoint",
    "no private file is public": "no_private_file_public",
    "nothing scores better than the answers": "answers_score_best",
    "incomplete submissions are refused": "incomplete_refused",
    "wrong values are refused": "wrong_values_refused",
    "no public column has the answers": "no_answers_in_public",
}


def _unknown_metric(name: str, place: str) -> MlebenchError:
    """A direction that is assumed for an unknown metric may be the wrong one, so that a loss would earn medals."""
    near = nearest_metrics(name)
    meant = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
    names = "`mlebench new --list-metrics` shows the names"
    own = 'one of your own is OwnMetric("…"), with better="lower" for a loss'
    return MlebenchError(f"{place}There is no metric {name!r}.", hint=f"{meant}{names}; {own}.")


@dataclass(frozen=True, eq=False)
class Competition:
    """A competition's facts and functions; complete when its module is imported, and frozen.

    `answers` names the answers file below private/, `sample` the sample submission below public/. Where the public
    one is inside an archive, `private_sample` names a copy below private/ that the grader can read. `gigabytes` is the
    size of the real archive where it is known. `breaks` has the ids of the checks that the published data fails.
    `better` follows from the metric unless that is one of your own. `published` is what a configuration file in the
    published form says; those of the built-in competitions are known anyway.
    """

    id: str
    name: str
    category: Category
    metric: Metric
    better: Direction = "higher"
    group: Group | None = None
    answers: str = "test.csv"
    sample: str = "sample_submission.csv"
    private_sample: str | None = None
    gigabytes: float | None = None
    breaks: Collection[str] = ()
    folder: Path = field(default=Path(), repr=False)
    published: PublishedConfig | None = field(default=None, repr=False)
    _functions: dict[tuple[str, Edition], Callable[..., Any]] = field(default_factory=dict, init=False, repr=False)
    _changes: dict[Edition, Changes] = field(default_factory=dict, init=False, repr=False)
    _changed: dict[tuple[str, Edition], Callable[..., Any]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "breaks", tuple(_FORMER_NAMES.get(name, name) for name in self.breaks))
        # The module that declares it is two frames up, behind the generated __init__.
        declaring = sys._getframe(2)
        file = declaring.f_globals.get("__file__")
        if self.metric not in SCORES | LOSSES and not isinstance(self.metric, OwnMetric):
            raise _unknown_metric(self.metric, f"{file}:{declaring.f_lineno}: " if file else "")
        if self.metric in LOSSES:
            object.__setattr__(self, "better", "lower")
        if self.folder == Path():
            object.__setattr__(self, "folder", Path(file).parent if file else Path())

    @overload
    def prepare(self, function: _F) -> _F: ...
    @overload
    def prepare(self, *, edition: Edition) -> Callable[[_F], _F]: ...
    def prepare(self, function: Any = None, *, edition: Edition = DEFAULT_EDITION) -> Any:
        """Decorator: this function turns raw data into public and private data, in this edition."""
        return self._register("prepare", function, edition)

    @overload
    def grade(self, function: _F) -> _F: ...
    @overload
    def grade(self, *, edition: Edition) -> Callable[[_F], _F]: ...
    def grade(self, function: Any = None, *, edition: Edition = DEFAULT_EDITION) -> Any:
        """Decorator: this function scores a submission against the answers, in this edition."""
        return self._register("grade", function, edition)

    def raw_data(self, function: _F) -> _F:
        """Decorator: this function writes the raw data, for a competition whose data needs no download."""
        registered: _F = self._register("raw_data", function, DEFAULT_EDITION)
        return registered

    def v2(
        self,
        *,
        leave_out: Collection[str] = (),
        text_columns: Collection[str] = (),
        no_medals: NoMedalCode | None = None,
        metric: Metric | None = None,
        group: Group | Literal["none"] | None = None,
        breaks: Collection[str] | None = None,
        **parameters: Any,
    ) -> None:
        """State what edition v2 does otherwise.

        `leave_out` are patterns of public files that it does without. `text_columns` of submissions and answers are
        read as text, whatever is in them. `no_medals` says why human scores do not count for its task. `metric`,
        `group` ("none" for no group) and `breaks` are as in the declaration. All further keywords are parameters of
        `prepare` or `grade`, whose defaults are what v1 does.
        """
        if "v2" in self._changes:
            raise MlebenchError(f"{self.id} states twice what edition v2 changes; keep one of the two statements.")
        facts: dict[str, Any] = {"metric": metric, "group": group}
        facts = {name: value for name, value in facts.items() if value is not None}
        if breaks is not None:
            facts["breaks"] = tuple(breaks)
        self._changes["v2"] = Changes(parameters, tuple(leave_out), tuple(text_columns), no_medals, facts)

    def changes(self, edition: Edition) -> Changes:
        """What an edition changes: nothing, unless the competition states it."""
        return self._changes.get(edition, Changes())

    def differs(self, edition: Edition) -> bool:
        """Whether an edition differs from v1."""
        own = any(of == edition for _, of in self._functions)
        return edition != DEFAULT_EDITION and (own or edition in self._changes)

    def fact(self, name: Literal["metric", "group", "breaks"], edition: Edition) -> Any:
        """A field of the declaration as an edition has it."""
        value = self.changes(edition).facts.get(name, getattr(self, name))
        return None if value == "none" else value

    def _register(self, role: str, function: Any, edition: Edition) -> Any:
        if function is None:
            return lambda decorated: self._register(role, decorated, edition)
        if (role, edition) in self._functions:
            raise MlebenchError(f"{self.id} has two functions for {role} in edition {edition}; keep one of them.")
        self._functions[role, edition] = function
        return function

    @property
    def editions(self) -> tuple[Edition, ...]:
        """The editions that there are of the competition: all, once it can be prepared."""
        return EDITIONS if ("prepare", DEFAULT_EDITION) in self._functions else ()

    def prepare_fn(self, edition: Edition = DEFAULT_EDITION) -> PrepareFn:
        """The preparation of an edition."""
        function: PrepareFn = self._function("prepare", edition)
        return function

    def grade_fn(self, edition: Edition = DEFAULT_EDITION) -> GradeFn:
        """The grading of an edition."""
        function: GradeFn = self._function("grade", edition)
        return function

    def _function(self, role: str, edition: Edition) -> Any:
        if (role, edition) in self._functions:
            return self._functions[role, edition]
        first = self._functions.get((role, DEFAULT_EDITION))
        if first is None:
            raise MlebenchError(
                f"{self.folder / 'competition.py'} has no function for `{role}` in edition {edition}.",
                hint=f"Put a line @competition.{role} above the one that does it.",
            )
        if edition not in self._changes:
            return first
        if (role, edition) not in self._changed:
            changes = self._changes[edition]
            changes.require_known(self._functions.values(), self.id)
            apply = changes.applied_to_preparation if role == "prepare" else changes.applied_to
            self._changed[role, edition] = apply(first)
        return self._changed[role, edition]

    @property
    def raw_fn(self) -> RawFn | None:
        """Writes the raw data, for a competition whose data needs no download."""
        return self._functions.get(("raw_data", DEFAULT_EDITION))

    @property
    def description(self) -> str:
        """The task as the contestant reads it (Markdown), in edition v1."""
        return self.description_of(DEFAULT_EDITION)

    def description_of(self, edition: Edition) -> str:
        """The task as the contestant reads it in an edition; empty where it is not written yet."""
        path = self.folder / "description.md"
        try:
            return for_edition(path.read_text(encoding="utf-8"), edition) if path.is_file() else ""
        except UnicodeDecodeError as error:
            raise MlebenchError(f"{path} is not text in UTF-8.", hint="Save it again with that encoding.") from error

    @cached_property
    def hidden_names(self) -> dict[str, str]:
        """The names that an obfuscated description must not tell, each with the words that take its place."""
        return read_hidden_names(self.folder)

    @cached_property
    def known_issues(self) -> tuple[KnownIssue, ...]:
        """What is known to be wrong with the competition."""
        return read_known_issues(self.folder)

    @property
    def own_leaderboard_path(self) -> Path | None:
        """A leaderboard in the competition's own folder, if there is one."""
        from mlebench import facts

        path = self.folder / "leaderboard.csv"
        return path if path != facts.leaderboard_path(self.id) and path.is_file() else None

    @property
    def _own_checksums_path(self) -> Path | None:
        from mlebench import facts

        path = self.folder / "checksums.yaml"
        return path if path != facts.checksums_path(self.id) and path.is_file() else None

    @property
    def checksums_path(self) -> Path:
        """The file with the known md5 sums, in the published form; it need not exist."""
        from mlebench import facts

        return self._own_checksums_path or facts.checksums_path(self.id) or self.folder / "checksums.yaml"

    @property
    def checksums(self) -> Checksums:
        """md5 sums of the real archive and its prepared files, where they are known."""
        from mlebench import facts

        own = self._own_checksums_path
        return facts.read_checksums(own) if own else facts.checksums(self.id)

    @property
    def published_config(self) -> PublishedConfig | None:
        """What the published benchmark, or a configuration file in its form, says of the competition."""
        from mlebench import facts

        return self.published or facts.published_config(self.id)

    @property
    def sample_submission_score(self) -> float | None:
        """What the sample submission scores on the real data, where it is known."""
        from mlebench import facts

        return facts.sample_submission_score(self.id)

    def human_leaderboard(self) -> Leaderboard | None:
        """What humans scored, as far as it ships with mlebench or with the competition."""
        from mlebench import facts

        if self.own_leaderboard_path is not None:
            return Leaderboard.from_scores(read_scores(self.own_leaderboard_path), self.better, "own")
        return facts.leaderboard(self.id, self.better)
