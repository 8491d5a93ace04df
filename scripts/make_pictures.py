"""Take the pictures of the report page that the documentation shows, from a group of the practice competitions.

    python scripts/make_pictures.py [--folder docs/pictures]

It runs the built-in agent with three seeds and opens the page in Chromium (Debian: chromium, chromium-driver).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browsing import WHY_NOT, Browser, browsing

from mlebench import api

ROOT = Path(__file__).resolve().parents[1]
# name: width, height, whether dark, whether a run is open
PICTURES = {
    "report-desktop": (1280, 1500, False, False),
    "report-phone": (360, 1500, False, False),
    "report-dark": (1280, 1500, True, False),
    "report-run": (1280, 1500, False, True),
}
_OPEN = "document.querySelector('.matrix .cells a').click(); scrollTo(0, 0)"


def practice_page(folder: Path) -> Path:
    group = api.run(
        "practice",
        agent="baseline",
        seeds=3,
        workers=2,
        time_limit="5m",
        memory_limit="8G",
        prepare=True,
        data_dir=folder / "data",
        runs_dir=folder / "runs",
    )
    api.grade(group)
    return api.report(group, output=folder / "report.html").path


def view_picture(browser: Browser, folder: Path, path: Path) -> None:
    """A group under way in the view: runs that run, wait, failed, timed out and ended."""
    from view.groups import many_runs
    from view.server import serving

    many_runs(folder / "2026-11-16T09-12-00-UTC_run-group_explorer")
    with serving(folder) as view:
        browser.open(view.address)
        browser.open(f"http://127.0.0.1:{view.port}/g/2026-11-16T09-12-00-UTC_run-group_explorer")
        browser.picture(path, height=1000)
    smaller(path)


def smaller(path: Path) -> None:
    """Save a picture with 128 colours, which the page does not exceed by much."""
    from PIL import Image

    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "pictures")
    options = parser.parse_args()
    if WHY_NOT:
        raise SystemExit(WHY_NOT)
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        page = practice_page(Path(scratch))
        with browsing(Path(scratch) / "profile") as browser:
            for name, (width, height, dark, is_open) in PICTURES.items():
                browser.open(page, width=width, dark=dark)
                if is_open:
                    browser.ask(_OPEN)
                browser.picture(options.folder / f"{name}.png", height=height)
                smaller(options.folder / f"{name}.png")
            view_picture(browser, Path(scratch) / "live", options.folder / "view-group.png")


if __name__ == "__main__":
    main()
