"""Predict what the nearest rows of the training table have. Needs nothing but Python."""

import argparse
import csv
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

DATA = Path(os.environ["DATA_DIR"])  # description.md and the public data; read-only
SUBMISSION = Path(os.environ["SUBMISSION_DIR"]) / "submission.csv"  # the one file that counts
SEED = int(os.environ["SEED"])  # the same seed must give the same submission

Row = dict[str, str]


def main() -> int:
    """Write a submission, and ask the checker whether it is valid."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--neighbours", type=int, default=5)
    options = parser.parse_args()

    train, test, sample = (read(DATA / name) for name in ("train.csv", "test.csv", "sample_submission.csv"))
    key, *wanted = sample[0]
    features = [column for column in test[0] if column != key]
    target = next(column for column in train[0] if column not in test[0])
    train = random.Random(SEED).sample(train, len(train) * 9 // 10)  # chance has its part, so that seeds differ
    print(f"{len(train)} rows to learn {target} from, {len(test)} to predict")

    scale = {column: statistics.pstdev(float(row[column]) for row in train) or 1.0 for column in features}
    places = [[float(row[column]) / scale[column] for column in features] for row in train]
    predictions = []
    for row in test:
        place = [float(row[column]) / scale[column] for column in features]
        order = sorted(
            range(len(train)), key=lambda i: sum((a - b) ** 2 for a, b in zip(places[i], place, strict=True))
        )
        values = [train[i][target] for i in order[: options.neighbours]]
        predictions.append({key: row[key], **predicted(values, wanted)})
    with SUBMISSION.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [key, *wanted])
        writer.writeheader()
        writer.writerows(predictions)

    # The checker says what is wrong with a file, and nothing about its score.
    checker = Path(os.environ["AGENT_DIR"]).parent / "validate_submission.sh"
    return subprocess.run(["bash", str(checker), str(SUBMISSION)], check=False).returncode


def predicted(values: list[str], wanted: list[str]) -> dict[str, float]:
    """The mean of the neighbours, or the share of each class where the submission has a column per class."""
    if len(wanted) == 1:
        return {wanted[0]: statistics.fmean(map(float, values))}
    return {name: values.count(name) / len(values) for name in wanted}


def read(path: Path) -> list[Row]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    sys.exit(main())
