"""Logging: one logger tree, quiet unless asked."""

from __future__ import annotations

import logging
import os
from pathlib import Path

DEBUG_VARIABLE = "MLEBENCH_DEBUG"
_FORM = "[%(asctime)s] [%(filename)s:%(lineno)d] %(message)s"


def get_logger(name: str, level: int | None = None) -> logging.Logger:
    """A logger of the `mlebench` tree; `level` is set only if given."""
    if is_debugging():
        _show_all()
    logger = logging.getLogger(name)
    if level is not None:
        logger.setLevel(level)
    return logger


def shown_logger(
    name: str, level: int = logging.INFO, filename: str | os.PathLike[str] | None = None
) -> logging.Logger:
    """A logger whose messages are shown on standard error and, with `filename`, written to a file too.

    This is `mlebench.utils.get_logger`. As in the published benchmark, the root logger gets a handler if it has none
    yet; where the host program has set up logging, its settings stay.
    """
    logging.basicConfig(level=level, format=_FORM)
    logger = logging.getLogger(name)
    logger.setLevel(level)
    if filename is not None:
        path = str(Path(filename).absolute())
        if all(getattr(handler, "baseFilename", None) != path for handler in logger.handlers):
            handler = logging.FileHandler(path, encoding="utf-8")
            handler.setFormatter(logging.Formatter(_FORM))
            logger.addHandler(handler)
    return logger


def is_debugging() -> bool:
    """Whether the user asked to see how errors come about."""
    return os.environ.get(DEBUG_VARIABLE, "").lower() not in ("", "0", "false", "no")


def show_everything() -> None:
    """Show what is logged, tracebacks included, on standard error; in processes that this one starts too."""
    os.environ[DEBUG_VARIABLE] = "1"
    _show_all()


def _show_all() -> None:
    """Our own messages only: those of the libraries that we use would drown them."""
    logger = logging.getLogger("mlebench")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(_FORM))
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
