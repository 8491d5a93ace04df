"""Take the pictures of the report page that the documentation shows, from a group of the practice competitions.

    python scripts/make_pictures.py [--folder docs/pictures]

It runs the built-in agent with three seeds and opens the page in Chromium (Debian: chromium, chromium-driver).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from browsing import WHY_NOT, browsing

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.page.document import write_page
from mlebench.runs.grading import grade_group
from mlebench.runs.group import create_group
from mlebench.runs.practice import AGENT, LIMITS
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import choose_sandbox

ROOT = Path(__file__).resolve().parents[1]
# name: width, height, whether dark
PICTURES = {
    "report-desktop": (1280, 1500, False),
    "report-phone": (360, 1300, False),
    "report-dark": (1280, 1500, True),
}


def practice_page(folder: Path) -> Path:
    registry = Registry(folder / "data")
    competitions = [registry.get_competition(each) for each in registry.split("practice")]
    for competition in competitions:
        prepare(competition)
    sandbox = choose_sandbox("auto").sandbox.name
    settings = RunSettings(
        agent=AGENT, data_dir=registry.data_dir, sandbox=sandbox, limits=LIMITS, grace=5.0, threads=1
    )
    group = create_group(folder / "runs", [each.id for each in competitions], [0, 1, 2], settings)
    run_group(group, workers=2)
    grade_group(group.results())
    return write_page(folder / "report.html", [group.folder], registry)


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
