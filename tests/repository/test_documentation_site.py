"""The documentation as a site: every page is in the navigation, and a page loads nothing from other servers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import documentation_site
import pytest
import yaml

ROOT = Path(__file__).parents[2]


def pages_in_navigation(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    for each in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from pages_in_navigation(each)


def test_every_page_is_once_in_the_navigation() -> None:
    listed = list(pages_in_navigation(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    written = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    assert sorted({*written, *documentation_site.BESIDE} - {*listed}) == [], "in no line of `nav` in mkdocs.yml"
    assert sorted({*listed} - written - {*documentation_site.BESIDE}) == [], "there is no such page"
    assert len(listed) == len({*listed})


class Requests(HTMLParser):
    """What a browser loads to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag in ("script", "img", "iframe", "source", "video", "audio"):
            self.loaded.append(values.get("src") or "")
        if tag == "link" and values.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(values.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as CI builds it."""
    pytest.importorskip("material", reason="the site is built with pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return folder


@pytest.mark.once
def test_the_site(site: Path) -> None:
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {"index.html", "concepts.html", "commands/index.html", "examples/index.html", "SECURITY.html"} <= pages
    # Opened from disk and without a network it is whole: pages load what is beside them, and so does the search.
    outside = []
    for page in pages:
        parser = Requests()
        parser.feed((site / page).read_text(encoding="utf-8"))
        outside += [f"{page}: {each}" for each in parser.loaded if re.match(r"(\w+:)?//", each)]
    assert outside == []
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert {each["location"].partition("#")[0] for each in index["docs"]} >= pages - {"404.html", "index.html"}
    assert (site / "search" / "search_index.js").is_file()
    # A file of the repository that a page links to, and that is no page, comes along as text.
    assert (site / "source" / "examples" / "grade_a_file.py.txt").read_text(encoding="utf-8").startswith('"""Prepare')
