"""NFL player contact: when do players touch each other, or the ground, during a play?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, matthews, one_of, random_split, whole_numbers

CAMERAS = ["All29", "Endzone", "Sideline"]

competition = Competition(
    "nfl-player-contact-detection",
    "1st and Future - Player Contact Detection",
    category="Video Classification",
    metric="Matthews correlation coefficient",
    group="high",
    gigabytes=5,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the plays; plays without labels are in neither part."""
    labels = raw.read_csv("train_labels.csv", lean=True)
    train, test = random_split(labels["game_play"].unique(), test_size=0.1)
    answers = labels[labels["game_play"].isin(test)]
    public.write_csv("train_labels.csv", labels[labels["game_play"].isin(train)])
    public.write_csv("sample_submission.csv", answers[["contact_id"]].assign(contact=0))
    private.write_csv("test.csv", answers)
    tables = {name: raw.read_csv(f"train_{name}.csv", lean=True) for name in ("baseline_helmets", "video_metadata")}
    tables["player_tracking"] = raw.read_csv("train_player_tracking.csv", as_pandas_2=True)
    for name, table in tables.items():
        public.write_csv(f"train_{name}.csv", table[table["game_play"].isin(train)])
        public.write_csv(f"test_{name}.csv", table[table["game_play"].isin(test)])
    for camera in CAMERAS:
        public.place_split(train, test, raw, f"train/{{}}_{camera}.mp4")


@competition.grade
def grade(submission: Table, answers: Table, only_0_and_1: bool = False) -> float:
    """Matthews correlation coefficient; as published, numbers other than 0 and 1 count as further classes."""
    truth, predicted = aligned(submission, answers, on="contact_id", target="contact")
    contacts = whole_numbers(predicted)
    if only_0_and_1:
        one_of(predicted, [0, 1])
    return matthews(truth, contacts)


competition.v2(only_0_and_1=True)
