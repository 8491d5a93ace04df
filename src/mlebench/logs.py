"""Logging: one logger tree, quiet unless asked."""

import logging


def get_logger(name: str, level: int | None = None) -> logging.Logger:
    """A logger of the `mlebench` tree; `level` is set only if given."""
    logger = logging.getLogger(name)
    if level is not None:
        logger.setLevel(level)
    return logger
