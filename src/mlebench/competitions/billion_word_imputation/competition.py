"""Billion word imputation: which word is missing from a sentence, and where?"""

import numpy as np

from mlebench.kit import Competition, Output, Raw, Table, aligned, complete, levenshtein_distances, texts

TEST_SHARE = 0.01
HEADER = '"id","sentence"\n'

competition = Competition(
    "billion-word-imputation",
    "Billion Word Imputation",
    category="Seq->Seq",
    metric="mean Levenshtein distance",
    group="medium",
    private_sample="sample_submission.csv",
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, sample_is_public: bool = False, blanks_are_single: bool = False
) -> None:
    """Take about a hundredth of the sentences out of the text, and from each of them one word in its middle."""
    rng, number = np.random.RandomState(0), 0
    with (
        public.text_stream("train_v2.txt.zip") as train,
        public.text_stream("test_v2.txt.zip") as test,
        private.text_stream("sample_submission.csv") as sample,
        private.text_stream("test.csv") as answers,
    ):
        for file in (test, sample, answers):
            file.write(HEADER)
        for line in raw.archive("train_v2.txt.zip").lines("train_v2.txt"):
            # One draw per line, and a second one for a test line: the order of the draws is what decides, so there is
            # no drawing ahead for many lines.
            if rng.random_sample() > TEST_SHARE or len(line.split()) < 3:
                train.write(line)
                continue
            sentence = line.strip().replace('"', '""')
            tokens = sentence.split()
            del tokens[rng.randint(1, len(tokens) - 1)]
            for file in (test, sample):
                file.write(f'{number},"{" ".join(tokens)}"\n')
            # As published: only the test sentence has its blanks made single.
            answers.write(f'{number},"{" ".join(sentence.split()) if blanks_are_single else sentence}"\n')
            number += 1
    if sample_is_public:
        public.place({"sample_submission.csv": private.path("sample_submission.csv")})


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean edit distance of the sentences, in characters."""
    truth, predicted = aligned(submission, answers, on="id", target="sentence")
    return float(np.mean(levenshtein_distances(texts(truth), texts(complete(predicted)))))


competition.v2(
    sample_is_public=True, blanks_are_single=True, text_columns=["sentence"], breaks=["no_private_file_public"]
)
