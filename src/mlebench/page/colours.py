"""The colours of the page, each in one place: what it is for, how it is on white and how it is on black."""

from __future__ import annotations

# name: (light, dark). `on-…` is behind text, `ink-…` is text on it, and a name alone is a line, a dot or a bar.
COLOURS = {
    "page": ("#f5f6f8", "#0e1318"),
    "surface": ("#ffffff", "#161c23"),
    "raised": ("#f0f2f5", "#1f2730"),
    "ink": ("#17202b", "#e8edf3"),
    "muted": ("#515d6b", "#a7b3c0"),
    "line": ("#dce1e7", "#2c3641"),
    "accent": ("#1a5bb8", "#86b6ff"),
    "notice": ("#fff6dd", "#2f2710"),
    "notice-line": ("#a87900", "#e0b840"),
    # Groups
    "g0": ("#1a5bb8", "#86b6ff"),
    "g1": ("#b3470c", "#ffa265"),
    "g2": ("#0b7a63", "#52d3b3"),
    "g3": ("#8a3fa0", "#d9a0ef"),
    "g4": ("#7a6200", "#e2c450"),
    "g5": ("#b0264f", "#ff8cab"),
    # Outcomes
    "gold": ("#b58500", "#ffd24d"),
    "on-gold": ("#fbdf8a", "#5e4a08"),
    "ink-gold": ("#463300", "#ffe9a8"),
    "silver": ("#697583", "#b9c5d1"),
    "on-silver": ("#d8dfe6", "#46515d"),
    "ink-silver": ("#28323d", "#eef3f8"),
    "bronze": ("#7d3c14", "#cf7d42"),
    "on-bronze": ("#ecc7aa", "#5c361b"),
    "ink-bronze": ("#4c2409", "#ffd6b6"),
    "median": ("#515d6b", "#a7b3c0"),
    "above": ("#3f7fc4", "#5f97dd"),
    "below": ("#d3e3f5", "#1b3353"),
    "valid": ("#2a8571", "#4fb89f"),
    "on-valid": ("#d5efe8", "#14392f"),
    "invalid": ("#7d4fa3", "#c79be6"),
    "on-invalid": ("#ece0f5", "#3a2650"),
    "bad": ("#b3261e", "#ff8a80"),
    "on-bad": ("#fadfdc", "#4a1f1c"),
    "late": ("#b4540a", "#ffab5e"),
    "on-late": ("#fde3c8", "#4d2c0c"),
    # Percentiles, from the lowest to the highest
    "p0": ("#f2f5f9", "#1a222c"),
    "p1": ("#e0eaf6", "#1b2c40"),
    "p2": ("#c5daf1", "#1d3a58"),
    "p3": ("#a9caec", "#204a74"),
    "p4": ("#8fbae6", "#255a8f"),
    # Code
    "keyword": ("#8a2f8f", "#e2a5f0"),
    "string": ("#0b6b52", "#7fd8b6"),
    "literal": ("#8a4a00", "#f0b46c"),
}


def colour_rules() -> str:
    """The colours as variables of a stylesheet.

    Dark where the system asks for it or the reader chose it, never on paper; in the words of browsers that know no
    function for both.
    """
    light, dark = ("".join(f"--{name}:{pair[place]};" for name, pair in COLOURS.items()) for place in (0, 1))
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )
