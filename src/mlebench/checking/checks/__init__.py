"""The checks of `mlebench check`, module by module: a check that is written in one of them is found and made.

A new check is a function in a module here, a new one or one that fits. Checks of prepared data that are also made after
every preparation are in `mlebench.data.prepared_checks`.
"""
