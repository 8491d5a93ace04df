"""The files of a measurement: its result and its table. The plot is drawn by the charts of the page."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from mlebench.base.wording import cell_text
from mlebench.files.writing import write_atomically, write_json
from mlebench.integrity.familiarity.check import Familiarity

RESULT_FILE = "familiarity.json"
TABLE_FILE = "familiarity.csv"
PLOT_FILE = "familiarity.svg"
ANSWERS_FOLDER = "answers"


def write_outputs(folder: Path, result: Familiarity) -> Path:
    """Write the result and its table; returns the path of the result."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / RESULT_FILE, result.to_dict())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["competition_id", "familiarity", "documents", "agent", "performance", "runs"])
    for competition in result.competitions:
        name = competition.competition_id
        known = [agent for agent in result.agents if name in agent.points]
        row = [cell_text(name), competition.familiarity, len(competition.documents)]
        writer.writerows([*row, cell_text(agent.agent), agent.points[name][1], agent.runs[name]] for agent in known)
        if not known:
            writer.writerow([*row, "", "", ""])
    write_atomically(folder / TABLE_FILE, text.getvalue())
    return folder / RESULT_FILE
