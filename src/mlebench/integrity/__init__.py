"""Instruments that say whether a result can be trusted: rule violations and plagiarism."""
