"""Names of the published package's `mlebench.registry`; see `mlebench.competition.registry`."""

import logging
from typing import Any

from mlebench.base.lazy import lazy_attribute
from mlebench.competition.grader import Grader
from mlebench.competition.named_functions import import_fn
from mlebench.competition.registry import (
    DEFAULT_DATA_DIR,
    Competition,
    Registry,
    get_competitions_dir,
    get_splits_dir,
    registry,
)

__all__ = [
    "DEFAULT_DATA_DIR",
    "Competition",
    "Grader",
    "Registry",
    "get_competitions_dir",
    "get_splits_dir",
    "import_fn",
    "logger",
    "registry",
]
logger = logging.getLogger(__name__)


def __getattr__(name: str) -> Any:
    """What else the published module imports; it loads more than a program needs that only lists competitions."""
    return lazy_attribute(
        __name__, name, {"mlebench.compat.utils": ["get_logger", "get_module_dir", "get_repo_dir", "load_yaml"]}
    )
