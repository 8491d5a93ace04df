"""The layouts that a task can have, from the plainest on: the first that fits is taken."""

from __future__ import annotations

from collections.abc import Callable

from .layout_arrays import read_arrays
from .layout_files import read_labelled_files
from .layout_lists import read_label_lists
from .layout_tables import read_tables
from .task import Given, Task

LAYOUTS: tuple[Callable[[Given], Task], ...] = (read_tables, read_label_lists, read_arrays, read_labelled_files)
