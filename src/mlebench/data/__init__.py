"""Data: from raw archives to public and private files.

The names here are those of the published benchmark, loaded when they are asked for; authors of competitions import
`mlebench.kit`.
"""

from typing import TYPE_CHECKING, Any

from mlebench.base.lazy import lazy_attribute

if TYPE_CHECKING:
    from mlebench.compat.data import (
        create_prepared_dir,
        download_dataset,
        ensure_leaderboard_exists,
        file_cache,
        generate_checksums,
        get_checksum,
        get_last_modified,
        get_leaderboard,
        is_valid_prepare_fn,
        logger,
    )
    from mlebench.data.prepare import download_and_prepare_dataset, is_dataset_prepared
    from mlebench.kit.splits import group_split, one_hot, random_split

__all__ = [
    "create_prepared_dir",
    "download_and_prepare_dataset",
    "download_dataset",
    "ensure_leaderboard_exists",
    "file_cache",
    "generate_checksums",
    "get_checksum",
    "get_last_modified",
    "get_leaderboard",
    "group_split",
    "is_dataset_prepared",
    "is_valid_prepare_fn",
    "logger",
    "one_hot",
    "random_split",
]
_PUBLISHED = [
    "create_prepared_dir", "download_dataset", "ensure_leaderboard_exists", "file_cache", "generate_checksums",
    "get_checksum", "get_last_modified", "get_leaderboard", "is_valid_prepare_fn", "logger",
]  # fmt: skip
# The published module imports these, and other projects import them from it.
_OF_UTILS = [
    "authenticate_kaggle_api", "extract", "get_diff", "get_logger", "get_path_to_callable", "is_empty", "load_yaml",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    return lazy_attribute(
        __name__,
        name,
        {
            "mlebench.data.prepare": ["download_and_prepare_dataset", "is_dataset_prepared"],
            "mlebench.compat.data": _PUBLISHED,
            "mlebench.compat.utils": _OF_UTILS,
            "mlebench.competition.registry": ["Competition"],
            # Competitions of users import these from here; they are part of the kit.
            "mlebench.kit.splits": ["group_split", "one_hot", "random_split"],
        },
    )
