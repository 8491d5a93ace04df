"""Take the pictures of the report page and of the view that the documentation shows.

    PYTHONPATH=tests python scripts/make_pictures.py [--folder docs/pictures] [NAME …]

The report pages are of groups with made-up results, of 4, 66 and three times 225 runs. The view is of a real group of
practice competitions, whose agent fails once, takes more time than it has, and is still at work; preparing, running and
waiting for the picture takes minutes. Needs Chromium and Pillow.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from browsing import WHY_NOT, Browser, browsing
from page.groups import benchmark_group
from view.server import serving
from waiting import wait_for

from mlebench.competition.registry import registry
from mlebench.page.document import write_page
from mlebench.results.trust import Named
from mlebench.view.snapshots import SnapshotGrader

ROOT = Path(__file__).resolve().parents[1]
_TIME = "2026-11-16T09-12-00-UTC_run-group"
LARGEST = 150_000  # bytes of a picture
LOW = registry.split("low")
_OPEN = "document.querySelector('.matrix .cells a.cut, .matrix .cells a').click(); scrollTo(0, 0)"


@dataclass(frozen=True)
class Shot:
    """A picture of a page: which one, how large, and how it is looked at."""

    page: str
    height: int
    width: int = 1280
    dark: bool = False
    media: str = "screen"
    script: str = ""


SHOTS = {
    "report-4": Shot("4", 1150),
    "report-desktop": Shot("66", 1720),
    "report-675": Shot("675", 2400),
    "report-phone": Shot("66", 1500, width=390),
    "report-dark": Shot("66", 1720, dark=True),
    "report-run": Shot("66", 1900, script=_OPEN),
    "report-print": Shot("66", 1150, width=794, media="print"),
}
AGENT = """
hand_in() { cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"; }
case $COMPETITION_ID-$SEED in
*breast-cancer-0) echo "reading the data"; echo "KeyError: 'target'" >&2; exit 1;;
*-1) hand_in; for fold in $(seq 1 900); do echo "fold $fold, loss 0.$((90000 / (fold + 99)))"; sleep 1; done;;
*) hand_in; echo "trained 200 trees"; sleep 2; echo "done";;
esac
"""


def report_page(name: str, folder: Path) -> Path:
    """The page of made-up groups: of 4, of 66 or of three times 225 runs."""
    if name == "675":
        skills = {"explorer": 0.45, "drifter": 0.3, "plodder": 0.2}
        groups = [
            benchmark_group(folder / f"{_TIME}_{agent}", 3, agent=agent, skill=skill) for agent, skill in skills.items()
        ]
    else:
        competitions, seeds = (LOW[:4], 1) if name == "4" else (LOW, 3)
        groups = [benchmark_group(folder / name / f"{_TIME}_explorer", seeds, skill=0.45, competitions=competitions)]
    return write_page(folder / f"report-{name}.html", groups, registry)


@contextmanager
def real_group(folder: Path) -> Iterator[Path]:
    """The folder of runs in which a group is being run; it is ended when the picture is taken."""
    run = ["run", "--split", "practice", "--seeds", "2", "--workers", "3", "--time-limit", "60s", "--prepare"]
    run += ["--agent", "command", "--command", AGENT, "--snapshot-every", "5s", "--sandbox", "process"]
    run += ["--runs-dir", str(folder / "runs"), "--data-dir", str(folder / "data")]
    with (folder / "run.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "mlebench", *run], stdout=log, stderr=log)
    try:
        wait_for(lambda: list((folder / "runs").glob("*/metadata.json")), seconds=900)
        yield folder / "runs"
    finally:
        process.terminate()
        process.wait()


def view_pictures(browser: Browser, folder: Path, save: Callable[[str, int], None]) -> None:
    """The view of a real group: a run that failed, one that timed out, and some that run."""
    with real_group(folder) as runs:
        grader = SnapshotGrader(Named(folder / "data"))
        with serving(runs, grades=grader) as view:
            grader.start(view.groups)
            browser.open(view.address)
            wait_for(lambda: "Run groups" in browser.driver.title)
            group = f"http://127.0.0.1:{view.port}/g/{next(runs.iterdir()).name}"
            browser.open(group)
            counts = "return document.getElementById('counts').innerText"
            needed = ("failed", "timed out", "running")
            wait_for(lambda: all(word in browser.ask(counts) for word in needed), seconds=900, pause=1.0)
            time.sleep(8)  # for the grader
            save("view-group", 1700)
            running = browser.ask("return document.querySelector('tr[data-status=running] a').href")
            browser.open(group, dark=True)
            save("view-dark", 1200)
            browser.open(group, width=390)
            save("view-phone", 1700)
            browser.open(running)
            save("view-run", 900)
            grader.stop()


def smaller(path: Path) -> None:
    """Save a picture with as many colours as its size allows: a page has few."""
    from PIL import Image

    with Image.open(path) as picture:
        whole = picture.convert("RGB")
    for colours in (128, 64, 32):
        whole.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= LARGEST:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(SHOTS)}, view; default: all")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "pictures")
    options = parser.parse_args()
    if WHY_NOT:
        raise SystemExit(WHY_NOT)
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder = options.folder.absolute()
    chosen = set(options.names or [*SHOTS, "view"])
    with tempfile.TemporaryDirectory() as scratch, browsing(Path(scratch) / "profile") as browser:
        os.chdir(scratch)  # pages name the folders of runs

        def save(name: str, height: int) -> None:
            path = options.folder / f"{name}.png"
            browser.picture(path, height=height)
            smaller(path)
            print(f"{path}: {path.stat().st_size:,} bytes")

        pages: dict[str, Path] = {}
        for name, shot in SHOTS.items():
            if name in chosen:
                page = pages[shot.page] = pages.get(shot.page) or report_page(shot.page, Path("runs"))
                browser.open(page, width=shot.width, dark=shot.dark, media=shot.media)
                if shot.script:
                    browser.ask(shot.script)
                save(name, shot.height)
        if "view" in chosen:
            view_pictures(browser, Path(scratch), save)


if __name__ == "__main__":
    main()
