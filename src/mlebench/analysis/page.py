"""The HTML page of a quickstart: one file, no scripts, nothing loaded from elsewhere."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.analysis.pictures import position_picture, seconds_picture

if TYPE_CHECKING:
    from mlebench.runs.practice import PracticeResult, PracticeRun

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2933; background: #f7f8fa; margin: 0 }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem }
section { background: #fff; border: 1px solid #e4e7eb; border-radius: 8px; padding: 1rem 1.25rem; margin: 1rem 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .35rem .6rem }
th { border-bottom: 2px solid #cbd2d9; font-weight: 600 } tr + tr td { border-top: 1px solid #e4e7eb }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
.medal { border-radius: 999px; padding: .1rem .6rem; font-size: .85rem; font-weight: 600 }
.gold { background: #f6d55c } .silver { background: #cfd8dc } .bronze { background: #d9a066 } .none { color: #7b8794 }
svg { width: 100%; height: auto; display: block } h1 { margin: 0 } h2 { font-size: 1.1rem; margin: 0 0 .5rem }
p.note, footer { color: #52606d; font-size: .9rem }
"""


def write_page(path: Path, result: PracticeResult) -> Path:
    """Write the page and return its path."""
    path.write_text(_page(result, path.parent), encoding="utf-8")
    return path


def _page(result: PracticeResult, folder: Path) -> str:
    facts = result.to_dict()
    medals = sum(run.report.any_medal for run in result.runs)
    libraries = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    hardware = facts["hardware"]
    pictures = "".join(_section(run) for run in result.runs)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>mlebench quickstart</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body><main>
<h1>mlebench quickstart</h1>
<p>The agent <b>{escape(facts["agent"])}</b> won <b>{medals}</b> medal{"" if medals == 1 else "s"} in
{len(result.runs)} practice competitions, in {result.seconds:.0f} seconds.</p>
<section><table><tr><th>competition</th><th>metric</th><th class="number">score</th><th>medal</th>
<th class="number">beats or equals</th><th class="number">seconds</th><th>files</th></tr>
{"".join(_row(run, folder) for run in result.runs)}</table>
<p class="note">Practice medals are against a stated population of scikit-learn pipelines, not against people, and the
answers are public data: they prove nothing.</p></section>
{pictures}
<section><h2>Where the time went</h2>{seconds_picture([(run.name, run.seconds) for run in result.runs])}</section>
<footer>Edition {escape(result.runs[0].report.edition) if result.runs else ""}, seed {result.seed},
{hardware["cpus"]} cores
({escape(hardware["machine"])}, {escape(hardware["system"])}), time limit {facts["time_limit"]:.0f} s per competition.
{escape(libraries)}. The agent ran in the sandbox {escape(result.sandbox)}, which did not
promise: {escape("; ".join(result.not_promised) or "nothing more")}.</footer>
</main></body></html>
"""


def _row(run: PracticeRun, folder: Path) -> str:
    report = run.report
    medal = report.medal or "none"
    score = "no valid submission" if report.score is None else f"{report.score:g}"
    percentile = "-" if report.human_percentile is None else f"{report.human_percentile:.0f} %"
    output = Path(os.path.relpath(run.folder / "submission", folder)).as_posix()
    links = " ".join(
        f'<a href="{escape(output)}/{name}">{name}</a>' for name in ("submission.csv", "metrics.json", "report.md")
    )
    return (
        f"<tr><td>{escape(run.name)}</td><td>{escape(run.metric)}</td><td class=number>{score}</td>"
        f'<td><span class="medal {medal}">{medal}</span></td><td class=number>{percentile}</td>'
        f"<td class=number>{run.seconds:.1f}</td><td>{links}</td></tr>\n"
    )


def _section(run: PracticeRun) -> str:
    report = run.report
    if report.score is None:
        return f"<section><h2>{escape(run.name)}</h2><p>{escape(report.refusal or '')}</p></section>"
    thresholds = {
        colour: value
        for colour, value in (
            ("bronze", report.bronze_threshold),
            ("silver", report.silver_threshold),
            ("gold", report.gold_threshold),
        )
        if value is not None
    }
    picture = position_picture(run.leaderboard, report.score, thresholds, lower_is_better=report.is_lower_better)
    return f"<section><h2>{escape(run.name)}: {escape(run.metric)}</h2>{picture}</section>\n"
