"""Benchmarks of run groups."""
