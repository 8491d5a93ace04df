"""The one read model of runs and results: run folders, groups, reports, which runs count, and on what data.

`names` has the name of every file, `records` and `reports` read them, `runs` and `groups` put them together, `sources`
reads reports from wherever they are, and `finding` turns what a user types into a folder. Everything here may come from
a stranger: regular files only, no links followed, bounded reads, and one sentence for what is damaged.
"""
