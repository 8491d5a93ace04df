"""docs/codes.md lists every code that the program has, with its meaning."""

from __future__ import annotations

import codes_page


def test_the_page_is_what_the_program_says() -> None:
    written = codes_page.PAGE.read_text(encoding="utf-8")
    assert written == codes_page.page(), "run python scripts/codes_page.py"
