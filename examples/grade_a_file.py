"""Prepare a competition, predict, and grade the file: all from Python."""

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlebench import api

# A practice competition: its data ships with scikit-learn, so nothing is downloaded.
[competition] = api.prepare("practice-wine", data_dir="data")

# Only the public folder is meant for contestants; the answers are in the private one.
train = pd.read_csv(competition.public_dir / "train.csv")
test = pd.read_csv(competition.public_dir / "test.csv")
features = train.columns.drop(["id", "cultivar"])
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(train[features], train["cultivar"])

submission = pd.DataFrame(model.predict_proba(test[features]), columns=model.classes_)
submission.insert(0, "id", test["id"])
submission.to_csv("submission.csv", index=False)

# Validation tells what is wrong with a file and reveals no score, so an agent may use it.
submission.drop(columns="class_2").to_csv("broken.csv", index=False)
print("broken.csv:", api.validate("broken.csv", competition)[1])
print("submission.csv:", api.validate("submission.csv", competition)[1])

report = api.grade("submission.csv", competition)
print(f"score {report.score} ({'lower' if report.is_lower_better else 'higher'} is better), medal: {report.medal}")
print(f"gold begins at {report.gold_threshold}, the median is {report.median_threshold}")
