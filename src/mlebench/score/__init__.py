"""Scores: what a run was worth beyond its medal, and why."""
