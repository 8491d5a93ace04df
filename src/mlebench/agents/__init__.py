"""Agents: programs that see a task, work on it, and leave a submission; the built-in ones live here."""
