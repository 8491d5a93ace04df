"""Neutral names for files and columns: what an agent sees with `--rename`, and the way back before grading."""
