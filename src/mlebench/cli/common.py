"""Options and arguments that commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from mlebench.cli.output import WIDE, print_error
from mlebench.competition.local import DATA_DIR_VARIABLE, LocalCompetition, default_data_dir
from mlebench.competition.registry import COMPETITIONS_DIR_VARIABLE, SPLITS, Registry
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS, Edition
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.results.trust import Named
    from mlebench.runs.trust import NamedConditions

_F = TypeVar("_F", bound=Callable[..., Any])


class GivenPath(click.Path):
    """A path on the command line. An empty one is an error: as a `Path` it would be the current folder."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True, exists: bool = False) -> None:
        super().__init__(exists=exists, file_okay=file_okay, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or an error that says what is wrong with it."""
        if value == "":
            self.fail("it is empty. Is the variable set that it comes from?", param, ctx)
        return super().convert(value, param, ctx)


class RegisteredName(click.ParamType):  # type: ignore[type-arg]
    """The name of something that is registered; what there is is looked up only where it matters."""

    name = "name"

    def __init__(self, names: Callable[[], Iterable[str]], built_in: tuple[str, ...]) -> None:
        self.names, self.built_in = names, built_in

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The names that this package brings, for the help: looking for those of others would take longer than it."""
        return f"[{'|'.join(self.built_in)}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin as typed."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


SANDBOX_CHOICES = ("auto", "bubblewrap", "docker", "process")


def sandbox_names() -> list[str]:
    """The sandboxes that there are, and `auto`."""
    from mlebench.sandbox import AUTO, SANDBOXES

    return [AUTO, *SANDBOXES]


def executor_names() -> list[str]:
    """The executors that there are."""
    from mlebench.runs.executors import EXECUTORS

    return list(EXECUTORS)


def service_names() -> list[str]:
    """The services that there are."""
    from mlebench.services.opening import SERVICES

    return list(SERVICES)


def competitions_option(function: _F) -> _F:
    """Add --competitions-dir; the command gets a `registry` that finds a user's own competitions too."""

    @click.option(
        "--competitions-dir",
        type=GivenPath(file_okay=False),
        multiple=True,
        help=f"A folder with competitions of your own (repeatable; also ${COMPETITIONS_DIR_VARIABLE}).",
    )
    @wraps(function)
    def wrapper(competitions_dir: tuple[Path, ...], **arguments: Any) -> Any:
        registry = Registry()
        for folder in competitions_dir:
            registry = registry.with_competitions_dir(folder)
        return function(registry=registry, **arguments)

    return wrapper  # type: ignore[return-value]


def registry_options(function: _F) -> _F:
    """Add --data-dir and --competitions-dir; the command gets a `registry` made of them."""

    @click.option(
        "--data-dir",
        type=GivenPath(file_okay=False),
        default=None,
        help=f"Where data lives. Default: ${DATA_DIR_VARIABLE}, or the platform's cache folder.",
    )
    @competitions_option
    @wraps(function)
    def wrapper(registry: Registry, data_dir: Path | None, **arguments: Any) -> Any:
        return function(registry=replace(registry, data_dir=data_dir or default_data_dir()), **arguments)

    return wrapper  # type: ignore[return-value]


def edition_option(function: _F) -> _F:
    """Add --edition to a command that has a `registry`, which then finds competitions in that edition only."""

    @click.option(
        "--edition",
        type=click.Choice(EDITIONS),
        default=DEFAULT_EDITION,
        show_default=True,
        help="v1 is the published benchmark; v2 repairs what is known to be wrong with it.",
    )
    @wraps(function)
    def wrapper(registry: Registry, edition: Edition, **arguments: Any) -> Any:
        return function(registry=replace(registry, edition=edition), **arguments)

    return wrapper  # type: ignore[return-value]


def named_options() -> dict[str, Any]:
    """What the user has named, by options or by variables of the environment, under the names of the options.

    Defaults are not in it: of a run group the record decides where the user does not.
    """
    context = click.get_current_context()
    by_user = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.ENVIRONMENT)
    return {
        max(parameter.opts, key=len).removeprefix("--"): context.params[parameter.name]
        for parameter in context.command.params
        if parameter.name in context.params and context.get_parameter_source(parameter.name) in by_user
    }


def named_places() -> Named:
    """The folders and the edition that the user has named."""
    from mlebench.results.trust import Named

    given = named_options()
    return Named(
        given.get("data-dir"), given.get("competitions-dir", ()), given.get("agents-dir", ()), given.get("edition")
    )


def named_conditions() -> NamedConditions:
    """The same, and the conditions that the user has named for programs."""
    from mlebench.runs.options import executor_options
    from mlebench.runs.trust import NamedConditions

    given = named_options()
    executor = given.get("executor")
    return NamedConditions(
        data_dir=given.get("data-dir"),
        competitions_dirs=given.get("competitions-dir", ()),
        agents_dirs=tuple(folder.absolute() for folder in given.get("agents-dir", ())),
        edition=given.get("edition"),
        sandbox=given.get("sandbox"),
        network=given.get("network"),
        command=given.get("command"),
        code=given.get("code"),
        executor=executor,
        executor_options=executor_options(executor, given.get("slurm-option", ()), given.get("address"))
        if executor
        else {},
        services=given.get("service", ()),
        allow_privileged=given.get("allow-privileged", False),
        model_endpoints=given.get("model-endpoint", ()),
        allow_provider_tools=given.get("allow-provider-tools", False),
        material=given.get("material"),
    )


def same_place(registry: Registry) -> str:
    """The options that lead another command to the same data and competitions, with a blank in front of each."""
    given = [] if registry.data_dir == default_data_dir() else [f"--data-dir {shlex.quote(str(registry.data_dir))}"]
    given += [f"--competitions-dir {shlex.quote(str(folder))}" for folder in registry.competitions_dirs]
    given += [] if registry.edition == DEFAULT_EDITION else [f"--edition {registry.edition}"]
    return "".join(f" {argument}" for argument in given)


def print_note_on_answers(competition: LocalCompetition) -> None:
    """Say on standard error if the author of a competition has changed it since its answers were made."""
    from mlebench.data.changes import note_on_answers

    if note := note_on_answers(competition):
        print_error(note, label="note")


class CompetitionId(click.types.StringParamType):
    """A competition id, completed by the shell."""

    name = "id"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The ids that begin with what was typed."""
        ids = [competition.id for competition in Registry().all_competitions()]
        return [CompletionItem(name) for name in ids if name.lower().startswith(incomplete.lower())]


class SplitName(click.types.StringParamType):
    """A split: a known name, or the path of a text file with one id per line."""

    name = "split"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The known names, and files."""
        known = [CompletionItem(name) for name in SPLITS if name.startswith(incomplete)]
        return known or [CompletionItem(incomplete, type="file")]


material_option = click.option(
    "--material",
    metavar="DIR",
    help="A folder that agents may read, and not change; {competition} in its path stands for the id.",
)
competition_argument = click.argument("competition_id", metavar="ID", type=CompetitionId())
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _remember_wide(context: click.Context, _: click.Parameter, is_wide: bool) -> None:
    """Keep --wide where `print_table` looks for it, so that no command has to hand it on."""
    context.meta[WIDE] = is_wide or context.meta.get(WIDE, False)


wide_option = click.option(
    "--wide",
    is_flag=True,
    expose_value=False,
    callback=_remember_wide,
    help="Show all columns, also beyond the terminal's width.",
)


def file_and_id(submission: Path, competition_id: str) -> tuple[Path, str]:
    """(submission, competition id), also where a user gave the two the other way round."""

    def is_file(text: str) -> bool:
        return text.lower().endswith(".csv") or Path(text).is_file()

    if is_file(competition_id) and not is_file(str(submission)):
        return Path(competition_id), str(submission)
    return submission, competition_id


@dataclass(frozen=True)
class Selection:
    """The competitions that a user chose by the selection options."""

    ids: tuple[str, ...]
    splits: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.ids or self.splits)

    @property
    def options(self) -> str:
        """The options that choose the same competitions; ID stands for many."""
        ids = [f"-c {competition_id}" for competition_id in self.ids] if len(self.ids) <= 3 else ["-c ID"]
        known = {"lite": "--lite", "all": "--all"}
        return " ".join([*ids, *(known.get(name, f"--split {shlex.quote(name)}") for name in self.splits)])

    def competitions(self, registry: Registry) -> list[LocalCompetition]:
        """What was chosen, each once; an error if nothing was."""
        if not self:
            raise click.UsageError("Say which competitions: -c ID, --lite, --all, --list FILE or --split NAME.")
        chosen = [*self.ids, *(competition_id for name in self.splits for competition_id in registry.split(name))]
        if not chosen:
            raise MlebenchError(f"{' and '.join(self.splits)} names no competition.", hint="Write one id per line.")
        return [registry.get_competition(competition_id) for competition_id in dict.fromkeys(chosen)]


def selection_options(function: _F) -> _F:
    """Add the options that choose competitions; the command gets a `selection` made of them."""

    @click.option(
        "-c", "--competition-id", "ids", multiple=True, type=CompetitionId(), help="A competition (repeatable)."
    )
    @click.option("--lite", is_flag=True, help="The 22 of the split lite.")
    @click.option("-a", "--all", "everything", is_flag=True, help="All 75 of the benchmark; 74 in edition v2.")
    @click.option(
        "-l",
        "--list",
        "list_file",
        type=GivenPath(dir_okay=False, exists=True),
        help="Those that a text file names, one id per line.",
    )
    @click.option("--split", type=SplitName(), help=f"A split: {', '.join(SPLITS)}, or a file.")
    @wraps(function)
    def wrapper(
        ids: tuple[str, ...],
        lite: bool,
        everything: bool,
        list_file: Path | None,
        split: str | None,
        **arguments: Any,
    ) -> Any:
        named = ("lite" if lite else None, "all" if everything else None, str(list_file) if list_file else None, split)
        selection = Selection(ids, tuple(name for name in named if name))
        return function(selection=selection, **arguments)

    return wrapper  # type: ignore[return-value]
