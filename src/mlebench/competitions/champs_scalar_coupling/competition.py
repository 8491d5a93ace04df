"""CHAMPS scalar coupling: how strongly do two atoms of a molecule interact magnetically?"""

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    group_split,
    mean_log_group_error,
    numbers,
    require_columns,
    same_ids,
)

CONSTANT = "scalar_coupling_constant"
PER_MOLECULE = [
    "structures.csv",
    "dipole_moments.csv",
    "magnetic_shielding_tensors.csv",
    "mulliken_charges.csv",
    "potential_energy.csv",
    "scalar_coupling_contributions.csv",
]

competition = Competition(
    "champs-scalar-coupling",
    "Predicting Molecular Properties",
    category="Tabular",
    metric="mean log of the mean absolute error per coupling type",
    group="medium",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, structures_of_test: bool = False) -> None:
    """Hold out a tenth of the molecules; what is known of molecules is given for the others only."""
    pairs = raw.read_csv("train.csv", lean=True)
    train, test = group_split(pairs, "molecule_name", 0.1, consume=True, regroup=True)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=CONSTANT))
    public.write_csv("sample_submission.csv", test[["id"]].assign(**{CONSTANT: 0}))
    private.write_csv("answers.csv", test)
    molecules = train["molecule_name"].unique().tolist()
    for name in PER_MOLECULE:
        table = raw.read_csv(name, lean=True)
        # As published: the structures too, so that the geometry of test molecules is not known.
        if name == "structures.csv" and structures_of_test:
            molecules_shown = [*molecules, *test["molecule_name"].unique().tolist()]
        else:
            molecules_shown = molecules
        public.write_csv(name, table[table["molecule_name"].isin(molecules_shown)])
    public.place_each(molecules, raw, "structures/{}.xyz")
    if structures_of_test:
        public.place_each(test["molecule_name"].unique().tolist(), raw, "structures/{}.xyz")


@competition.grade
def grade(submission: Table, answers: Table, floor: float = 0.0, repeated_ids: bool = True) -> float:
    """Mean over coupling types of the logarithm of the mean absolute error."""
    if not repeated_ids:
        aligned(submission, answers, on="id", target=CONSTANT)  # only for its checks
    require_columns(submission, ["id", CONSTANT])
    ids, predicted = numbers(submission["id"], missing=True, infinite=True), numbers(submission[CONSTANT])
    same_ids(submission["id"], answers["id"], "id")
    # As published: an id may be repeated, and each of its rows counts.
    truth = answers.set_index("id").loc[ids]
    return mean_log_group_error(truth[CONSTANT], predicted, truth["type"], floor=floor)


competition.v2(structures_of_test=True, floor=1e-9, repeated_ids=False)
