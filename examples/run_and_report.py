"""Run an agent on the practice competitions, grade what it handed in, score it, and write a page about it."""

from mlebench import api

group = api.run("practice", agent="baseline", prepare=True, workers=2, data_dir="data")
print(api.grade(group))
print(api.score(group))
print("Open", api.report(group))
