"""What MkDocs does beyond its configuration: files from beside docs/ become part of the site.

Pages are written to be read in the repository too, where `../SECURITY.md` and `docs/concepts.md` lead somewhere. For
the site the pages below are taken in, and every link is turned to where its target is there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")

# In a table a | within code is written as \| for other readers of Markdown; this one would show the backslash.
_CODE_IN_A_TABLE = re.compile(r"(?<=^\| )`[^`\n]+`", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)\s#]+)(?=[)#])")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are beside docs/."""
    for name in BESIDE:
        take_in(name, ROOT / name, files, config)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links of a page to where their targets are in the site."""
    uri = page.file.src_uri
    folder = (ROOT / uri if uri in BESIDE else ROOT / "docs" / uri).parent

    def turned(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / link[1]))
        if not target.is_file() or not target.is_relative_to(ROOT):
            return link[1]  # MkDocs says what is wrong with it
        return os.path.relpath(in_site(target, files, config), Path(uri).parent)

    return _CODE_IN_A_TABLE.sub(lambda code: code[0].replace(r"\|", "|"), _LINK.sub(turned, markdown))


def in_site(target: Path, files: Files, config: MkDocsConfig) -> str:
    """Where a file of the repository is in the site; one that is no page is taken in as text that browsers show."""
    name = target.relative_to(ROOT).as_posix()
    if name.startswith("docs/"):
        return name.removeprefix("docs/")
    if name in BESIDE:
        return name
    shown = f"source/{name}.txt"
    if files.get_file_from_path(shown) is None:
        take_in(shown, target, files, config)
    return shown


def take_in(uri: str, path: Path, files: Files, config: MkDocsConfig) -> None:
    """Make a file of the repository part of the site."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, uri, abs_src_path=str(path)))
