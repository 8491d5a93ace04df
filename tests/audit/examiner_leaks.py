"""All leaks that the examiner plants, by name: 90 kinds, most of them what organisers really leave behind.

The modules register theirs when they are imported.
"""

from __future__ import annotations

import examiner_file_leaks
import examiner_item_leaks
import examiner_leftovers
import examiner_row_leaks
import examiner_table_leaks
from examiner_kinds import LEAKS

__all__ = ["LEAKS", "MODULES"]
MODULES = (examiner_file_leaks, examiner_item_leaks, examiner_leftovers, examiner_row_leaks, examiner_table_leaks)
