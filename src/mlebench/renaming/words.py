"""Which names say nothing about a competition, and what neutral names look like.

A name is neutral where every word in it is one that many competitions use (`train_images`, `label`, `id`). Of any other
name the neutral words are kept, because they tell an agent what a file is for, and a number takes the place of the
rest: `train_curated` becomes `train_7`, `has_cactus` becomes `column_3`.
"""

from __future__ import annotations

import re

NEUTRAL_WORDS = frozenset(
    """
    train training test testing val valid validation sample samples submission example examples data dataset
    metadata meta
    image images img imgs picture pictures photo photos audio video videos text texts file files filename path folder
    label labels target targets class classes category categories type types name names id ids uid index key keys
    value values score scores prediction predictions predicted predict probability confidence answer answers
    row rows column columns number num count size width height length start end min max mean std x y z
    date time timestamp url description info information part set split fold group list all mask masks
    csv tsv txt json jsonl parquet npy zip tar gz jpg jpeg png wav tfrecord tfrecords
    unnamed annotation annotations features feature
    """.split()
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_SHORT_NUMBER = 2  # digits of a number that counts files; a longer one is a year or a size
_SUFFIX = re.compile(r"\.(?:7z|[A-Za-z][A-Za-z0-9]{0,7})$")
_COUNTED = re.compile(r"(.*?\D)(\d+)", re.DOTALL)


def words(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> words("sampleSubmission"), words("HuBMAP-20-dataset_information"), words("train2")
    (['sample', 'submission'], ['hu', 'bmap', '20', 'dataset', 'information'], ['train', '2'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def is_neutral(name: str) -> bool:
    """Whether a name says nothing about its competition.

    >>> is_neutral("train_images"), is_neutral("Id"), is_neutral("has_cactus"), is_neutral("train2019")
    (True, True, False, False)
    """
    return all(_is_neutral_word(word) for word in words(name))


def _is_neutral_word(word: str) -> bool:
    return len(word) <= _SHORT_NUMBER if word.isdecimal() else word in NEUTRAL_WORDS


def neutral_words(name: str, otherwise: str) -> str:
    """The neutral words of a name, joined; `otherwise` where it has none that is longer than a letter.

    >>> neutral_words("ru_train", "file"), neutral_words("has_cactus", "column")
    ('train', 'column')
    """
    kept = [word for word in words(name) if word in NEUTRAL_WORDS]
    return "_".join(kept) if any(len(word) > 1 for word in kept) else otherwise


def split_suffixes(name: str) -> tuple[str, str]:
    """The name of a file without its endings, and the endings.

    >>> split_suffixes("train.csv.zip"), split_suffixes("sample.json.7z"), split_suffixes("images")
    (('train', '.csv.zip'), ('sample', '.json.7z'), ('images', ''))
    """
    stem, suffixes = name, ""
    while len(suffixes.split(".")) < 3 and (found := _SUFFIX.search(stem)) and found.start() > 0:
        stem, suffixes = stem[: found.start()], found[0] + suffixes
    return stem, suffixes


def split_count(name: str) -> tuple[str, str]:
    """A name without the number at its end, and that number: columns that are counted keep their numbers.

    >>> split_count("margin12"), split_count("f_07"), split_count("label"), split_count("7")
    (('margin', '12'), ('f_', '07'), ('label', ''), ('7', ''))
    """
    found = _COUNTED.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")
