"""How many competitions are recognised by their obfuscated descriptions: the nearest of the texts that somebody knows.

The attacker compares words (TF-IDF, cosine similarity), in single words and pairs or in pieces of words, whichever does
better. It has no knowledge of the world: a language model recognises more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from mlebench.competition.description import sections
from mlebench.competition.local import LocalCompetition


class Knowledge(StrEnum):
    """What the attacker knows of each competition."""

    NAMES = "titles and ids"
    SUMMARIES = "titles, ids and what each is about"
    DESCRIPTIONS = "all descriptions in full"

    def of(self, competition: LocalCompetition) -> str:
        """The text that the attacker knows; what a competition is about is the part Background, which is hidden."""
        names = f"{competition.name}\n{competition.id.replace('-', ' ')}"
        if self is Knowledge.NAMES:
            return names
        if self is Knowledge.DESCRIPTIONS:
            return f"{names}\n{competition.description}"
        return f"{names}\n{sections(competition.description).get('Background', '')}"


def identified(shown: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """For each text that is shown, the nearest known one, both by competition; the better of two attacks."""
    attempts = [nearest(shown, known, vectorizer) for vectorizer in (by_words, by_pieces)]
    return max(attempts, key=lambda named: share_identified(named))


def share_identified(named: Mapping[str, str]) -> float:
    """The share of texts whose competition was named right."""
    return sum(guess == competition_id for competition_id, guess in named.items()) / len(named)


def nearest(shown: Mapping[str, str], known: Mapping[str, str], vectorizer: Callable[[], Any]) -> dict[str, str]:
    """For each text that is shown, the nearest known one, by one attack."""
    ids = list(known)
    vectors = vectorizer()
    theirs = vectors.fit_transform(known.values())
    nearest = (vectors.transform(shown.values()) @ theirs.T).toarray().argmax(axis=1)
    return {competition_id: ids[place] for competition_id, place in zip(shown, nearest, strict=True)}


def by_words() -> Any:
    """Compares single words and pairs of them."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(stop_words="english", ngram_range=(1, 2), sublinear_tf=True)


def by_pieces() -> Any:
    """Compares pieces of words."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer="char_wb", ngram_range=(4, 5), sublinear_tf=True)
