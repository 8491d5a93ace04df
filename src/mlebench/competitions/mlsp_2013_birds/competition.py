"""MLSP 2013 birds: which species can be heard in ten seconds of forest?"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import Competition, Output, Raw, Table, aligned, probabilities, roc_auc

SPECIES = 19
FOLDS = "essential_data/CVfolds_2.txt"
NAMES = "essential_data/rec_id2filename.txt"
LABELS = "essential_data/rec_labels_test_hidden.txt"
SEGMENTS = [
    "supplemental_data/histogram_of_segments.txt",
    "supplemental_data/segment_features.txt",
    "supplemental_data/segment_rectangles.txt",
]
UNCHANGED = [
    "essential_data/species_list.txt",
    "supplemental_data/segment_clusters.bmp",
    "supplemental_data/segment_mosaic.bmp",
]
PER_RECORDING = [
    "essential_data/src_wavs/{}.wav",
    "supplemental_data/spectrograms/{}.bmp",
    "supplemental_data/filtered_spectrograms/{}.bmp",
    "supplemental_data/supervised_segmentation/{}.bmp",
]
DRAWN = "supplemental_data/segmentation_examples/{}.bmp"  # for a few recordings only

competition = Competition(
    "mlsp-2013-birds",
    "MLSP 2013 Bird Classification Challenge",
    category="Audio Classification",
    metric="area under the ROC curve",
    group="low",
    answers="answers.csv",
    gigabytes=0.5851,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, own_headers: bool = False) -> None:
    """Keep the labelled recordings, hold out a fifth of them, and number all afresh from 0."""
    import pandas as pd

    files = raw.archive("mlsp_contest_dataset.zip").folder("mlsp_contest_dataset")
    folds = files.read_csv(FOLDS)
    kept = folds[folds["fold"] == 0].reset_index(drop=True)
    test = set(kept.sample(frac=0.2, random_state=0).index)
    new_ids = {int(old): new for new, old in enumerate(kept["rec_id"])}
    public.write_csv(FOLDS, pd.DataFrame({"rec_id": kept.index, "fold": kept.index.isin(test).astype(int)}))

    names = files.read_csv(NAMES)
    names = names[names["rec_id"].isin(kept["rec_id"])]
    public.write_csv(NAMES, names.assign(rec_id=names["rec_id"].map(new_ids)))
    public.place({name: files[name] for name in UNCHANGED})
    for pattern in PER_RECORDING:
        public.place_each(names["filename"], files, pattern)
    public.place_each([name for name in names["filename"] if DRAWN.format(name) in files], files, DRAWN)
    for segments in SEGMENTS:
        text = files.read_text(segments)
        lines = [f"{recording},{rest}" for recording, rest in _renumbered(text, new_ids)]
        # As published: all three files get the header of the first.
        header = text.splitlines()[0] if own_headers else "rec_id,[histogram of segment features]"
        public.write_text(segments, "\n".join([header, *lines, ""]))

    labels = _renumbered(files.read_text(LABELS), new_ids)
    shown = ((recording, "?" if recording in test else species) for recording, species in labels)
    lines = [f"{recording},{species}" if species else f"{recording}" for recording, species in shown]
    public.write_text(LABELS, "\n".join(["rec_id,[labels]", *lines, ""]))
    public.write_csv("sample_submission.csv", pd.DataFrame({"Id": _pair_ids(sorted(test)), "Probability": 0}))
    hidden = {recording: species for recording, species in labels if recording in test}
    heard = _presence(list(hidden.values()))
    private.write_csv("answers.csv", pd.DataFrame({"Id": _pair_ids(list(hidden)), "Probability": heard}))


def _renumbered(text: str, new_ids: Mapping[int, int]) -> list[tuple[int, str]]:
    """(new number, rest of the line) for each line below the header that is about a kept recording."""
    fields = (line.partition(",") for line in text.splitlines()[1:] if line.strip())
    return [(new_ids[int(old)], rest) for old, _, rest in fields if int(old) in new_ids]


def _pair_ids(recordings: Sequence[int]) -> NDArray[np.int64]:
    return (np.array(recordings, dtype=np.int64)[:, None] * 100 + np.arange(SPECIES)).ravel()


def _presence(labels: Sequence[str]) -> NDArray[np.int64]:
    """1 for each species that a recording's label lists, else 0."""
    presence = np.zeros((len(labels), SPECIES), dtype=np.int64)
    for row, species in enumerate(labels):
        presence[row, [int(number) for number in species.split(",") if number]] = 1
    return presence.ravel()


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """One area under the ROC curve over all pairs of recording and species."""
    truth, predicted = aligned(submission, answers, on="Id", target="Probability")
    return roc_auc(truth, probabilities(predicted))


competition.v2(own_headers=True)
