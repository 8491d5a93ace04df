"""Plagiarism: how much of a submission's code is that of public notebooks of the same competition."""
