"""The page on edition v2 is what the declarations say."""

from __future__ import annotations

import edition_page


def test_page_is_up_to_date() -> None:
    written = edition_page.PAGE.read_text(encoding="utf-8")
    assert written == edition_page.page(), "run python scripts/edition_page.py"
