"""Small pictures as inline SVG: no plotting library, sharp at any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_COLOURS = {"gold": "#d4a017", "silver": "#90a4ae", "bronze": "#b87333"}
_WIDTH, _LEFT, _RIGHT = 800, 20, 20


def position_picture(
    scores: Sequence[float], score: float, thresholds: Mapping[str, float], *, lower_is_better: bool
) -> str:
    """A strip with a tick per leaderboard entry, the medal thresholds and the agent's score; better is right."""
    # The worst entries are often far off and would squeeze everything else together.
    shown = sorted([*scores, score, *thresholds.values()], reverse=lower_is_better)
    shown = shown[len(shown) // 10 :]
    worst, best = shown[0], shown[-1]
    span = (best - worst) or 1.0

    def x(value: float) -> float:
        share = min(max((value - worst) / span, 0.0), 1.0)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    parts = [f'<line x1="{_LEFT}" y1="70" x2="{_WIDTH - _RIGHT}" y2="70" stroke="#cbd2d9"/>']
    parts += [
        f'<line x1="{x(each):.1f}" y1="58" x2="{x(each):.1f}" y2="82" stroke="#486581" stroke-opacity=".35"/>'
        for each in scores
    ]
    for row, (name, value) in enumerate(thresholds.items()):
        colour, at = _COLOURS[name], x(value)
        parts.append(f'<line x1="{at:.1f}" y1="46" x2="{at:.1f}" y2="94" stroke="{colour}" stroke-width="3"/>')
        parts.append(_text(at, 108 + 15 * row, f"{name} {value:g}", colour))
    at = x(score)
    parts.append(f'<path d="M{at:.1f} 54 l-7 -14 h14 z" fill="#d64545"/>')
    parts.append(_text(at, 34, f"agent {score:g}", "#d64545"))
    parts.append(_text(_LEFT, 12, "worse", "#7b8794", "start") + _text(_WIDTH - _RIGHT, 12, "better", "#7b8794", "end"))
    return _svg(145, parts, "Position of the agent's score on the leaderboard")


def seconds_picture(bars: Sequence[tuple[str, float]]) -> str:
    """Horizontal bars of seconds."""
    longest = max((seconds for _, seconds in bars), default=1.0) or 1.0
    parts = []
    for row, (name, seconds) in enumerate(bars):
        y, width = 10 + 28 * row, seconds / longest * 480
        parts.append(_text(230, y + 15, name, "#1f2933", "end"))
        parts.append(f'<rect x="240" y="{y}" width="{width:.1f}" height="20" rx="3" fill="#486581"/>')
        parts.append(_text(246 + width, y + 15, f"{seconds:.1f} s", "#52606d", "start"))
    return _svg(20 + 28 * len(bars), parts, "Seconds per competition")


def _text(x: float, y: float, text: str, colour: str, anchor: str = "middle") -> str:
    # Labels at the ends of the strip would otherwise run out of the picture.
    if anchor == "middle" and x > _WIDTH - 80:
        anchor = "end"
    elif anchor == "middle" and x < 80:
        anchor = "start"
    return f'<text x="{x:.1f}" y="{y}" font-size="13" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _svg(height: int, parts: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )
