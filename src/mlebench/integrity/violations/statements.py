"""What a small function of a program returns for constants: assignments, loops over known items, and a return.

Nothing of the program is run: expressions are evaluated by the operations of `folding`, and a function that does
anything else has no known value.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Protocol


class Evaluates(Protocol):
    """Evaluates expressions over the constants of a program."""

    names: dict[str, Any]
    steps: int  # statements that may still be followed, in all functions together

    def fold(self, node: ast.expr | None) -> Any:
        """The value of an expression; None where it is not known."""


class _NotFollowedError(Exception):
    """A statement that is not followed."""


class _Returned(Exception):  # noqa: N818
    """The end of a function, with its value."""


def returned(folder: Evaluates, body: Sequence[ast.stmt]) -> Any:
    """The value that a function returns, whose parameters have their values in `folder`; None where it is not known."""
    try:
        _run(folder, body)
    except _Returned as end:
        return end.args[0]
    except _NotFollowedError:
        return None
    return None


def _run(folder: Evaluates, body: Sequence[ast.stmt]) -> None:
    for statement in body:
        folder.steps -= 1
        if folder.steps < 0:
            raise _NotFollowedError
        match statement:
            case ast.Return():
                raise _Returned(folder.fold(statement.value))
            case ast.Assign(targets=[ast.Name(id=name)]):
                folder.names[name] = folder.fold(statement.value)
            case ast.AnnAssign(target=ast.Name(id=name)):
                folder.names[name] = folder.fold(statement.value)
            case ast.AugAssign(target=ast.Name(id=name)):
                sum_ = ast.BinOp(ast.Name(name, ast.Load()), statement.op, statement.value)
                folder.names[name] = folder.fold(sum_)
            case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Pass():
                continue
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[item])):
                known = folder.names.get(name)
                if not isinstance(known, list):
                    raise _NotFollowedError
                folder.names[name] = [*known, folder.fold(item)]
            case ast.For(target=ast.Name(id=name)):
                items = folder.fold(statement.iter)
                if not isinstance(items, list | tuple | str | bytes) or len(items) > folder.steps:
                    raise _NotFollowedError
                for one in items:
                    folder.names[name] = one
                    _run(folder, statement.body)
            case _:
                raise _NotFollowedError
