"""Herbarium 2022: which North American plant is mounted on a herbarium sheet?"""

from collections import Counter
from collections.abc import Iterator

from mlebench.competitions.families import herbarium
from mlebench.competitions.families.species import Item, labelled, split_by_species, write_metadata
from mlebench.kit import Competition, Output, Raw

competition = Competition(
    "herbarium-2022-fgvc9",
    "Herbarium 2022 - FGVC9",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a fifth of each species, and number the images of both parts anew."""
    metadata = raw.read_json("train_metadata.json")
    train, test = split_by_species(metadata, test_size=0.2, image_id="image_id", few=0)
    kept = list(_renumbered(train))
    renamed = [
        {**image, "image_id": str(number), "file_name": f"{number // 1000:03d}/test-{number:06d}.jpg"}
        for number, (image, _) in enumerate(test)
    ]
    write_metadata(public, "train_metadata.json", labelled(metadata, kept))
    write_metadata(public, "test_metadata.json", renamed)
    herbarium.write_tables(test, public, private, predicted=42)
    for folder, new, old in (("train", [image for image, _ in kept], train), ("test", renamed, test)):
        names = zip((image["file_name"] for image in new), (image["file_name"] for image, _ in old), strict=True)
        public.place({f"{folder}_images/{after}": raw[f"train_images/{before}"] for after, before in names})


def _renumbered(train: list[Item]) -> Iterator[Item]:
    """The images with their number within the train part of their species, from 1, in names and ids."""
    counts: Counter[int] = Counter()
    for image, annotation in train:
        species = annotation["category_id"]
        counts[species] += 1
        new_id = f"{species:05d}__{counts[species]:03d}"
        file_name = f"{species // 100:03d}/{species % 100:02d}/{new_id}.jpg"
        yield {**image, "image_id": new_id, "file_name": file_name}, {**annotation, "image_id": new_id}


competition.grade(herbarium.grade)
