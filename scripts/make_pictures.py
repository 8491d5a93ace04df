"""Take the pictures of the report page that the documentation shows, from a group of the practice competitions.

    python scripts/make_pictures.py [--folder docs/pictures]

It runs the built-in agent with three seeds and opens the page in Chromium (Debian: chromium, chromium-driver).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from browsing import WHY_NOT, browsing

from mlebench import api

ROOT = Path(__file__).resolve().parents[1]
# name: width, height, whether dark
PICTURES = {
    "report-desktop": (1280, 1500, False),
    "report-phone": (360, 1300, False),
    "report-dark": (1280, 1500, True),
}


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
            for name, (width, height, dark) in PICTURES.items():
                browser.open(page, width=width, dark=dark)
                browser.picture(options.folder / f"{name}.png", height=height)
                smaller(options.folder / f"{name}.png")


if __name__ == "__main__":
    main()
