"""The help of `mlebench`: commands, and the options of those that have many, in sections and with examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from importlib import import_module
from typing import Any

import click

_SECTIONS = {
    "Getting started": ("quickstart", "doctor", "completion"),
    "Competitions and their data": ("list", "info", "prepare", "status", "verify", "audit", "twin"),
    "Running agents": ("agents", "run", "runs", "experiment", "replay"),
    "Grading submissions": ("grade", "grade-sample", "validate"),
    "Scores and reports": ("score", "aggregate", "compare", "failures", "leaderboard", "report", "view"),
    "Checks of results": ("violations", "plagiarism", "familiarity"),
    "Competitions of your own": ("new", "check", "dev"),
}
_OTHERS = "More commands"


class CommandsByName(MutableMapping[str, click.Command]):
    """Commands as `module:attribute` below a package; a module is imported when its command is looked up."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self._package, self._commands = package, dict[str, str | click.Command](places)

    def __getitem__(self, name: str) -> click.Command:
        found = self._commands[name]
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = getattr(import_module(f"{self._package}.{module}"), attribute)
            self._commands[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._commands

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)


class SectionedGroup(click.Group):
    """A group whose help has its commands in sections; a command of none of them comes last."""

    def sections(self) -> dict[str, list[str]]:
        """The names of the commands there are, by section."""
        known = {name for names in _SECTIONS.values() for name in names}
        named = {title: [name for name in names if name in self.commands] for title, names in _SECTIONS.items()}
        named[_OTHERS] = [name for name in self.commands if name not in known]
        return {title: names for title, names in named.items() if names}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, with all summaries in one column."""
        widest = max(map(len, self.commands))
        for title, names in self.sections().items():
            with formatter.section(title):
                summaries = [self.commands[name].get_short_help_str(limit=200) for name in names]
                formatter.write_dl(
                    [(name.ljust(widest), summary) for name, summary in zip(names, summaries, strict=True)]
                )


class SectionedCommand(click.Command):
    """A command whose options are in sections, by the first long name of each; those of no section come last."""

    def __init__(
        self,
        *arguments: Any,
        sections: Mapping[str, Sequence[str]],
        examples: Sequence[tuple[str, str]] = (),
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.option_sections, self.examples = sections, examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of options, then the examples."""
        records: dict[str, tuple[str, str]] = {}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                records[next(name for name in parameter.opts if name.startswith("--"))] = record
        for title, names in self.option_sections.items():
            with formatter.section(title):
                formatter.write_dl([records.pop(name) for name in names])
        if records:
            with formatter.section("Other options"):
                formatter.write_dl(list(records.values()))
        if self.examples:
            with formatter.section("Examples"):
                for command, meaning in self.examples:
                    formatter.write_text(f"{meaning}:")
                    formatter.write(f"{'':>{formatter.current_indent + 2}}{command}\n")
