"""Names of the published package's `mlebench.registry`; see `mlebench.competition.registry`."""

from mlebench.competition.registry import (
    DEFAULT_DATA_DIR,
    Competition,
    Registry,
    get_competitions_dir,
    get_splits_dir,
    registry,
)

__all__ = ["DEFAULT_DATA_DIR", "Competition", "Registry", "get_competitions_dir", "get_splits_dir", "registry"]
