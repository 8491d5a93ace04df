"""Analysis: what scores mean, in tables and pictures."""
