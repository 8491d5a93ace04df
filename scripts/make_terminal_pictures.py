"""Make the pictures of terminals in docs/pictures: what commands show in 80 and in 120 columns, as SVG.

    python scripts/make_terminal_pictures.py [FOLDER]

The commands run on a real pseudo-terminal, on twins and practice competitions, whose data is made in a temporary
folder. It takes about a minute and needs Linux or macOS.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from live_terminal import Terminal
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text
from terminal import on_terminal

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.twins import write_submissions, write_twin

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
WIDTHS = (80, 120)
_REDRAWN = re.compile(r"\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*")
TWINS = ("spaceship-titanic", "google-research-identify-contrails-reduce-global-warming", "leaf-classification")
SHOWN = {
    "list": ["list", "--split", "lite"],
    "status": ["status"],
    "grade": ["grade", "--submission", "submissions.jsonl", "--output-dir", "reports", "--workers", "1"],
    "info": ["info", "leaf-classification"],
}
LARGE = ("new-york-city-taxi-fare-prediction", "tabular-playground-series-dec-2021")
CHOSEN = [part for each in LARGE for part in ("-c", each)]
# What is seen while a command works: the command, and words of which all are on the screen then.
AT_WORK = {
    "prepare-at-work": (
        ["prepare", *CHOSEN, "--source", "twins", "--data-dir", "new"],
        [*(each[:20] for each in LARGE), "rows"],
    ),
    "quickstart-at-work": (["quickstart"], ["practice-", "1 of 4", "run the agent"]),
}


def make_data(folder: Path) -> None:
    """Prepared competitions, and a list of submissions, good and broken."""
    registry = Registry(folder / "data")
    for each in TWINS:
        competition = registry.get_competition(each)
        write_twin(competition, competition.home)
        prepare(competition)
    written = write_submissions(registry.get_competition(TWINS[0]), folder / "submissions")
    listed = [(TWINS[0], path) for path in written]
    for each in registry.split("practice"):
        competition = registry.get_competition(each)
        prepare(competition)
        listed.append((each, _perfect(competition.answers, folder / "submissions" / f"{each}.csv")))
    lines = [
        json.dumps({"competition_id": each, "submission_path": str(path.relative_to(folder))}) for each, path in listed
    ]
    (folder / "submissions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _perfect(answers: Path, path: Path) -> Path:
    """The answers as a submission: a gold medal in the picture, which means nothing, as always in practice."""
    path.write_bytes(answers.read_bytes())
    return path


def at_work(command: list[str], words: list[str], columns: int, folder: Path) -> str:
    """What a terminal shows at one moment; the command is interrupted then."""
    terminal = Terminal(*command, cwd=folder, columns=columns)

    def last_drawn() -> str:
        return ["", *_REDRAWN.split(terminal.output)][-2]  # the very last one may be drawn in part

    terminal.wait_until(lambda _: all(word in last_drawn() for word in words), seconds=120)
    shown = last_drawn()
    terminal.press("\x03")
    terminal.wait()
    return shown


def picture(command: list[str], shown: str, columns: int) -> str:
    """What a terminal shows, as SVG without fonts from elsewhere."""
    shown = shown.rpartition("\x1b[2K")[2].replace("\x1b[?25h", "")  # the lines of the progress are gone by then
    screen = Text.from_ansi("\n".join(line.rsplit("\r", 1)[-1] for line in shown.rstrip("\n").split("\n")))
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ mlebench {' '.join(command)}", style="bold"), soft_wrap=True)
    console.print(screen, soft_wrap=True)
    drawn = console.export_svg(title=f"{columns} columns", theme=MONOKAI, unique_id="terminal")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        make_data(Path(scratch))
        for each in LARGE:
            write_twin(Registry(Path(scratch)).get_competition(each), Path(scratch) / "twins", scale=60)
        for columns in WIDTHS:
            screens = on_terminal(list(SHOWN.values()), columns=columns, cwd=Path(scratch))
            for (name, command), shown in zip(SHOWN.items(), screens, strict=True):
                path = target / f"{name}-{columns}.svg"
                path.write_text(picture(command, shown.replace(scratch, "…"), columns), encoding="utf-8")
                print(f"{path} ({path.stat().st_size / 1000:.0f} kB)")
            for name, (command, words) in AT_WORK.items():
                path = target / f"{name}-{columns}.svg"
                path.write_text(
                    picture(command, at_work(command, words, columns, Path(scratch)), columns), encoding="utf-8"
                )
                print(f"{path} ({path.stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main()
