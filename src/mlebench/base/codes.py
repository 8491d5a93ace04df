"""Codes: stable short names that our parts, reports and other programs exchange, each with its meaning in words."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Code(StrEnum):
    """A code and what it means. Codes are part of the format of reports: one that was published is never renamed.

    A kind of code is a subclass whose members are written as `NAME = "code", "What it means."`; docs/codes.md lists
    all of them, which a test compares.
    """

    meaning: str
    words: str

    def __new__(cls, code: str, meaning: str = "", words: str = "") -> Self:
        """A member; `words` are what tables show, those of the code unless others are given."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        member.words = words or code.replace("_", " ")
        return member

    @classmethod
    def known(cls, code: object) -> Self | None:
        """The member with this code; None for what is no code of this kind, such as one of a later version."""
        return next((member for member in cls if member.value == code), None)


class NoMedalCode(Code):
    """Why a valid submission cannot win a medal, whatever it scores."""

    NOT_REAL_DATA = "not_real_data", "The data is synthetic, so that scores cannot be compared with those of humans."
    NO_LEADERBOARD = "no_leaderboard", "There is no human leaderboard of the competition."
    HUMANS_HAD_LEAK = "humans_had_leak", "The humans of the leaderboard had a leak that this edition has not."
    TASK_DIFFERS = "task_differs", "This edition asks for something else than what the humans of the leaderboard did."


class MedalCaveat(Code):
    """Why a medal of a competition says little."""

    CROWDED = "crowded", "The best human score is close to the median."
    FEW_TEST_ITEMS = "few_test_items", "The test set is so small that scores are mostly noise."
    OTHER_TEST_SET = "other_test_set", "The humans of the leaderboard were scored on a test set of another kind."
    NEARLY_PERFECT = "nearly_perfect", "Scores near the best that is possible can be reached without solving the task."
    NOT_HUMAN = "not_human", "The leaderboard holds programs, not humans."


class RefusalCode(Code):
    """Why a submission is refused."""

    NO_SUBMISSION = "no_submission", "There is no file where the submission should be."
    NOT_A_FILE = "not_a_file", "The submission is a folder, a pipe, a socket or a device."
    WRONG_NAME = "wrong_name", "The name of the file does not end in .csv."
    TOO_LARGE = "too_large", "The file is far larger than the answers, or does not fit into memory."
    EMPTY_FILE = "empty_file", "The file has no bytes, or nothing but blank lines."
    NOT_CSV = "not_csv", "The file has another format: an archive, a picture, JSON, a web page, binary data."
    UNREADABLE = "unreadable", "The file cannot be parsed as CSV."
    WRONG_ENCODING = "wrong_encoding", "The file is not UTF-8 text."
    WRONG_SEPARATOR = "wrong_separator", "The columns are not separated by commas."
    UNNAMED_COLUMNS = "unnamed_columns", "The header has several columns without a name."
    DUPLICATE_COLUMNS = "duplicate_columns", "The header names a column twice, or two columns that exclude each other."
    SHIFTED_COLUMNS = "shifted_columns", "The rows have more cells than the header has names."
    MISSING_COLUMNS = "missing_columns", "Columns that the competition asks for are missing."
    EXTRA_COLUMNS = "extra_columns", "There are columns that the competition does not allow."
    WRONG_COLUMN_ORDER = "wrong_column_order", "The columns are not in the order that the competition asks for."
    WRONG_ROW_COUNT = "wrong_row_count", "The number of rows is not that of the rows to predict."
    WRONG_ROW_ORDER = "wrong_row_order", "The rows are not in the order that the competition asks for."
    UNKNOWN_IDS = "unknown_ids", "There are ids that the test set does not have."
    MISSING_IDS = "missing_ids", "Ids of the test set are missing."
    DUPLICATE_IDS = "duplicate_ids", "An id occurs more often than it may."
    MISSING_VALUES = "missing_values", "There are empty cells where every row needs a value."
    NOT_A_NUMBER = "not_a_number", "A value is not a number."
    NOT_WHOLE = "not_whole", "A value is not a whole number."
    NOT_A_TRUTH_VALUE = "not_a_truth_value", "A value is neither True nor False."
    NOT_TEXT = "not_text", "A column holds numbers or truth values where text is expected."
    INFINITE_VALUE = "infinite_value", "A value is infinite."
    OUT_OF_RANGE = "out_of_range", "A value is below or above what is allowed."
    NOT_A_PROBABILITY = "not_a_probability", "A probability is below 0 or above 1."
    WRONG_SUM = "wrong_sum", "The probabilities of a row do not sum to 1."
    NOT_ALLOWED = "not_allowed", "A value is not one of those that are allowed."
    MALFORMED_VALUE = "malformed_value", "A cell does not have its form: a mask, a list of boxes, a list of labels."
    CONSTANT_PREDICTIONS = "constant_predictions", "All predictions are equal, and the metric is not defined for that."
    NOTHING_TO_SCORE = "nothing_to_score", "No row of the submission is scored."
    NO_SCORE = "no_score", "The score is not a number."
    GRADING_FAILED = "grading_failed", "The grader of the competition fails on the submission."
    BREAKS_RULE = "breaks_rule", "The submission breaks a rule of its competition that has no code of its own."
