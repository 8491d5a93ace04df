"""What a run leaves beside its submission: metrics.json for programs, report.md for people, and its code."""

from __future__ import annotations

import errno
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mlebench.base.wording import quote
from mlebench.competition.declaration import Competition
from mlebench.files.regular import NotRegularError, is_folder, read_regular
from mlebench.results.metric_names import direction, same_metric
from mlebench.results.names import METRICS_FILE, REPORT_TEXT

SECTIONS = ("model", "preprocessing", "decisions")
# By what a heading is known; what it says of decisions on the model is about decisions.
_STEMS = {"preprocessing": "preprocess", "decisions": "decision", "model": "model"}
_LARGEST = 10 << 20  # bytes of a file that is read
_MOST_CODE = 50 << 20  # bytes of code that is searched in all
_FEWEST_WORDS = 3  # of a sentence
_MOST_NAMING = 100_000  # characters on the model in which names are looked for
_MOST_NAMES = 100  # of them that are looked for in the code
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*)$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")  # the line above is a heading, of the first or the second level
_NAMED = re.compile(
    r"logistic regression|linear regression|linear model|ridge|lasso|elastic ?net|random forest|extra ?trees|"
    r"decision tree|gradient[- ]boost(?:ing|ed)|boosted trees?|light ?gbm|xg ?boost|cat ?boost|ada ?boost|"
    r"support vector|svm|svc|svr|nearest neighbou?rs?|k-?nn\b|naive bayes|gaussian process|prophet|s?arimax?\b|"
    r"neural network|multi-?layer perceptron|perceptron|mlp|lstm|gru|cnn|convolutional|rnn\b|"
    r"transformer|u-?net|resnet\w*|efficientnet\w*|densenet\w*|convnext\w*|vgg\w*|inception\w*|vit\b|swin\w*|"
    r"yolo\w*|mask r-?cnn|faster r-?cnn|(?:de|ro|distil|al)?bert\w*|t5|gpt\w*|tf-?idf|ensemble|dummy\w*|baseline|"
    r"constant|sample submission",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"`([^`\n]{2,60})`|\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)\b")
# How libraries write what people call by another name.
_IN_CODE = {
    "nearestneighbor": ("kneighbors",),
    "nearestneighbour": ("kneighbors",),
    "nearestneighbors": ("kneighbors",),
    "nearestneighbours": ("kneighbors",),
    "supportvector": ("svc", "svr", "svm"),
    "svm": ("svc", "svr", "supportvector"),
    "neuralnetwork": ("mlpclassifier", "mlpregressor", "nnmodule", "keras", "torch"),
    "multilayerperceptron": ("mlpclassifier", "mlpregressor"),
    "naivebayes": ("multinomialnb", "gaussiannb", "bernoullinb", "complementnb"),
    "lightgbm": ("lgb",),
    "xgboost": ("xgb",),
    "linearmodel": ("linearregression", "ridge", "logisticregression", "sgd"),
    "tfidf": ("tfidfvectorizer",),
    **dict.fromkeys(
        ("gradientboosting", "gradientboosted", "boostedtree", "boostedtrees"),
        ("gradientboosting", "xgb", "lgb", "lightgbm", "catboost"),
    ),
    "knn": ("kneighbors",),
    **dict.fromkeys(("cnn", "convolutional"), ("conv1d", "conv2d", "conv3d", "convolution")),
    "rnn": ("lstm", "gru"),
}


@dataclass(frozen=True)
class Mismatch:
    """A field of metrics.json that is not the competition's, and the sentence that says so."""

    field: Literal["metric", "direction"]
    sentence: str


@dataclass(frozen=True)
class Metrics:
    """metrics.json as a run left it; `problem` says why it does not have its form."""

    exists: bool
    problem: str | None = None
    metric: str | None = None
    direction: str | None = None
    validation_score: float | None = None
    validation_method: str | None = None

    def mismatch(self, competition: Competition) -> Mismatch | None:
        """Where a well-formed metrics.json contradicts the competition; None if it does not."""
        if not same_metric(str(self.metric), competition.metric):
            sentence = f"metrics.json names the metric {quote(self.metric)}, but it is {competition.metric}"
            return Mismatch("metric", sentence)
        if self.direction != competition.better:
            sentence = f"metrics.json says that {self.direction} is better, but it is {competition.better}"
            return Mismatch("direction", sentence)
        return None


@dataclass(frozen=True)
class Report:
    """report.md as a run left it; `missing` are the sections that it lacks."""

    exists: bool
    problem: str | None = None
    missing: tuple[str, ...] = ()
    model: str = ""


def read_metrics(folder: Path) -> Metrics:
    """metrics.json in the folder of collected artifacts."""
    text, problem = _text(folder / METRICS_FILE)
    if text is None:
        return Metrics(problem != _ABSENT, f"{METRICS_FILE} {problem}")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return Metrics(True, f"{METRICS_FILE} is not valid JSON")
    if not isinstance(values, dict):
        return Metrics(True, f"{METRICS_FILE} is not an object")
    metric, method = values.get("metric"), values.get("validation_method")
    score: Any = values.get("validation_score")
    towards = values.get("direction")
    for name, value in (("metric", metric), ("direction", towards), ("validation_method", method)):
        if not isinstance(value, str) or not value.strip():
            return Metrics(True, f"{METRICS_FILE} has no text {name}")
    known = direction(str(towards))
    if known is None:
        return Metrics(True, f"the direction in {METRICS_FILE} is neither higher nor lower")
    if not _is_finite(score):
        return Metrics(True, f"{METRICS_FILE} has no finite validation_score", str(metric), known, None, str(method))
    return Metrics(True, None, str(metric), known, float(score), str(method))


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def read_report(folder: Path) -> Report:
    """report.md in the folder of collected artifacts."""
    text, problem = _text(folder / REPORT_TEXT)
    if text is None:
        return Report(problem != _ABSENT, f"{REPORT_TEXT} {problem}", SECTIONS)
    found = sections(text)
    missing = tuple(name for name in SECTIONS if not _has_sentence(found.get(name, "")))
    wrong = f"{REPORT_TEXT} has no sentence under a heading for {', '.join(missing)}" if missing else None
    return Report(True, wrong, missing, found.get("model", ""))


def _has_sentence(text: str) -> bool:
    """Whether there are a few words that end in a full stop."""
    ended = re.split(r"[.!?。]", text)[:-1]
    return any(len(re.findall(r"\w+", sentence)) >= _FEWEST_WORDS for sentence in ended if sentence)


def sections(text: str) -> dict[str, str]:
    """The text below the headings for model, preprocessing and decisions, deeper headings included."""
    found: dict[str, list[str]] = {}
    stack: list[tuple[int, str | None]] = []  # (level, section) of the headings that a line is below
    fenced = False
    for line in _with_marks(text.splitlines()):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line)
        if heading is None:
            for name in {section for _, section in stack if section}:
                found[name].append(line)
            continue
        level, title = len(heading[1]), re.sub(r"[^a-z]", "", heading[2].lower())
        stack = [(depth, section) for depth, section in stack if depth < level]
        meant = [name for name, stem in _STEMS.items() if stem in title]
        named = next((name for name in meant if name not in found), meant[0] if meant else None)
        stack.append((level, named))
        if named:
            found.setdefault(named, [])
    return {name: "\n".join(lines) for name, lines in found.items()}


def _with_marks(lines: list[str]) -> list[str]:
    """Lines in which headings that are underlined have the marks of the others."""
    marked, fenced = list(lines), False
    for place, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        underline = None if fenced or not place else _UNDERLINE.match(line)
        above = marked[place - 1].strip()
        if underline and above and not above.startswith(("#", "-", "*", ">", "|", "`", "~")):
            marked[place - 1], marked[place] = f"{'#' if underline[1][0] == '=' else '##'} {above}", ""
    return marked


def model_in_code(report: Report, code: Path) -> str | None:
    """Why the model that report.md names cannot be found in the code; None if it can."""
    text = report.model[:_MOST_NAMING]
    names = [match[0] for match in _NAMED.finditer(text)]
    names += [name for match in _IDENTIFIER.finditer(text) for name in match.groups() if name]
    plain = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in names}
    plain.pop("", None)
    if not plain:
        return f"{REPORT_TEXT} names no model that is known by name"
    written = _code_text(code)
    if not written:
        return "code/ is empty"
    for name in list(plain)[:_MOST_NAMES]:
        if any(spelling in written for spelling in (name, *_IN_CODE.get(name, ()))):
            return None
    return f"code/ has none of the models that {REPORT_TEXT} names ({', '.join(list(plain.values())[:3])})"


def _code_text(folder: Path) -> str:
    """All text of a code folder as one word of small letters and digits."""
    parts, left = [], _MOST_CODE
    for path in sorted(folder.rglob("*")) if is_folder(folder) else ():
        try:
            data = read_regular(path, min(_LARGEST, left))
        except OSError:  # not a file, or too large
            continue
        if b"\0" in data[:1024]:
            continue
        left -= len(data)
        parts.append(re.sub(r"[^a-z0-9]", "", data.decode("utf-8", "replace").lower()))
    return "\n".join(parts)


_ABSENT = "is missing"


def _text(path: Path) -> tuple[str | None, str]:
    """(the text of a file, or None and why there is none)."""
    if not is_folder(path.parent):
        return None, _ABSENT
    try:
        text = read_regular(path, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, "is not UTF-8 text"
    except (FileNotFoundError, NotADirectoryError, NotRegularError):
        return None, _ABSENT
    except OSError as error:
        if error.errno == errno.EFBIG:
            return None, f"is larger than {_LARGEST >> 20} MB"
        return None, f"cannot be read ({error.strerror})"
    return (text, "") if text.strip() else (None, "is empty")
