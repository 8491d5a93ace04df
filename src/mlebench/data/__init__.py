"""Data: reading and writing tables, archives and folders of files; splitting; preparing competitions."""

from mlebench.data.prepare import download_and_prepare_dataset, get_leaderboard, is_dataset_prepared
from mlebench.data.splits import group_split, random_split
from mlebench.data.tables import one_hot

__all__ = [
    "download_and_prepare_dataset",
    "get_leaderboard",
    "group_split",
    "is_dataset_prepared",
    "one_hot",
    "random_split",
]
