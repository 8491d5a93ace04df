"""Benchmark of the failure analysis: runs that really fail, and whether their causes are found."""
