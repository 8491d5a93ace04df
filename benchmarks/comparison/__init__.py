"""Benchmark of the comparison: how often equal agents are told apart."""
