"""Experiments: one file names arms that differ in what is declared; each arm becomes a run group."""
