from mlebench import api

group = api.run("practice", agent="baseline", prepare=True, workers=2, data_dir="data")
print(api.grade(group))
print(api.score(group))
print("Open", api.report(group))
