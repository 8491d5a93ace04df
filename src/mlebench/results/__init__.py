"""The one read model of runs and results: run folders, groups, reports, which runs count, and on what data."""
