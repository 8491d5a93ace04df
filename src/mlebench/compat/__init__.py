"""What exists only for projects that use the published package: its names, its folders, its files.

Modules at the published paths (`mlebench.utils`, `mlebench.registry`, `mlebench.grade_helpers`) are thin and lead here
or to the code that does the work; nothing of ours imports those.
"""
