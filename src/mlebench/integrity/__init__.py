"""Instruments that say whether a result can be trusted: rule violations, plagiarism and familiarity."""
