"""`mlebench completion`: completion of commands, options and ids in the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_HOW = {
    "bash": 'add to ~/.bashrc:\n  eval "$(mlebench completion bash)"',
    "zsh": 'add to ~/.zshrc:\n  eval "$(mlebench completion zsh)"',
    "fish": "run:\n  mlebench completion fish > ~/.config/fish/completions/mlebench.fish",
}


@click.command(
    "completion",
    short_help="Completion of commands and ids in the shell",
    epilog="\b\n" + "\n".join(f"To install it in {shell}, {how}" for shell, how in _HOW.items()),
)
@click.argument("shell", type=click.Choice(list(_HOW)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a SHELL."""
    found = get_completion_class(shell)
    assert found is not None
    root = ctx.find_root()
    click.echo(found(root.command, {}, "mlebench", "_MLEBENCH_COMPLETE").source())
