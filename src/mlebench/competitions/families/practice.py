"""The practice competitions: real data that ships with scikit-learn, so that nothing is downloaded."""

from pathlib import Path

from mlebench.kit import Output, Raw, Table, random_split

TEST_SIZE = 0.3


def write_shuffled(raw: Path, table: Table) -> Table:
    """Write the raw table data.csv and return it: rows in a random order, counted by a new first column `id`.

    Some sources are sorted by class; counted after the shuffle, an id tells nothing about that order.
    """
    shuffled = table.sample(frac=1, random_state=0)
    shuffled.insert(0, "id", range(1, len(shuffled) + 1))
    shuffled.to_csv(raw / "data.csv", index=False)
    return shuffled


def hold_out(raw: Raw, public: Output, *, target: str, stratify: bool) -> tuple[Table, Table]:
    """Publish train.csv, and test.csv without the target; returns both parts.

    `stratify` keeps the shares of the classes alike in both.
    """
    table = raw.read_csv("data.csv")
    train, test = random_split(table, TEST_SIZE, stratify=table[target] if stratify else None)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=target))
    return train, test
