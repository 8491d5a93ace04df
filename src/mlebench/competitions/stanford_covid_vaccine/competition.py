"""OpenVaccine: how fast does each base of an mRNA molecule degrade?"""

import io
import json

import numpy as np

from mlebench.kit import Competition, Output, Raw, Table, aligned, mcrmse, numbers

TARGETS = ["reactivity", "deg_Mg_pH10", "deg_pH10", "deg_Mg_50C", "deg_50C"]
SCORED = ["reactivity", "deg_Mg_pH10", "deg_Mg_50C"]

competition = Competition(
    "stanford-covid-vaccine",
    "OpenVaccine: COVID-19 mRNA Vaccine Degradation Prediction",
    category="Tabular",
    metric="mean column-wise root mean squared error",
    group="high",
    breaks=["wrong_values_refused"],  # as published, only three of the five columns are scored
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, pair_probabilities: bool = False) -> None:
    """Hold out a tenth of the molecules, rounded down, from those that passed the quality filter; keep the order."""
    import pandas as pd

    molecules = pd.read_json(io.BytesIO(raw.read_bytes("train.json")), lines=True)
    passed = molecules[molecules["SN_filter"] > 0]
    in_test = molecules.index.isin(passed.sample(n=int(0.1 * len(molecules)), random_state=0).index)
    train, test = (part.assign(index=range(len(part))) for part in (molecules[~in_test], molecules[in_test]))
    public_keys = list(json.loads(raw.read_text("test.json").partition("\n")[0]))
    public.write_text("train.json", train.to_json(orient="records", lines=True))
    public.write_text("test.json", test[public_keys].to_json(orient="records", lines=True))
    if pair_probabilities:
        public.place_each([name for name in molecules["id"] if f"bpps/{name}.npy" in raw], raw, "bpps/{}.npy")
    answers = _by_position(test)
    sample = answers[["id_seqpos"]].assign(**dict.fromkeys(TARGETS, 0.0))
    public.write_csv("sample_submission.csv", sample, float_format="%.10f")
    private.write_csv("test.csv", answers, float_format="%.10f")


def _by_position(molecules: Table) -> Table:
    """One row per base; the values of those that were not measured are 0, and they are not kept for scoring."""
    import pandas as pd

    lengths = molecules["seq_length"].to_numpy()
    positions = np.concatenate([np.arange(length) for length in lengths])
    measured = positions < np.repeat(molecules["seq_scored"].to_numpy(), lengths)
    ids = np.repeat(molecules["id"].to_numpy(), lengths)
    rows = pd.DataFrame({"id_seqpos": [f"{name}_{position}" for name, position in zip(ids, positions, strict=True)]})
    for target in TARGETS:
        values = np.zeros(len(rows))
        values[measured] = np.concatenate(molecules[target].to_list())
        rows[target] = values
    return rows.assign(keep=measured)


@competition.grade
def grade(submission: Table, answers: Table, match_ids: bool = False) -> float:
    """Mean over the scored targets of the root mean squared error at the measured positions."""
    _, given = aligned(submission, answers, on="id_seqpos", target=TARGETS)
    if match_ids:
        submission = answers[["id_seqpos"]].join(given)
    # As published: rows are chosen by their number in either file and only then sorted by id, so a submission must have
    # the order of the sample.
    scored = np.flatnonzero(answers["keep"])
    truth, predicted = (table.iloc[scored].sort_values("id_seqpos")[SCORED] for table in (answers, submission))
    return mcrmse(truth, numbers(predicted))


competition.v2(pair_probabilities=True, match_ids=True)
