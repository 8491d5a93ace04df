"""The charts of the page: each module computes where its marks are, and one template draws them as SVG."""

from mlebench.page.charts.bars import Part, histogram, stacked_chart
from mlebench.page.charts.drawing import GROUPS, Drawing
from mlebench.page.charts.forest import Estimate, forest_chart
from mlebench.page.charts.lines import medals_over_time_chart, over_time_chart
from mlebench.page.charts.scatter import scatter_chart
from mlebench.page.charts.scores import LINES, Dot, human_chart
from mlebench.page.charts.standing import BANDS, StandingRow, standing_chart

__all__ = [
    "BANDS",
    "GROUPS",
    "LINES",
    "Dot",
    "Drawing",
    "Estimate",
    "Part",
    "StandingRow",
    "forest_chart",
    "histogram",
    "human_chart",
    "medals_over_time_chart",
    "over_time_chart",
    "scatter_chart",
    "stacked_chart",
    "standing_chart",
]
