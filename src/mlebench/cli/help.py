"""The help of `mlebench`: its commands in sections, in the order in which one needs them."""

from __future__ import annotations

import click

_SECTIONS = {
    "Getting started": ("quickstart", "doctor", "completion"),
    "Competitions and their data": ("list", "info", "prepare", "status", "verify", "twin"),
    "Running agents": ("agents", "run", "runs", "replay"),
    "Grading submissions": ("grade", "grade-sample", "validate"),
    "Scores and reports": ("score", "aggregate", "compare", "failures", "leaderboard", "report"),
    "Competitions of your own": ("new", "check", "dev"),
}
_OTHERS = "More commands"


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
